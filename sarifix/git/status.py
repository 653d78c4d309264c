"""What `git status` says of the working tree, so that it need not be walked through again."""

from __future__ import annotations

import os

from sarifix.named import NamedTuple

# Fields before the path, by the kind of the record (git-status, "Porcelain Format Version 2").
_FIELDS = {"1": 8, "u": 10, "?": 1, "!": 1}
_NO_SUBMODULE = "N..."


Marked = tuple[str, str]  # the tag of `git ls-files -v` (in lower case, "S"), the file


class Status(NamedTuple):
    """The working tree against the index.

    ``differing`` are the files that differ from the index, untracked ones included; None
    where git could not say of all (submodules, nested repositories, closed directories).
    ``ignored`` is what git ignores, by path; a directory that is ignored ends with ``/``.
    ``marked`` are the files under an assume-unchanged or skip-worktree bit, of whose edits
    it says nothing.
    """

    differing: tuple[str, ...] | None
    ignored: tuple[str, ...]
    marked: tuple[Marked, ...] = ()


def parse(said: bytes, marked: tuple[Marked, ...] = (), *, complained: bool) -> Status:
    """Read what `git status` with ``git_settings.STATUS`` wrote, and whether it ``complained``."""
    differing: list[str] = []
    ignored: list[str] = []
    told = not complained
    for record in os.fsdecode(said).split("\0"):
        kind = record[:1]
        if kind not in _FIELDS:
            told = told and kind in ("", "#")
            continue
        *fields, path = record.split(" ", _FIELDS[kind])
        if kind == "!":
            ignored.append(path)
        elif kind == "?" or fields[1][1] != ".":
            differing.append(path)
            plain = kind == "?" or fields[2] == _NO_SUBMODULE
            told = told and plain and not path.endswith("/")
    return Status(tuple(differing) if told else None, tuple(ignored), marked)

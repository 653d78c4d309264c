"""The state of a repository to the byte: what a check must leave as it was."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from tests.support.repo import Repo

OWN = "sarifix"  # our folder in the git directory


def state(top: Path, *others: Path) -> dict[str, tuple[object, ...]]:
    """Return mode, time and content of every file of the working tree and the git directories.

    ``others`` are further places that must stay as they are. Of objects and shared indexes
    git freshens the time when it would write or read them: only their content counts.
    """
    repo = Repo(top)
    git_dirs = {_absolute(repo, "--absolute-git-dir"), _absolute(repo, "--git-common-dir")}
    found: dict[str, tuple[object, ...]] = {}
    for place in (top, *git_dirs, *others):
        for path in _walk(place, git_dirs):
            found[os.fspath(path)] = _fact(path)
    return found


def differences(
    before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]
) -> list[str]:
    """Return one line for each path that is not as it was."""
    return [
        f"{path}: {before.get(path)} -> {after.get(path)}"
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]


def but_of_git(top: Path, left: list[str]) -> list[str]:
    """Take away what a ``git commit`` that is ended, or refused, leaves by itself.

    The index is refreshed, and the directory has a new time from its lock.
    """
    git_dir = _absolute(Repo(top), "--absolute-git-dir")
    names = ("", "/index", "/index.lock", "/COMMIT_EDITMSG")
    return [line for line in left if not line.startswith(tuple(f"{git_dir}{n}:" for n in names))]


def _absolute(repo: Repo, question: str) -> Path:
    return Path(os.path.normpath(repo.path / repo.git("rev-parse", question)))


def _walk(place: Path, git_dirs: set[Path]) -> Iterator[Path]:
    """Yield all below ``place``, links not followed; not our own folder of a git directory."""
    for directory, names, files in os.walk(place):
        here = Path(directory)
        if here in git_dirs:
            # Its own time changes when our folder is made in it.
            names[:] = [name for name in names if name != OWN]
        else:
            yield here
        yield from (here / name for name in files)
        yield from (here / name for name in names if (here / name).is_symlink())


def _fact(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    timeless = "objects" in path.parts or path.name.startswith("sharedindex")
    time = None if timeless else status.st_mtime_ns
    return (stat.filemode(status.st_mode), time, _content(path, status))


def _content(path: Path, status: os.stat_result) -> str | None:
    if stat.S_ISLNK(status.st_mode):
        return str(path.readlink())
    if not stat.S_ISREG(status.st_mode):
        return None
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except PermissionError:
        return "closed"

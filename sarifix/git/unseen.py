"""What a tree of the working tree does not show: ignored files, hidden bits, settings."""

from __future__ import annotations

from collections.abc import Sequence

from sarifix.git.trees import Git


def ignored(git: Git) -> list[str]:
    """Return what git ignores, by path; a directory of nothing else is one name with ``/``."""
    return _names(git.read("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"))


def ignored_below(git: Git, directories: Sequence[str]) -> list[str]:
    """Return each ignored file below some directories."""
    if not directories:
        return []
    return _names(git.read("ls-files", "-o", "-i", "--exclude-standard", "-z", "--", *directories))


def marked(git: Git) -> list[str]:
    """Return the files under an assume-unchanged or skip-worktree bit."""
    listed = _names(git.read("ls-files", "-v", "-z"))
    return [record[2:] for record in listed if record[0] in "Ss" or record[0].islower()]


def settings(git: Git) -> dict[str, str]:
    """Return git's configuration: the values of each key, one a line."""
    found: dict[str, str] = {}
    for record in _names(git.read("config", "-z", "--list")):
        key, _, value = record.partition("\n")
        found[key] = f"{found[key]}\n{value}" if key in found else value
    return found


def setting_files(git: Git) -> list[str]:
    """Return the files that git's configuration was read from, and the usual ones."""
    listed = git.read("config", "-z", "--list", "--name-only", "--show-origin").split("\0")
    return [origin.removeprefix("file:") for origin in listed[::2] if origin.startswith("file:")]


def missing(git: Git, oids: Sequence[str]) -> bool:
    """Whether one of these objects is in no store any more."""
    if not oids:
        return False
    said = git.read("cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in oids))
    return any(line.endswith(" missing") for line in said.splitlines())


def _names(listed: str) -> list[str]:
    return [name for name in listed.split("\0") if name]

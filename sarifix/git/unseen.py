"""What a tree of the working tree does not show: ignored files, lost objects."""

from __future__ import annotations

from collections.abc import Sequence

from sarifix.git.trees import Git


def ignored_below(git: Git, directories: Sequence[str]) -> list[str]:
    """Return each ignored file below some directories."""
    if not directories:
        return []
    return _names(git.read("ls-files", "-o", "-i", "--exclude-standard", "-z", "--", *directories))


def missing(git: Git, oids: Sequence[str]) -> bool:
    """Whether one of these objects is in no store any more."""
    if not oids:
        return False
    said = git.read("cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in oids))
    return any(line.endswith(" missing") for line in said.splitlines())


def _names(listed: str) -> list[str]:
    return [name for name in listed.split("\0") if name]

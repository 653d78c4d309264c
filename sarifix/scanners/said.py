"""What a scanner says beside its SARIF: files that it could not read, and that it failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sarifix.model import Scanner


def unread(scanner: Scanner, stderr: str, stdout: str, roots: Sequence[str]) -> tuple[str, ...]:
    """Return what the scanner says it could not read, sorted: paths as the tree has them.

    Where it does not name the file this is what it says instead, so a path that the tree
    does not have is a text. ``roots`` are the absolute forms of the tree's directory;
    ``stdout`` is empty where the SARIF comes out there.
    """
    found = {*_paths(scanner.unread_stderr, stderr), *_paths(scanner.unread_stdout, stdout)}
    return tuple(sorted({_relative(path, roots) for path in found}))


def _paths(patterns: Sequence[str], text: str) -> Iterator[str]:
    for pattern in patterns:
        yield from (match["path"] for match in re.finditer(pattern, text, re.MULTILINE))


def _relative(path: str, roots: Sequence[str]) -> str:
    for root in roots:
        path = path.removeprefix(f"{root}/")
    return path.removeprefix("./")


def complaint(scanner: Scanner, stderr: str) -> str | None:
    """Return by which line the scanner says that it failed, in spite of its exit code."""
    for pattern in scanner.failed_stderr:
        if found := re.search(pattern, stderr, re.MULTILINE):
            return found[0]
    return None

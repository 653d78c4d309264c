"""Files that a scanner passes over in a directory, but not when they are named to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sarifix.model import Scanner
from sarifix.patterns import Patterns, problem

_INCLUDE = ":include "


def without_ignored(
    scanner: Scanner, paths: Sequence[str], read: Callable[[str], str | None]
) -> list[str]:
    """Return the paths that the scanner would scan if it walked through the tree.

    semgrep heeds ``.semgrepignore``, and its own list where there is none, for files that
    it comes across; one that is named is scanned. ``read`` returns the text of a file of
    the tree whose configuration is in force, or None if it has no such file.
    """
    if not scanner.ignore_file:
        return list(paths)
    text = read(scanner.ignore_file)
    lines = scanner.ignored if text is None else tuple(_lines(text, read))
    ignored = set(Patterns(lines).filter(paths))
    return [path for path in paths if path not in ignored]


def _lines(text: str, read: Callable[[str], str | None]) -> Iterator[str]:
    """Yield the patterns of an ignore file, those of files that it includes among them."""
    for line in text.splitlines():
        if line.startswith(_INCLUDE):
            included = read(line.removeprefix(_INCLUDE).strip()) or ""
            yield from (each for each in included.splitlines() if problem(each) is None)
        elif problem(line) is None:
            yield line.rstrip()

"""Configuration that is named in configuration: what it extends, imports or loads."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Callable, Collection, Container, Iterator

from sarifix.model import Scanner
from sarifix.patterns import Patterns

_NAMES = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'|([^\s,\[\]\"'#]+)")
_IMPLIED = ("", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js")  # ends that an import omits


def with_references(
    scanner: Scanner, paths: Collection[str], read: Callable[[str], str | None]
) -> Scanner:
    """Return the scanner with the files and directories that its configuration names, too.

    Otherwise they would decide what is found, and be neither the same on both sides nor a
    part of a result's key. ``paths`` are those of the tree whose configuration is in force,
    ``read`` returns the text of one of them.
    """
    waiting = Patterns(scanner.config_files).filter(paths) if scanner.refers else []
    known = set(waiting)
    directories = functools.cache(lambda: {above for path in paths for above in _above(path)})
    found: set[str] = set()
    while waiting:
        path = waiting.pop()
        for named in _named(scanner, read(path) or ""):
            new = set(_places(path, named, paths, directories)) - known - found
            found |= new
            waiting += [place for place in new if place in paths]
    patterns = (f"/{literal(path)}" for path in sorted(found))
    return scanner._replace(config_files=(*scanner.config_files, *patterns))


def _named(scanner: Scanner, text: str) -> Iterator[str]:
    for pattern in scanner.refers:
        for found in re.finditer(pattern, text, re.MULTILINE):
            yield from (next(filter(None, groups)) for groups in _NAMES.findall(found["value"]))


def _places(
    path: str, named: str, paths: Container[str], directories: Callable[[], Container[str]]
) -> Iterator[str]:
    """Yield what a name in the configuration at ``path`` stands for: from there, or from the top.

    Never the whole tree: what is held equal on both sides shows nothing new.
    """
    for origin in {posixpath.dirname(path), ""}:
        place = posixpath.normpath(posixpath.join(origin, named))
        files = [place + end for end in _IMPLIED if place + end in paths]
        if files:
            yield files[0]
        elif place in directories():
            yield place


def _above(path: str) -> Iterator[str]:
    directory = posixpath.dirname(path)
    while directory:
        yield directory
        directory = posixpath.dirname(directory)


def literal(path: str) -> str:
    """Return the gitignore pattern of a path as it is."""
    return re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)

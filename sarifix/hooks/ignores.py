"""Which files new ignore rules hide: the rules as they were, over what is ignored now."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from sarifix.git import unseen
from sarifix.hooks.session import State
from sarifix.hooks.traces import IGNORE, names_ignored
from sarifix.model import Entry
from sarifix.patterns import Patterns, problem
from sarifix.workspace import Workspace

# Made by tools, with an ignore file of their own or ignored by everyone: to name them
# would only be noise.
_OF_TOOLS = frozenset({
    ".cache", ".claude", ".eggs", ".gradle", ".hypothesis", ".idea", ".mypy_cache", ".next", ".nox",
    ".nyc_output", ".parcel-cache", ".pytest_cache", ".ruff_cache", ".terraform", ".tox",
    ".venv", ".vscode", "__pycache__", "node_modules", "venv",
})  # fmt: skip


def newly_hidden(
    space: Workspace, base: Mapping[str, Entry], before: State, now: State
) -> list[str]:
    """Return what is ignored now and was not by the rules of the base, by path."""
    asked = list(_asked(names_ignored(before), names_ignored(now)))
    return _by_new_rules(space, asked, tuple(_rules(space, base, before))) if asked else []


def _asked(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """Yield the names that are ignored now and were not, nothing below one of them."""
    fresh = set(now) - set(before)
    for name in sorted(fresh):
        if not _of_tools(name) and not _is_below(name, fresh):
            yield name


def untracked(top: str, base: Iterable[str], head: Container[str], now: State) -> list[str]:
    """Return the files of the base that are still there, but ignored: by whichever rules."""
    ignored = set(names_ignored(now))
    missing = (path for path in base if path not in head)
    gone = [path for path in missing if path in ignored or _is_below(path, ignored)]
    return [path for path in gone if os.path.lexists(os.path.join(top, path))]


def _by_new_rules(space: Workspace, asked: Sequence[str], patterns: tuple[str, ...]) -> list[str]:
    """Return those names that these patterns would not ignore."""
    suspect = [name for name in asked if not _is_ignored(name, patterns)]
    directories = [name for name in suspect if name.endswith("/")]
    below = unseen.ignored_below(space.git, directories)
    really = [name for name in below if not _is_ignored(name, patterns)]
    return [
        name
        for name in suspect
        if not name.endswith("/") or any(file.startswith(name) for file in really)
    ]


def _is_below(path: str, names: Container[str]) -> bool:
    return any(f"{parent}/" in names for parent in _parents(path))


def _parents(name: str) -> Iterator[str]:
    parent = name.rstrip("/").rpartition("/")[0]
    while parent:
        yield parent
        parent = parent.rpartition("/")[0]


def _of_tools(name: str) -> bool:
    return not _OF_TOOLS.isdisjoint(name.split("/"))


def _is_ignored(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether git would ignore this: nothing comes back below a directory that it ignores."""
    if name.endswith("/"):
        return _is_excluded(name, patterns)
    above = (f"{parent}/" for parent in _parents(name))
    return Patterns(patterns).matches(name) or any(_is_excluded(d, patterns) for d in above)


@functools.lru_cache(maxsize=1000)
def _is_excluded(directory: str, patterns: tuple[str, ...]) -> bool:
    """Whether the last pattern that matches a directory, or one above it, excludes it."""
    for pattern in reversed(patterns):
        # Other ones match it as they do a file; but `out/*` is not `out/`.
        path = directory if pattern.endswith("/") else directory.rstrip("/")
        if Patterns((pattern.removeprefix("!"),)).matches(path):
            return not pattern.startswith("!")
    return False


def _rules(space: Workspace, base: Mapping[str, Entry], before: State) -> Iterator[str]:
    """Yield the patterns of the base from the top level, the later ones counting more."""
    for source in ("core.excludesFile", "info/exclude"):
        yield from _patterns(before.get(f"{IGNORE}{source}", ""), "")
    texts = {
        path: space.blobs.read(entry.oid).decode("utf-8", "surrogateescape")
        for path, entry in base.items()
        if entry.is_file and path.rpartition("/")[2] == ".gitignore"
    }
    texts |= {
        key.removeprefix(IGNORE): text
        for key, text in before.items()
        if key.startswith(IGNORE) and key.rpartition("/")[2] == ".gitignore"
    }
    for path in sorted(texts, key=lambda path: path.count("/")):
        yield from _patterns(texts[path], path.rpartition("/")[0])


def _patterns(text: str, directory: str) -> Iterator[str]:
    for line in text.splitlines():
        pattern = line if line.endswith("\\ ") else line.rstrip(" ")
        if pattern and problem(pattern) is None:
            yield _placed(pattern, directory)


def _placed(pattern: str, directory: str) -> str:
    """Return a pattern of the ignore file in ``directory`` as one from the top level."""
    if not directory:
        return pattern
    negation, body = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    prefix = "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", directory)
    anchored = "/" in body.rstrip("/")
    return f"{negation}{prefix}/{body.lstrip('/')}" if anchored else f"{negation}{prefix}/**/{body}"

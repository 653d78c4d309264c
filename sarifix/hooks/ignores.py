"""Which files new ignore rules hide: the rules as they were, over what is ignored now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

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
    known = set(names_ignored(before))
    asked = [name for name in names_ignored(now) if name not in known and not _of_tools(name)]
    if not asked:
        return []
    rules = Patterns(tuple(_rules(space, base, before)))
    suspect = [name for name in asked if not rules.matches(_inside(name))]
    directories = [name for name in suspect if name.endswith("/")]
    below = unseen.ignored_below(space.git, directories)
    really = [name for name in below if not rules.matches(name)]
    return [
        name
        for name in suspect
        if not name.endswith("/") or any(file.startswith(name) for file in really)
    ]


def _of_tools(name: str) -> bool:
    return not _OF_TOOLS.isdisjoint(name.split("/"))


def _inside(name: str) -> str:
    """Return a name that stands for all of a directory."""
    return f"{name}any" if name.endswith("/") else name


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

"""Changes of a JSON document at any of its places."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

Path = tuple[str | int, ...]

_TWICE = "\0twice"  # behind a key: it is to stand there a second time


def deep(levels: int) -> Any:
    """Return a value nested so deep."""
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"x": value}
    return value


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 5, 2**31, 10**400, 1.5, 3.0, 1e308, -0.0),
    *("", " ", "x", "../x", "/etc/passwd", "file:///repo/app.py", "/repo", "error", "none", "%ff"),
    *("pass", "open", "notApplicable", "accepted", "rejected", "\ud800", "\0", "{0}{1}", "C:\\x"),
    *(
        [],
        [None],
        ["x"],
        [[]],
        [{}],
        {},
        {"x": "y"},
        {"status": "accepted"},
        [{"kind": "inSource"}],
    ),
    deep(150),
)
KEYS = (
    *("level", "kind", "suppressions", "status", "baselineState", "ruleId", "ruleIndex", "rule"),
    *("message", "arguments", "text", "markdown", "id", "locations", "physicalLocation", "uri"),
    *("region", "startLine", "startColumn", "endLine", "endColumn", "uriBaseId", "index"),
    *("results", "runs", "invocations", "executionSuccessful", "toolExecutionNotifications"),
    *("originalUriBaseIds", "artifacts", "extensions", "toolComponent", "fingerprints"),
    *("externalPropertyFileReferences", "inlineExternalProperties", "properties", "tags"),
)


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value below a document, parents first."""
    children: Iterator[tuple[str | int, Any]] = iter(())
    if isinstance(value, dict):
        children = iter(value.items())
    elif isinstance(value, list):
        children = iter(enumerate(value))
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def shape(path: Path) -> Path:
    """Return a path in which it does not matter which item of an array it goes through."""
    return tuple("*" if isinstance(part, int) else part for part in path)


def parent(document: Any, path: Path) -> Any:
    """Return what holds the value at a path."""
    for part in path[:-1]:
        document = document[part]
    return document


def replaced(document: Any, path: Path, value: Any) -> Any:
    """Return the document with another value at a path."""
    made = copy.deepcopy(document)
    parent(made, path)[path[-1]] = value
    return made


def deleted(document: Any, path: Path) -> Any:
    """Return the document without what is at a path."""
    made = copy.deepcopy(document)
    del parent(made, path)[path[-1]]
    return made


def again(document: Any, path: Path) -> Any:
    """Return the document with an item of an array, or a key of an object, standing twice."""
    made = copy.deepcopy(document)
    held = parent(made, path)
    if isinstance(held, list):
        held.append(held[int(path[-1])])
    else:
        held[f"{path[-1]}{_TWICE}"] = held[path[-1]]
    return made


def dumped(document: Any) -> bytes:
    """Return a document as JSON, with the keys that stand twice."""
    return json.dumps(document).replace(json.dumps(_TWICE)[1:-1], "").encode()


def mutated(document: Any, random: Random, odd: Sequence[Any] = ODD) -> Any:
    """Return the document with one change somewhere, as often near its top as deep in it."""
    known = list(places(document))
    if not known:
        return random.choice(odd)
    bound = random.choice((3, 10, 40, len(known)))
    path = known[random.randrange(min(bound, len(known)))]
    match random.randrange(5):
        case 0:
            return deleted(document, path)
        case 1:
            return again(document, path)
        case 2:
            other = parent(document, random.choice(known))
            return replaced(document, path, copy.deepcopy(other))
        case 3 if isinstance(parent(document, path), dict):
            return replaced(document, (*path[:-1], random.choice(KEYS)), random.choice(odd))
        case _:
            return replaced(document, path, random.choice(odd))

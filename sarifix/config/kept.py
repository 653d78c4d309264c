"""YAML that was read before: to import ruamel.yaml takes longer than to read a configuration."""

from __future__ import annotations

import json
from typing import Any

from sarifix import __version__
from sarifix.cache import Cache, key
from sarifix.config.document import Items, Mapping, Node, Scalar, parse

_MOST = 10_000  # nodes that are kept: aliases can stand for any number


class Documents:
    """Reads YAML as ``document.parse`` does, and keeps what came of it in a cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._read: dict[str, Node | None] = {}  # by text, in this run

    def parse(self, text: str) -> Node | None:
        """Return the nodes of a text; raises ``Wrong``, each time anew."""
        if text not in self._read:
            self._read[text] = self._parse(text)
        return self._read[text]

    def _parse(self, text: str) -> Node | None:
        name = key("document", __version__, text)
        kept = self._cache.get(name)
        if kept is not None:
            row = json.loads(kept)
            return None if row is None else _node(row)
        root = parse(text)
        if _is_small(root):
            row = None if root is None else _row(root)
            self._cache.put(name, json.dumps(row).encode())
        return root


def _is_small(root: Node | None) -> bool:
    seen, left = 0, [] if root is None else [root]
    while left and seen <= _MOST:
        node = left.pop()
        seen += 1
        if isinstance(node, Items):
            left.extend(node.items)
        elif isinstance(node, Mapping):
            left.extend(part for pair in node.items for part in pair)
    return seen <= _MOST


def _row(node: Node) -> list[Any]:
    if isinstance(node, Scalar):
        return ["scalar", node.place, node.value]
    if isinstance(node, Items):
        return ["items", node.place, [_row(item) for item in node.items]]
    return ["mapping", node.place, [[_row(name), _row(value)] for name, value in node.items]]


def _node(row: Any) -> Node:
    kind, (line, column), value = row
    if kind == "scalar":
        return Scalar((line, column), value)
    if kind == "items":
        return Items((line, column), tuple(map(_node, value)))
    return Mapping((line, column), tuple((_node(name), _node(below)) for name, below in value))

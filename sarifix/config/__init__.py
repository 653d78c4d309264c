"""``.sarifix.yaml`` to ``Config``; every error names its file, line, column and key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from sarifix.config.document import Mapping, Node, Place, Scalar, Wrong, parse, shown_name
from sarifix.config.entry import Given, check, check_name
from sarifix.config.schema import ENTRY, KEYS, Key, shown
from sarifix.errors import ConfigError
from sarifix.model import Config, Policy, ScannerEntry

__all__ = ["KEYS", "loads"]

_BY_PATH = {key.path: key for key in KEYS}
_SECTIONS = ("hooks", "rules", "paths", "scanners")
_POLICY = frozenset(Policy._fields)
_HINT = "docs/configuration.md lists every key with its type and its default."


def loads(
    text: str,
    path: str,
    presets: Collection[str],
    parse: Callable[[str], Node | None] = parse,
) -> Config:
    """Read a configuration from its text.

    ``path`` is what messages call the file, ``presets`` are the names that an entry may
    use without a command; ``parse`` makes nodes of YAML. A text of nothing but comments
    gives the defaults. Raises ``ConfigError``: ``path:line:column: key: what is wrong;
    expected ...``.
    """
    return _Reader(path, frozenset(presets)).config(text, parse)


class _Reader:
    """Reads one file; it knows what the file is called and which presets there are."""

    def __init__(self, path: str, presets: frozenset[str]) -> None:
        self._path = path
        self._presets = presets

    def config(self, text: str, parse: Callable[[str], Node | None]) -> Config:
        try:
            root = parse(text)
        except Wrong as wrong:
            raise self._error(wrong, "") from wrong
        if root is None or (isinstance(root, Scalar) and root.value is None):
            return Config(path=self._path)
        values = {field: given.value for field, given in self._section(root, "", "").items()}
        policy = Policy(**{name: values.pop(name) for name in _POLICY & values.keys()})
        return Config(path=self._path, policy=policy, **values)

    def _section(self, node: Node, shape: str, path: str) -> dict[str, Given]:
        """Read a mapping by the keys below ``shape``; ``path`` is what messages call it."""
        found: dict[str, Given] = {}
        for name, place, value in self._pairs(node, path):
            below, known = _join(shape, name), _join(path, name)
            if "." in name:  # `rules.deny:` is one name, not a way into the section
                raise self._error(_unknown_key(place, shape, name), known)
            if below == "scanners":
                found["scanners"] = Given(value, self._entries(value))
            elif below in _SECTIONS:
                found.update(self._section(value, below, known))
            elif below in _BY_PATH:
                key = _BY_PATH[below]
                found[key.field] = Given(value, self._value(key, value, known))
            else:
                raise self._error(_unknown_key(place, shape, name), known)
        return found

    def _value(self, key: Key, node: Node, path: str) -> Any:
        try:
            return key.read(node)
        except Wrong as wrong:
            wrong.expects = wrong.expects or key.expects
            raise self._error(wrong, path) from wrong

    def _pairs(self, node: Node, path: str) -> Iterator[tuple[str, Place, Node]]:
        """Yield a mapping's keys with their places and values; nothing at all is an empty one."""
        if isinstance(node, Scalar) and node.value is None:
            return
        if not isinstance(node, Mapping):
            raise self._error(Wrong(node.place, f"{shown(node)} is given", "a mapping"), path)
        seen: dict[str, Place] = {}
        for key, value in node.items:
            name = self._name(key, path)
            if name in seen:
                what = f"given twice, first in line {seen[name][0]}"
                raise self._error(Wrong(key.place, what, "each key once"), _join(path, name))
            seen[name] = key.place
            yield name, key.place, value

    def _name(self, key: Node, path: str) -> str:
        if isinstance(key, Scalar) and isinstance(key.value, str):
            return key.value
        wrong = Wrong(key.place, f"{shown(key)} is a key", "keys that are strings")
        raise self._error(wrong, path)

    def _entries(self, node: Node) -> tuple[ScannerEntry, ...]:
        return tuple(self._entry(*pair) for pair in self._pairs(node, "scanners"))

    def _entry(self, name: str, place: Place, node: Node) -> ScannerEntry:
        path = f"scanners.{name}"
        try:
            check_name(name, place)
            given = self._section(node, ENTRY, path)
            check(name, place, given, self._presets)
        except Wrong as wrong:
            raise self._error(wrong, path) from wrong
        values = {field: item.value for field, item in given.items()}
        if "command" not in values:
            values.setdefault("preset", name)
        return ScannerEntry(name=name, place=f"{self._path}:{place[0]}:{place[1]}", **values)

    def _error(self, wrong: Wrong, path: str) -> ConfigError:
        line, column = wrong.place
        key = f"{shown_name(path + wrong.at)}: " if path + wrong.at else ""
        return ConfigError(
            f"{self._path}:{line}:{column}: {key}{wrong.what}; expected {wrong.expects}",
            wrong.hint or _HINT,
        )


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _unknown_key(place: Place, shape: str, name: str) -> Wrong:
    known = sorted(_below(shape))
    import difflib  # for a message alone

    near = difflib.get_close_matches(name[:60], known, n=1)
    elsewhere = [key.path for key in KEYS if key.path.rpartition(".")[2] == name]
    hint = "Merge keys are not read; write the keys out." if name == "<<" else None
    if near or elsewhere:
        hint = f"Did you mean {near[0] if near else ' or '.join(elsewhere)}?"
    return Wrong(place, "unknown key", f"one of {', '.join(known)}", hint)


def _below(shape: str) -> set[str]:
    prefix = f"{shape}." if shape else ""
    inside = (key.path.removeprefix(prefix) for key in KEYS if key.path.startswith(prefix))
    return {path.partition(".")[0] for path in inside}

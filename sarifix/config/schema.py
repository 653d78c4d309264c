"""The schema as data: every key, how its value is read, and what is expected there."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from typing import Any

from sarifix.config.document import Items, Mapping, Node, Scalar, Wrong
from sarifix.model import Grain, Level
from sarifix.named import NamedTuple
from sarifix.patterns import problem

DAY = 86_400  # seconds
ENTRY = "scanners.NAME"
PLACEHOLDERS = ("{out}", "{outdir}", "{files}")

_PLACEHOLDER = re.compile(r"\{[A-Za-z_]+\}")  # not JSON, and not what jq or awk are given
_RULE = re.compile(r"[^/\s][^/]*/.+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Reader = Callable[[Node], Any]


def shown(node: Node) -> str:
    """Return what a node is, for a message: short, and without characters that hide."""
    if isinstance(node, Scalar):
        return _shown_scalar(node.value)
    kind = "list" if isinstance(node, Items) else "mapping"
    return f"a {kind}" if node.items else f"an empty {kind}"


def _shown_scalar(value: str | float | None) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, str):
        return f"the string {value if len(value) <= 60 else value[:59] + '…'!r}"
    return f"the number {value}"


def _given(node: Node, hint: str | None = None) -> Wrong:
    return Wrong(node.place, f"{shown(node)} is given", hint=hint)


def string(node: Node) -> str:
    """Read a string, which may be empty."""
    value = node.value if isinstance(node, Scalar) else None
    if not isinstance(value, str):
        number = isinstance(value, (bool, int, float))
        raise _given(node, "Put it in quotes, so that it is a string." if number else None)
    if "\0" in value:
        raise _given(node, "A NUL character can be in no argument and no path.")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        raise _given(
            node, "Half a character (\\ud800) can be in no argument and no path."
        ) from None
    return value


def boolean(node: Node) -> bool:
    """Read true or false."""
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return node.value
    raise _given(node, "YAML 1.2 knows true and false; yes, no, on and off are strings.")


def whole(low: int, high: int) -> Reader:
    """Return a reader of whole numbers from low to high; a boolean is none."""

    def read(node: Node) -> int:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise _given(node)

    return read


def seconds(node: Node) -> float:
    """Read a time in seconds, above 0 and up to a day."""
    value = node.value if isinstance(node, Scalar) else None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _given(node)
    if not math.isfinite(value) or not 0 < value <= DAY:
        raise _given(node)
    return float(value)


def choice(values: dict[str, Any]) -> Reader:
    """Return a reader of one of a few words; it gives what the word stands for."""

    def read(node: Node) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, str) and value in values:
            return values[value]
        lower = isinstance(value, str) and value.lower() in values
        raise _given(node, "Write it in small letters." if lower else None)

    return read


def items(read: Reader, *, some: bool = False) -> Reader:
    """Return a reader of a list (``some``: not an empty one) as a tuple."""

    def read_all(node: Node) -> tuple[Any, ...]:
        nodes = _items(node, "Write a list: [value].", some=some)
        return tuple(_item(read, index, item) for index, item in enumerate(nodes))

    return read_all


def _items(node: Node, hint: str, *, some: bool) -> tuple[Node, ...]:
    """Return a list's nodes; ``hint`` is for those who wrote a single value instead."""
    if not isinstance(node, Items):
        raise _given(node, hint if isinstance(node, Scalar) and node.value is not None else None)
    if some and not node.items:
        raise _given(node)
    return node.items


def _item(read: Reader, index: int, node: Node) -> Any:
    try:
        return read(node)
    except Wrong as wrong:
        wrong.at = f"[{index}]{wrong.at}"
        raise


def revision(node: Node) -> str:
    """Read a git revision: never an option, never empty."""
    value = string(node)
    if not value.strip() or value.startswith("-") or not value.isprintable():
        raise _given(node)
    return value


def pattern(node: Node) -> str:
    """Read a gitignore pattern that can match something."""
    value = string(node)
    found = problem(value)
    if found is not None:
        raise Wrong(node.place, f"{shown(node)} is {found}")
    return value


def rule_pattern(node: Node) -> str:
    """Read a pattern over SCANNER/RULE."""
    value = string(node)
    if not _RULE.fullmatch(value):
        slash = "A rule of every scanner is */RULE, every rule of a scanner SCANNER/*."
        raise _given(node, slash)
    return value


def directory(node: Node) -> str:
    """Read the path of a directory within the repository, and not of git's own."""
    value = string(node).removesuffix("/")
    parts = value.split("/")
    if "\\" in value or any(part in {"", ".", "..", ".git"} for part in parts):
        raise _given(node)
    return value


def exit_codes(node: Node) -> frozenset[int]:
    """Read a list of exit codes."""
    return frozenset(items(whole(0, 255), some=True)(node))


def environment(node: Node) -> tuple[tuple[str, str], ...]:
    """Read a mapping of variables to strings, as sorted pairs."""
    if not isinstance(node, Mapping):
        raise _given(node)
    found: dict[str, str] = {}
    for key, value in node.items:
        name, text = _variable(key, value)
        if name in found:
            raise Wrong(key.place, "given twice", "each variable once", at=f".{name}")
        found[name] = text
    return tuple(sorted(found.items()))


def _variable(key: Node, value: Node) -> tuple[str, str]:
    name = string(key)
    if not _VARIABLE.fullmatch(name):
        raise _given(key)
    try:
        return name, string(value)
    except Wrong as wrong:
        wrong.at = f".{name}"
        raise


def command(node: Node) -> tuple[str, ...]:
    """Read a command line: a program and its arguments, with placeholders."""
    hint = "Write a list with one argument an item, [mytool, --sarif]: there is no shell."
    nodes = _items(node, hint, some=True)
    return tuple(_argument(index, item) for index, item in enumerate(nodes))


def _argument(index: int, node: Node) -> str:
    argument: str = _item(string, index, node)
    found = _PLACEHOLDER.findall(argument)
    unknown = next((name for name in found if name not in PLACEHOLDERS), None)
    what = expects = ""
    if index == 0 and (found or not argument.strip()):
        what = "is no program"
    elif unknown is not None:
        what, expects = f"has the unknown placeholder {unknown}", "{out}, {outdir} or {files}"
    elif "{files}" in found and argument != "{files}":
        what, expects = "joins {files} to something else", "{files} as an item of its own"
    if what:
        raise Wrong(node.place, f"{shown(node)} {what}", expects, at=f"[{index}]")
    return argument


def output(node: Node) -> str:
    """Read where a tool leaves its SARIF: a name below {outdir}."""
    value = string(node)
    head, _, name = value.partition("/")
    parts = name.split("/")
    if head != "{outdir}" or "\\" in name or any(part in {"", ".", ".."} for part in parts):
        hint = "A tool that takes the file's name gets {out}, and needs no `output`."
        raise _given(node, hint)
    return value


class Key(NamedTuple):
    """One key. ``path`` is dotted, ``field`` is what it fills in the model."""

    path: str
    field: str
    read: Reader
    expects: str


_ARGUMENTS = items(string)
_PATTERNS = items(pattern)
_SECONDS = f"a number of seconds above 0 and up to {DAY}"
_RULES = "a list of SCANNER/RULE patterns"
_PATHS = "a list of gitignore patterns"
_BOOLEAN = "true or false"

KEYS: tuple[Key, ...] = (
    Key("base", "base", revision, "a revision, such as HEAD or origin/main"),
    Key("deadline", "deadline", seconds, _SECONDS),
    Key("jobs", "jobs", whole(0, 256), "a whole number from 0 to 256"),
    Key("hooks.deadline", "hook_deadline", seconds, _SECONDS),
    Key(
        "rules.min_level",
        "min_level",
        choice({str(level): level for level in Level}),
        "none, note, warning or error",
    ),
    Key("rules.deny", "deny", items(rule_pattern), _RULES),
    Key("rules.allow", "allow", items(rule_pattern), _RULES),
    Key(
        "rules.suppressions",
        "suppressions",
        choice({"report": "report", "ignore": "ignore"}),
        "report or ignore",
    ),
    Key("paths.deny", "deny_paths", _PATTERNS, _PATHS),
    Key(f"{ENTRY}.preset", "preset", string, "the name of a preset"),
    Key(f"{ENTRY}.command", "command", command, "a list of strings: a program and its arguments"),
    Key(f"{ENTRY}.args", "args", _ARGUMENTS, "a list of strings"),
    Key(f"{ENTRY}.output", "output", output, '"{outdir}/NAME"'),
    Key(
        f"{ENTRY}.ok_exit_codes",
        "ok_exit_codes",
        exit_codes,
        "a list of at least one whole number from 0 to 255",
    ),
    Key(
        f"{ENTRY}.empty_output",
        "empty_output",
        choice({"error": "error", "clean": "clean"}),
        "error or clean",
    ),
    Key(f"{ENTRY}.inputs", "inputs", items(pattern, some=True), f"{_PATHS}, not an empty one"),
    Key(f"{ENTRY}.config_files", "config_files", _PATTERNS, _PATHS),
    Key(f"{ENTRY}.grain", "grain", choice({g.value: g for g in Grain}), "file or tree"),
    Key(
        f"{ENTRY}.version_command",
        "version_command",
        items(string, some=True),
        "a list of strings: a program and its arguments",
    ),
    Key(f"{ENTRY}.timeout", "timeout", seconds, _SECONDS),
    Key(f"{ENTRY}.required", "required", boolean, _BOOLEAN),
    Key(
        f"{ENTRY}.link",
        "link",
        items(directory),
        "a list of directories, relative to the repository and within it",
    ),
    Key(f"{ENTRY}.env", "env", environment, "a mapping of variables to strings"),
    Key(f"{ENTRY}.secrets", "secrets", boolean, _BOOLEAN),
    Key(f"{ENTRY}.enabled", "enabled", boolean, _BOOLEAN),
)

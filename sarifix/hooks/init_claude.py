"""``sarifix init --claude``: the hook in the settings of Claude Code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sarifix.errors import UsageError
from sarifix.git import discover
from sarifix.init import offer, read
from sarifix.sanitize import clean_path
from sarifix.workspace import Edge

EVENTS = ("SessionStart", "Stop")
ENTRY: dict[str, object] = {
    "type": "command",
    "command": "sarifix",
    "args": ["check", "--hook", "--base", "session"],
    "timeout": 300,  # seconds: more than `hooks.deadline`, as a timeout is silent
    "statusMessage": "sarifix: checking what changed",
}


def init_claude(edge: Edge, scope: str, *, yes: bool) -> bool:
    """Offer to add the hook; ``scope`` is ``user``, ``project`` or ``local``.

    What is in the settings stays. Returns whether the hook is there afterwards. Raises
    ``UsageError`` for settings that cannot be read as Claude Code reads them.
    """
    path = _path(edge, scope)
    old = read(path)
    return offer(path, old, with_hook(old, clean_path(str(path))), yes=yes)


def _path(edge: Edge, scope: str) -> Path:
    if scope == "user":
        home = edge.environ.get("CLAUDE_CONFIG_DIR")
        return (Path(home) if home else Path("~/.claude").expanduser()) / "settings.json"
    name = "settings.json" if scope == "project" else "settings.local.json"
    return Path(discover(edge.cwd, edge.environ).top, ".claude", name)


def with_hook(text: str | None, name: str) -> str:
    """Return settings with the hook in them: the same text, if it is there already."""
    settings = _parse(text, name) if text is not None and text.strip() else {}
    hooks = _member(settings, "hooks", dict, name)
    added = False
    for event in EVENTS:
        groups = _member(hooks, event, list, name)
        if not any(_is_ours(entry) for group in groups for entry in _entries(group)):
            groups.append({"hooks": [ENTRY]})
            added = True
    if not added and text is not None:
        return text
    return _written(settings, text or "")


def _written(settings: Mapping[str, Any], old: str) -> str:
    """Return settings as text, in the form that the text before had."""
    new = json.dumps(settings, indent=_indent(old), ensure_ascii=False) + "\n"
    # Half of a pair can be written as an escape only.
    whole = re.sub(r"[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", new)
    return whole.replace("\n", "\r\n") if "\r\n" in old else whole


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        settings = json.loads(
            text, object_pairs_hook=_without_doubles, parse_constant=_no_constant,
            parse_float=_exact,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{name} cannot be read: {error}", "repair it; it must be JSON, without comments"
        ) from error
    if not isinstance(settings, dict):
        raise UsageError(f"{name} holds no JSON object", "repair it, or move it away")
    return settings


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        double = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"the key {double!r} is there twice, and one would be lost")
    return found


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _exact(text: str) -> float:
    number = float(text)
    if repr(number) != text:
        raise ValueError(f"the number {text} would be written in another way")
    return number


def _member(parent: dict[str, Any], key: str, kind: type, name: str) -> Any:
    """Return a member of an object, made where it is absent."""
    value = parent.setdefault(key, kind())
    if not isinstance(value, kind):
        wanted = "an object" if kind is dict else "a list"
        raise UsageError(f"{name}: {key!r} is not {wanted}", "repair it, or move it away")
    return value


def _entries(group: object) -> list[object]:
    entries = group.get("hooks") if isinstance(group, Mapping) else None
    return entries if isinstance(entries, list) else []


def _is_ours(entry: object) -> bool:
    """Whether a hook runs sarifix, in whichever form it was written."""
    if not isinstance(entry, Mapping):
        return False
    words = [str(entry.get("command", "")), *map(str, entry.get("args") or ())]
    said = " ".join(words).split()
    return "--hook" in said and any(re.search(r"(?:^|[/\\])sarifix(?:\.exe)?$", w) for w in said)


def _indent(text: str) -> int | str:
    """Return what the text is indented by; two spaces, if that cannot be seen."""
    found = re.search(r"^[{\[]\s*?\n([ \t]+)\S", text.lstrip())
    return found[1] if found else 2

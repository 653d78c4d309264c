"""The decoder of JSON: it agrees with the standard library's, or has a reason to refuse."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from sarifix.errors import SarifError
from sarifix.strictjson import MAX_DEPTH, decode

SEEDS = (
    b'{"a": [1, -2.5e3, "\\u00e9\\ud800", true, false, null, {"b": {}}]}',
    b'\xef\xbb\xbf{"a": 1, "a": 2}',
    b"\xff\xfe" + '{"a": "é\\n"}'.encode("utf-16-le"),
    b"\xfe\xff" + '["\\u202e", 1E400]'.encode("utf-16-be"),
    b"[NaN, Infinity, -Infinity, 1e999]",
    b"[" * 210 + b"]" * 210,
    b'{"x":' * 199 + b"1" + b"}" * 199,
    b'["' + b"\xe9\xff" + b'"]{}',
    b"9" * 1001,
    b"\x1f\x8b\x08\x00[]",
)
MAX_LENGTH = 2_500


class _TwiceError(Exception):
    pass


def check(raw: bytes) -> None:
    try:
        value = decode(raw)
    except SarifError as error:
        _check_refusal(error, raw)
        return
    assert repr(value) == repr(json.loads(_text(raw)))
    assert _depth(value) <= MAX_DEPTH + 1
    assert all(not isinstance(leaf, float) or math.isfinite(leaf) for leaf in _leaves(value))


def _check_refusal(error: SarifError, raw: bytes) -> None:
    assert len(error.message.splitlines()) == 1
    assert _may_be_refused(raw), error.message


def _text(raw: bytes) -> str:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "surrogatepass")
    return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _may_be_refused(raw: bytes) -> bool:
    try:
        value = json.loads(_text(raw), object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError, _TwiceError):
        return True
    infinite = any(isinstance(leaf, float) and math.isinf(leaf) for leaf in _leaves(value))
    return infinite or _depth(value) > MAX_DEPTH or bool(re.search(rb"\d{1001}", _narrow(raw)))


def _narrow(raw: bytes) -> bytes:
    return raw.replace(b"\0", b"")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _TwiceError
    return dict(pairs)


def _refuse(name: str) -> object:
    raise ValueError(name)


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [child for parent in level for child in _children(parent)]
    return depth


def _leaves(value: object) -> list[object]:
    todo = [value]
    for item in todo:
        todo.extend(_children(item))
    return todo


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []

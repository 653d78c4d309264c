"""JSON from an untrusted scanner: strict about loss, bounded in size and depth."""

from __future__ import annotations

import codecs
import contextlib
import gc
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sarifix.errors import SarifError

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 200
MAX_DIGITS = 4300  # of an integer; Python's own limit


def decode(data: bytes) -> object:
    """Decode one JSON document: UTF-8, or UTF-16 with a byte order mark.

    Bytes that are not UTF-8 become surrogates as ``os.fsdecode`` makes them, so that a
    path written raw is still found; an escaped lone surrogate stays what it is. Text of
    a decoded document may therefore not be encodable.

    Raises ``SarifError`` where a lenient reader would lose something or be tied up: a key
    that stands twice in an object (the last would win), NaN, infinities, numbers beyond
    ``MAX_DIGITS``, more than ``MAX_BYTES``, nesting beyond ``MAX_DEPTH``, anything after the
    document.
    """
    if len(data) > MAX_BYTES:
        raise SarifError(f"the output is over {MAX_BYTES // 2**20} MiB")
    source = _decoded(data)
    if not source.strip():
        raise SarifError("the output is empty")
    document = _decoded_quickly(source)
    return _decoded_strictly(source) if document is None else document


def _decoded_quickly(source: str) -> object:
    """Decode with the decoder's own objects and integers, in half of the time.

    None if that fails, or may have lost something: where no key is followed by white space,
    ``":`` stands at least once for each key. If there are no more of them than keys in the
    document, no key stood twice.
    """
    if not _limits_digits() or any(f"{space}:" in source for space in " \t\r\n"):
        return None
    try:
        document: object = json.loads(source, parse_float=_float, parse_constant=_constant)
        keys = _checked(document)
    except (ValueError, RecursionError, SarifError):
        return None  # decoded strictly, it tells what is wrong
    return document if keys == source.count('":') else None


def _limits_digits() -> bool:
    """Whether Python refuses integers that take minutes (3.10.7; PYTHONINTMAXSTRDIGITS)."""
    limit = getattr(sys, "get_int_max_str_digits", int)()
    return 0 < limit <= MAX_DIGITS


def _decoded_strictly(source: str) -> object:
    try:
        document: object = json.loads(
            source,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except RecursionError:
        raise SarifError(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise SarifError(f"the output is not JSON: {error.msg} at {where}") from None
    _checked(document)
    return document


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector: with it, decoding takes more than twice as long.

    It goes over every object again and again, though none of them can be garbage yet.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_CONTAINERS = frozenset({dict, list})
_TOO_DEEP = f"the output is nested deeper than {MAX_DEPTH} levels"


def _decoded(data: bytes) -> str:
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return data.decode("utf-16", "surrogatepass")
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    except UnicodeDecodeError:
        raise SarifError("the output is cut off: half a UTF-16 character at its end") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise SarifError(f"the key {twice[:80]!a} stands twice in one object")
    return mapping


def _integer(digits: str) -> int:
    if len(digits) <= MAX_DIGITS:
        with contextlib.suppress(ValueError):  # a lower limit of Python's own
            return int(digits)
    raise SarifError(f"a number of {len(digits)} digits")


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise SarifError(f"the number {digits[:80]} is out of range")
    return number


def _constant(name: str) -> object:
    raise SarifError(f"the output is not JSON: {name}")


def _checked(document: object) -> int:
    """Return how many keys there are in a document; raise if it is nested too deeply.

    Level by level: the decoder's own limit differs from one Python to the next.
    """
    keys = 0
    level: list[Any] = [[document]]
    for _ in range(MAX_DEPTH + 1):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) in _CONTAINERS
        ]
        keys += sum(map(len, (child for child in level if type(child) is dict)))
        if not level:
            return keys
    raise SarifError(_TOO_DEEP)


# Shapes. The lenient ones read a value of a wrong type as one that is not there; the
# required ones are for places where that would lose a result.


def obj(value: object) -> Mapping[str, object]:
    """Return a JSON object; anything else is an empty one."""
    return value if isinstance(value, dict) else {}


def array(value: object) -> Sequence[object]:
    """Return a JSON array; anything else is an empty one."""
    return value if isinstance(value, list) else ()


def text(value: object) -> str:
    """Return a JSON string; anything else is an empty one."""
    return value if isinstance(value, str) else ""


def required_object(value: object, where: str) -> Mapping[str, object]:
    """Return the JSON object at the path ``where``; raise ``SarifError`` for anything else."""
    if not isinstance(value, dict):
        raise SarifError(f"{where} is {_kind(value)}, not an object")
    return value


def required_array(value: object, where: str) -> Sequence[object]:
    """Return the JSON array at the path ``where``; raise ``SarifError`` for anything else."""
    if not isinstance(value, list):
        raise SarifError(f"{where} is {_kind(value)}, not an array")
    return value


def _kind(value: object) -> str:
    if value is None:
        return "missing or null"
    names = {bool: "a boolean", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), "a number")

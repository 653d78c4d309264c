"""Artifact locations: no path leads outside, and no scratch tree leaves a trace."""

from __future__ import annotations

import re

from sarifix.uris import Resolver, Roots
from tests.fuzz.data import Data

SEEDS = tuple(
    bytes([len(uri)]) + uri + bytes([len(base)]) + base + b"\x02\x01"
    for uri in (
        b"app.py", b"./src/../app.py", b"file:///repo/my%20dir/a.py", b"file:/repo/app.py",
        b"file://repo/app.py", b"C:\\repo\\app.py", b"/repo/src/a%2Fb.py", b"..%2f..%2fetc/passwd",
        b"https://example.com/app.py", b"%ff.py", b"src\\a.py", b"//repo//app.py", b"FILE:///a%00b",
        b"\x01/app.py", b"file://\x01/src/a.py:", b"\x01",
    )
    for base in (b"", b"%SRCROOT%", b"file:///repo/src/", b"\x01/src", b"..", b"BASE")
)  # fmt: skip
MAX_LENGTH = 300

_FILES = frozenset({"app.py", "src/a.py", "my dir/a.py", "src/a%2Fb.py", "\udcff.py", "C:\\x", "~"})
_BASES = ("", "%SRCROOT%", "BASE", "OTHER")
# Where a tool writes the root, rather than something that only has the same letters in it.
_ROOT_OF_URI = re.compile(r"^((?:file:(?://)?)?)\x01(?=/|\Z)")
_ROOT_IN_TEXT = re.compile(r"(?<![^\s'\"(\[:=,])\x01(?=[/\s'\")\]:,]|\Z)")


def check(raw: bytes) -> None:
    if b"base-0" in raw or b"head-12" in raw:
        return  # the fuzzer has learnt a root; only where it is put in for \x01 is known
    first = _resolved(raw, ("/tmp/one/base-0", "/private/tmp/one/base-0"))
    assert first == _resolved(raw, ("/home/me/.cache/sarifix/trees/head-12",))


def _resolved(raw: bytes, roots: tuple[str, ...]) -> list[object]:
    """Resolve what the bytes say, ``\\x01`` standing for the root; it must not show any more."""
    data = Data(raw)
    uri = _ROOT_OF_URI.sub(rf"\1{roots[0]}", data.text(120))
    declared = _ROOT_OF_URI.sub(rf"\1{roots[0]}", data.text(60))
    base, parent = data.choice(_BASES), data.choice(_BASES)
    message = _ROOT_IN_TEXT.sub(roots[0], data.rest().decode("utf-8", "surrogateescape"))
    asked: list[str] = []

    def exists(path: str) -> bool:
        asked.append(path)
        return path in _FILES

    bases: dict[str, object] = {base: {"uri": declared, "uriBaseId": parent}}
    known = Roots(roots)
    resolver = Resolver(known, exists, bases, [{"location": {"uri": uri}}])
    direct = resolver.resolve({"uri": uri, "uriBaseId": base})
    indexed = resolver.resolve({"index": 0})
    assert resolver.resolve({"uri": uri, "uriBaseId": base}) == direct
    for place in (direct, indexed):
        if place.path is None:
            assert not uri
        else:
            assert place.in_tree == (place.path in _FILES)
    for path in asked:
        assert path
        assert not path.startswith("/")
        assert ".." not in path.split("/")
        assert "\0" not in path
    cleared = known.remove_from(message)
    assert roots[0] not in cleared
    return [direct, indexed, cleared]

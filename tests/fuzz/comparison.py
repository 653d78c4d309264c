"""The comparison of two small texts: every finding is used once, and no order matters."""

from __future__ import annotations

from collections import Counter
from random import Random

from sarifix.model import Finding, Region
from tests.compare.toy import compare_findings, finding, scan
from tests.fuzz.data import Data

SEEDS = tuple(
    bytes(numbers) + text
    for text in (
        b"x = eval(y)\ntry:\n    pass\nexcept:\n    return x\n",
        b"def one(a):\n    return run(a, shell=True)\n\x00def two(b):\n    return eval(b)\n",
        b'password = "hunter2"\nhashlib.md5(x)\n}\n}\n}\n\n',
    )
    for numbers in ((0,) * 12, (1, 5, 2, 9, 3, 3, 7, 1, 2, 8, 4, 4), (255,) * 12)
)
MAX_LENGTH = 400

_LINES = (
    *("x = eval(y)", "try:", "except:", "    pass", "", "    return x", "call(a, shell=True)", "}"),
    *("def one(a):", "    value = eval(name)", 'password = "s3cret"', "hashlib.md5(data)"),
)
_PATHS = ("a.py", "b.py", "lib/c.py")
_RULES = ("eval", "secret", "CVE-2024-1")
_MESSAGES = (
    "use of eval",
    "line 3 is bad",
    "a.py: 12 lines",
    "",
    "id 123e4567-e89b-12d3-a456-426614174000",
)


def check(raw: bytes) -> None:
    data = Data(raw)
    base, head = _tree(data), _tree(data)
    old, new = scan(base) + _odd(data), scan(head) + _odd(data)
    renames = {data.choice(_PATHS): data.choice(_PATHS)} if data.number(1) else {}
    result = compare_findings(old, new, base, head, renames)
    kept = [pair.base for pair in result.unchanged]
    assert Counter([*result.fixed, *kept]) == Counter(old)
    kept = [pair.head for pair in result.unchanged]
    assert Counter([*(one.finding for one in result.introduced), *kept]) == Counter(new)
    for pair in result.unchanged:
        assert (pair.base.scanner, pair.base.rule) == (pair.head.scanner, pair.head.rule)
    for seed in range(2):
        Random(seed).shuffle(old)
        Random(seed).shuffle(new)
        assert compare_findings(old, new, base, head, renames) == result
    same = compare_findings(new, list(new), head, head)
    assert not same.introduced
    assert not same.fixed


def _tree(data: Data) -> dict[str, str]:
    return {data.choice(_PATHS): _text(data) for _ in range(data.number(2) + 1)}


def _text(data: Data) -> str:
    lines = [data.choice(_LINES) for _ in range(data.number(15))]
    if data.number(3) == 0:
        lines.insert(data.number(len(lines)), data.text(20))
    return data.choice(("\n", "\n", "\r\n")).join(lines)


def _odd(data: Data) -> list[Finding]:
    """Return findings where no scanner should see any: past the end, without a place."""
    return [_one(data) for _ in range(data.number(3))]


def _one(data: Data) -> Finding:
    path = data.choice((*_PATHS, None))
    region = None
    if path is not None and data.number(2):
        line = data.number(20) + 1
        columns = [data.number(30) or None for _ in range(2)]
        region = Region(line, columns[0], data.choice((None, line, line + 2)), columns[1])
    prints = (("toy/v1", data.choice(("x", "y", "requires login"))),) if data.number(1) else ()
    return finding(data.choice(_RULES), path, region, data.choice(_MESSAGES), prints)

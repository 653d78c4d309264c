"""Which line is which."""

from __future__ import annotations

import random

import pytest

from sarifix.compare.align import align


def partners(base: list[str], head: list[str]) -> list[int]:
    return list(align(base, head).head_of)


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ("", "", []),
        ("abc", "abc", [0, 1, 2]),
        ("abc", "xabcx", [1, 2, 3]),
        ("abc", "", [-1, -1, -1]),
        ("abcd", "abd", [0, 1, -1, 2]),
        ("abcd", "axxd", [0, -1, -1, 3]),
        ("abcab", "xcabx", [-1, -1, 1, 2, 3]),
        ("aaab", "baaa", [-1, -1, -1, 0]),
    ],
)
def test_small(base: str, head: str, expected: list[int]) -> None:
    assert partners(list(base), list(head)) == expected


def test_a_shortest_edit_where_no_line_is_alone() -> None:
    base = list("xabababcabcy")
    head = list("zbabcababcabw")
    assert sum(j >= 0 for j in partners(base, head)) >= 7


def test_a_few_lines_that_say_little_do_not_end_a_block() -> None:
    base = ["first", "old_one", "else:", "old_two", "last"]
    head = ["first", "new_one", "else:", "new_two", "last"]
    assert align(base, head).blocks[1] == (range(1, 4), range(1, 4))
    telling = [line.replace("else:", "middle") for line in base]
    other = [line.replace("else:", "middle") for line in head]
    assert align(telling, other).blocks[1] == (range(1, 2), range(1, 2))


def test_many_equal_lines() -> None:
    equal, other = ["x"] * 10_000, [f"line {n}" for n in range(500)]
    found = align(equal + other, [*other, "new", *equal])
    assert sum(j >= 0 for j in found.head_of) >= 500


def test_a_large_file_rewritten() -> None:
    """A file without a common line, and one with a few hundred lines in any order."""
    before, after = [f"old {n}" for n in range(50_000)], [f"new {n}" for n in range(50_000)]
    assert set(align(before, after).head_of) == {-1}
    source = random.Random(1)
    words = [f"word {n}" for n in range(300)]
    shuffled = [[source.choice(words) for _ in range(20_000)] for _ in range(2)]
    found = align(*shuffled)
    assert all(shuffled[0][i] == shuffled[1][j] for i, j in enumerate(found.head_of) if j >= 0)

"""Which line is which."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sarifix.compare.align import Alignment, align


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
        ("bb", "ba", [0, -1]),
        ("aa", "a", [0, -1]),
        ("a", "aa", [0]),
        ("bcbaa", "bba", [0, -1, 1, -1, 2]),
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


def test_a_line_that_the_head_has_twice_does_not_end_a_block() -> None:
    base = ["first", "old_one", "middle", "old_two", "last"]
    head = ["first", "new_one", "middle", "new_two", "new_three", "middle", "new_four", "last"]
    assert align(base, head).blocks[1] == (range(1, 4), range(1, 7))
    assert align(head, base).blocks[1] == (range(1, 7), range(1, 4))


def test_four_equal_lines_end_a_block_whatever_they_say() -> None:
    assert align([*"}}}}a"], [*"}}}}b"]).base_blocks == [-1, -1, -1, -1, 1]
    assert align([*"}}}a"], [*"}}}b"]).base_blocks == [0, 0, 0, 0]
    assert align([*"a}}}}b"], [*"c}}}}d"]).head_blocks == [0, -1, -1, -1, -1, 1]


def test_the_changed_lines_of_a_block_and_of_the_file() -> None:
    found = align([*"abcd"], [*"axcyd"])
    assert found.changed_lines(None) == ([1], [1, 3])
    assert [found.changed_lines(n) for n in range(len(found.blocks))] == [
        ([], []),
        ([1], [1]),
        ([], [3]),
        ([], []),
    ]


def test_a_text_aligned_with_itself() -> None:
    found = Alignment.identity(2)
    assert [*found.head_of] == [*found.base_of] == [0, 1]
    assert found.base_blocks == found.head_blocks == [-1, -1]
    assert found.changed_lines(None) == ([], [])


def lcs(base: list[str], head: list[str]) -> int:
    """Return the length of the longest common subsequence, by the book."""
    row = [0] * (len(head) + 1)
    for line in base:
        before = row[:]
        for j, other in enumerate(head):
            row[j + 1] = before[j] + 1 if line == other else max(row[j], before[j + 1])
    return row[-1]


few = st.lists(st.sampled_from("ab"), max_size=24)


@given(few, few)
@example([*"abaabbabba"], [*"bbabaabab"])
def test_without_lines_that_can_be_told_apart_the_edit_is_a_shortest(
    base: list[str], head: list[str]
) -> None:
    """No line occurs equally often on both sides, so that none is an anchor."""
    base += ["a"] * (base.count("a") == head.count("a"))
    base += ["b"] * (base.count("b") == head.count("b"))
    assert sum(j >= 0 for j in partners(base, head)) == lcs(base, head)


def test_the_search_for_a_shortest_edit_ends() -> None:
    """It goes on for 200 lines without a partner, of either side; the stretch is then new."""

    def found(others: int) -> int:
        base = [*(f"old {n}" for n in range(98)), "same", "same", "end"]
        head = [*(f"new {n}" for n in range(others)), "same", "other end"]
        return sum(j >= 0 for j in partners(base, head))

    assert found(98) == 1
    assert found(99) == 1
    assert found(100) == 0


def test_in_a_stretch_a_line_may_be_alone_that_is_not_in_the_file() -> None:
    old, new = [f"old {n}" for n in range(150)], [f"new {n}" for n in range(150)]
    found = align(["mark", *old, "x", "old"], ["x", "mark", *new, "x", "new"])
    assert (found.head_of[0], found.head_of[151]) == (1, 152)


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

"""Blocks of lines that stand elsewhere."""

from __future__ import annotations

from sarifix.compare.moves import Moves, find_moves
from sarifix.compare.text import Source


def moves(base: str, head: str) -> Moves:
    return find_moves({"a": Source(base)}, {"b": Source(head)}, {}, {})


def origins(found: Moves) -> dict[int, int]:
    return {line: origin[1] for (_, line), origin in sorted(found.origin.items())}


def test_a_block_grows_over_equal_lines_and_blank_ones() -> None:
    found = moves("one\n\nelse:\ntwo\nx = 3\n", "y = 4\none\nelse:\n\n\ntwo\n")
    assert origins(found) == {1: 0, 2: 2, 5: 3}


def test_a_line_has_one_origin() -> None:
    found = moves("beta\nalpha\nother\ngamma\nbeta", "gamma\nbeta\nalpha")
    assert origins(found) == {0: 3, 1: 0, 2: 1}


def test_lines_that_say_nothing_are_no_move() -> None:
    assert origins(moves("else:\npass\n", "x = 1\nelse:\npass\n")) == {}


def test_short_blocks_are_not_followed_and_long_ones_first() -> None:
    assert moves("ab = 1\n", "ab = 1\n").strong == frozenset()
    single = moves("a_long_enough_line = 1\n", "a_long_enough_line = 1\n")
    assert (len(single.strong), len(single.sure)) == (1, 0)
    assert len(moves("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 2\nc = 3\n").sure) == 3


def test_a_stretch_between_two_blocks_is_a_gap() -> None:
    found = moves("first = 1\nold = 2\nlast = 3\n", "first = 1\nnew = 2\nnew = 3\nlast = 3\n")
    assert found.base_gaps["a", 1] == found.head_gaps["b", 1] == found.head_gaps["b", 2]

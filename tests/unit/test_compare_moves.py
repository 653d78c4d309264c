"""Blocks of lines that stand elsewhere."""

from __future__ import annotations

import pytest

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


def gaps(found: dict[tuple[str, int], int]) -> dict[int, list[int]]:
    """Return the lines of each gap."""
    lines: dict[int, list[int]] = {}
    for (_, line), number in sorted(found.items()):
        lines.setdefault(number, []).append(line)
    return lines


def test_the_lines_of_every_gap() -> None:
    """Four lines beside a block, those between two, four after the last."""
    found = moves(
        "first = 1\nold = 2\nlast = 3\n", "zero = 0\nfirst = 1\nnew = 2\nnew = 3\nlast = 3\n"
    )
    assert gaps(dict(found.base_gaps)) == {
        0: [-4, -3, -2, -1],
        1: [1],
        2: [3, 4, 5, 6],
    }
    assert gaps(dict(found.head_gaps)) == {
        0: [-3, -2, -1, 0],
        1: [2, 3],
        2: [5, 6, 7, 8],
    }


def test_a_gap_is_a_block_of_the_lines_that_both_texts_have() -> None:
    old, new = "call = one(value)", "call = two(value)"
    found = moves(f"{old}\nfirst = 1\n{old}", f"{new}\nfirst = 1\n{new}")
    before, after = found.gaps
    assert before.became(0, ())
    assert before.ranked({0}, {0}) == [(0, 0)]
    assert not before.became(2, {0})
    assert after.became(2, ())
    assert after.ranked({2}, {2}) == [(2, 2)]


def test_a_gap_counts_its_lines_from_its_own_start() -> None:
    same = "x = one(a)\n" * 6
    base = Source("".join(f"filler_{n}\n" for n in range(100)) + f"first = 1\n{same}")
    head = Source(f"y = 2\nfirst = 1\n{same}")
    found = find_moves({"a": base}, {"b": head}, {"a": range(101, 107)}, {"b": range(2, 8)})
    after = found.gaps[found.base_gaps["a", 102]]
    assert after.ranked({102}, {2, 3, 4, 5})[0] == (102, 3)
    assert after.ranked({103}, {2, 3, 4, 5})[0] == (103, 4)


@pytest.mark.parametrize(
    ("olds", "news", "together"),
    [(0, 1, True), (1, 0, False), (30, 30, True), (31, 30, False), (30, 31, False)],
)
def test_how_far_two_blocks_that_moved_together_may_be_apart(
    olds: int, news: int, together: bool
) -> None:
    old = "".join(f"old_{n}\n" for n in range(olds))
    new = "".join(f"new_{n}\n" for n in range(news))
    found = moves(f"one = 1\n{old}two = 2\n", f"one = 1\n{new}two = 2\n")
    assert len(found.gaps) == (3 if together else 4 if olds else 2)


def test_blocks_of_two_files_are_not_together() -> None:
    base = {"a": Source("one = 1\n"), "b": Source("x\n\n\ntwo = 2\n")}
    found = find_moves(base, {"c": Source("one = 1\nnew = 3\ntwo = 2\n")}, {}, {})
    assert len(found.gaps) == 4
    assert dict(found.origin) == {("c", 0): ("a", 0), ("c", 2): ("b", 3)}


def test_lines_that_stayed_take_no_part() -> None:
    text = Source("one = 1\ntwo = 2\n")
    files = {"a": text}
    assert find_moves(files, files, {"a": [0, 1]}, {"a": [0, 1]}) == Moves(gaps=[])
    assert dict(find_moves(files, files, {"a": [0]}, {}).origin) == {("a", 1): ("a", 1)}
    assert dict(find_moves(files, files, {}, {"a": [1]}).origin) == {("a", 0): ("a", 0)}


def test_a_block_ends_where_a_line_that_stayed_stands_between() -> None:
    base, head = {"a": Source("one = 1\nkept\n}\n")}, {"a": Source("one = 1\n}\n")}
    assert dict(find_moves(base, head, {"a": [1]}, {}).origin) == {("a", 0): ("a", 0)}
    head = {"a": Source("one = 1\nkept\n}\n")}
    base = {"a": Source("one = 1\n}\n")}
    assert dict(find_moves(base, head, {}, {"a": [1]}).origin) == {("a", 0): ("a", 0)}


def test_a_line_that_occurs_again_is_known_by_its_neighbours() -> None:
    twin = "one()\nsame()\ntwo()\n"
    found = moves(f"same()\n{twin}other\nsame()\n", f"x\n{twin}y\n")
    assert origins(found) == {1: 1, 2: 2, 3: 3}
    copies = moves("a()\nb()\nc()\nx\na()\nb()\nc()\n", "y\na()\nb()\nc()\n")
    assert origins(copies) == {1: 0, 2: 1, 3: 2}
    shuffled = moves("a()\nb()\na()\nb()\n", "b()\nb()\na()\na()\n")
    assert origins(shuffled) == {}


def test_what_may_be_followed_into_another_file() -> None:
    """Three lines that tell, or one that is alone, of 16 letters and digits at least."""
    sixteen, fifteen = "abcdefgh = ijklmnop", "abcdefgh = ijklmno"
    assert [len(moves(line, line).strong) for line in (sixteen, fifteen)] == [1, 0]
    two = "a = 1\nb = 2\n"
    assert moves(two, two).strong == frozenset()
    three = moves(f"{two}c = 3", f"x\n{two}c = 3")
    assert three.strong == three.sure == {("b", 1), ("b", 2), ("b", 3)}
    silent = "a = 1\nelse:\n}\nb = 2\n"
    assert moves(silent, silent).sure == frozenset()


def test_what_is_known_by_its_neighbours_alone_needs_two_lines_that_tell() -> None:
    """And it is followed into another file only with a third."""
    one = "}\nabcdefgh_ijklmnop()\nelse:\n"
    assert origins(moves(f"{one}x\n{one}", one)) == {}
    two = "one()\nelse:\nabcdefgh_ijklmnop()\n"
    found = moves(f"{two}x\n{two}", two)
    assert origins(found) == {0: 0, 1: 1, 2: 2}
    assert found.strong == frozenset()
    three = f"{two}three()\n"
    assert len(moves(f"{three}x\n{three}", three).strong) == 4

"""Which line of a changed block became which."""

from __future__ import annotations

import pytest

from sarifix.compare.edited import Block
from sarifix.compare.text import Source


def whole(base: str, head: str) -> Block:
    """Return a block of all lines of two texts."""
    old, new = Source(base), Source(head)
    return Block(old, new, range(len(old.lines)), range(len(new.lines)))


@pytest.mark.parametrize(
    ("base", "head", "score"),
    [
        # Alone in their texts: each end that both have counts a half, at a quarter.
        ("x = call(one)", "x = call(one)", 1.25),
        ("x = call(one)", "x = call(two)", 2 / 3 + 0.25),
        ("one two three four", "one two five six", 0.75),
        ("one two three four", "one five six seven", 0.0),
        # Names that were changed in part.
        ("test_rich_case", "test_rich_cast", 0.25),
        ("test_rich_case", "test_poor_cast", 0.0),
        # Keywords say nothing, whatever they are.
        ("else:", "else:", 0.0),
    ],
)
def test_how_well_a_line_explains_another(base: str, head: str, score: float) -> None:
    assert whole(base, head).score(0, 0) == pytest.approx(score)


@pytest.mark.parametrize(
    ("base", "head", "score"),
    [
        ("a b\none two three four\nc d", "a b\none two five six\nc d", 1.0),
        ("a b\none two three four\nc d", "a b\none two five six\ne f", 0.75),
        ("a b\none two three four\nc d", "e f\none two five six\ng h", 0.0),
        ("a b\nelse:\nc d", "a b\nelse:\nc d", 1.5),
        ("a b\n\nelse:\n", "a b\nelse:\n", 0.0),
        ("a b\n \nx y\n\n\nc d", "a b\nx y\nc d", 0.0),
    ],
)
def test_the_lines_beside_help(base: str, head: str, score: float) -> None:
    assert whole(base, head).score(1, 1) == pytest.approx(score)


def test_blank_lines_are_passed_over() -> None:
    assert whole("a b\n\nx y\n\nc d", "a b\nx y\nc d").score(2, 1) == pytest.approx(1.5)
    assert whole("a b\nelse:\n", "a b\nelse:").score(1, 1) == pytest.approx(1.375)
    assert whole("x = call(one)", "other\nx = call(one)").score(0, 1) == pytest.approx(1.125)


def test_the_most_alike_comes_first() -> None:
    block = whole("x = one(a)\ny = two(b)", "y = two(b, c)\nx = one(a)\nz = two(b)")
    assert block.ranked({0, 1}, {0, 1, 2}) == [(0, 1), (1, 2), (1, 0)]


def test_of_lines_that_are_as_good_the_one_in_its_place_comes_first() -> None:
    same = Source("x = one(a)\n" * 9)
    block = Block(same, same, [1, 2, 3], [4, 5, 6])
    assert block.ranked({2}, {4, 5, 6}) == [(2, 5), (2, 4), (2, 6)]


def test_only_a_score_over_the_least_counts() -> None:
    block = whole("x = call(one)", "x = call(one)")
    assert block.ranked({0}, {0}, 1.24) == [(0, 0)]
    assert block.ranked({0}, {0}, 1.25) == []
    assert whole("one", "two").ranked({0}, {0}) == []


def test_a_line_that_became_another_one_is_left_out() -> None:
    block = whole("x = one(a)", "x = one(b)\nx = one(a)")
    assert block.ranked({0}, {0}) == []
    assert block.ranked({0}, {1}) == [(0, 1)]
    twice = whole("x = one(a)", "x = one(a)\nx = one(a)")
    assert twice.ranked({0}, {0}) == []


def test_a_match_is_kept_by_a_part_of_its_line_or_where_nothing_better_came() -> None:
    block = whole(
        "x = call(f(a), b, c)", "x = call(f(a), b, d)\nf(a)\nother(f(a), one, two, three)"
    )
    assert block.kept({0}, {1}) == [(0, 1)]  # a part
    assert block.kept({0}, {2}) == []  # another line
    assert block.kept({0}, {0, 1}) == [(0, 0), (0, 1)]
    assert whole("f(a)", "other(f(a), one, two, three)").kept({0}, {0}) == [(0, 0)]
    assert whole("f(a)", "x").kept({0}, {0}) == [(0, 0)]


def test_a_part_has_four_of_five_words_and_less_than_four_fifths_of_the_length() -> None:
    better = "a b c d e f"
    block = whole("a b c d e", f"{better}\na b c d v w x\na b c u v w x\na b c d v w")
    assert block.kept({0}, {1}) == [(0, 1)]
    assert block.kept({0}, {2}) == []
    assert block.kept({0}, {3}) == []


def test_what_is_too_much_to_weigh_is_kept_in_order() -> None:
    block = whole("f(a)\n" * 60, "g(a)\n" * 60)
    assert block.kept(set(range(51)), set(range(50))) == [(n, n) for n in range(50)]
    assert len(block.kept(set(range(50)), set(range(50)))) < 50


def test_a_line_lives_on_in_another() -> None:
    block = whole("x = call(one)", "x = call(one)\ny = 2")
    assert block.became(0, ())
    assert block.became(0, {1})
    assert not block.became(0, {0})
    assert whole("one two three four", "one two five six").became(0, ())
    score = block.score(0, 0)
    assert block.became(0, (), score)
    assert not block.became(0, (), score + 0.01)


@pytest.mark.parametrize(("copies", "found"), [(1, True), (8, True), (9, False)])
def test_far_away_a_line_is_looked_for_by_its_rare_words(copies: int, found: bool) -> None:
    filler = [f"filler {n} line" for n in range(60)]
    head = [*filler, *["special word"] * copies]
    block = whole("special word", "\n".join(head))
    assert block.became(0, ()) is found


@pytest.mark.parametrize(("line", "found"), [(34, False), (35, True), (85, True), (86, False)])
def test_how_far_a_line_is_looked_for_however_little_it_says(line: int, found: bool) -> None:
    """25 lines up and down from its place, which is counted from the start of the block."""
    common = "common word"
    head = [common if n in {line, *range(150, 170)} else f"filler_{n}" for n in range(200)]
    base = Source("\n".join([*["x"] * 5, *[f"old_{n}" for n in range(60)], common]))
    block = Block(base, Source("\n".join(head)), range(5, 66), range(200))
    assert block.became(65, ()) is found

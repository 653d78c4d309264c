"""Of several that are alike, which is paired with which."""

from __future__ import annotations

import pytest

from sarifix.compare.item import Item, place_of, surroundings
from sarifix.compare.pairing import nearest
from sarifix.compare.source import Sources
from sarifix.model import Region, Side
from tests.compare.toy import Texts, finding

Place = tuple[str, int, int]  # file, line and column from 1

FILES = Texts(dict.fromkeys(("a.py", "b.py"), "x = [eval(y), eval(y), eval(y)]\n" * 30))


def items(side: Side, places: list[Place]) -> list[Item]:
    sources = Sources(FILES, FILES, {})
    return [
        Item(finding("eval", path, Region(line, column, line, column + 5)), order, side, sources)
        for order, (path, line, column) in enumerate(places)
    ]


def pairs(base: list[Place], head: list[Place]) -> list[tuple[int, int]]:
    """Return which of the base is paired with which of the head, by their order."""
    found = nearest(items(Side.BASE, base), items(Side.HEAD, head))
    return [(one.order, other.order) for one, other in found]


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        # As many on both sides: in order.
        ([("a.py", 1, 6), ("a.py", 10, 6)], [("a.py", 9, 6), ("a.py", 20, 6)], [(0, 0), (1, 1)]),
        # Else the nearest: by line, by column, and in the same file first.
        ([("a.py", 1, 6), ("a.py", 10, 6)], [("a.py", 9, 6)], [(1, 0)]),
        ([("a.py", 9, 6)], [("a.py", 1, 6), ("a.py", 10, 6)], [(0, 1)]),
        ([("a.py", 3, 6), ("a.py", 3, 24)], [("a.py", 3, 15)], [(0, 0)]),
        ([("a.py", 3, 6), ("a.py", 3, 24)], [("a.py", 3, 24)], [(1, 0)]),
        ([("a.py", 20, 6), ("b.py", 3, 6)], [("a.py", 3, 6)], [(0, 0)]),
        ([("a.py", 1, 6), ("a.py", 2, 6)], [("a.py", n, 6) for n in (2, 3, 4)], [(1, 0), (0, 1)]),
        # Of two that are as near, the first of the head, then of the base.
        ([("a.py", 5, 6)], [("a.py", 4, 6), ("a.py", 6, 6)], [(0, 0)]),
        ([("a.py", 4, 6), ("a.py", 6, 6)], [("a.py", 5, 6)], [(0, 0)]),
        ([], [("a.py", 5, 6)], []),
    ],
)
def test_the_nearest_are_paired(
    base: list[Place], head: list[Place], expected: list[tuple[int, int]]
) -> None:
    assert pairs(base, head) == expected


def test_where_there_are_too_many_the_order_decides() -> None:
    many = [("a.py", 1 + n % 30, 6) for n in range(51)]
    assert pairs(many, many[1:]) == [(n, n) for n in range(50)]
    assert pairs(many[:50], many[1:50])[:2] == [(1, 0), (2, 1)]


@pytest.mark.parametrize(
    ("region", "place"),
    [(None, ()), (Region(3), (3, -1, -1, -1)), (Region(3, 1, 4, 2), (3, 1, 4, 2))],
)
def test_the_place_of_a_finding(region: Region | None, place: tuple[int, ...]) -> None:
    assert place_of(finding("r", "a.py", region)) == place


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("one two\nx = eval(y)\nthree four\n", 1.0),
        ("one two\nx = eval(y)\nfive six\n", (1 + 1 / 3) / 2),
        ("five six\nx = eval(y)\nthree four\n", (1 / 3 + 1) / 2),
        ("a\nb = eval(z)\nc\n", 0.0),
    ],
)
def test_how_alike_the_words_around_are(other: str, expected: float) -> None:
    sources = Sources(
        Texts({"a.py": "one two\nx = eval(y)\nthree four\n"}), Texts({"a.py": other}), {}
    )
    found = finding("eval", "a.py", Region(2, 5, 2, 9))
    one, another = (Item(found, 0, side, sources) for side in Side)
    assert surroundings(one, another) == pytest.approx(expected)

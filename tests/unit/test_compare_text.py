"""A text as lines: what each is, and what stands beside it."""

from __future__ import annotations

import re

import pytest

from sarifix.compare.normalise import line_key
from sarifix.compare.text import Source

TEXT = "\ufeffone = 1\r\n\r\n  two = 2\rthree = 3\n\n"


def test_lines_end_in_three_ways_and_keys_have_no_whitespace() -> None:
    source = Source(TEXT)
    assert source.lines == ["one = 1", "", "  two = 2", "three = 3", "", ""]
    assert source.keys == ["one=1", "", "two=2", "three=3", "", ""]


@pytest.mark.parametrize("odd", ["", "\r", "\u00a0", "\x85", "\x1c\x1d\x1e\x1f\v\f\b\x00\x7f\t"])
@pytest.mark.parametrize(
    "text", ["", "\n", "a b\n\tc\n", " x  y {odd} z\n\n{odd}", "{odd}a\n{odd}b"]
)
def test_keys_are_those_of_the_lines_one_by_one(text: str, odd: str) -> None:
    source = Source(text.format(odd=odd))
    assert source.lines == re.split(r"\r\n|\r|\n", text.format(odd=odd))
    assert source.keys == [line_key(line) for line in source.lines]


@pytest.mark.parametrize(("text", "last"), [("", 0), ("\n \n", 0), ("\n\nx", 2), ("x\ny\n\n", 1)])
def test_the_last_line_that_is_not_blank(text: str, last: int) -> None:
    assert Source(text).last == last


def test_the_lines_beside_are_never_blank() -> None:
    source = Source(TEXT)
    assert [source.beside(line, -1) for line in range(6)] == [-1, 0, 0, 2, 3, 3]
    assert [source.beside(line, 1) for line in range(6)] == [2, 2, 3, -1, -1, -1]


@pytest.mark.parametrize(
    ("line", "size", "above", "below"),
    [
        (0, 2, "", "bc"),
        (1, 2, "a", "cd"),
        (4, 2, "bc", "ef"),
        (4, 3, "abc", "efg"),
        (7, 1, "f", ""),
    ],
)
def test_the_lines_around_count_without_the_blank_ones(
    line: int, size: int, above: str, below: str
) -> None:
    assert Source("a\nb\n\nc\nd\ne\nf\ng").around(line, size) == (tuple(above), tuple(below))


def test_words_and_their_parts() -> None:
    source = Source("test_rich = one\nx")
    assert source.words(0) == {"test_rich", "one"}
    assert source.words(1) == {"x"}
    assert source.words(-1) == set()
    assert source.subwords(0) == {"test", "rich", "one"}

"""A text as lines, each with its identity."""

from __future__ import annotations

import re
from functools import cached_property

from sarifix.compare.normalise import Bag, bag, line_key, subwords, words

_LINE_END = re.compile(r"\r\n|\n|\r")
_SPACES = b" \t\v\f\x1c\x1d\x1e\x1f"  # of ASCII, what str.split() splits at, without line ends


def _split(text: str) -> tuple[list[str], list[str]]:
    """Return the lines and their keys: mostly of the whole text at once."""
    if "\r" in text or not text.isascii():
        lines = _LINE_END.split(text)
        return lines, [line_key(line) for line in lines]
    keys = text.encode("ascii").translate(None, delete=_SPACES).decode("ascii")
    return text.split("\n"), keys.split("\n")


class Source:
    """A text as lines; ``keys`` are the lines without whitespace (and without the BOM)."""

    def __init__(self, text: str) -> None:
        self.lines, self.keys = _split(text.removeprefix("\ufeff"))
        self._words: dict[int, Bag] = {}
        self._subwords: dict[int, Bag] = {}

    @cached_property
    def last(self) -> int:
        """The last line that is not blank, counted from 0; 0 if all are."""
        filled = (i for i in range(len(self.keys) - 1, -1, -1) if self.keys[i])
        return next(filled, 0)

    @cached_property
    def _filled(self) -> tuple[list[int], list[str]]:
        at = [i for i, key in enumerate(self.keys) if key]
        return at, [self.keys[i] for i in at]

    @cached_property
    def _rank(self) -> dict[int, int]:
        return {line: rank for rank, line in enumerate(self._filled[0])}

    def words(self, line: int) -> Bag:
        """Return the words of a line; none for -1, a line beyond the ends of the text."""
        if line not in self._words:
            self._words[line] = bag(words(self.lines[line]) if line >= 0 else ())
        return self._words[line]

    def subwords(self, line: int) -> Bag:
        """Return the parts of the words of a line."""
        if line not in self._subwords:
            self._subwords[line] = bag(subwords(words(self.lines[line])))
        return self._subwords[line]

    @cached_property
    def _beside(self) -> dict[int, list[int]]:
        """For each line the nearest non-blank line before (-1) and after (1)."""
        count = len(self.keys)
        beside = {-1: [-1] * count, 1: [-1] * count}
        for step, lines in ((-1, range(count)), (1, range(count - 1, -1, -1))):
            last = -1
            for line in lines:
                beside[step][line] = last
                last = line if self.keys[line] else last
        return beside

    def beside(self, line: int, step: int) -> int:
        """Return the next non-blank line (step 1) or the one before (-1); -1 for none."""
        return self._beside[step][line]

    def around(self, line: int, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the keys of the ``size`` non-blank lines on each side of a non-blank one."""
        keys, rank = self._filled[1], self._rank[line]
        return tuple(keys[max(0, rank - size) : rank]), tuple(keys[rank + 1 : rank + 1 + size])

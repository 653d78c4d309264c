"""A text as lines, each with its identity."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from sarifix.compare.normalise import line_key

_LINE_END = re.compile(r"\r\n|\n|\r")


class Source:
    """A text as lines; ``keys`` are the lines without whitespace (and without the BOM)."""

    def __init__(self, text: str) -> None:
        self.lines = _LINE_END.split(text.removeprefix("\ufeff"))
        self.keys = [line_key(line) for line in self.lines]

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

    def beside(self, line: int, step: int) -> int:
        """Return the next non-blank line (step 1) or the one before (-1); -1 for none."""
        filled = self._filled[0]
        at = bisect_left(filled, line) + (step if step < 0 or self.keys[line] else 0)
        return filled[at] if 0 <= at < len(filled) else -1

    def around(self, line: int, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the keys of the ``size`` non-blank lines before and after a line."""
        keys, rank = self._filled[1], self._rank.get(line)
        if rank is None:
            return (), ()
        return tuple(keys[max(0, rank - size) : rank]), tuple(keys[rank + 1 : rank + 1 + size])

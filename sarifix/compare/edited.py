"""Which line of a changed block became which: the most alike, in its surroundings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sarifix.compare.normalise import subwords, tells, words
from sarifix.compare.text import Source

_ALIKE = 0.6
_BOTH_SIDES = 1.5  # what the lines before and after must share (of 2) where the line says little
_CONTEXT = 0.25  # what a neighbouring line weighs, against 1 for the line itself
_COMPARED = 50_000  # pairs of lines that are compared in one block


def alike(one: Counter[str], other: Counter[str]) -> float:
    """Return how much two bags of words share, from 0 to 1."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


class _Bags(NamedTuple):
    words: Counter[str]
    subwords: Counter[str]


class _Side:
    def __init__(self, source: Source, lines: Sequence[int]) -> None:
        self.source = source
        self.lines = lines
        self._known: dict[int, _Bags] = {}

    def bags(self, line: int) -> _Bags:
        """Return the words of a line; none for -1, a line beyond the ends of the file."""
        if line not in self._known:
            found = words(self.source.lines[line]) if line >= 0 else []
            self._known[line] = _Bags(Counter(found), Counter(subwords(found)))
        return self._known[line]


class Block:
    """One changed block: the lines of both sides that are not the same."""

    def __init__(
        self, base: Source, head: Source, base_lines: Sequence[int], head_lines: Sequence[int]
    ) -> None:
        self._base = _Side(base, base_lines)
        self._head = _Side(head, head_lines)

    def score(self, line: int, other: int) -> float:
        """Return how well a line of the base explains one of the head; 0 if it does not.

        The words must be alike, or the words' parts (a name that was changed in part)
        with neighbours that are. Lines of keywords alone are alike everywhere: for them
        the neighbours decide.
        """
        base, head = self._base.bags(line), self._head.bags(other)
        plain = alike(base.words, head.words)
        if max(plain, alike(base.subwords, head.subwords)) < _ALIKE:
            return 0.0
        around = self._neighbours(line, other)
        if not tells(self._base.source.keys[line]):
            needed = _BOTH_SIDES
        else:
            needed = 0.0 if plain >= _ALIKE else 1.0
        return plain + _CONTEXT * around if around >= needed else 0.0

    def _neighbours(self, line: int, other: int) -> float:
        """Return how alike the lines before and the lines after are, from 0 to 2."""
        total = 0.0
        for step in (-1, 1):
            at, to = self._base.source.beside(line, step), self._head.source.beside(other, step)
            ends = at < 0 and to < 0
            total += 1.0 if ends else alike(self._base.bags(at).words, self._head.bags(to).words)
        return total

    def ranked(
        self, lines: Collection[int], others: Collection[int], least: float = 0.0
    ) -> list[tuple[int, int]]:
        """Return the pairs of lines that are alike (a score over ``least``), best first.

        A line of the base that became yet another line of the head is left out: what
        was fixed there does not pay for what is new here.
        """
        found = []
        for line in sorted(lines):
            scores = {other: self.score(line, other) for other in self._near(line)}
            rivals = (score for other, score in scores.items() if other not in others)
            bar = max(least, *rivals, 0.0)
            found += [
                (-score, abs(self._shift(line, other)), line, other)
                for other, score in scores.items()
                if other in others and score > bar
            ]
        return [(line, other) for *_, line, other in sorted(found)]

    def became(self, line: int, others: Collection[int]) -> bool:
        """Whether a line of the base lives on in a line of the head, ``others`` left out."""
        return any(self.score(line, other) for other in self._near(line) if other not in others)

    def _shift(self, line: int, other: int) -> int:
        return (other - self._head.lines[0]) - (line - self._base.lines[0])

    def _near(self, line: int) -> Sequence[int]:
        """Return the lines of the head that are compared with one of the base."""
        if not self._base.lines:
            return ()
        reach = max(5, _COMPARED // len(self._base.lines) // 2)
        at = line - self._base.lines[0]
        return self._head.lines[max(0, at - reach) : at + reach + 1]

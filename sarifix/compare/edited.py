"""Which line of a changed block became which: the most alike, in its surroundings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from sarifix.compare.normalise import alike, tells
from sarifix.compare.text import Source

_ALIKE = 0.6
_BOTH_SIDES = 1.5  # what the lines before and after must share (of 2) where the line says little
_CONTEXT = 0.25  # what a neighbouring line weighs, against 1 for the line itself
_REACH = 25  # lines up and down that are compared, however little they share
_RARE = 8  # lines of a block that may share a word which makes them worth comparing


class _Side:
    """One side of a block: some lines of a text."""

    def __init__(self, source: Source, lines: Sequence[int]) -> None:
        self.source = source
        self.lines = lines

    @cached_property
    def rare(self) -> Mapping[str, Sequence[int]]:
        """The parts of words that few lines have, and which lines have them."""
        found: dict[str, list[int]] = defaultdict(list)
        for line in self.lines:
            for word in self.source.subwords(line):
                found[word].append(line)
        return {word: lines for word, lines in found.items() if len(lines) <= _RARE}


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
        plain = alike(self._base.source.words(line), self._head.source.words(other))
        parts = plain >= _ALIKE or alike(
            self._base.source.subwords(line), self._head.source.subwords(other)
        )
        if parts < _ALIKE:
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
            total += (
                1.0 if ends else alike(self._base.source.words(at), self._head.source.words(to))
            )
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
            near = self._near(line)
            scores = {other: self.score(line, other) for other in near if other in others}
            best = max(scores.values(), default=0.0)
            rivals = (self.score(line, other) for other in near if other not in others)
            if best > least and not any(rival >= best for rival in rivals):
                found += [
                    (-score, abs(self._shift(line, other)), line, other)
                    for other, score in scores.items()
                    if score > least
                ]
        return [(line, other) for *_, line, other in sorted(found)]

    def became(self, line: int, others: Collection[int]) -> bool:
        """Whether a line of the base lives on in a line of the head, ``others`` left out."""
        return any(self.score(line, other) for other in self._near(line) if other not in others)

    def _shift(self, line: int, other: int) -> int:
        return (other - self._head.lines[0]) - (line - self._base.lines[0])

    def _near(self, line: int) -> Collection[int]:
        """Return the lines of the head that are worth comparing with one of the base."""
        if not self._base.lines:
            return ()
        at = line - self._base.lines[0]
        near = self._head.lines[max(0, at - _REACH) : at + _REACH + 1]
        if len(near) == len(self._head.lines):
            return near
        rare = self._head.rare
        parts = self._base.source.subwords(line)
        return set(near).union(*(rare[word] for word in parts if word in rare))

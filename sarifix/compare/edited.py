"""Which line of a changed block became which: the most alike, in its surroundings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from sarifix.compare.normalise import alike, tells
from sarifix.compare.text import Source

_ALIKE = 0.6
_BOTH_SIDES = 1.5  # what the lines before and after must share (of 2) where the line says little
_CONTEXT = 0.25  # what a neighbouring line weighs in a score, against 1 for the line itself
_HELP = 0.1  # by how much an equal line beside lowers what is asked of the line itself
_PARTS = 0.8  # what equal parts of words weigh, against 1 for equal words
_END = 0.5  # what it weighs that both lines are the first, or both the last
_REACH = 25  # lines up and down that are compared, however little they share
_PART = 0.8  # the words of a line that another must have, and the length it may have at most
_PAIRS = 2_500  # pairs of lines that are weighed for one match
_RARE = 8  # lines of a block that may share a word which makes them worth comparing


class _Side:
    """One side of a block: some lines of a text."""

    def __init__(self, source: Source, lines: Sequence[int]) -> None:
        self.source = source
        self.lines = lines
        self.first = lines[0] if lines else 0

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

        The words must be alike; the words' parts (a name that was changed in part) and
        the lines beside help. Lines of keywords alone are alike everywhere: for them the
        lines beside decide.
        """
        base, head = self._base.source, self._head.source
        plain = alike(base.words(line), head.words(other))
        best = plain
        if plain < _ALIKE:
            best = max(plain, _PARTS * alike(base.subwords(line), head.subwords(other)))
        if best < _ALIKE - 2 * _HELP:
            return 0.0
        around = sum(self._beside(line, other, step) for step in (-1, 1))
        if not tells(base.keys[line]):
            return plain + _CONTEXT * around if around >= _BOTH_SIDES else 0.0
        return plain + _CONTEXT * around if best + _HELP * around >= _ALIKE else 0.0

    def _beside(self, line: int, other: int, step: int) -> float:
        """Return how alike the next lines (step 1) or the lines before (-1) are."""
        base, head = self._base.source, self._head.source
        at, to = base.beside(line, step), head.beside(other, step)
        return _END if at < 0 and to < 0 else alike(base.words(at), head.words(to))

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

    def kept(self, lines: Collection[int], others: Collection[int]) -> list[tuple[int, int]]:
        """Return the pairs of lines that can share an equal match, best first.

        Those where one line is a part of the other (it was split or joined), and those
        where the line of the base did not become a better line of the head: there, what
        was matched is gone.
        """
        if len(lines) * len(others) > _PAIRS:
            return list(zip(sorted(lines), sorted(others), strict=False))
        found = []
        for line in lines:
            for other in others:
                score = self.score(line, other)
                if self._parts(line, other) or not self.became(line, {other}, score):
                    found.append((-score, abs(self._shift(line, other)), line, other))
        return [(line, other) for *_, line, other in sorted(found)]

    def _parts(self, line: int, other: int) -> bool:
        """Whether one of two lines has nearly all words of the other, and more."""
        base, head = self._base.source.words(line), self._head.source.words(other)
        short, long = sorted((len(base), len(head)))
        return short <= _PART * long and len(base & head) >= _PART * short

    def became(self, line: int, others: Collection[int], score: float = 0.0) -> bool:
        """Whether a line of the base lives on as well as by ``score``, ``others`` left out."""
        rivals = (self.score(line, other) for other in self._near(line) if other not in others)
        return any(rival >= score for rival in rivals if rival)

    def _shift(self, line: int, other: int) -> int:
        return (other - self._head.first) - (line - self._base.first)

    def _near(self, line: int) -> Collection[int]:
        """Return the lines of the head that are worth comparing with one of the base."""
        at = max(0, line - self._base.first)
        near = self._head.lines[max(0, at - _REACH) : at + _REACH + 1]
        if len(near) == len(self._head.lines):
            return near
        rare = self._head.rare
        parts = self._base.source.subwords(line)
        return set(near).union(*(rare[word] for word in parts if word in rare))

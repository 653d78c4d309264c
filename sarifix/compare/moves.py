"""Blocks of lines that stand elsewhere in the head, in the same file or in another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from sarifix.compare.normalise import tells, weight
from sarifix.compare.text import Source

_MARGIN = 4  # lines beside a moved block that go with it
_MAX_GAP = 30  # lines between two moved blocks that make one
_STRONG_LINES = 3  # telling lines of a block that can be followed into another file
_STRONG_WEIGHT = 16  # letters and digits of a single unique line that can

Place = tuple[str, int]  # file, line from 0
Block = list[tuple[Place, Place]]  # equal lines, in order


class Gap(NamedTuple):
    """A changed stretch beside a moved block, or between two that moved together."""

    base: str
    base_lines: range
    head: str
    head_lines: range


@dataclass(frozen=True, slots=True)
class Moves:
    """Where moved lines of the head come from.

    ``origin`` maps a place in the head to its place in the base. ``gaps`` are the changed
    stretches beside moved blocks, as file and lines of both sides;
    ``base_gaps`` and ``head_gaps`` number their places. ``strong`` are the places of the
    head whose block is sure enough to be followed into another file, ``sure`` those whose
    block is so long that it goes before an edit in place.
    """

    origin: Mapping[Place, Place] = field(default_factory=dict)
    strong: frozenset[Place] = frozenset()
    sure: frozenset[Place] = frozenset()
    gaps: Sequence[Gap] = ()
    base_gaps: Mapping[Place, int] = field(default_factory=dict)
    head_gaps: Mapping[Place, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Side:
    """The lines of one side that are not the same line on the other."""

    sources: Mapping[str, Source]
    loose: dict[str, list[int]]  # file -> its loose non-blank lines
    rank: dict[Place, int]  # place -> index in loose

    @classmethod
    def of(cls, sources: Mapping[str, Source], fixed: Mapping[str, Iterable[int]]) -> _Side:
        loose, rank = {}, {}
        for path in sorted(sources):
            same = set(fixed.get(path, ()))
            keys = sources[path].keys
            lines = [i for i, key in enumerate(keys) if key and i not in same]
            loose[path] = lines
            rank.update({(path, line): index for index, line in enumerate(lines)})
        return cls(sources, loose, rank)

    def key(self, place: Place) -> str:
        return self.sources[place[0]].keys[place[1]]

    def next(self, place: Place, step: int) -> Place | None:
        """Return the loose line after (or before) one; None at the end of the stretch."""
        lines = self.loose[place[0]]
        at = self.rank[place] + step
        if not 0 <= at < len(lines):
            return None
        between = range(min(place[1], lines[at]) + 1, max(place[1], lines[at]))
        keys = self.sources[place[0]].keys
        return None if any(keys[i] for i in between) else (place[0], lines[at])

    def once(self, size: int) -> dict[tuple[str, ...], Place]:
        """Return the runs of ``size`` loose lines that occur once, by their middle."""
        seen: Counter[tuple[str, ...]] = Counter()
        at: dict[tuple[str, ...], Place] = {}
        for path, lines in self.loose.items():
            keys = [self.sources[path].keys[i] for i in lines]
            for index in range(len(keys) - size + 1):
                run = tuple(keys[index : index + size])
                seen[run] += 1
                at[run] = (path, lines[index + size // 2])
        return {run: place for run, place in at.items() if seen[run] == 1}


def find_moves(
    base: Mapping[str, Source],
    head: Mapping[str, Source],
    base_fixed: Mapping[str, Iterable[int]],
    head_fixed: Mapping[str, Iterable[int]],
) -> Moves:
    """Find the blocks of the head that stood elsewhere in the base.

    ``base_fixed`` and ``head_fixed`` are the lines that stayed where they were: they
    take no part, so that a copy of what still stands has no origin.
    """
    sides = (_Side.of(base, base_fixed), _Side.of(head, head_fixed))
    alone = _alone(base) & _alone(head)
    origin: dict[Place, Place] = {}
    taken: set[Place] = set()
    strong: set[Place] = set()
    sure: set[Place] = set()
    blocks: list[Block] = []
    for here, there in _anchors(*sides):
        if there in origin or here in taken:
            continue
        block = _grown(*sides, here, there, origin, taken)
        keys = [sides[0].key(place) for place, _ in block]
        telling = sum(map(tells, keys))
        known = any(key in alone and tells(key) for key in keys)
        if not known and telling < 2:
            continue
        blocks.append(block)
        origin.update((to, at) for at, to in block)
        taken.update(at for at, _ in block)
        if telling >= _STRONG_LINES:
            sure.update(to for _, to in block)
        if telling >= _STRONG_LINES or (known and weight("".join(keys)) >= _STRONG_WEIGHT):
            strong.update(to for _, to in block)
    gaps = _gaps(blocks)
    return Moves(
        origin,
        frozenset(strong),
        frozenset(sure),
        gaps,
        {(g.base, line): number for number, g in enumerate(gaps) for line in g.base_lines},
        {(g.head, line): number for number, g in enumerate(gaps) for line in g.head_lines},
    )


def _alone(sources: Mapping[str, Source]) -> set[str]:
    total: Counter[str] = Counter()
    for source in sources.values():
        total.update(source.keys)
    return {key for key, count in total.items() if count == 1}


def _anchors(base: _Side, head: _Side) -> Iterator[tuple[Place, Place]]:
    """Yield the places that are unmistakable: alone, or with their two neighbours."""
    for size in (1, 3):
        there = head.once(size)
        for run, place in base.once(size).items():
            if run in there and any(map(tells, run)):
                yield place, there[run]


def _grown(
    base: _Side,
    head: _Side,
    here: Place,
    there: Place,
    origin: Mapping[Place, Place],
    taken: set[Place],
) -> Block:
    """Return the run of equal lines around an anchor, in order."""
    block: Block = [(here, there)]
    for step in (-1, 1):
        at, to = base.next(here, step), head.next(there, step)
        while at and to and at not in taken and to not in origin and base.key(at) == head.key(to):
            block.append((at, to))
            at, to = base.next(at, step), head.next(to, step)
    return sorted(block)


def _gaps(blocks: list[Block]) -> list[Gap]:
    """Return what lies between two blocks that moved together, or beside one alone."""
    ranked = sorted(blocks, key=lambda block: (block[0][0][0], block[0][1][0], block[0]))
    gaps = []
    for block, following in pairwise([None, *ranked, None]):
        between = _between(block, following) if block and following else None
        if between:
            gaps.append(between)
            continue
        if block:
            (file, last), (into, last_to) = block[-1]
            lines = range(last + 1, last + 1 + _MARGIN)
            gaps.append(Gap(file, lines, into, range(last_to + 1, last_to + 1 + _MARGIN)))
        if following:
            (file, first), (into, first_to) = following[0]
            lines = range(max(0, first - _MARGIN), first)
            gaps.append(Gap(file, lines, into, range(max(0, first_to - _MARGIN), first_to)))
    return gaps


def _between(block: Block, following: Block) -> Gap | None:
    (file, last), (into, last_to) = block[-1]
    (next_file, first), (next_into, first_to) = following[0]
    lines, lines_to = range(last + 1, first), range(last_to + 1, first_to)
    together = (file, into) == (next_file, next_into)
    if together and len(lines) <= _MAX_GAP and 0 < len(lines_to) <= _MAX_GAP:
        return Gap(file, lines, into, lines_to)
    return None

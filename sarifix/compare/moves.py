"""Blocks of lines that stand elsewhere in the head, in the same file or in another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from sarifix.compare.edited import Block
from sarifix.compare.normalise import tells, weight
from sarifix.compare.text import Source
from sarifix.named import NamedTuple

_MARGIN = 4  # lines beside a moved block that go with it
_MAX_GAP = 30  # lines between two moved blocks that make one
_STRONG_LINES = 3  # telling lines of a block that can be followed into another file
_STRONG_WEIGHT = 16  # letters and digits of a single unique line that can

Place = tuple[str, int]  # file, line from 0
Moved = list[tuple[Place, Place]]  # equal lines, in order
_NOWHERE: Mapping[Place, Any] = MappingProxyType({})
Gap = tuple[str, range, str, range]  # a changed stretch: file and lines of base and of head


class Moves(NamedTuple):
    """Where moved lines of the head come from.

    ``origin`` maps a place in the head to its place in the base. ``strong`` are the places
    of the head whose block is sure enough to be followed into another file, ``sure`` those
    whose block is so long that it goes before an edit in place. ``gaps`` are the changed
    stretches beside moved blocks; ``base_gaps`` and ``head_gaps`` number their places.
    """

    origin: Mapping[Place, Place] = _NOWHERE
    strong: frozenset[Place] = frozenset()
    sure: frozenset[Place] = frozenset()
    gaps: Sequence[Block] = ()
    base_gaps: Mapping[Place, int] = _NOWHERE
    head_gaps: Mapping[Place, int] = _NOWHERE


class _Side(NamedTuple):
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

    def runs(self, size: int) -> dict[tuple[str, ...], list[Place]]:
        """Return the runs of ``size`` loose lines, and where they are by their middle."""
        found: dict[tuple[str, ...], list[Place]] = defaultdict(list)
        for path, lines in self.loose.items():
            keys = [self.sources[path].keys[i] for i in lines]
            for index in range(len(keys) - size + 1):
                run = tuple(keys[index : index + size])
                found[run].append((path, lines[index + size // 2]))
        return found


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
    strong: set[Place] = set()
    sure: set[Place] = set()
    blocks: list[Moved] = []
    for block in _blocks(*sides, alone):
        keys = [sides[0].key(place) for place, _ in block]
        places = [to for _, to in block]
        telling = sum(map(tells, keys))
        known = any(key in alone and tells(key) for key in keys)
        if telling >= _STRONG_LINES:
            sure.update(places)
        if telling >= _STRONG_LINES or (known and weight("".join(keys)) >= _STRONG_WEIGHT):
            strong.update(places)
        origin.update((to, at) for at, to in block)
        blocks.append(block)
    gaps = list(_gaps(blocks))
    return Moves(
        origin,
        frozenset(strong),
        frozenset(sure),
        [_stretch(base[file], lines, head[into], to) for file, lines, into, to in gaps],
        {(file, line): n for n, (file, lines, _, _) in enumerate(gaps) for line in lines},
        {(into, line): n for n, (_, _, into, lines) in enumerate(gaps) for line in lines},
    )


def _stretch(base: Source, lines: range, head: Source, others: range) -> Block:
    """Return a gap as a block, cut at the ends of the texts."""
    return Block(
        base,
        head,
        [i for i in lines if 0 <= i < len(base.lines)],
        [j for j in others if 0 <= j < len(head.lines)],
    )


def _blocks(base: _Side, head: _Side, alone: set[str]) -> Iterator[Moved]:
    """Yield the moved blocks that hold a line that is alone, or two that tell something."""
    taken: set[tuple[bool, Place]] = set()
    for here, there in _anchors(base, head):
        if (False, here) in taken or (True, there) in taken:
            continue
        block = _grown(base, head, here, there, taken)
        telling = [key for key in (base.key(at) for at, _ in block) if tells(key)]
        if len(telling) > 1 or any(key in alone for key in telling):
            taken.update((False, at) for at, _ in block)
            taken.update((True, to) for _, to in block)
            yield block


def _alone(sources: Mapping[str, Source]) -> set[str]:
    total: Counter[str] = Counter()
    for source in sources.values():
        total.update(source.keys)
    return {key for key, count in total.items() if count == 1}


def _anchors(base: _Side, head: _Side) -> Iterator[tuple[Place, Place]]:
    """Yield the places that are unmistakable: alone, or with their two neighbours.

    With its neighbours, a line may occur more often in the base (two copies made one),
    or equally often.
    """
    for size in (1, 3):
        there = head.runs(size)
        for run, places in base.runs(size).items():
            others = there.get(run, [])
            counted = len(others) in {1, len(places)} if size > 1 else len(places) == 1
            if counted and others and (size > 1 or len(others) == 1) and any(map(tells, run)):
                yield from zip(places, others, strict=False)


def _grown(
    base: _Side, head: _Side, here: Place, there: Place, taken: set[tuple[bool, Place]]
) -> Moved:
    """Return the run of equal lines around an anchor, in order."""
    block: Moved = [(here, there)]
    for step in (-1, 1):
        at, to = base.next(here, step), head.next(there, step)
        while at and to and base.key(at) == head.key(to):
            if (False, at) in taken or (True, to) in taken:
                break
            block.append((at, to))
            at, to = base.next(at, step), head.next(to, step)
    return sorted(block)


def _gaps(blocks: list[Moved]) -> Iterator[Gap]:
    """Yield what lies between two blocks that moved together, or beside one alone."""
    ranked = sorted(blocks, key=lambda block: (block[0][0][0], block[0][1][0], block[0]))
    for block, following in pairwise([None, *ranked, None]):
        between = _between(block, following) if block and following else None
        if between:
            yield between
            continue
        if block:
            (file, last), (into, last_to) = block[-1]
            yield file, _after(last), into, _after(last_to)
        if following:
            (file, first), (into, first_to) = following[0]
            yield file, _before(first), into, _before(first_to)


def _after(line: int) -> range:
    return range(line + 1, line + 1 + _MARGIN)


def _before(line: int) -> range:
    return range(line - _MARGIN, line)


def _between(block: Moved, following: Moved) -> Gap | None:
    (file, last), (into, last_to) = block[-1]
    (next_file, first), (next_into, first_to) = following[0]
    lines, others = range(last + 1, first), range(last_to + 1, first_to)
    together = (file, into) == (next_file, next_into)
    if together and len(lines) <= _MAX_GAP and 0 < len(others) <= _MAX_GAP:
        return file, lines, into, others
    return None

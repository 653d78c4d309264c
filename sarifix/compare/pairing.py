"""The open findings of both sides, and how a tier takes pairs out of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from sarifix.compare.item import Item, place_of
from sarifix.compare.source import Sources
from sarifix.model import Side, Tier

Where = Callable[[Item], Hashable]  # None: nowhere
Key = Callable[[Item], Hashable]  # None: the finding takes no part
Placed = list[tuple[Item, Hashable]]
Match = tuple[Item, Item, Tier]

_EXACT = 2_500  # pairs of one group that are weighed against each other


def identical(base: Sequence[Item], head: Sequence[Item], sources: Sources) -> list[Match]:
    """Pair the findings of files whose content is the same, without reading a text.

    These are the most by far where a change is small.
    """
    waiting: dict[Hashable, list[Item]] = defaultdict(list)
    for item in reversed(head):
        if item.finding.path is not None and sources.unchanged(item.finding.path):
            waiting[_identity(item)].append(item)
    return [
        (item, same.pop(), Tier.IDENTICAL)
        for item in base
        if (same := waiting.get(_identity(item)))
    ]


def _identity(item: Item) -> Hashable:
    finding = item.finding
    return finding.scanner, finding.rule, item.path, place_of(finding), finding.message


class Open:
    """What no tier has paired yet, in order, and the pairs so far.

    ``base`` and ``head`` hold only findings that the other side has a kind of; the
    others can have no partner.
    """

    def __init__(self, base: Sequence[Item], head: Sequence[Item], pairs: list[Match]) -> None:
        self._all = {Side.BASE: base, Side.HEAD: head}
        self.pairs = pairs
        self._taken = {id(item) for pair in pairs for item in pair[:2]}
        self._settled = -1  # how many were taken when the lists were last put in order
        self.base, self.head = self.left(Side.BASE), self.left(Side.HEAD)
        self.settle()

    def take(self, base: Item, head: Item, tier: Tier) -> None:
        """Pair two open findings; ``settle`` then drops them from the lists.

        What is looked for across files can turn up in the same one.
        """
        if tier is Tier.MOVED_FILE and base.path == head.path:
            tier = Tier.MOVED
        self.pairs.append((base, head, tier))
        self._taken.update((id(base), id(head)))

    def take_all(
        self,
        tier: Tier,
        groups: Iterable[tuple[list[Item], list[Item]]],
        likeness: Callable[[Item, Item], float],
        least: float,
    ) -> None:
        """Pair the most alike within each group, as long as they are alike enough.

        A group with too many pairs to be weighed is left as it is.
        """
        for base, head in groups:
            if len(base) * len(head) > _EXACT:
                continue
            scores = ((likeness(one, other), one, other) for one in base for other in head)
            alike = [(-score, one, other) for score, one, other in scores if score >= least]
            for one, other in _best_first(alike):
                self.take(one, other, tier)
        self.settle()

    def is_open(self, item: Item) -> bool:
        """Whether a finding has no partner yet."""
        return id(item) not in self._taken

    def left(self, side: Side) -> list[Item]:
        """Return all findings of a side that have no partner."""
        return [item for item in self._all[side] if id(item) not in self._taken]

    def settle(self) -> None:
        """Drop what is paired, and what has no counterpart of its kind left."""
        if len(self._taken) == self._settled:
            return
        self._settled = len(self._taken)
        base = [item for item in self.base if id(item) not in self._taken]
        head = [item for item in self.head if id(item) not in self._taken]
        kinds = {item.kind for item in base} & {item.kind for item in head}
        self.base = [item for item in base if item.kind in kinds]
        self.head = [item for item in head if item.kind in kinds]

    def groups(self, at: Where, to: Where, way: Key) -> list[tuple[list[Item], list[Item]]]:
        """Join the open findings of one kind, by their place and then by their key.

        ``at`` is the place of those of the base, ``to`` that of the head's. It costs less
        than most keys, which are made only where there is something on both sides.
        """
        return _groups(*self._common(at, to), way)

    def join(self, tier: Tier, at: Where, to: Where, *ways: Key) -> None:
        """Pair the findings whose places and keys are equal, the nearest with the nearest.

        One way after the other: each takes what the ones before it left.
        """
        bases, heads = self._common(at, to)
        for way in ways:
            for base, head in _groups(bases, heads, way):
                for one, other in nearest(base, head):
                    self.take(one, other, tier)
            bases = [(item, place) for item, place in bases if self.is_open(item)]
            heads = [(item, place) for item, place in heads if self.is_open(item)]
        self.settle()

    def _common(self, at: Where, to: Where) -> tuple[Placed, Placed]:
        """Return the open findings of both sides, with places where both have some."""
        heads = [(item, place) for item in self.head if (place := to(item)) is not None]
        there = {place for _, place in heads}
        bases = [(i, place) for i in self.base if (place := at(i)) in there] if there else []
        here = {place for _, place in bases}
        return bases, [(item, place) for item, place in heads if place in here]


def _groups(bases: Placed, heads: Placed, way: Key) -> list[tuple[list[Item], list[Item]]]:
    head: dict[Hashable, list[Item]] = {}
    for item, place in heads:
        if (key := way(item)) is not None:
            head.setdefault((item.kind, place, key), []).append(item)
    base: dict[Hashable, list[Item]] = {}
    for item, place in bases if head else ():
        key = way(item)
        if key is not None and (item.kind, place, key) in head:
            base.setdefault((item.kind, place, key), []).append(item)
    return [(items, head[key]) for key, items in base.items()]


def anywhere(_: Item) -> Hashable:
    """Return the same place for all findings."""
    return ""


def nearest(base: Sequence[Item], head: Sequence[Item]) -> Iterable[tuple[Item, Item]]:
    """Pair two ordered groups one to one: in order, or by the smallest distance."""
    if len(base) == len(head) or len(base) * len(head) > _EXACT:
        return zip(base, head, strict=False)
    return _best_first([(0.0, one, other) for one in base for other in head])


def _best_first(scored: list[tuple[float, Item, Item]]) -> list[tuple[Item, Item]]:
    """Pair one to one, the lowest score first, then the nearest."""

    def rank(pair: tuple[float, Item, Item]) -> tuple[object, ...]:
        score, base, head = pair
        return (score, *_distance(base, head), head.order, base.order)

    pairs: list[tuple[Item, Item]] = []
    used: set[int] = set()
    for _, one, other in sorted(scored, key=rank):
        if id(one) not in used and id(other) not in used:
            used.update((id(one), id(other)))
            pairs.append((one, other))
    return pairs


def _distance(base: Item, head: Item) -> tuple[bool, int, int]:
    """A pair's distance: another file is farthest, then lines, then characters."""
    return base.path != head.path, abs(base.line - head.line), abs(base.start - head.start)

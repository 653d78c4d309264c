"""The open findings of both sides, and how a tier takes pairs out of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from sarifix.compare.item import Item, place_of
from sarifix.compare.source import Sources
from sarifix.model import Side, Tier

Where = Callable[[Item], Hashable]  # None: nowhere
Key = Callable[[Item], Hashable]  # None: the finding takes no part
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
        base = [item for item in self.base if id(item) not in self._taken]
        head = [item for item in self.head if id(item) not in self._taken]
        kinds = {item.kind for item in base} & {item.kind for item in head}
        self.base = [item for item in base if item.kind in kinds]
        self.head = [item for item in head if item.kind in kinds]

    def groups(self, base_key: Key, head_key: Key) -> list[tuple[list[Item], list[Item]]]:
        """Join the open findings: those of one kind whose keys are equal."""
        head: dict[Hashable, list[Item]] = {}
        for item in self.head:
            key = head_key(item)
            if key is not None:
                head.setdefault((item.kind, key), []).append(item)
        base: dict[Hashable, list[Item]] = {}
        for item in self.base if head else ():
            key = base_key(item)
            if key is not None and (item.kind, key) in head:
                base.setdefault((item.kind, key), []).append(item)
        return [(items, head[key]) for key, items in base.items()]

    def join(self, tier: Tier, base_key: Key, head_key: Key | None = None) -> None:
        """Pair the findings whose keys are equal, the nearest with the nearest."""
        for base, head in self.groups(base_key, head_key or base_key):
            for one, other in nearest(base, head):
                self.take(one, other, tier)
        self.settle()


def both(where: Where, way: Key) -> Key:
    """Return the key of two keys; None if one of them is."""

    def key(item: Item) -> Hashable:
        place = where(item)
        what = None if place is None else way(item)
        return None if what is None else (place, what)

    return key


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

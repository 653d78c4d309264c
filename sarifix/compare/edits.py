"""The tiers for lines that were edited: within a stretch, what became what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from operator import attrgetter

from sarifix.compare.edited import Block
from sarifix.compare.item import Item, surroundings
from sarifix.compare.moves import Moves
from sarifix.compare.normalise import alike, bag, subwords, tells, weight, words
from sarifix.compare.pairing import Key, Open, Where, nearest
from sarifix.compare.source import Sources
from sarifix.model import Tier
from sarifix.named import NamedTuple

REPLACED = 1.0  # how well a line must explain another to have taken its place
MOVED = 1.1  # how well (``Block.score``) a line must explain one outside its block
_FEW = 4  # equal words beside a match that can tell it from others
_DEFINERS = frozenset(  # words before a name that they define
    {"class", "def", "enum", "fn", "func", "function", "interface", "module", "struct", "type"}
)
_FLOW = 6  # words from the start of a match on that tell it, wherever lines end
_CROWD, _AROUND = 16, 0.3  # words of a long line; how alike those beside a match must be on it
_NAMED = 4  # letters and digits of such a name
_OVERLAP = 0.5  # the part of two regions that must be the same lines
_NAME = 0.5  # how alike two names must be, by their parts
_TALL, _FOLLOWING = 3, 0.25  # lines of a region, and how alike the words that follow must be
_TELLING = 8  # letters and digits of a match that can be recognised away from its line

_path = attrgetter("path")
Ranking = Callable[[Block, dict[int, list[Item]], dict[int, list[Item]]], list[tuple[int, int]]]


class Stretch(NamedTuple):
    """Where an edit is looked for: the key of a stretch on both sides, and its lines."""

    at: Where
    to: Where
    block: Callable[[Item], Block | None]


def in_block(sources: Sources) -> Stretch:
    """Return the changed blocks of a file."""

    def where(item: Item) -> Hashable:
        return (item.path, item.block) if item.block >= 0 else None

    return Stretch(where, where, lambda item: sources.block(item.finding.path, item.block))


def in_file(sources: Sources) -> Stretch:
    """Return all changed lines of a file as one stretch."""
    return Stretch(_path, _path, lambda item: sources.block(item.finding.path, None))


def beside_moved(moves: Moves) -> Stretch:
    """Return what lies within, or right beside, lines that moved together."""

    def at(item: Item) -> int | None:
        return moves.base_gaps.get((item.finding.path or "", item.line))

    def to(item: Item) -> int | None:
        return moves.head_gaps.get((item.finding.path or "", item.line))

    return Stretch(at, to, lambda item: moves.gaps[at(item) or 0])


def edited_around(found: Open, tier: Tier, stretch: Stretch) -> None:
    """Pair equal matches of one stretch, if they or the words beside them tell something."""

    def amid(item: Item, size: int) -> Hashable:
        before, after = item.before[-size:], item.after[:size]
        return (item.full, before, after) if item.full and (before or after) else None

    def telling(item: Item) -> Hashable:
        return item.full if weight(item.full) >= _TELLING else None

    def after(item: Item) -> Hashable:
        return (item.full, item.after[:_FEW]) if len(item.after) >= _FEW else None

    def before(item: Item) -> Hashable:
        return (item.full, item.before[-_FEW:]) if len(item.before) >= _FEW else None

    def defined(item: Item) -> Hashable:
        named = item.before[-1:] and item.before[-1] in _DEFINERS
        return item.full if named and weight(item.full) >= _NAMED else None

    near = (partial(amid, size=size) for size in (_FEW, 2))
    found.join(tier, stretch.at, stretch.to, *near, defined)

    def flow(item: Item) -> Hashable:
        words = item.flow[:_FLOW]
        return None if item.finding.secret or len(words) < _FLOW else (item.skeleton, words)

    for way in (telling, after, before, flow):
        _by_lines(found, tier, stretch, way, Block.kept)
    _alone(found, tier, stretch)


def _alone(found: Open, tier: Tier, stretch: Stretch) -> None:
    """Pair a match that says little but occurs once in a stretch, on both sides."""

    def match(item: Item) -> Hashable:
        return item.full if tells(item.full) else None

    for base, head in found.groups(stretch.at, stretch.to, match):
        block = stretch.block(base[0])
        alone = len(base) == len(head) == 1 and _can_be_same(base[0], head[0])
        if alone and block and block.kept({base[0].line}, {head[0].line}):
            found.take(base[0], head[0], tier)
    found.settle()


def edited_line(
    found: Open,
    tier: Tier,
    stretch: Stretch,
    least: float = 0.0,
    lives_on: Callable[[Item, Item], bool] | None = None,
) -> None:
    """Pair equal messages of one stretch whose lines are alike; never secrets.

    A message may differ by the matched text that it quotes, if that is a name which was
    changed in part. ``lives_on`` says of a pair that the line of the base became another
    one where it stood: there it was fixed.
    """

    def message(item: Item) -> Hashable:
        return None if item.finding.secret else item.skeleton

    def frame(item: Item) -> Hashable:
        return None if item.finding.secret else item.frame or None

    ranking = partial(Block.ranked, least=least)
    _by_lines(found, tier, stretch, message, ranking, lives_on)
    _by_lines(found, tier, stretch, frame, ranking, lives_on)


def _by_lines(
    found: Open,
    tier: Tier,
    stretch: Stretch,
    way: Key,
    rank: Ranking,
    lives_on: Callable[[Item, Item], bool] | None = None,
) -> None:
    """Pair the findings whose keys are equal, by the ranking of their lines."""
    for base, head in found.groups(stretch.at, stretch.to, way):
        block = stretch.block(base[0])
        lines, others = _by_line(base), _by_line(head)
        for line, other in rank(block, lines, others) if block else ():
            for pair in nearest(lines[line], others[other]):
                if _can_be_same(*pair) and not (lives_on and lives_on(*pair)):
                    found.take(*pair, tier)
            lines[line] = [item for item in lines[line] if found.is_open(item)]
            others[other] = [item for item in others[other] if found.is_open(item)]
    found.settle()


def _can_be_same(base: Item, head: Item) -> bool:
    """Whether nothing else speaks against a pair whose lines are alike.

    A name that the messages quote must be the same in part. On lines of many words
    (minified) the words beside the matches must be alike: the lines are in any case. So
    must the words that follow where regions go on for lines: two can begin much alike.
    """
    if base.skeleton != head.skeleton and base.full != head.full:
        parts, others = bag(subwords(words(base.match))), bag(subwords(words(head.match)))
        if alike(parts, others) < _NAME:
            return False
    crowded = base.match and head.match and min(base.crowd, head.crowd) > _CROWD
    if crowded and surroundings(base, head) < _AROUND:
        return False
    if min(len(base.lines), len(head.lines)) < _TALL:
        return True
    return alike(bag(base.after), bag(head.after)) >= _FOLLOWING


def _by_line(items: Iterable[Item]) -> dict[int, list[Item]]:
    lines: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        lines[item.line].append(item)
    return lines


def same_name(found: Open, tier: Tier, stretch: Stretch) -> None:
    """Pair an equal match and message that occur once on both sides of a file.

    A function that moved and was edited is known by its name. Not where the line of the
    base lives on without the finding: there it was fixed.
    """

    def name(item: Item) -> Hashable:
        return (item.full, item.message) if weight(item.full) >= _TELLING else None

    for base, head in found.groups(_path, _path, name):
        block = stretch.block(base[0])
        alone = len(base) == len(head) == 1
        if alone and block and not block.became(base[0].line, {head[0].line}):
            found.take(base[0], head[0], tier)
    found.settle()


def overlapping(found: Open, tier: Tier, sources: Sources) -> None:
    """Pair regions of several lines that have most lines in common; no secrets."""

    def tall(item: Item) -> Hashable:
        if item.finding.secret or len(item.lines) < 2:
            return None
        return item.skeleton

    def share(base: Item, head: Item) -> float:
        alignment = sources.alignment(base.path, head.finding.path)
        head_of = alignment.head_of if alignment else ()
        common = sum(head_of[i] in head.lines for i in base.lines)
        return common / max(len(base.lines), len(head.lines))

    found.take_all(tier, found.groups(_path, _path, tall), share, _OVERLAP)

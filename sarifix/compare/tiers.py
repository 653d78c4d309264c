"""The tiers: each pairs what the ones before it left open (docs/what-is-new.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from functools import partial
from operator import attrgetter

from sarifix.compare.edited import Block
from sarifix.compare.item import Item
from sarifix.compare.moves import Moves, Place
from sarifix.compare.normalise import alike, bag, tells, weight
from sarifix.compare.pairing import Key, Open, nearest
from sarifix.compare.source import Sources
from sarifix.model import Tier

_TELLING = 8  # letters and digits of a match that can be recognised away from its line
_SAME_TEXT = 0.5  # the words that two messages must share to be about the same thing
_WITHIN, _ACROSS = 0.6, 0.8  # how alike the words around must be, in a file and across files
_MOVED = 1.1  # how well (``Block.score``) an edited line must explain one outside its block
_OVERLAP = 0.5  # the part of two regions that must be the same lines
_FEW = 4  # equal words beside a match that can tell it from others
_PROOFS, _AGREED = 3, 0.9  # pairs that prove a fingerprint, and the share that must agree

Where = Callable[[Item], Hashable]  # None: nowhere


def same_line(found: Open) -> None:
    """Pair what is on lines that the alignment says are the same."""

    def partner(item: Item) -> Hashable:
        return (item.path, item.partner) if item.partner >= 0 else None

    _on_line(found, Tier.SAME_LINE, partner)


def _own_line(item: Item) -> Hashable:
    return (item.path, item.line) if item.line >= 0 else None


def _on_line(found: Open, tier: Tier, origin: Where) -> None:
    """Pair findings whose line in the head is a line of the base, by what they say.

    By match and message first, then by either of them; last by the whole line, which
    is the match of a finding without columns, if the messages have words in common.
    """
    ways: tuple[Key, ...] = (
        lambda item: (item.start, item.gist, item.message),
        lambda item: (item.gist, item.message),
        lambda item: (item.start, item.match) if item.match else None,
        attrgetter("message"),
        attrgetter("skeleton"),
        lambda item: item.match or None,
    )
    for way in ways:
        found.join(tier, _both(_own_line, way), _both(origin, way))

    def whole_line(item: Item) -> Hashable:
        return None if item.match or not tells(item.key) else item.start

    groups = found.groups(_both(_own_line, whole_line), _both(origin, whole_line))
    found.take_all(tier, groups, _message_likeness, _SAME_TEXT)


def _message_likeness(base: Item, head: Item) -> float:
    return alike(bag(base.skeleton.split()), bag(head.skeleton.split()))


def _both(where: Where, way: Key) -> Key:
    def key(item: Item) -> Hashable:
        place = where(item)
        what = None if place is None else way(item)
        return None if what is None else (place, what)

    return key


def file_as_a_whole(found: Open) -> None:
    """Pair what speaks of a file rather than of a line: same file, same message."""

    def where(item: Item) -> Hashable:
        return item.path if item.path is not None and item.whole_file else None

    found.join(Tier.FILE, _both(where, attrgetter("message")))
    found.join(Tier.FILE, _both(where, attrgetter("skeleton")))
    _stuck_to_an_end(found)


def _stuck_to_an_end(found: Open) -> None:
    """Pair what stays on the first or last line while that line's text went elsewhere."""

    def end(item: Item) -> Hashable:
        if item.match or item.source is None or item.line not in {0, item.source.last}:
            return None
        return item.path, item.line == 0, item.skeleton

    def did_not_follow(base: Item, head: Item) -> float:
        return float(base.partner >= 0 or head.partner >= 0)

    found.take_all(Tier.FILE, found.groups(end, end), did_not_follow, 1.0)


def moved_within(found: Open, moves: Moves) -> None:
    """Pair what stands on a line that moved within its file."""

    def origin(item: Item) -> Hashable:
        place = _origin(item, moves)
        return place if place and place[0] == item.path else None

    _on_line(found, Tier.MOVED, origin)
    _amid_equal_lines(found, Tier.MOVED, attrgetter("path"), (3, 2, 1))
    _amid_alike_words(found, Tier.MOVED, attrgetter("path"), _WITHIN)


def _origin(item: Item, moves: Moves) -> Place | None:
    if item.line < 0 or item.finding.path is None:
        return None
    return moves.origin.get((item.finding.path, item.line))


def _amid_equal_lines(found: Open, tier: Tier, where: Where, sizes: tuple[int, ...]) -> None:
    """Pair equal lines that are frequent, by equal lines around them."""

    def window(item: Item, size: int) -> Hashable:
        if item.source is None or not item.key:
            return None
        above, below = item.source.around(item.line, size)
        lines = (*above, item.key, *below)
        return (lines, item.start, item.gist) if sum(map(tells, lines)) > 1 else None

    for size in sizes:
        found.join(tier, _both(where, partial(window, size=size)))


def _amid_alike_words(found: Open, tier: Tier, where: Where, least: float) -> None:
    """Pair equal lines that are frequent, by alike words before and after the match."""

    def line(item: Item) -> Hashable:
        return (item.key, item.start, item.gist) if item.key else None

    key = _both(where, line)
    found.take_all(tier, found.groups(key, key), _surroundings, least)


def _surroundings(base: Item, head: Item) -> float:
    before = alike(bag(base.before), bag(head.before))
    after = alike(bag(base.after), bag(head.after))
    return (before + after) / 2


def edited_around(found: Open, sources: Sources) -> None:
    """Pair equal matches in one changed block: reformatted, wrapped, edited beside it."""
    _edited_around(found, Tier.EDITED_AROUND, _block, _block)
    _overlapping(found, sources)


def _edited_around(found: Open, tier: Tier, at: Where, to: Where) -> None:
    def amid(item: Item, size: int) -> Hashable:
        before, after = item.before[-size:], item.after[:size]
        return (item.full, before, after) if item.full and (before or after) else None

    def telling(item: Item) -> Hashable:
        return item.full if weight(item.full) >= _TELLING else None

    def after(item: Item) -> Hashable:
        return (item.full, item.after[:_FEW]) if len(item.after) >= _FEW else None

    def before(item: Item) -> Hashable:
        return (item.full, item.before[-_FEW:]) if len(item.before) >= _FEW else None

    for way in (partial(amid, size=_FEW), partial(amid, size=2), telling, after, before):
        found.join(tier, _both(at, way), _both(to, way))


def _block(item: Item) -> Hashable:
    return (item.path, item.block) if item.block >= 0 else None


def _overlapping(found: Open, sources: Sources) -> None:
    """Pair regions of several lines that have most lines in common."""

    def tall(item: Item) -> Hashable:
        return (item.path, item.skeleton) if len(item.lines) > 1 else None

    def share(base: Item, head: Item) -> float:
        alignment = sources.alignment(base.path, head.finding.path)
        if alignment is None:
            return 0.0
        common = sum(alignment.head_of[i] in head.lines for i in base.lines)
        return common / max(len(base.lines), len(head.lines))

    found.take_all(Tier.EDITED_AROUND, found.groups(tall, tall), share, _OVERLAP)


def edited_line(found: Open, sources: Sources) -> None:
    """Pair equal messages within one changed block whose lines are alike; no secrets."""

    def block_of(item: Item) -> Block | None:
        return sources.block(item.finding.path, item.block)

    def file_of(item: Item) -> Block | None:
        return sources.block(item.finding.path, None)

    _edited_line(found, Tier.EDITED, _block, _block, block_of)
    _same_name(found, block_of)
    _edited_line(found, Tier.EDITED, attrgetter("path"), attrgetter("path"), file_of, _MOVED)


def _edited_line(
    found: Open,
    tier: Tier,
    at: Where,
    to: Where,
    block_of: Callable[[Item], Block | None],
    least: float = 0.0,
) -> None:
    def message(item: Item) -> Hashable:
        return None if item.finding.secret else item.skeleton

    for base, head in found.groups(_both(at, message), _both(to, message)):
        block = block_of(base[0])
        lines, others = _by_line(base), _by_line(head)
        for line, other in block.ranked(lines, others, least) if block else ():
            for pair in nearest(lines[line], others[other]):
                found.take(*pair, tier)
            lines[line] = [item for item in lines[line] if found.is_open(item)]
            others[other] = [item for item in others[other] if found.is_open(item)]
    found.settle()


def _by_line(items: list[Item]) -> dict[int, list[Item]]:
    lines: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        lines[item.line].append(item)
    return lines


def _same_name(found: Open, block_of: Callable[[Item], Block | None]) -> None:
    """Pair an equal match and message that occur once on both sides of a file.

    A function that moved and was edited is known by its name. Not where the line of the
    base lives on without the finding: there it was fixed.
    """

    def name(item: Item) -> Hashable:
        if item.path is None or weight(item.full) < _TELLING:
            return None
        return item.path, item.full, item.message

    for base, head in found.groups(name, name):
        if len(base) == len(head) == 1:
            block = block_of(base[0])
            if not block or not block.became(base[0].line, {head[0].line}):
                found.take(base[0], head[0], Tier.EDITED_AROUND)
    found.settle()


def moved_to_another_file(found: Open, moves: Moves, sources: Sources) -> None:
    """Pair what moved to another file, with more evidence than within one."""

    def origin(item: Item) -> Hashable:
        strong = (item.finding.path, item.line) in moves.strong
        return _origin(item, moves) if strong else None

    _on_line(found, Tier.MOVED_FILE, origin)
    _beside_moved(found, Tier.MOVED_FILE, moves, sources)
    _amid_equal_lines(found, Tier.MOVED_FILE, lambda _: "", (3,))
    _amid_alike_words(found, Tier.MOVED_FILE, lambda _: "", _ACROSS)


def _beside_moved(found: Open, tier: Tier, moves: Moves, sources: Sources) -> None:
    """Pair what was edited within, or right beside, lines that moved together."""

    def at(item: Item) -> Hashable:
        return moves.base_gaps.get((item.finding.path or "", item.line))

    def to(item: Item) -> Hashable:
        return moves.head_gaps.get((item.finding.path or "", item.line))

    def block_of(item: Item) -> Block | None:
        gap = moves.gaps[moves.base_gaps[item.finding.path or "", item.line]]
        base, head = sources.base(gap.base), sources.head(gap.head)
        if base is None or head is None:
            return None
        return Block(
            base,
            head,
            [i for i in gap.base_lines if i < len(base.lines)],
            [j for j in gap.head_lines if j < len(head.lines)],
        )

    _edited_around(found, tier, at, to)
    _edited_line(found, tier, at, to, block_of)


def nothing_to_go_by(found: Open) -> None:
    """Pair results without a location, or whose file has no text, by their message."""

    def where(item: Item) -> Hashable:
        return (item.path,) if item.line < 0 else None

    found.join(Tier.MESSAGE, _both(where, lambda item: (item.finding.region, item.message)))
    found.join(Tier.MESSAGE, _both(where, attrgetter("message")))
    found.join(Tier.MESSAGE, _both(where, attrgetter("skeleton")))


def fingerprints(found: Open) -> None:
    """Pair by the tool's own fingerprints, where the pairs so far prove them.

    A key is trusted if it agreed in nine of ten pairs (three at least) whose line or
    file moved, and if its values tell the findings apart.
    """
    for scanner, name in sorted(_trusted(found)):

        def value(item: Item, scanner: str = scanner, name: str = name) -> Hashable:
            if item.finding.scanner != scanner or item.finding.secret:
                return None
            return dict(item.finding.fingerprints).get(name)

        found.join(Tier.FINGERPRINT, value)


def _trusted(found: Open) -> set[tuple[str, str]]:
    agreed: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for base, head, _ in found.pairs:
        if not head.finding.fingerprints or _stayed(base, head):
            continue
        old = dict(base.finding.fingerprints)
        for name, value in head.finding.fingerprints:
            key = (head.finding.scanner, name)
            seen[key] += 1
            agreed[key] += bool(value) and old.get(name) == value
            values[key].add(value)
    return {
        key
        for key, count in seen.items()
        if count >= _PROOFS and min(agreed[key], len(values[key])) >= _AGREED * count
    }


def _stayed(base: Item, head: Item) -> bool:
    return base.finding.path == head.finding.path and base.line == head.line

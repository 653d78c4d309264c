"""The tiers: each pairs what the ones before it left open (docs/what-is-new.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from functools import partial
from operator import attrgetter

from sarifix.compare import edits
from sarifix.compare.item import Item, surroundings
from sarifix.compare.moves import Moves, Place
from sarifix.compare.normalise import alike, bag, tells, weight
from sarifix.compare.pairing import Key, Open, Where, anywhere
from sarifix.compare.source import Sources
from sarifix.model import Tier

_SAME_TEXT = 0.5  # the words that two messages must share to be about the same thing
_WITHIN, _ACROSS = 0.6, 0.8  # how alike the words around must be, in a file and across files
_SECRET = 16  # letters and digits of a secret that is known wherever it stands
_SHORT = 8  # what has fewer of them is hardly a secret
_PROOFS, _AGREED = 3, 0.9  # pairs that prove a fingerprint, and the share that must agree


_path = attrgetter("path")


def same_line(found: Open) -> None:
    """Pair what is on lines that the alignment says are the same."""

    def partner(item: Item) -> Hashable:
        return (item.path, item.partner) if item.partner >= 0 else None

    _on_line(found, Tier.SAME_LINE, partner)


def _own_line(item: Item) -> Hashable:
    return (item.path, item.line) if item.line >= 0 else None


def _on_line(found: Open, tier: Tier, origin: Where) -> None:
    """Pair findings whose line in the head is a line of the base, by what they say.

    As they are, which are the most; then by match and message, and by either of them; last
    by the whole line, which is the match of a finding without columns, if the messages
    have words in common.
    """
    ways: tuple[Key, ...] = (
        attrgetter("as_written"),
        lambda item: (item.start, item.gist, item.message),
        lambda item: (item.gist, item.message),
        lambda item: (item.start, item.match) if item.match else None,
        lambda item: None if item.tall_secret else item.message,
        lambda item: None if item.tall_secret else item.skeleton,
        lambda item: item.match or None,
    )
    found.join(tier, _own_line, origin, *ways)

    def whole_line(item: Item) -> Hashable:
        return None if item.match or not tells(item.key) else item.start

    groups = found.groups(_own_line, origin, whole_line)
    found.take_all(tier, groups, _message_likeness, _SAME_TEXT)


def _message_likeness(base: Item, head: Item) -> float:
    return alike(bag(base.skeleton.split()), bag(head.skeleton.split()))


def edited_around(found: Open, sources: Sources) -> None:
    """Pair equal matches in one changed block: reformatted, wrapped, edited beside it."""
    edits.edited_around(found, Tier.EDITED_AROUND, edits.in_block(sources))
    edits.overlapping(found, Tier.EDITED_AROUND, sources)


def edited_line(found: Open, sources: Sources) -> None:
    """Pair equal messages whose lines are alike, in one changed block; no secrets.

    Outside the block, the name of the match or the lines beside must tell as well, and the
    line must not have become another one in its place.
    """
    edits.edited_line(found, Tier.EDITED, edits.in_block(sources))
    edits.same_name(found, Tier.EDITED_AROUND, edits.in_block(sources))

    def lives_on(base: Item, head: Item) -> bool:
        return _lives_on((base.finding.path or "", base.line), head, sources)

    edits.edited_line(found, Tier.EDITED, edits.in_file(sources), edits.MOVED, lives_on)


def file_as_a_whole(found: Open) -> None:
    """Pair what speaks of a file rather than of a line: same file, same message."""

    def where(item: Item) -> Hashable:
        return item.path if item.path is not None and item.whole_file else None

    found.join(Tier.FILE, where, where, attrgetter("message"), attrgetter("skeleton"))
    _stuck_to_an_end(found)


def _stuck_to_an_end(found: Open) -> None:
    """Pair what stays on the first or last line while that line's text went elsewhere."""

    def end(item: Item) -> Hashable:
        if item.match or item.finding.secret:
            return None
        if item.source is None or item.line not in {0, item.source.last}:
            return None
        return item.line == 0, item.skeleton

    def did_not_follow(base: Item, head: Item) -> float:
        return float(base.partner >= 0 or head.partner >= 0)

    found.take_all(Tier.FILE, found.groups(_path, _path, end), did_not_follow, 1.0)


def moved_within(found: Open, moves: Moves, sources: Sources) -> None:
    """Pair what stands on a line that moved within its file."""

    def origin(item: Item) -> Hashable:
        place = _origin(item, moves, sources)
        return place if place and place[0] == item.path else None

    _on_line(found, Tier.MOVED, origin)
    _amid_equal_lines(found, Tier.MOVED, _path, (3, 2, 1))
    _amid_alike_words(found, Tier.MOVED, _path, _WITHIN, sources)


def _origin(item: Item, moves: Moves, sources: Sources) -> Place | None:
    """Return where the line of a finding moved from.

    Nowhere if little else moved along, and a line that is as good took its place: there
    it was fixed, and here it is written anew.
    """
    if item.line < 0 or item.finding.path is None:
        return None
    here = item.finding.path, item.line
    place = moves.origin.get(here)
    if place is None or here in moves.sure:
        return place
    return None if _lives_on(place, item, sources) else place


def _lives_on(place: Place, item: Item, sources: Sources) -> bool:
    """Whether another line than that of a finding took the place of a line of the base."""
    block = sources.block_at(*place)
    itself = {item.line} if place[0] == item.path else set()
    return block is not None and block.became(place[1], itself, edits.REPLACED)


def _amid_equal_lines(found: Open, tier: Tier, where: Where, sizes: tuple[int, ...]) -> None:
    """Pair equal lines that are frequent, by equal lines around them."""

    def window(item: Item, size: int) -> Hashable:
        if item.source is None or not item.key:
            return None
        above, below = item.source.around(item.line, size)
        lines = (*above, item.key, *below)
        return (lines, item.start, item.gist) if sum(map(tells, lines)) > 1 else None

    found.join(tier, where, where, *(partial(window, size=size) for size in sizes))


def _amid_alike_words(
    found: Open, tier: Tier, where: Where, least: float, sources: Sources
) -> None:
    """Pair equal lines that are frequent, by alike words before and after the match."""

    def line(item: Item) -> Hashable:
        return (item.key, item.start, item.gist) if item.key else None

    def around(base: Item, head: Item) -> float:
        alike = surroundings(base, head)
        place = base.finding.path or "", base.line
        return 0.0 if alike >= least and _lives_on(place, head, sources) else alike

    found.take_all(tier, found.groups(where, where, line), around, least)


def moved_to_another_file(found: Open, moves: Moves, sources: Sources) -> None:
    """Pair what moved to another file, with more evidence than within one."""
    _on_moved_line(found, moves, moves.strong, sources)
    beside = edits.beside_moved(moves)
    edits.edited_around(found, Tier.MOVED_FILE, beside)
    edits.edited_line(found, Tier.MOVED_FILE, beside)
    _amid_equal_lines(found, Tier.MOVED_FILE, anywhere, (3,))
    _amid_alike_words(found, Tier.MOVED_FILE, anywhere, _ACROSS, sources)


def same_secret(found: Open) -> None:
    """Pair an equal secret wherever it stands now: it is its own identity.

    Where only its line is known, the line may lose words, or win some that are too short
    for a secret.
    """

    def text(item: Item) -> Hashable:
        return item.full if item.finding.secret and weight(item.full) >= _SECRET else None

    def line(item: Item) -> Hashable:
        return True if item.finding.secret and item.key and not item.match else None

    found.join(Tier.MOVED_FILE, anywhere, anywhere, text)
    found.take_all(Tier.EDITED, found.groups(_path, _path, line), _same_tokens, 1.0)


def _same_tokens(base: Item, head: Item) -> float:
    old, new = base.tokens, head.tokens
    return float(new <= old or (old <= new and all(weight(won) < _SHORT for won in new - old)))


def moved_with_its_block(found: Open, moves: Moves, sources: Sources) -> None:
    """Pair what moved to another file within a block of some length.

    It goes before the edits within a file: of several functions that are alike, the one
    that moved away is not the one that stands there now. Most of a function that was
    copied still stands in its file, so a copy makes no such block.
    """
    _on_moved_line(found, moves, moves.sure, sources)


def _on_moved_line(found: Open, moves: Moves, followed: frozenset[Place], sources: Sources) -> None:
    def origin(item: Item) -> Hashable:
        followable = (item.finding.path, item.line) in followed
        return _origin(item, moves, sources) if followable else None

    _on_line(found, Tier.MOVED_FILE, origin)


def nothing_to_go_by(found: Open) -> None:
    """Pair results without a location, or whose file has no text, by their message."""

    def where(item: Item) -> Hashable:
        return (item.path,) if item.line < 0 else None

    def region(item: Item) -> Hashable:
        return item.finding.region, item.message

    ways = (region, attrgetter("message"), attrgetter("skeleton"))
    found.join(Tier.MESSAGE, where, where, *ways)


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

        found.join(Tier.FINGERPRINT, anywhere, anywhere, value)


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

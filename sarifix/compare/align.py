"""Which line of the base is which line of the head, of one file."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence

from sarifix.compare.normalise import tells
from sarifix.named import NamedTuple

# Edits that the exact search may spend on a stretch without anchors. Its cost grows
# with the square; beyond it the stretch stays one changed block.
_MAX_EDITS = 200
_MAX_ISLAND = 3  # lines

_Span = tuple[int, int, int, int]  # base start, base end, head start, head end


class Alignment(NamedTuple):
    """The lines of two versions of a file that are the same, counted from 0.

    ``head_of[i]`` is the head line of base line ``i`` and ``base_of[j]`` the reverse,
    or -1. ``blocks`` are the changed stretches, as ranges of both sides;
    ``base_blocks`` and ``head_blocks`` give each line the number of its block, or -1.
    """

    head_of: Sequence[int]
    base_of: Sequence[int]
    base_blocks: Sequence[int]
    head_blocks: Sequence[int]
    blocks: Sequence[tuple[range, range]] = ()

    @classmethod
    def identity(cls, count: int) -> Alignment:
        """Return the alignment of ``count`` lines with themselves."""
        return cls(range(count), range(count), [-1] * count, [-1] * count)

    def changed_lines(self, number: int | None) -> tuple[list[int], list[int]]:
        """Return the lines without a partner, of the base and of the head.

        Those of one block, or of the whole file (None).
        """
        whole = range(len(self.head_of)), range(len(self.base_of))
        base, head = whole if number is None else self.blocks[number]
        return (
            [i for i in base if self.head_of[i] < 0],
            [j for j in head if self.base_of[j] < 0],
        )


def align(base: Sequence[str], head: Sequence[str]) -> Alignment:
    """Align two lists of line keys (see ``normalise.line_key``).

    Lines that occur once on both sides are anchors (patience diff); between them common
    ends are trimmed and the search goes on; about n log n in all. Anchors come first: the
    equal ends of two functions that look alike say nothing.
    """
    head_of, base_of = [-1] * len(base), [-1] * len(head)
    once = _once(base) & _once(head)
    span = _within_ends(base, head, once)
    pairs = _once_in(base, head, span, once)
    stack: list[_Span] = list(_between(pairs, span))
    pairs += [*zip(range(span[0]), range(span[2]), strict=True)]
    pairs += [*zip(range(span[1], len(base)), range(span[3], len(head)), strict=True)]
    for i, j in pairs:
        head_of[i], base_of[j] = j, i
    while stack:
        span = stack.pop()
        inner = _trimmed(base, head, span)
        pairs = [
            *zip(range(span[0], inner[0]), range(span[2], inner[2]), strict=True),
            *zip(range(inner[1], span[1]), range(inner[3], span[3]), strict=True),
        ]
        if inner[0] < inner[1] and inner[2] < inner[3]:
            anchors = _anchors(base, head, inner)
            stack.extend(_between(anchors, inner) if anchors else ())
            pairs += anchors or _shortest_edit(base, head, inner)
        for i, j in pairs:
            head_of[i], base_of[j] = j, i
    return Alignment(head_of, base_of, *_blocks(base, head, head_of, once))


def _once(lines: Sequence[str]) -> set[str]:
    return {line for line, count in Counter(lines).items() if count == 1 and line}


def _within_ends(base: Sequence[str], head: Sequence[str], once: Container[str]) -> _Span:
    """Return the span without the equal ends, each of which has an anchor as its inner line.

    All anchors of an end are on every longest ordered list of them. So what is aligned is
    the same as without this; but most edits leave most of a file as it is.
    """
    i0, i1, j0, j1 = _trimmed(base, head, (0, len(base), 0, len(head)))
    while i0 and base[i0 - 1] not in once:
        i0, j0 = i0 - 1, j0 - 1
    while i1 < len(base) and base[i1] not in once:
        i1, j1 = i1 + 1, j1 + 1
    return i0, i1, j0, j1


def _once_in(
    base: Sequence[str], head: Sequence[str], span: _Span, once: Container[str]
) -> list[tuple[int, int]]:
    """Return the longest ordered list of the lines that occur once on both sides."""
    i0, i1, j0, j1 = span
    at = {head[j]: j for j in range(j0, j1)}
    return _ordered([(i, at[base[i]]) for i in range(i0, i1) if base[i] in once])


def _trimmed(base: Sequence[str], head: Sequence[str], span: _Span) -> _Span:
    """Return the span without the equal lines at its start and its end."""
    i0, i1, j0, j1 = span
    while i0 < i1 and j0 < j1 and base[i0] == head[j0]:
        i0, j0 = i0 + 1, j0 + 1
    while i0 < i1 and j0 < j1 and base[i1 - 1] == head[j1 - 1]:
        i1, j1 = i1 - 1, j1 - 1
    return i0, i1, j0, j1


def _anchors(base: Sequence[str], head: Sequence[str], span: _Span) -> list[tuple[int, int]]:
    """Return the longest ordered list of lines that are unmistakable within a span.

    First those that occur once; where there are none, those that occur equally often, the
    first for the first.
    """
    i0, i1, j0, j1 = span
    base_at, head_at = defaultdict(list), defaultdict(list)
    for i in range(i0, i1):
        base_at[base[i]].append(i)
    for j in range(j0, j1):
        head_at[head[j]].append(j)
    common = [
        (at, head_at[key])
        for key, at in base_at.items()
        if key and len(at) == len(head_at.get(key, ()))
    ]
    pairs = [(at[0], to[0]) for at, to in common if len(at) == 1]
    if not pairs:
        pairs = [pair for at, to in common for pair in zip(at, to, strict=True)]
    return _ordered(sorted(pairs))


def _ordered(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of sorted pairs that rises on both sides."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(tails, j)
        before.append(last[at - 1] if at else -1)
        if at == len(tails):
            tails.append(j)
            last.append(index)
        else:
            tails[at], last[at] = j, index
    chain = []
    index = last[-1] if last else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _between(anchors: list[tuple[int, int]], span: _Span) -> Iterator[_Span]:
    i, j = span[0], span[2]
    for anchor_i, anchor_j in anchors:
        if i < anchor_i and j < anchor_j:
            yield i, anchor_i, j, anchor_j
        i, j = anchor_i + 1, anchor_j + 1
    if i < span[1] and j < span[3]:
        yield i, span[1], j, span[3]


def _shortest_edit(base: Sequence[str], head: Sequence[str], span: _Span) -> list[tuple[int, int]]:
    """Return the equal lines of a shortest edit (Myers, 1986), or none if it is long."""
    i0, i1, j0, j1 = span
    if not Counter(base[i0:i1]) & Counter(head[j0:j1]):
        return []
    n, m = i1 - i0, j1 - j0
    reach = {1: 0}  # diagonal -> how far its furthest path got in the base
    trail: list[dict[int, int]] = []
    for edits in range(min(n + m, _MAX_EDITS) + 1):
        trail.append(dict(reach))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            while x < n and x - k < m and base[i0 + x] == head[j0 + x - k]:
                x += 1
            reach[k] = x
            if x >= n and x - k >= m:
                return [(i0 + a, j0 + b) for a, b in _walk_back(trail, n, m)]
    return []


def _walk_back(trail: list[dict[int, int]], x: int, y: int) -> Iterator[tuple[int, int]]:
    for edits in range(len(trail) - 1, -1, -1):
        reach, k = trail[edits], x - y
        down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
        from_x = reach[k + 1] if down else reach[k - 1]
        from_y = from_x - (k + 1 if down else k - 1)
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            yield x, y
        x, y = from_x, from_y


def _blocks(
    base: Sequence[str], head: Sequence[str], head_of: Sequence[int], once: Container[str]
) -> tuple[list[int], list[int], list[tuple[range, range]]]:
    """Number the changed blocks: what lies between lines that are the same.

    A few aligned lines that say little (a bracket, ``else:``, a line that occurs more
    often) do not end a block: they meet by chance in a stretch that was rewritten.
    """
    base_blocks, head_blocks = [-1] * len(base), [-1] * len(head)
    blocks: list[tuple[range, range]] = []
    i = j = 0
    for at, to, length in [*_runs(head_of), (len(base), len(head), _MAX_ISLAND + 1)]:
        lines = base[at : at + length]
        if length <= _MAX_ISLAND and all(line not in once or not tells(line) for line in lines):
            continue
        base_blocks[i:at] = [len(blocks)] * (at - i)
        head_blocks[j:to] = [len(blocks)] * (to - j)
        blocks.append((range(i, at), range(j, to)))
        i, j = at + length, to + length
    return base_blocks, head_blocks, blocks


def _runs(head_of: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the aligned runs: first base line, first head line, length."""
    start = 0
    for i in range(1, len(head_of) + 1):
        if i < len(head_of) and 0 <= head_of[i - 1] == head_of[i] - 1:
            continue
        if head_of[start] >= 0:
            yield start, head_of[start], i - start
        start = i

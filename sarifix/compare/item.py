"""A finding as the tiers see it: what it matched, where, and between what."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sarifix.compare import normalise
from sarifix.compare.lazy import lazy
from sarifix.compare.source import Sources, Spot
from sarifix.compare.text import Source
from sarifix.model import Finding, Region, Side

_WORDS = 8  # how many words before and after a match are its surroundings
_LINES = 8  # how many lines are searched for them
_WINDOW = 200  # and how many characters of the line itself
_FULL = 4000  # characters of a region's text that are compared


def place_of(finding: Finding) -> tuple[int, ...]:
    """Return the region as numbers, which order and compare; -1 for what is not given."""
    region = finding.region
    if region is None:
        return ()
    line, column, end_line, end_column = region
    return (
        line,
        -1 if column is None else column,
        -1 if end_line is None else end_line,
        -1 if end_column is None else end_column,
    )


def surroundings(one: Item, other: Item) -> float:
    """Return how alike the words before and after two matches are, from 0 to 1."""
    before = normalise.alike(normalise.bag(one.before), normalise.bag(other.before))
    after = normalise.alike(normalise.bag(one.after), normalise.bag(other.after))
    return (before + after) / 2


class Item:
    """One open finding and, read only when it is asked for, its place in the text.

    ``path`` is the file's name in the base, for a finding of the head too, so that the
    two sides compare (None: no location). ``order`` is its rank on its own side.
    """

    def __init__(self, finding: Finding, order: int, side: Side, sources: Sources) -> None:
        self.finding = finding
        self.order = order
        self.path = sources.common_path(side, finding)
        self._side = side
        self._sources = sources

    @lazy
    def _spot(self) -> Spot:
        return self._sources.spot(self._side, self.finding)

    @lazy
    def source(self) -> Source | None:
        """The file's text; None if it cannot be compared."""
        return self._spot.source

    @lazy
    def line(self) -> int:
        """The line, from 0 and inside the text; -1 without a text or a region."""
        return self._spot.line

    @lazy
    def frame(self) -> str:
        """The message but for numbers and for the matched text, if it quotes that."""
        quoted = self.match and self.match in self.message
        return normalise.skeleton(self.message.replace(self.match, "#")) if quoted else ""

    @property
    def partner(self) -> int:
        """The same line on the other side; -1 if there is none."""
        return self._spot.partner

    @property
    def block(self) -> int:
        """The number of the changed block the line lies in, or -1."""
        return self._spot.block

    @lazy
    def kind(self) -> tuple[str, str, tuple[str, ...]]:
        """What must be equal in any case: scanner, rule, the advisories it names."""
        return (
            self.finding.scanner,
            self.finding.rule,
            normalise.advisories(self.finding.message),
        )

    @lazy
    def message(self) -> str:
        """The message, normalised."""
        return normalise.message_of(self.finding)

    @lazy
    def skeleton(self) -> str:
        """The message but for numbers."""
        return normalise.skeleton(self.message)

    @property
    def _texts(self) -> Sequence[str]:
        return self.source.lines if self.source else ()

    @property
    def _text(self) -> str:
        return self.source.lines[self.line] if self.source else ""

    @lazy
    def key(self) -> str:
        """The line without whitespace; empty without a line."""
        return self.source.keys[self.line] if self.source else ""

    @lazy
    def _columns(self) -> tuple[int, int | None]:
        """The region's columns from 1; the end is None where there is none.

        From 1 to 1 says nothing: some scanners write it for whole lines.
        """
        region = self.finding.region or Region(1)
        start, end = region.column or 1, region.end_column or None
        return (1, None) if start == 1 and end == 1 else (start, end)

    @lazy
    def _span(self) -> tuple[int, int]:
        """The first line's part of the region: start and end, counted from 0."""
        length = len(self._text)
        column, end_column = self._columns
        start = min(max(column - 1, 0), length)
        if end_column is None or self._tall:
            return start, length
        end = min(max(end_column - 1, start), length)
        return normalise.token(self._text, start, end) if self.finding.secret else (start, end)

    @property
    def tall_secret(self) -> bool:
        """Whether it is a secret that goes on for lines, such as a private key."""
        return self.finding.secret and self._tall

    @property
    def _tall(self) -> bool:
        region = self.finding.region
        return region is not None and (region.end_line or region.line) > region.line

    @lazy
    def start(self) -> int:
        """How many characters, whitespace left out, stand before the match on its line."""
        return len(normalise.line_key(self._text[: self._span[0]]))

    @lazy
    def match(self) -> str:
        """The matched text of the first line, without whitespace.

        Empty where the region says no more than the line does: without columns, or for
        the whole line. Of a secret of several lines it is the whole text: they all begin
        with the same header.
        """
        if self.tall_secret:
            return self.full
        start, end = self._span
        text = normalise.line_key(self._text[start:end])
        return "" if text == self.key else text

    @property
    def crowd(self) -> int:
        """How many words the line has."""
        return len(self.source.words(self.line)) if self.source else 0

    @property
    def tokens(self) -> frozenset[str]:
        """The words of the line as they are, secrets in one piece."""
        return frozenset(normalise.tokens(self._text))

    @lazy
    def lines(self) -> range:
        """The lines of the region, from 0 and inside the text."""
        region = self.finding.region
        if self.source is None or region is None:
            return range(0)
        last = max(self.line, min(region.end_line or 0, len(self.source.lines)) - 1)
        return range(self.line, last + 1)

    @property
    def as_written(self) -> Hashable:
        """The line, the columns and the message as they are; nothing is worked out."""
        region = self.finding.region or Region(1)
        tall = (region.end_line or region.line) - region.line
        if tall and self.finding.secret:
            return None
        return self._text, region.column, region.end_column, tall, self.finding.message

    @lazy
    def gist(self) -> str:
        """What tells the finding from others on its line: the match, or the message."""
        return self.match or self.skeleton

    @lazy
    def full(self) -> str:
        """The whole matched text as code (see ``normalise.code_key``), cut if long."""
        region = self.finding.region or Region(1)
        start, end = self._span
        parts = [self._text[start:end], *self._texts[self.line + 1 : self.lines.stop]]
        end_column = self._columns[1]
        if end_column and len(parts) > 1 and self.lines.stop == region.end_line:
            parts[-1] = parts[-1][: end_column - 1]
        text = normalise.code_key("".join(parts)[:_FULL])
        return text.strip('-"') if self.tall_secret else text  # columns off by one, again

    @lazy
    def flow(self) -> tuple[str, ...]:
        """The first words of the match and of what follows, wherever lines end."""
        start = self._span[0]
        lines = [
            self._text[start : start + _WINDOW],
            *self._texts[self.line + 1 : self.line + 1 + _LINES],
        ]
        return tuple(normalise.words("\n".join(lines))[:_WORDS])

    @lazy
    def before(self) -> tuple[str, ...]:
        """The words before the match, across lines, the nearest last."""
        start = self._span[0]
        lines = self._texts[max(0, self.line - _LINES) : max(0, self.line)]
        own = self._text[max(0, start - _WINDOW) : start]
        return tuple(normalise.words("\n".join([*lines, own]))[-_WORDS:])

    @lazy
    def after(self) -> tuple[str, ...]:
        """The words after the first line's part of the match, across lines."""
        end = self._span[1]
        own = self._text[end : end + _WINDOW]
        lines = self._texts[self.line + 1 : self.line + 1 + _LINES]
        return tuple(normalise.words("\n".join([own, *lines]))[:_WORDS])

    @lazy
    def whole_file(self) -> bool:
        """Whether the finding speaks of the file rather than of a line in it.

        It has no region, or one on the first or last line that says nothing of its own:
        empty, past the end, on a line without a word, or from one end to the other.
        """
        region, source = self.finding.region, self.source
        if region is None:
            return True
        if source is None or self.finding.secret:
            return False
        last = source.last
        if 0 < self.line < last:
            return False
        if region.line > last + 1 or (self.line == 0 and (region.end_line or 0) > last >= 1):
            return True
        empty = not self.key or (region.column is not None and region.column == region.end_column)
        return empty or (not self.match and not normalise.tells(self.key))

"""The texts behind the findings: split into lines, aligned, read only when needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from sarifix.compare.align import Alignment, align
from sarifix.compare.edited import Block
from sarifix.compare.text import Source
from sarifix.model import Files, Finding, Side
from sarifix.named import NamedTuple


class Spot(NamedTuple):
    """Where a finding is: its text, and from 0 its line, the line's partner, its block."""

    source: Source | None = None
    line: int = -1
    partner: int = -1
    block: int = -1


_NOWHERE = Spot()
_Look: TypeAlias = tuple[Source | None, Sequence[int], Sequence[int]]


class Sources:
    """The files of both sides, and which file of the base each file of the head was."""

    def __init__(self, base: Files, head: Files, renames: Mapping[str, str]) -> None:
        self._files = (base, head)
        self._renames = renames
        self._heads = {old: new for new, old in renames.items()}
        self._texts: tuple[dict[str | None, Source | None], ...] = ({}, {})
        self._alignments: dict[tuple[str, str], Alignment | None] = {}
        self._looks: tuple[dict[str, _Look], ...] = ({}, {})
        self._same: dict[str, bool] = {}
        self._blocks: dict[tuple[str, int | None], Block | None] = {}

    def common_path(self, side: Side, finding: Finding) -> str | None:
        """Return the file's name in the base, the same for both sides.

        A file that only the head has gets a name that no file of the base can have.
        """
        if finding.path is None or side is Side.BASE or not finding.in_tree:
            return finding.path
        old = self.base_path(finding.path)
        return f"\0{finding.path}" if old is None else old

    def spot(self, side: Side, finding: Finding) -> Spot:
        """Return the place of a finding; an empty one where there is no text to look at."""
        if finding.path is None or finding.region is None or not finding.in_tree:
            return _NOWHERE
        known = self._looks[side is Side.HEAD]
        if finding.path not in known:
            known[finding.path] = self._look(side, finding.path)
        source, partners, blocks = known[finding.path]
        if source is None:
            return _NOWHERE
        line = min(max(finding.region.line, 1), len(source.lines)) - 1
        if not partners:
            return Spot(source, line)
        return Spot(source, line, partners[line], blocks[line])

    def _look(self, side: Side, path: str) -> _Look:
        """Return a file's text and, by line, its partners and its blocks."""
        is_head = side is Side.HEAD
        source = self.head(path) if is_head else self.base(path)
        old, new = (self.base_path(path), path) if is_head else (path, self.head_path(path))
        if source is None or self._one_sided(old, new):
            return None, (), ()
        alignment = self.alignment(old, new)
        if alignment is None:
            return source, (), ()
        if is_head:
            return source, alignment.base_of, alignment.head_blocks
        return source, alignment.head_of, alignment.base_blocks

    def _one_sided(self, old: str | None, new: str | None) -> bool:
        """Whether both versions of a file exist and only one of them is readable text."""
        if old is None or new is None or self.alignment(old, new) is not None:
            return False
        return self._files[0].oid(old) is not None and self._files[1].oid(new) is not None

    def base_path(self, head_path: str) -> str | None:
        """Return what a file of the head was called in the base; None if it is new.

        A file at a path whose old file was renamed away is another file.
        """
        old = self._renames.get(head_path)
        if old is None and head_path not in self._heads:
            old = head_path
        return old

    def head_path(self, base_path: str) -> str | None:
        """Return what a file of the base is called in the head; None if it is gone."""
        new = self._heads.get(base_path)
        if new is None and base_path not in self._renames:
            new = base_path
        return new

    def unchanged(self, head_path: str) -> bool:
        """Whether a file of the head has the content that it had in the base."""
        if head_path not in self._same:
            old = self.base_path(head_path)
            oid = None if old is None else self._files[0].oid(old)
            self._same[head_path] = oid is not None and oid == self._files[1].oid(head_path)
        return self._same[head_path]

    def base(self, path: str | None) -> Source | None:
        """Return a text of the base; None if there is none."""
        return self._read(0, path)

    def head(self, path: str | None) -> Source | None:
        """Return a text of the head; None if there is none."""
        if path is not None and self.unchanged(path):
            return self._read(0, self.base_path(path))
        return self._read(1, path)

    def _read(self, side: int, path: str | None) -> Source | None:
        known = self._texts[side]
        if path not in known:
            text = None if path is None else self._files[side].text(path)
            known[path] = None if text is None else Source(text)
        return known[path]

    def alignment(self, base_path: str | None, head_path: str | None) -> Alignment | None:
        """Return how two versions of a file align; None without both texts."""
        if base_path is None or head_path is None:
            return None
        pair = (base_path, head_path)
        if pair not in self._alignments:
            old, new = self.base(base_path), self.head(head_path)
            if old is None or new is None:
                found = None
            elif old is new:
                found = Alignment.identity(len(old.keys))
            else:
                found = align(old.keys, new.keys)
            self._alignments[pair] = found
        return self._alignments[pair]

    def block_at(self, base_path: str, line: int) -> Block | None:
        """Return the changed block that a line of the base lies in; None if in none."""
        alignment = self.alignment(base_path, self.head_path(base_path))
        return self.block(base_path, alignment.base_blocks[line]) if alignment else None

    def block(self, base_path: str | None, number: int | None) -> Block | None:
        """Return a changed block of a file, or (None) all of its changed lines as one.

        None for the number -1, which is no block, and for files without two texts.
        """
        if base_path is None or number == -1:
            return None
        if (base_path, number) not in self._blocks:
            self._blocks[base_path, number] = self._changed(base_path, number)
        return self._blocks[base_path, number]

    def _changed(self, base_path: str, number: int | None) -> Block | None:
        head_path = self.head_path(base_path)
        old, new = self.base(base_path), self.head(head_path)
        alignment = self.alignment(base_path, head_path)
        if old is None or new is None or alignment is None:
            return None
        return Block(old, new, *alignment.changed_lines(number))

    def loose(
        self, old: Iterable[str], new: Iterable[str]
    ) -> tuple[dict[str, Source], dict[str, Source], dict[str, set[int]], dict[str, set[int]]]:
        """Return the texts of the files of both sides, and the lines that stayed in place."""
        base = {path: source for path in old if (source := self.base(path))}
        head = {path: source for path in new if (source := self.head(path))}
        base_fixed, head_fixed = {}, {}
        for path in base:
            if alignment := self.alignment(path, self.head_path(path)):
                base_fixed[path] = {i for i, j in enumerate(alignment.head_of) if j >= 0}
        for path in head:
            if alignment := self.alignment(self.base_path(path), path):
                head_fixed[path] = {j for j, i in enumerate(alignment.base_of) if i >= 0}
        return base, head, base_fixed, head_fixed

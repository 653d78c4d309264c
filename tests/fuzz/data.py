"""Values out of bytes: the same bytes give the same values, and every byte counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Data:
    """Reads values off bytes; when they have come to an end, it gives the least there is."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0

    def number(self, most: int) -> int:
        """Return a number from 0 to ``most``."""
        return int.from_bytes(self._take((most.bit_length() + 7) // 8), "little") % (most + 1)

    def choice(self, items: Sequence[_T]) -> _T:
        """Return one of the items."""
        return items[self.number(len(items) - 1)]

    def text(self, most: int) -> str:
        """Return a text of at most so many bytes, as a name of a file is decoded."""
        return self._take(self.number(most)).decode("utf-8", "surrogateescape")

    def rest(self) -> bytes:
        """Return what is left."""
        return self._take(len(self._raw))

    def _take(self, size: int) -> bytes:
        taken = self._raw[self._at : self._at + size]
        self._at += size
        return taken

"""The entries of a tree. It has thousands, of which few are looked at."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, KeysView, Mapping

from sarifix.model import Entry


class Listing(Mapping[str, Entry]):
    """Entries by path, made of git's records when they are asked for."""

    def __init__(self, records: dict[str, str]) -> None:
        self._records = records  # path to ``100644 blob <id>``

    @classmethod
    def parse(cls, listed: bytes) -> Listing:
        """Read the output of ``git ls-tree -z``: ``100644 blob <id><TAB><path><NUL>``."""
        *records, _ = os.fsdecode(listed).split("\0")
        return cls(dict([record.partition("\t")[::-2] for record in records]))

    def changed(self, gone: Iterable[str], new: Iterable[tuple[str, Entry]]) -> Listing:
        """Return the entries without those of some paths, and with others."""
        records = dict(self._records)
        for path in gone:
            del records[path]
        for path, entry in new:
            records[path] = f"{entry.mode} {entry.oid}"
        return Listing(records)

    def __getitem__(self, path: str) -> Entry:
        record = self._records[path]
        return Entry(record[:6], record[record.rindex(" ") + 1 :])

    def __contains__(self, path: object) -> bool:
        return path in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def keys(self) -> KeysView[str]:
        """Return the paths, as quickly as a dictionary does."""
        return self._records.keys()

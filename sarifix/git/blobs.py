"""Reading the content of files from the object store."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sarifix import process
from sarifix.errors import GitError
from sarifix.model import Entry

TEXT_LIMIT = 4 << 20  # bytes of a file that is read for its lines
# Blobs that are asked for together. Their names have to fit into a pipe while git waits for
# us to read: 4 KiB of it where the system has little to give (pipe(7)), and on Windows.
_AT_ONCE = 60


class Blobs:
    """Reads blobs by id, through one ``git cat-file --batch``. Thread-safe."""

    def __init__(self, dialogue: process.Dialogue) -> None:
        self._dialogue = dialogue
        self._lock = threading.Lock()

    def read(self, oid: str) -> bytes:
        """Return a blob's content; raises ``GitError`` if it cannot be read."""
        with self._lock:
            self._dialogue.send([oid.encode()])
            return self._answer(oid)

    def texts(self, oids: Sequence[str]) -> Iterator[str | None]:
        """Yield the texts of blobs, in order; None for what is binary or too large.

        Many are asked for at once, so that git need not wait. Raises ``GitError`` if one
        cannot be read.
        """
        for start in range(0, len(oids), _AT_ONCE):
            batch = oids[start : start + _AT_ONCE]
            with self._lock:
                self._dialogue.send([oid.encode() for oid in batch])
                # All are read before one of them is complained of: the next is asked in step.
                answers = [self._answered(oid) for oid in batch]
            for answer in answers:
                if isinstance(answer, GitError):
                    raise answer
                yield answer

    def _answered(self, oid: str) -> str | GitError | None:
        try:
            return _text(self._answer(oid))
        except GitError as error:
            return error

    def _answer(self, oid: str) -> bytes:
        header = self._dialogue.line().split()
        if len(header) != 3:
            raise GitError(
                f"the object {oid} could not be read",
                "run `git fsck`; if git was repacking at the same time, run sarifix again",
            )
        data = self._dialogue.read(int(header[2]) + 1)
        if len(data) <= int(header[2]):
            raise GitError(f"the object {oid} was cut short")
        return data[:-1]

    def close(self) -> None:
        """End git."""
        self._dialogue.close()


class TreeFiles:
    """The files of one tree (``model.Files``): entries known, text read when asked for."""

    def __init__(self, entries: Mapping[str, Entry], blobs: Blobs) -> None:
        self.entries = entries
        self._blobs = blobs
        self._ahead: dict[str, str | None] = {}  # texts that were read before they are asked for

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def oid(self, path: str) -> str | None:
        """Return the blob's id; None if there is no such file."""
        entry = self.entries.get(path)
        return entry.oid if entry else None

    def text(self, path: str) -> str | None:
        """Return the file's text; None for what is absent, not a file, binary or too large."""
        if path in self._ahead:
            return self._ahead.pop(path)
        entry = self.entries.get(path)
        return _text(self._blobs.read(entry.oid)) if entry is not None and entry.is_file else None

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Read many files at once, for what asks for each of them once afterwards."""
        files = {path: entry.oid for path in paths if (entry := self.entries.get(path)) is not None}
        files = {path: oid for path, oid in files.items() if self.entries[path].is_file}
        self._ahead |= zip(files, self._blobs.texts(list(files.values())), strict=True)


def _text(data: bytes) -> str | None:
    if len(data) > TEXT_LIMIT or b"\0" in data[:8000]:
        return None
    return data.decode("utf-8", "replace")

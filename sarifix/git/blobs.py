"""Reading the content of files from the object store."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from sarifix import process
from sarifix.errors import GitError
from sarifix.model import Entry

TEXT_LIMIT = 4 << 20  # bytes of a file that is read for its lines


class Blobs:
    """Reads blobs by id, through one ``git cat-file --batch``. Thread-safe."""

    def __init__(self, dialogue: process.Dialogue) -> None:
        self._dialogue = dialogue
        self._lock = threading.Lock()

    def read(self, oid: str) -> bytes:
        """Return a blob's content; raises ``GitError`` if it cannot be read."""
        with self._lock:
            header = self._dialogue.ask(oid.encode()).split()
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

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def oid(self, path: str) -> str | None:
        """Return the blob's id; None if there is no such file."""
        entry = self.entries.get(path)
        return entry.oid if entry else None

    def text(self, path: str) -> str | None:
        """Return the file's text; None for what is absent, not a file, binary or too large."""
        entry = self.entries.get(path)
        if entry is None or not entry.is_file:
            return None
        data = self._blobs.read(entry.oid)
        if len(data) > TEXT_LIMIT or b"\0" in data[:8000]:
            return None
        return data.decode("utf-8", "replace")

"""A lock on a file, held until it is closed or its process ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path


class Lock:
    """An exclusive lock. On POSIX a child that inherits ``fd`` keeps it held."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def attempt(cls, path: Path) -> Lock | None:
        """Take the lock, or return None at once if another process has it.

        None also where the file system has no locks. Raises ``OSError`` if the file
        cannot be opened.
        """
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        if _lock(fd):
            return cls(fd)
        os.close(fd)
        return None

    def release(self) -> None:
        """Give the lock back."""
        os.close(self.fd)


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

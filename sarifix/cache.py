"""Content-addressed results. Any doubt is a miss: a broken cache is a slower run, nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from sarifix.digests import sha256
from sarifix.model import Finding, Level, Log, Region
from sarifix.named import NamedTuple

FORMAT = "1"  # of what is stored; part of every key
MAX_AGE = 30 * 86400  # seconds since an entry was last used
MAX_SIZE = 512 << 20  # bytes in all
_SWEEP_EVERY = 86400  # seconds


def key(*parts: str) -> str:
    """Return the key for ``parts``; no two lists of parts have the same one."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    framed = (piece for data in encoded for piece in (b"%d:" % len(data), data))
    return sha256(b"".join((FORMAT.encode(), *framed)))


class Usage(NamedTuple):
    """How much a cache holds: the number of entries and their size in bytes."""

    entries: int
    size: int


class Cache:
    """Results in one directory; ``Cache(None)`` keeps nothing and finds nothing."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory

    @classmethod
    def open(cls, *candidates: Path) -> Cache:
        """Use the first directory that is ours alone and can be written."""
        return cls(next((d for d in candidates if _usable(d)), None))

    def get(self, name: str) -> bytes | None:
        """Return what was stored under a key, if it is there and whole."""
        if self.directory is None:
            return None
        path = self._path(name)
        try:
            data = _read(path)
        except OSError:
            return None
        digest, _, payload = data.partition(b"\n")
        if digest != _digest(name, payload):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return payload

    def put(self, name: str, payload: bytes) -> None:
        """Store a result under a key. A cache that cannot be written is only slower."""
        if self.directory is None:
            return
        path = self._path(name)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            fd, temporary = tempfile.mkstemp(dir=path.parent, prefix="tmp-")
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(_digest(name, payload) + b"\n" + payload)
                os.replace(temporary, path)  # noqa: PTH105  as a pair with mkstemp
            except OSError:
                Path(temporary).unlink(missing_ok=True)
                raise

    def _path(self, name: str) -> Path:
        assert self.directory is not None
        return self.directory / name[:2] / name[2:]

    def usage(self) -> Usage:
        """Return how much is stored."""
        sizes = [status.st_size for _, status in self._entries()]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> None:
        """Forget everything."""
        if self.directory is not None:
            for child in list(self.directory.iterdir()):
                if child.is_dir() and not child.is_symlink():
                    shutil.rmtree(child)
                else:
                    child.unlink()

    def sweep(self, now: float | None = None, max_size: int = MAX_SIZE) -> None:
        """Once a day, drop what was not used for long, then the oldest over the size."""
        if self.directory is None:
            return
        now = time.time() if now is None else now
        mark = self.directory / "swept"
        with contextlib.suppress(OSError):
            if mark.exists() and abs(now - mark.stat().st_mtime) < _SWEEP_EVERY:
                return
            mark.touch()
            _drop(sorted(self._entries(), key=lambda entry: -entry[1].st_mtime), now, max_size)

    def _entries(self) -> Iterator[tuple[Path, os.stat_result]]:
        if self.directory is None:
            return
        for path in self.directory.glob("??/*"):
            with contextlib.suppress(OSError):
                yield path, path.lstat()


def _drop(newest_first: Iterable[tuple[Path, os.stat_result]], now: float, max_size: int) -> None:
    total = 0
    for path, status in newest_first:
        total += status.st_size
        if total > max_size or now - status.st_mtime > MAX_AGE:
            with contextlib.suppress(OSError):
                path.unlink()


def _usable(directory: Path) -> bool:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode) or not os.access(directory, os.W_OK | os.X_OK):
        return False
    # Results of another user, or ones that others may write, are not to be believed.
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _read(path: Path) -> bytes:
    """Read a regular file; a link, a pipe or a device in its place is not opened."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    fd = os.open(path, flags | getattr(os, "O_BINARY", 0))
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path} is not a file")
        return file.read()


def _digest(name: str, payload: bytes) -> bytes:
    return sha256(name.encode() + payload).encode()


# ---------------------------------------------------------------------------
# A log as bytes


def dump(log: Log) -> bytes:
    """Return a log as bytes that ``load`` reads again."""
    return json.dumps(
        {
            "findings": [_row(finding) for finding in log.findings],
            "suppressed": [_row(finding) for finding in log.suppressed],
            "unread": log.unread,
            "notes": log.notes,
        },
        separators=(",", ":"),
    ).encode()


def load(data: bytes) -> Log:
    """Return the log that ``dump`` wrote."""
    stored = json.loads(data)
    return Log(
        findings=tuple(_finding(row) for row in stored["findings"]),
        suppressed=tuple(_finding(row) for row in stored["suppressed"]),
        unread=tuple(stored["unread"]),
        notes=tuple(stored["notes"]),
    )


_Row = list[object]


def _row(finding: Finding) -> _Row:
    region = finding.region
    return [
        finding.scanner,
        finding.rule,
        int(finding.level),
        finding.message,
        finding.path,
        None
        if region is None
        else [region.line, region.column, region.end_line, region.end_column],
        finding.in_tree,
        finding.secret,
        finding.help_uri,
        finding.fingerprints,
    ]


def _finding(row: list) -> Finding:  # type: ignore[type-arg]
    scanner, rule, level, message, path, region, in_tree, secret, help_uri, fingerprints = row
    return Finding(
        scanner,
        rule,
        Level(level),
        message,
        path,
        None if region is None else Region(*region),
        in_tree,
        secret,
        help_uri,
        tuple((name, value) for name, value in fingerprints),
    )

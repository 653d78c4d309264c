"""What a supervised program leaves behind: on Linux it is found wherever it went, and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

MARK = "SARIFIX_PROCESS"  # in the environment of a program, and of what it starts
PATIENCE = 0.5  # seconds in which what was killed must have gone
_POLL = 0.005  # seconds between two looks at what was killed
_PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>


class _Child(Protocol):
    @property
    def pid(self) -> int: ...


_C = TypeVar("_C", bound=_Child)


class Descendants:
    """The supervised programs that run now, and what must end with the last of them.

    A grandchild can leave its group, its session and its environment behind, and its
    parent can end. As a child subreaper (prctl(2)) we become its parent then. Our other
    children are in our own session, which it cannot enter: so it is told apart.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._before: frozenset[int] = frozenset()  # children of whoever imported us
        self._are_told = False  # whether the kernel lists all that is below us

    def start(self, start: Callable[[], _C]) -> _C:
        """Start a program; one at a time, so that none is taken for a stray meanwhile."""
        with self._lock:
            if not self._running:
                self._are_told = _become_subreaper() and _tells_children()
                self._before = frozenset(self._adopted())
            child = start()
            self._running.add(child.pid)
            return child

    def ended(self, pid: int) -> None:
        """Note the end of a program; with the last one, end all that we were left with."""
        with self._lock:
            self._running.discard(pid)
            # Whose it was cannot be told: while others run, it may be theirs.
            if not self._running:
                _kill_until_none(self._strays)

    def kill_marked(self, mark: str) -> None:
        """Kill what has ``MARK`` with this value in its environment, in any session."""
        needle = f"{MARK}={mark}".encode()
        _kill_until_none(lambda: self._marked(needle))

    def _candidates(self) -> Iterator[int]:
        """Yield what may be ours to end: it is below us, or, where that is not told, anywhere."""
        return _below(os.getpid()) if self._are_told else _processes()

    def _marked(self, needle: bytes) -> Iterator[int]:
        for pid in self._candidates():
            with contextlib.suppress(OSError):
                if needle in Path(f"/proc/{pid}/environ").read_bytes():
                    yield pid

    def _adopted(self) -> Iterator[int]:
        """Yield our children in other sessions than our own."""
        for pid in self._candidates():
            with contextlib.suppress(OSError):
                # proc(5): the name, in parentheses, may hold spaces and parentheses itself.
                fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[1]) == os.getpid() and int(fields[3]) != os.getsid(0):
                    yield pid

    def _strays(self) -> Iterator[int]:
        for pid in self._adopted():
            if pid not in self._before:
                with contextlib.suppress(ChildProcessError):
                    if os.waitpid(pid, os.WNOHANG) == (0, 0):
                        yield pid


def _become_subreaper() -> bool:
    """Become the parent of orphaned grandchildren, where Linux lets us."""
    import ctypes

    status = -1
    # No such call in this C library, or, on Windows, no such library.
    with contextlib.suppress(OSError, AttributeError, TypeError):
        status = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return status == 0


def _tells_children() -> bool:
    """Whether this kernel lists children: it need not (proc(5), CONFIG_PROC_CHILDREN)."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _below(root: int) -> Iterator[int]:
    """Yield the processes below one, until a walk finds nothing new.

    One may start another and end while we walk. Others may not be listed then, but the
    first one is (proc(5)): that there are none can be relied on.
    """
    seen: set[int] = set()
    before = -1
    while before < len(seen):
        before = len(seen)
        for pid in _walk(root):
            if pid not in seen:
                seen.add(pid)
                yield pid


def _walk(root: int) -> Iterator[int]:
    todo = [root]
    while todo:
        # The newest first: it is the one that may be gone in a moment.
        for child in reversed(_children(todo.pop())):
            todo.append(child)
            yield child


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with contextlib.suppress(OSError):
                told = Path(f"/proc/{pid}/task/{thread}/children").read_bytes()
                children += map(int, told.split())
    return children


def _processes() -> Iterator[int]:
    """Yield the ids of all processes but our own; none without a ``/proc`` (not on Linux)."""
    with contextlib.suppress(OSError):
        yield from (
            int(entry.name)
            for entry in os.scandir("/proc")
            if entry.name.isdigit() and int(entry.name) != os.getpid()
        )


def _kill_until_none(find: Callable[[], Iterator[int]]) -> None:
    """Kill what ``find`` yields until it yields nothing: one may fork while it is looked for.

    Not for ever: what became another user's (by ``sudo``, say) is not ours to kill.
    """
    end = time.monotonic() + PATIENCE
    while _kill(find(), end) and time.monotonic() < end:
        time.sleep(_POLL)


def _kill(found: Iterator[int], end: float) -> bool:
    """Kill one as soon as it is found; whether there were any."""
    any_found = False
    for pid in found:
        any_found = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
        if time.monotonic() > end:
            break
    return any_found

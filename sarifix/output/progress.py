"""What runs right now, on standard error, for a person who waits."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

from sarifix.model import Scan, Side
from sarifix.sanitize import TOOL_LIMIT, clean

if TYPE_CHECKING:
    from rich.progress import TaskID


class Progress(Protocol):
    """Told of every scan as it starts and ends, from any thread."""

    def __enter__(self) -> Progress:
        """Begin to show."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""

    def start(self, scanner: str, side: Side) -> None:
        """Say that a scan begins."""

    def done(self, scan: Scan) -> None:
        """Say how a scan ended; it need not have been started (a cached one is not)."""


class Silent:
    """For a pipe, a log, a hook."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing."""

    def start(self, scanner: str, side: Side) -> None:
        """Do nothing."""

    def done(self, scan: Scan) -> None:
        """Do nothing."""


class Display:
    """A line for each scan, gone when the check is over."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console  # late: 50 ms, and only at a terminal
        from rich.progress import Progress as Bars
        from rich.progress import SpinnerColumn, TextColumn

        self._lock = threading.Lock()
        self._tasks: dict[tuple[str, Side], TaskID] = {}
        self._bars = Bars(
            SpinnerColumn(finished_text=" "),
            # Names of a repository's own choosing: no markup, no emoji codes.
            TextColumn("{task.description}", markup=False),
            TextColumn("{task.fields[end]}", markup=False),
            console=Console(file=stream),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Display:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def start(self, scanner: str, side: Side) -> None:
        """Add the scan's line."""
        with self._lock:
            self._line(scanner, side)

    def done(self, scan: Scan) -> None:
        """Write into the scan's line how it ended."""
        with self._lock:
            task = self._line(scan.scanner, scan.side)
            self._bars.update(task, total=1, completed=1, end=_end(scan))

    def _line(self, scanner: str, side: Side) -> TaskID:
        if (scanner, side) not in self._tasks:
            shown = f"{clean(scanner, TOOL_LIMIT)} {side.value}"
            self._tasks[scanner, side] = self._bars.add_task(shown, total=None, end="")
        return self._tasks[scanner, side]


def _end(scan: Scan) -> str:
    if scan.failure is not None:
        return "failed"
    return "cached" if scan.cached else f"{scan.seconds:.1f} s"


def progress(stream: TextIO, *, enabled: bool) -> Progress:
    """Return a display on ``stream`` if it is wanted and a terminal, and else a silent one."""
    return Display(stream) if enabled and stream.isatty() else Silent()

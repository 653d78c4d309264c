"""Running sarifix as a program of its own, for what only a process can show."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ARGV = (sys.executable, "-W", "error", "-m", "sarifix")


def run(
    *args: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdout: int = subprocess.PIPE,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; ``env`` adds to the environment."""
    return subprocess.run(
        [*ARGV, *args],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        preexec_fn=before,
    )


@contextlib.contextmanager
def started(*args: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a session of its own; at the end it is over, one way or the other."""
    child = subprocess.Popen(
        [*ARGV, *args],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
        preexec_fn=_heed_signals if os.name == "posix" else None,  # noqa: PLW1509
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def _heed_signals() -> None:
    """Undo what tests inherit that run under nohup, or in the background of a script."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def wait_for(happened: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Wait until something is so; fail if it takes longer than that."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)

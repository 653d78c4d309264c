"""Running sarifix as a program of its own, for what only a process can show."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
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


def start(*args: str, cwd: Path) -> subprocess.Popen[str]:
    """Start a command in a session of its own and return at once."""
    return subprocess.Popen(
        [*ARGV, *args],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def wait_for(happened: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Wait until something is so; fail if it takes longer than that."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)

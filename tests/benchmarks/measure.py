"""Run a command and say what it took: wall time, processor time, peak memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LAUNCH = Path(__file__).with_name("launch.py")


@dataclass(frozen=True)
class Command:
    """One program to start: its arguments, directory, environment and standard input."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes = b""


@dataclass(frozen=True)
class Usage:
    """What a run took: seconds of the clock and of the processors, bytes of peak memory.

    The processors' seconds are those of the program and of all that it waited for; the
    peak is that of the largest one of these processes.
    """

    wall: float
    cpu: float
    rss: int


@dataclass(frozen=True)
class Ran:
    """How a program ended: its exit code (None: stopped at the limit), and what it wrote."""

    code: int | None
    out: Path
    err: Path

    def text(self) -> str:
        """Return standard output."""
        return self.out.read_text(encoding="utf-8", errors="replace")

    def told(self) -> str:
        """Return the end of what it wrote, for a message."""
        err = self.err.read_text(encoding="utf-8", errors="replace")
        return f"exit code {self.code}: {self.text()[-300:].strip()} {err[-500:].strip()}"


def run(commands: Sequence[Command], scratch: Path, limit: float) -> tuple[Usage, Ran]:
    """Run commands one after the other; return what they took in all, and how the last ended.

    ``scratch`` takes what they write; ``limit`` is in seconds, for each.
    """
    done = [_run(command, scratch, limit) for command in commands]
    usages = [usage for usage, _ in done]
    total = Usage(
        sum(usage.wall for usage in usages),
        sum(usage.cpu for usage in usages),
        max(usage.rss for usage in usages),
    )
    return total, done[-1][1]


def _run(command: Command, scratch: Path, limit: float) -> tuple[Usage, Ran]:
    given, out, err = (scratch / name for name in ("stdin", "stdout", "stderr"))
    given.write_bytes(command.stdin)
    launcher = [
        sys.executable,
        "-I",
        "-S",
        str(_LAUNCH),
        str(limit),
        str(given),
        str(out),
        str(err),
    ]
    with subprocess.Popen(
        [*launcher, *command.argv], cwd=command.cwd, env=command.env,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        try:
            said, _ = child.communicate()
        except BaseException:
            child.terminate()  # and with it what it launched
            raise
    if child.returncode:
        raise RuntimeError(f"{command.argv[0]} could not be started")
    wall, cpu, peak, code = said.split()
    stopped = float(wall) >= limit
    usage = Usage(float(wall), float(cpu), int(peak) * 1024)
    return usage, Ran(None if stopped else int(code), out, err)

"""The edges of the runner: a break in the middle, no /proc, no such call in the C library."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sarifix import process
from tests.support.processes import is_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

# In a process of its own, as the main thread is the one that a signal interrupts.
_SUPERVISE = """import os, sys, threading
from pathlib import Path
from sarifix import process
place = Path(sys.argv[1])
process.supervise(
    [sys.executable, "-c", sys.argv[2]], cwd=str(place), env=dict(os.environ),
    stdout=place / "out", stderr=place / "err", timeout=60, limit=1 << 20,
    cancel=threading.Event())
"""


def test_an_interrupt_in_the_main_thread_ends_the_child(tmp_path: Path) -> None:
    code = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    program = subprocess.Popen(
        [sys.executable, "-c", _SUPERVISE, str(tmp_path), code],
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    pid = tmp_path / "pid"
    end = time.monotonic() + 20
    while not (pid.exists() and pid.read_text()):
        assert time.monotonic() < end
        time.sleep(0.02)
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=20)
    assert b"KeyboardInterrupt" in err
    assert is_gone(int(pid.read_text()))


def test_what_cannot_be_killed_does_not_keep_us() -> None:
    """As another user's: here one that has ended, and is still in the list of processes."""
    ended = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    began = time.monotonic()
    process._kill_until_none(lambda: iter([ended.pid]))
    assert process.GRACE / 4 < time.monotonic() - began < process.GRACE
    ended.wait()


def test_children_of_whoever_imports_us_are_left_alone(tmp_path: Path) -> None:
    """One in a session of its own, from before, is not taken for a stray."""
    other = subprocess.Popen(["/bin/sleep", "30"], start_new_session=True)
    try:
        process.supervise(
            ["/bin/true"],
            cwd=str(tmp_path),
            env=dict(os.environ),
            stdout=tmp_path / "out",
            stderr=tmp_path / "err",
            timeout=10,
            limit=1 << 20,
            cancel=threading.Event(),
        )
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()

"""The edges of the runner: a break in the middle, no /proc, no such call in the C library."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sarifix import descendants, process
from sarifix.descendants import Descendants
from tests.support.processes import is_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

# In a process of its own, as the main thread is the one that a signal interrupts.
_SUPERVISE = """import os, sys, threading
from pathlib import Path
from sarifix import descendants, process
from sarifix.descendants import Descendants
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


def test_a_child_that_nobody_can_watch_is_ended(tmp_path: Path) -> None:
    """Where no thread can be started: here there is no room for its stack.

    Another one runs meanwhile, so that it is not taken for what was left of the last.
    """
    beside = "import subprocess\nfrom sarifix import process\n"
    beside += "process._DESCENDANTS.start(lambda: subprocess.Popen(['sleep', '5']))\n"
    code = f"import time; time.sleep(60)  # {tmp_path}/child"
    argv = [sys.executable, "-c", beside + _SUPERVISE, str(tmp_path), code]
    limited = f"ulimit -s 8000000 -v 3000000 && exec {shlex.join(argv)}"
    program = subprocess.run(
        ["bash", "-c", limited], stderr=subprocess.PIPE, check=False, timeout=30
    )
    assert b"can't start new thread" in program.stderr
    assert not any(f"{tmp_path}/child".encode() in line for line in _command_lines())


def test_what_cannot_be_loaded_ahead_is_told_by_whoever_needs_it() -> None:
    code = "from sarifix import loading; loading.begin('no_such_module')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr == b""


def test_what_cannot_be_killed_does_not_keep_us() -> None:
    """As another user's: here one that has ended, and is still in the list of processes."""
    ended = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    began = time.monotonic()
    descendants._kill_until_none(lambda: iter([ended.pid]))
    assert descendants.PATIENCE < time.monotonic() - began < 4 * descendants.PATIENCE
    ended.wait()


def test_what_is_not_below_us_is_found_where_the_kernel_does_not_list_children() -> None:
    """As long as nothing was started, nothing is known of that."""
    variables = {descendants.MARK: "ours"}
    marked = subprocess.Popen(["/bin/sleep", "30"], env=variables, start_new_session=True)
    other = subprocess.Popen(["/bin/sleep", "30"], env={}, start_new_session=True)
    try:
        Descendants().kill_marked("ours")
        assert marked.wait(timeout=10) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_what_follows_another_one_is_found_while_it_does(tmp_path: Path) -> None:
    """Each of a thousand dead ones is looked at, and the one that lives is not missed for it."""
    code = (
        "import os, time\n"
        "for _ in range(1000):\n os.fork() or os._exit(0)\n"
        "for _ in range(60_000):\n os.fork() and os._exit(0)\n os.setsid()\n time.sleep(0.001)\n"
    )
    program = subprocess.run(
        [sys.executable, "-c", _SUPERVISE, str(tmp_path), f"{code}# {tmp_path}"],
        check=False,
        capture_output=True,
        timeout=60,
    )
    assert (program.returncode, program.stderr) == (0, b"")
    assert not any(str(tmp_path).encode() in line for line in _command_lines())


def _command_lines() -> Iterator[bytes]:
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield file.read_bytes()


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

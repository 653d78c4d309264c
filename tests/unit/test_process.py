"""Children that hang, flood and fork, and what is left of them: nothing."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from sarifix import process
from sarifix.process import Ended
from tests.support.processes import is_gone


def supervise(
    tmp_path: Path,
    code: str,
    *,
    timeout: float = 30.0,
    limit: int = 1 << 20,
    cancel: threading.Event | None = None,
    watched: tuple[Path, ...] = (),
) -> Ended:
    return process.supervise(
        [sys.executable, "-c", code],
        cwd=str(tmp_path),
        env=dict(os.environ),
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
        watched=watched,
        timeout=timeout,
        limit=limit,
        cancel=cancel or threading.Event(),
    )


def test_output_and_exit_code(tmp_path: Path) -> None:
    ended = supervise(tmp_path, "import sys; print('a'); print('b', file=sys.stderr); sys.exit(7)")
    assert (ended.returncode, ended.stopped) == (7, None)
    assert (tmp_path / "out").read_text() == "a\n"
    assert (tmp_path / "err").read_text() == "b\n"


def test_output_files_are_private(tmp_path: Path) -> None:
    supervise(tmp_path, "")
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        supervise(tmp_path, "print('x')")
    assert not (tmp_path / "elsewhere").exists()


def test_stdin_is_empty(tmp_path: Path) -> None:
    ended = supervise(tmp_path, "import sys; sys.exit(len(sys.stdin.read()))")
    assert ended.returncode == 0


def test_timeout(tmp_path: Path) -> None:
    ended = supervise(tmp_path, "import time; time.sleep(60)", timeout=0.3)
    assert ended.stopped == "timeout"
    assert ended.seconds < 10


def test_a_child_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    ended = supervise(tmp_path, code, timeout=0.5)
    assert ended.stopped == "timeout"
    assert ended.seconds < process.GRACE + 5


def test_too_much_output(tmp_path: Path) -> None:
    code = "import os\nwhile True: os.write(1, b'x' * 65536)"
    assert supervise(tmp_path, code).stopped == "output"


def test_too_large_a_watched_file(tmp_path: Path) -> None:
    code = "f = open('big', 'wb')\nwhile True: f.write(b'x' * 65536)"
    assert supervise(tmp_path, code, watched=(tmp_path / "big",)).stopped == "output"


def test_cancelled(tmp_path: Path) -> None:
    cancel = threading.Event()
    threading.Timer(0.2, cancel.set).start()
    ended = supervise(tmp_path, "import time; time.sleep(60)", cancel=cancel)
    assert ended.stopped == "cancelled"


@pytest.mark.skipif(sys.platform != "linux", reason="found by /proc")
@pytest.mark.parametrize("last", ["", "time.sleep(60)"], ids=["child ends", "child hangs"])
def test_no_grandchild_survives(tmp_path: Path, last: str) -> None:
    """Not even one in a session of its own that ignores SIGTERM and holds our output."""
    grandchild = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
    code = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, '-c', {grandchild!r}], start_new_session=True)\n"
        "open('pid', 'w').write(str(p.pid))\n" + last
    )
    supervise(tmp_path, code, timeout=1.5)
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        process.run([str(tmp_path / "none")], cwd=str(tmp_path), env={})


def test_run_gives_stdin_and_returns_both_outputs(tmp_path: Path) -> None:
    code = "import sys; print(sys.stdin.read().upper()); print('e', file=sys.stderr)"
    done = process.run(
        [sys.executable, "-c", code], cwd=str(tmp_path), env=dict(os.environ), stdin=b"abc"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ABC\n", b"e\n")


def test_a_dialogue_whose_child_is_gone(tmp_path: Path) -> None:
    dialogue = process.Dialogue([sys.executable, "-c", ""], cwd=str(tmp_path), env={})
    time.sleep(0.3)
    dialogue.send([b"x"])
    assert dialogue.line() == b""
    dialogue.close()

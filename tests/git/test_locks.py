"""A lock on a file: one holder, and it ends with the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sarifix.locks import Lock

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors are inherited as on POSIX")

HOLD = """
import subprocess, sys
from pathlib import Path
from sarifix.locks import Lock
lock = Lock.attempt(Path(sys.argv[1]))
assert lock
subprocess.Popen(["sleep", "60"], pass_fds=[lock.fd] if sys.argv[2] == "pass" else [])
print("held", flush=True)
input()
"""


def test_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = Lock.attempt(path)
    assert lock is not None
    assert Lock.attempt(path) is None
    lock.release()
    again = Lock.attempt(path)
    assert again is not None
    again.release()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Lock.attempt(tmp_path / "gone" / "lock")


def test_scanners_do_not_inherit_it(tmp_path: Path) -> None:
    lock = Lock.attempt(tmp_path / "lock")
    assert lock is not None
    assert not os.get_inheritable(lock.fd)
    lock.release()


@pytest.mark.parametrize(("how", "held"), [("pass", True), ("keep", False)])
def test_a_killed_process(tmp_path: Path, how: str, held: bool) -> None:
    """Its lock is free, unless a child has the descriptor."""
    path = tmp_path / "lock"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdout
    assert child.stdout.readline() == b"held\n"
    assert Lock.attempt(path) is None
    child.kill()
    child.wait()
    lock = Lock.attempt(path)
    assert (lock is None) == held
    if lock is not None:
        lock.release()
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()

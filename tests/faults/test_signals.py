"""A signal at any moment: no child, no lock, nothing but the cache is left."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.claude import event
from tests.support.processes import is_gone
from tests.support.program import ARGV, wait_for
from tests.support.repo import IDENTITY, Repo
from tests.support.run import check
from tests.support.state import differences, state

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

SIGNALS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
HOOK = json.dumps({"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False})


@pytest.fixture
def pids(tmp_path: Path) -> Path:
    return tmp_path / "pids"


@pytest.fixture
def repo(tmp_path: Path, pids: Path) -> Repo:
    """A repository whose scanner hangs with a grandchild apart, but for one that has ``go``."""
    code = (
        "import os, subprocess, sys, time\n"
        f"if not os.path.exists({str(tmp_path / 'go')!r}):\n"
        "    p = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
        f"    open({str(pids)!r}, 'a').write(f'{{os.getpid()}} {{p.pid}} ')\n"
        "    time.sleep(60)\n"
        "import json\n"
        "bad = 'BAD' in open('a.txt').read()\n"
        "place = {'artifactLocation': {'uri': 'a.txt'}, 'region': {'startLine': 1}}\n"
        "found = {'ruleId': 'R', 'level': 'error', 'message': {'text': 'm'},\n"
        "         'locations': [{'physicalLocation': place}]}\n"
        "run = {'tool': {'driver': {'name': 't'}}, 'results': [found] if bad else []}\n"
        "print(json.dumps({'version': '2.1.0', 'runs': [run]}))\n"
    )
    (tmp_path / "scanner.py").write_text(code)
    config = f"scanners:\n  slow:\n    command: [{sys.executable}, {tmp_path / 'scanner.py'}]\n"
    made = Repo.init(tmp_path / "repo", {".sarifix.yaml": config, "a.txt": "ok\n"})
    made.write({"a.txt": "BAD\n"})
    return made


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


def start(kind: str, repo: Repo) -> subprocess.Popen[bytes]:
    argv, given = [*ARGV, "check", "--format", "json"], b""
    if kind == "--hook":
        argv, given = [*ARGV, "check", "--hook"], event({**json.loads(HOOK), "cwd": str(repo.path)})
    elif kind == "pre-commit":
        repo.git("add", "-A")
        argv = [*ARGV, "pre-commit"]
    elif kind == "commit":
        hook = repo.path / ".git" / "hooks" / "pre-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m sarifix pre-commit\n")
        hook.chmod(0o755)
        repo.git("add", "-A")
        argv = ["git", "commit", "-qm", "x"]
    read, write = os.pipe()
    os.write(write, given)
    os.close(write)
    child = subprocess.Popen(
        argv,
        cwd=repo.path,
        env={**os.environ, **IDENTITY},
        stdin=read,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=heed,  # noqa: PLW1509
    )
    os.close(read)
    return child


def heed() -> None:
    """Undo what a test run under nohup, or in the background, would pass on."""
    for name in SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("kind", ["check", "--hook", "pre-commit", "commit"])
def test_a_signal_while_it_scans(
    repo: Repo, temporary: Path, pids: Path, isolation: Path, kind: str, name: str
) -> None:
    child = start(kind, repo)
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) >= 2, "the scan")
    before = state(repo.path)
    # The terminal sends it to the whole group.
    (os.killpg if kind == "commit" else os.kill)(child.pid, getattr(signal, name))
    began = time.monotonic()
    out, err = child.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert b"Traceback" not in err
    if kind == "--hook":
        assert child.returncode == 0
        assert "systemMessage" in json.loads(out)
    elif kind != "commit":
        assert child.returncode == SIGNALS[name]
        assert b"clean" not in out
    for pid in map(int, pids.read_text().split()):
        assert is_gone(pid)
    left = differences(before, state(repo.path))
    if kind == "commit":  # git's own index.lock goes with it, or the commit would not be ours
        left = [
            line for line in left if ".git/index.lock" not in line and not line.endswith("None")
        ]
    assert left == []
    assert list((isolation / "sarifix-cache").glob("repos/*/tmp/*")) == []
    assert list(temporary.iterdir()) == []
    (temporary.parent / "go").touch()
    ran = check(repo.path)
    assert (ran.code, ran.rules()) == (1, ["a.txt:1 R"])
    slots = {path.name for path in (isolation / "sarifix-cache").glob("repos/*/slots/*")}
    assert not any(slot.startswith("tmp") for slot in slots), "a lock was left behind"


def test_a_signal_that_another_thread_gets(repo: Repo, pids: Path) -> None:
    """The system chooses the thread; Python's handlers run in the main one, which must wake."""
    tgkill = getattr(ctypes.CDLL(None), "tgkill", None)
    if tgkill is None:
        pytest.skip("this C library has no tgkill")
    child = start("check", repo)
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) >= 2, "the scan")
    thread = max(int(task.name) for task in Path(f"/proc/{child.pid}/task").iterdir())
    assert thread != child.pid
    assert tgkill(child.pid, thread, signal.SIGTERM) == 0
    child.communicate(timeout=10)
    assert child.returncode == SIGNALS["SIGTERM"]
    assert all(is_gone(pid) for pid in map(int, pids.read_text().split()))


@pytest.mark.parametrize("number", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_signals_at_any_moment(repo: Repo, temporary: Path, number: int) -> None:
    """From the interpreter's start on: it ends as asked, or had ended by itself."""
    (temporary.parent / "go").touch()
    began = time.monotonic()
    start("check", repo).communicate()
    whole = time.monotonic() - began
    before = state(repo.path)
    for turn in range(number):
        name = list(SIGNALS)[turn % 3]
        child = start("check", repo)
        time.sleep(whole * turn / number)
        child.send_signal(getattr(signal, name))
        _, err = child.communicate(timeout=20)
        # Before our handler stands, python's own way: the signal itself, or its interrupt.
        assert child.returncode in {1, SIGNALS[name], -getattr(signal, name)}, err.decode()
        assert differences(before, state(repo.path)) == []
    ran = check(repo.path)
    assert (ran.code, ran.rules()) == (1, ["a.txt:1 R"])
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("hook", [False, True])
def test_a_scanner_that_fails_is_told_of_though_sigchld_is_ignored(
    tmp_path: Path, hook: bool
) -> None:
    """Whoever ignores it hands that on to us; the system then keeps no exit code for us."""
    empty = '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": []}]}'
    command = json.dumps(["sh", "-c", f"echo '{empty}'; exit 3"])
    config = f"scanners:\n  bad:\n    command: {command}\n"
    repo = Repo.init(tmp_path / "repo", {".sarifix.yaml": config, "a.txt": "a\n"})
    repo.write({"a.txt": "b\n"})
    given = event({**json.loads(HOOK), "cwd": str(repo.path)})
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        argv = [*ARGV, "check", *(["--hook"] if hook else [])]
        child = subprocess.Popen(
            argv,
            cwd=repo.path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            restore_signals=False,
        )
        said, _ = child.communicate(given)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert b"exit code 3" in said


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("hook", [False, True])
def test_a_signal_while_git_looks_and_nothing_else_is_there_yet(
    repo: Repo, tmp_path: Path, name: str, hook: bool
) -> None:
    """git was started before the command line, with its handlers, was even imported."""
    pid = tmp_path / "git"
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    real = shutil.which("git")
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *status*) echo $$ >{pid}.new; mv {pid}.new {pid}; exec sleep 60;;'
        f' esac\nexec {real} "$@"\n'
    )
    git.chmod(0o755)
    child = subprocess.Popen(
        [*ARGV, "check", *(["--hook"] if hook else [])],
        cwd=repo.path,
        env={**os.environ, "PATH": f"{git.parent}:{os.environ['PATH']}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_for(pid.exists, "git looks")
    child.send_signal(getattr(signal, name))
    out, err = child.communicate(b"", timeout=30)
    assert is_gone(int(pid.read_text()))
    assert b"Traceback" not in err, err
    # What is answered on the way is nobody's: the client discards it.
    assert child.returncode == SIGNALS[name] or (hook and child.returncode == 0)
    assert not out or (hook and "systemMessage" in json.loads(out))


def test_where_no_thread_can_be_started_nothing_is_decided(repo: Repo, tmp_path: Path) -> None:
    """As with a limit of processes; here there is no room for the stack of a thread."""
    (tmp_path / "go").touch()
    said = "ulimit -s 8000000 -v 3000000 && exec " + shlex.join([*ARGV, "check"])
    done = subprocess.run(["bash", "-c", said], cwd=repo.path, capture_output=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(b"sarifix: error: the system allows no more threads")
    assert check(repo.path).code == 1

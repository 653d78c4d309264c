"""SIGKILL at a random moment, over and over: the user's state stays, the next verdict is right.

The figures of docs/security.md: ``pytest tests/faults/test_kills.py --run-slow``.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from pathlib import Path

import pytest

from tests.support.claude import AGENT, Answer, event
from tests.support.repo import IDENTITY, Repo
from tests.support.run import Fake
from tests.support.situations import STAGED, WORKTREE, change, history
from tests.support.state import but_of_git, differences, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed as on POSIX")

_TOLD = re.compile(r"^- (\S+):(\d+):\d+: fake/(\S+)", re.MULTILINE)
ENTRIES = ("check", "--hook", "commit")


@pytest.fixture(params=["main", "linked"])
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Repo:
    made = history(tmp_path / "repo", Fake(tmp_path / "log"))
    hook = made.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m sarifix pre-commit --format json\n")
    hook.chmod(0o755)
    if request.param == "linked":
        made.git("worktree", "add", "-q", "../linked", "HEAD")
        made = Repo(tmp_path / "linked")
    return change(made)


def start(kind: str, cwd: Path) -> subprocess.Popen[bytes]:
    sarifix = [sys.executable, "-m", "sarifix", "check"]
    argv = {
        "check": [*sarifix, "--format", "json"],
        "--hook": [*sarifix, "--hook"],
        "commit": ["git", "commit", "-qm", "never"],
    }[kind]
    child = subprocess.Popen(
        argv,
        cwd=cwd,
        env={**os.environ, **IDENTITY, "AI_AGENT": AGENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdin is not None
    stop = {"session_id": str(uuid.uuid4()), "hook_event_name": "Stop", "cwd": str(cwd)}
    child.stdin.write(event({**stop, "stop_hook_active": False}))
    child.stdin.flush()
    return child


def verdict(kind: str, cwd: Path) -> list[str]:
    """Run to the end and return what was found, whatever the form of the answer."""
    out, err = start(kind, cwd).communicate(timeout=120)
    assert b"Traceback" not in err
    if kind == "--hook":
        told = Answer(out.decode(), err.decode()).context
        assert told is not None, out
        return sorted(f"{path}:{line} {rule}" for path, line, rule in _TOLD.findall(told))
    report = json.loads(err if kind == "commit" else out)
    return sorted(f"{f['path']}:{f['line']} {f['rule']}" for f in report["introduced"])


def kill(child: subprocess.Popen[bytes], whole_group: bool) -> None:
    """The terminal ends the whole group; who is short of memory ends one process."""
    (os.killpg if whole_group else os.kill)(child.pid, signal.SIGKILL)
    child.communicate()


@pytest.mark.parametrize("kind", ENTRIES)
@pytest.mark.parametrize("number", [2, pytest.param(167, marks=pytest.mark.slow)])
def test_killed(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, number: int
) -> None:
    """Two worktrees and three entries of 167 kills each: 1,002."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    expected = STAGED if kind == "commit" else WORKTREE
    began = time.monotonic()
    assert verdict(kind, repo.path) == expected
    whole = time.monotonic() - began
    chance = random.Random(f"{kind}{number}")
    counted: Counter[str] = Counter()
    for turn in range(number):
        if turn % 3 == 0:  # cold: the more work to be interrupted
            repo.write({"n.txt": f"BAD(untracked)\n{turn}\n"})
        before = state(repo.path)
        child = start(kind, repo.path)
        time.sleep(chance.uniform(0, 1.1) * whole)
        # A commit as a whole: git removes its index.lock itself, or nobody does.
        kill(child, whole_group=kind == "commit" or turn % 2 == 0)
        left = differences(before, state(repo.path))
        if kind == "commit":
            left = of_git(repo, left)
        counted["state as it was"] += left == []
        assert left == []
        counted["right verdict"] += verdict(kind, repo.path) == expected
    assert counted == {"state as it was": number, "right verdict": number}
    assert list(temporary.iterdir()) == []


def of_git(repo: Repo, left: list[str]) -> list[str]:
    """Take away what a killed ``git commit`` leaves by itself, with any hook."""
    git_dir = Path(repo.git("rev-parse", "--absolute-git-dir"))
    for name in ("index.lock", "COMMIT_EDITMSG"):
        (git_dir / name).unlink(missing_ok=True)
    return but_of_git(repo.path, left)

"""What `check` asks git before the rest is imported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.claude import event
from tests.support.processes import is_gone
from tests.support.program import ARGV
from tests.support.repo import Repo
from tests.support.run import Fake

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

MakeRepo = Callable[..., Repo]


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    repo = make_repo({".sarifix.yaml": Fake(tmp_path / "log").config(), "a.txt": "ok\n"})
    repo.write({"a.txt": "BAD(new)\n"})
    return repo


def wrapped(tmp_path: Path, case: str) -> dict[str, str]:
    """Return an environment with a git that does something else in a case of its arguments."""
    real = shutil.which("git")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "git"
    program.write_text(f'#!/bin/sh\ncase "$*" in {case};; esac\nexec {real} "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("argv", "given", "code"),
    [
        (["check", "--bogus"], b"", 2),
        (["check", "--config", "nowhere.yaml", "--head", "HEAD"], b"", 2),
        (["check", "--hook", "--bogus"], b"", 0),
        (["check", "--hook"], event({"hook_event_name": "PreToolUse", "session_id": "s"}), 0),
        (["check", "--hook"], b"no event", 0),
    ],
)
def test_git_is_ended_where_nobody_waits_for_it(
    repo: Repo, tmp_path: Path, argv: list[str], given: bytes, code: int
) -> None:
    pid = tmp_path / "pid"
    env = wrapped(tmp_path, f"*status*) echo $$ > {pid}; exec sleep 60")
    done = subprocess.run(
        [*ARGV, *argv], cwd=repo.path, env=env, input=given, capture_output=True, check=False
    )
    assert done.returncode == code
    assert not pid.exists() or not pid.read_text() or is_gone(int(pid.read_text()))


def test_an_index_that_is_written_meanwhile_is_looked_at_again(repo: Repo, tmp_path: Path) -> None:
    """An edit that was staged when git looked, and is not any more, differs from the index."""
    repo.git("add", "-A")
    once, git = tmp_path / "once", shutil.which("git")
    reset = f"GIT_LITERAL_PATHSPECS=0 GIT_OPTIONAL_LOCKS=1 {git} reset -q >/dev/null"
    case = f'*status*) if mkdir {once} 2>/dev/null; then {git} "$@"; {reset}; exit; fi'
    done = subprocess.run(
        [*ARGV, "check", "--format", "json"],
        cwd=repo.path,
        env=wrapped(tmp_path, case),
        capture_output=True,
        check=False,
    )
    assert once.exists()
    assert repo.git("diff", "--name-only") == "a.txt"
    found = json.loads(done.stdout)["introduced"]
    assert [finding["rule"] for finding in found] == ["new"]

"""Several runs at once, git at work beside a run, and runs that are killed."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake
from tests.support.situations import STAGED, WORKTREE, change, history
from tests.support.state import differences, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed as on POSIX")

Child = subprocess.Popen[bytes]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return change(history(tmp_path / "repo", Fake(tmp_path / "log")))


def start(cwd: Path, *options: str) -> Child:
    return subprocess.Popen(
        [sys.executable, "-m", "sarifix", "check", "--format", "json", *options],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def end(child: Child) -> tuple[int, list[str], str]:
    """Return the exit code, what was introduced, and stderr."""
    out, err = child.communicate(timeout=120)
    found = json.loads(out).get("introduced", [])
    rules = sorted(f"{f['path']}:{f['line']} {f['rule']}" for f in found)
    return child.returncode, rules, err.decode()


def slots(cache: Path) -> list[str]:
    return sorted({path.name for path in cache.glob("repos/*/slots/*")})


def test_two_in_one_repository_and_in_linked_worktrees(repo: Repo, isolation: Path) -> None:
    repo.git("worktree", "add", "-q", "../linked", "HEAD")
    linked = change(Repo(repo.path.parent / "linked"))
    linked.write({"n.txt": "BAD(other)\n"})
    before = state(repo.path, linked.path)
    for _ in range(2):
        children = [start(repo.path), start(repo.path, "--head", "staged"), start(linked.path)]
        assert [end(child) for child in children] == [
            (1, WORKTREE, ""),
            (1, STAGED, ""),
            (1, [*WORKTREE[:2], "n.txt:1 other"], ""),
        ]
    assert differences(before, state(repo.path, linked.path)) == []
    assert slots(isolation / "sarifix-cache") == ["base-0-----", "head-0-----"]


@pytest.mark.parametrize("number", [2, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("grain", ["file", "tree"])
def test_eight_at_once(tmp_path: Path, isolation: Path, grain: str, number: int) -> None:
    """Four in a main worktree and four in a linked one, cold and warm, quiet and with git at work.

    ``git gc`` as it is by itself: what is reachable moves into other packs while it is read.
    """
    fake = Fake(tmp_path / "log")
    repo = history(tmp_path / "repo", fake)
    repo.write({".sarifix.yaml": fake.config(grain=grain)})
    repo.commit()
    repo.git("worktree", "add", "-q", "../linked", "HEAD")
    places = [change(repo), change(Repo(tmp_path / "linked"))]
    for turn in range(number):
        if turn % 2 == 0:
            for place in places:
                place.write({"n.txt": f"BAD(untracked)\n{turn}\n"})
            shutil.rmtree(isolation / "sarifix-cache", ignore_errors=True)
            shutil.rmtree(repo.path / ".git" / "sarifix", ignore_errors=True)
        before = state(*(place.path for place in places))
        options = [["--no-cache"] if i % 4 == 3 else [] for i in range(8)]
        children = [start(places[i % 2].path, *options[i]) for i in range(8)]
        if turn % 4 in {1, 2}:
            _commit_and_collect(places[turn % 2], f"{turn}\n")
            assert [end(child) for child in children] == [(1, WORKTREE, "")] * 8
        else:
            assert [end(child) for child in children] == [(1, WORKTREE, "")] * 8
            assert differences(before, state(*(place.path for place in places))) == []
    assert slots(isolation / "sarifix-cache") == ["base-0-----", "head-0-----"]


def _commit_and_collect(repo: Repo, content: str) -> None:
    """Each of these commands fails where it meets a lock."""
    for name in ("one.md", "two.md", "three.md"):
        repo.write({name: content})
        repo.git("add", name)
        repo.git("commit", "-qm", "beside", "--", name)
        repo.git("gc", "-q")


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[list[int]]:
    """Do some work over and over in a thread; yields a list that grows with each time."""
    stop, times = threading.Event(), [0]

    def loop() -> None:
        while not stop.is_set():
            work()
            times.append(1)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield times
    finally:
        stop.set()
        thread.join()


def rounds(repo: Repo, options: Sequence[str], expected: list[str], number: int) -> int:
    """Check some times over; each verdict must be right, or an error of git's. Count the right."""
    right = 0
    for _ in range(number):
        code, found, err = end(start(repo.path, *options))
        assert "Traceback" not in err
        if code == 3:
            assert found == []
            assert "git" in err or "could not be" in err
        else:
            assert (code, found, err) == (1, expected, "")
            right += 1
    return right


@pytest.mark.parametrize("number", [5, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("head", ["worktree", "staged"])
def test_commits_and_collections_beside(repo: Repo, head: str, number: int) -> None:
    """``git gc`` takes away unreachable objects that we found there and did not write again."""
    expected = {"worktree": WORKTREE, "staged": STAGED}[head]
    counter = itertools.count()

    def work() -> None:
        (repo.path / ".git" / "info" / "exclude").write_text("beside.md\n")
        repo.write({"beside.md": f"{next(counter)}\n"})
        repo.git("add", "-f", "beside.md")
        repo.git("commit", "-qm", "beside", "--", "beside.md")
        repo.git("hash-object", "-w", "n.txt", "a.txt")
        repo.git("gc", "-q", "--prune=now")

    with beside(work) as times:
        right = rounds(repo, ("--no-cache", "--head", head), expected, number)
        while not right:  # on a busy machine, many a one is met by a collection
            right = rounds(repo, ("--no-cache", "--head", head), expected, 1)
    assert len(times) > 2


def test_the_index_is_written_beside(repo: Repo) -> None:
    """The user's own git never meets a lock of ours."""
    counter = itertools.count()

    def work() -> None:
        repo.write({"beside.md": f"{next(counter)}\n"})
        repo.git("add", "beside.md")
        repo.git("status")
        repo.git("rm", "-q", "--cached", "beside.md")

    with beside(work) as times:
        assert rounds(repo, ("--head", "staged"), STAGED, 4) == 4
        assert rounds(repo, (), WORKTREE, 4) == 4
    assert len(times) > 5


@pytest.mark.parametrize("number", [4, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", [(), ("--head", "staged", "--no-cache")])
def test_killed_at_any_time(
    repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    number: int,
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    expected = STAGED if options else WORKTREE
    began = time.monotonic()
    assert end(start(repo.path, *options)) == (1, expected, "")
    whole = time.monotonic() - began
    before = state(repo.path)
    chance = random.Random(20)
    for turn in range(number):
        repo.write({"i.log": f"{turn}\n"})
        before = state(repo.path)
        child = start(repo.path, *options)
        time.sleep(chance.uniform(0.2, 1) * whole)
        # The terminal ends the whole group, the system's out-of-memory killer one process.
        (os.killpg if turn % 2 else os.kill)(child.pid, signal.SIGKILL)
        child.communicate()
        assert differences(before, state(repo.path)) == []
        assert end(start(repo.path, *options)) == (1, expected, "")
    assert differences(before, state(repo.path)) == []
    assert list(temporary.iterdir()) == []

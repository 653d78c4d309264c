"""A scanner that behaves badly ends in time, alone, and takes nothing with it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.processes import is_gone
from tests.support.repo import Repo
from tests.support.run import Fake, check
from tests.support.state import differences, state

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

MakeRepo = Callable[..., Repo]
ZOO = Path(__file__).with_name("zoo.py")
TIMEOUT = 1  # seconds, of what would never end
PATIENCE = 30  # of what ends by itself, or by what it writes: a machine may be busy
BOTH = ["a.txt:2 new", "a.txt:2 zoo"]

LATE = "did not finish within"
MUCH = "wrote more than 64 MiB"
NONE = "wrote no SARIF"
# What each does, and the reason why its scan failed (None: its result counts).
ZOO_MODES: dict[str, str | None] = {
    "nothing": None,
    "hang": LATE,
    "ignore SIGTERM": LATE,
    "hold SIGTERM and flood": MUCH,
    "1 GB on stdout": MUCH,
    "1 GB on stderr": MUCH,
    "1 GB out of sight": MUCH,
    "closes everything": None,
    "wants input": None,
    "grandchild that holds stdout": None,
    "grandchild apart": None,
    "grandchild that forgot": None,
    "grandchild that forgot, then hangs": LATE,
    "hydra": None,
    "hydra that forgot": None,
    "writes beside the tree": None,
    "deletes its private directory": NONE,
    **{f"{how} as out.sarif": NONE for how in ("link", "pipe", "directory", "device")},
    **{
        f"{how} as {name}": None
        for how in ("link", "pipe", "device")
        for name in ("stderr", "stdout")
    },
}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The file with the ids of all that the zoo started; nothing of it may be left."""
    path = tmp_path / "zoo-log"
    yield path
    for pid in map(int, path.read_text().split()):
        assert is_gone(pid), f"{pid} is still there"
    assert not list(named(str(path)))


def named(text: str) -> Iterator[int]:
    """Yield the living processes that have ``text`` in their command line."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if text.encode() in Path(entry.path, "cmdline").read_bytes():
                    yield int(entry.name)
            except OSError:
                continue


def timeout_of(mode: str) -> int:
    return TIMEOUT if ZOO_MODES.get(mode) == LATE else PATIENCE


def begin(make_repo: MakeRepo, tmp_path: Path, mode: str, more: str = "") -> Repo:
    command = f'["{sys.executable}", "-IS", "{ZOO}", "{mode}", "{tmp_path / "zoo-log"}", "{{out}}"]'
    timeout = timeout_of(mode)
    zoo = f"  a-zoo:\n    command: {command}\n    inputs: ['*.txt']\n    timeout: {timeout}\n"
    config = "scanners:\n" + zoo + Fake(tmp_path / "log").entry() + more
    repo = make_repo({".sarifix.yaml": config, "a.txt": "BAD(old)\nfine\n", "b.txt": "BAD(b)\n"})
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n", "b.txt": "BAD(b)\n\n"})
    return repo


@pytest.mark.parametrize("mode", ZOO_MODES)
def test_it_ends_in_time_and_alone(
    make_repo: MakeRepo, tmp_path: Path, log: Path, isolation: Path, mode: str
) -> None:
    repo = begin(make_repo, tmp_path, mode)
    before = state(repo.path)
    began = time.monotonic()
    ran = check(repo.path)
    # Base and head one after the other at worst.
    assert time.monotonic() - began < 2 * (timeout_of(mode) + 3) + 2
    reason = ZOO_MODES[mode]
    assert ran.code == 1, ran.err
    if reason is None:
        assert ran.scanner("a-zoo")["status"] == "ok", ran.scanner("a-zoo")["reason"]
        assert "a.txt:2 new" in ran.rules()
    else:
        assert ran.rules() == ["a.txt:2 new"]
        assert reason in ran.scanner("a-zoo")["reason"]
    assert differences(before, state(repo.path)) == []
    assert list((isolation / "sarifix-cache").glob("repos/*/tmp/*")) == []


CHANGERS = ["changes the tree", "deletes from the tree", "deletes its directory", "locks the tree"]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("mode", CHANGERS)
def test_what_it_does_to_the_tree_does_not_reach_the_others(
    make_repo: MakeRepo, tmp_path: Path, log: Path, mode: str, jobs: int
) -> None:
    repo = begin(make_repo, tmp_path, mode, f"jobs: {jobs}\n")
    before = state(repo.path)
    for _ in range(2):
        ran = check(repo.path)
        assert "a.txt:2 new" in ran.rules(), ran.out
        assert not any("changed" in rule for rule in ran.rules())
        assert differences(before, state(repo.path)) == []

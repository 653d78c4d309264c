"""A disk that is full, or fills up in the middle, or can only be read; no home; any umask.

The figures of docs/security.md: ``pytest tests/faults/test_disks.py --run-slow``.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.claude import AGENT, event
from tests.support.disks import READ_ONLY, Seen, on_a_disk
from tests.support.repo import IDENTITY
from tests.support.run import Fake
from tests.support.situations import STAGED, WORKTREE, change, history
from tests.support.state import but_of_git, differences, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes and mounts as on POSIX")

_TOLD = re.compile(r"^- (\S+):(\d+):\d+: fake/(\S+)", re.MULTILINE)
_SARIFIX = (sys.executable, "-m", "sarifix")
ENTRIES = {
    "check": (*_SARIFIX, "check", "--format", "json"),
    "--hook": (*_SARIFIX, "check", "--hook"),
    "pre-commit": (*_SARIFIX, "pre-commit", "--format", "json"),
    "commit": ("git", "commit", "-qm", "never"),
}
LEFT = [str(left << 10) for left in (*range(0, 128, 8), 256, 512, 1024)]
PLACES = ("temporary", "cache", "git", "home", "repo", "whole")
# What is run always; the rest with --run-slow.
FEW = {"temporary-0-check", "git-0-commit", "whole-114688-commit", "whole-114688---hook"}
FEW |= {f"cache-{left}-{kind}" for left in (0, 98304) for kind in ("check", "commit")}
FEW |= {f"{place}-check" for place in PLACES} | {"cache---hook", "repo-pre-commit"}
FEW |= {"none-check", "none-commit", "no directory---hook"}
FEW |= {"000-check", "000---hook", "077-commit"}


@pytest.fixture
def places(tmp_path: Path, isolation: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Return the directories that can be on a disk of their own, with the repository in one."""
    whole = tmp_path / "whole"
    home, cache, temporary = (whole / name for name in ("home", "cache", "temporary"))
    for directory in (home, cache, temporary):
        directory.mkdir(parents=True)
    (isolation / ".gitconfig").rename(home / ".gitconfig")
    repo = history(whole / "repo", Fake(tmp_path / "log"))
    hook = repo.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m sarifix pre-commit --format json\n")
    hook.chmod(0o755)
    change(repo).git("write-tree")  # what git itself writes before it asks the hook
    there = {"HOME": home, "SARIFIX_CACHE": cache, "TMPDIR": temporary}
    for name, value in {**there, **IDENTITY, "AI_AGENT": AGENT}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("XDG_CACHE_HOME")
    return {
        "temporary": temporary,
        "cache": cache,
        "git": repo.path / ".git",
        "home": home,
        "repo": repo.path,
        "whole": whole,
    }


def given(cwd: Path) -> bytes:
    stop = {"session_id": str(uuid.uuid4()), "hook_event_name": "Stop", "cwd": str(cwd)}
    return event({**stop, "stop_hook_active": False})


def judge(kind: str, code: int, out: str, err: str) -> str:
    """Return "right", or "refused" for an error that is told; anything else fails."""
    said = f"{kind}: {code}\n{out}\n{err}"
    assert "Traceback" not in said, said
    if kind == "--hook":
        assert code == 0, said
        answer = json.loads(out)  # never silent: there is something to tell
        told = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        rules = sorted("{}:{} {}".format(*parts) for parts in _TOLD.findall(told))
        assert rules == WORKTREE or (not rules and "systemMessage" in answer), said
        return "right" if rules else "refused"
    assert code, said
    document = err if kind == "commit" else out
    found = re.search(r"^\{\n.*^\}$", document, re.MULTILINE | re.DOTALL)
    report: dict[str, Any] = json.loads(found[0]) if found else {"outcome": "undecided"}
    if report["outcome"] == "introduced":
        rules = sorted(f"{f['path']}:{f['line']} {f['rule']}" for f in report["introduced"])
        assert rules == (WORKTREE if kind == "check" else STAGED), said
        return "right"
    assert report["outcome"] == "undecided", said
    assert kind == "commit" or code in {2, 3}, said
    assert err.strip() or report.get("scanners"), said
    return "refused"


def judge_disk(kind: str, seen: Seen, repo: Path) -> str:
    changed = but_of_git(repo, seen.changed) if kind == "commit" else seen.changed
    assert changed == []
    assert judge("check", 1, seen.later, "") == "right"
    return judge(kind, seen.code, seen.out, seen.err)


def cases(*parts: Sequence[str]) -> list[object]:
    """Return each combination as a case; those not in FEW are slow."""
    combined = {"-".join(values): values for values in itertools.product(*parts)}
    return [
        pytest.param(*values, id=name, marks=() if name in FEW else (pytest.mark.slow,))
        for name, values in combined.items()
    ]


DISKS = cases(("temporary", "cache", "git", "whole"), LEFT, ("check", "--hook", "commit"))


@pytest.mark.parametrize(("place", "left", "kind"), DISKS)
def test_a_full_disk(places: dict[str, Path], place: str, left: str, kind: str) -> None:
    """It is full when the run begins, or after a while; then there is room again."""
    repo = places["repo"]
    seen = on_a_disk(places[place], left, ENTRIES[kind], repo, given(repo))
    how = judge_disk(kind, seen, repo)
    print(f"{place} {left} {kind}: {how}")
    if place == "temporary" or (place == "git" and kind != "commit"):
        assert how == "right"  # nothing of ours is written there; git has an index to write
    if place == "cache" and left == "0":
        assert how == "refused"


@pytest.mark.parametrize(("place", "kind"), cases(PLACES, ("check", "--hook", "pre-commit")))
def test_a_disk_that_can_only_be_read(places: dict[str, Path], place: str, kind: str) -> None:
    repo = places["repo"]
    seen = on_a_disk(places[place], READ_ONLY, ENTRIES[kind], repo, given(repo))
    assert judge_disk(kind, seen, repo) == ("refused" if place in {"cache", "whole"} else "right")
    if place in {"cache", "whole"}:
        assert "SARIFIX_CACHE" in seen.out + seen.err


def entry(kind: str, repo: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        ENTRIES[kind], cwd=repo, input=given(repo), capture_output=True, check=False
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


HOMES = {"none": None, "empty": "", "no directory": "/dev/null"}


@pytest.mark.parametrize(("name", "kind"), cases(tuple(HOMES), ("check", "--hook", "commit")))
def test_no_home(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    """All that is needed of it is a place for the cache; without one, that is told."""
    repo, home = places["repo"], HOMES[name]
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    before = state(repo)
    assert judge(kind, *entry(kind, repo)) == "right"
    monkeypatch.delenv("SARIFIX_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(places["cache"] / "xdg"))
    assert judge(kind, *entry(kind, repo)) == "right"
    assert (places["cache"] / "xdg" / "sarifix").is_dir()
    if home == "/dev/null":
        monkeypatch.delenv("XDG_CACHE_HOME")
        code, out, err = entry(kind, repo)
        assert judge(kind, code, out, err) == "refused"
        assert "SARIFIX_CACHE" in out + err
    left = differences(before, state(repo))
    assert (but_of_git(repo, left) if kind == "commit" else left) == []


@pytest.mark.parametrize(
    ("umask", "kind"), cases(("000", "077", "777"), ("check", "--hook", "commit"))
)
def test_any_umask(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, umask: str, kind: str
) -> None:
    """Whatever it is, what we keep is for the user alone. (Only root can write under 0777.)"""
    repo, cache = places["repo"], places["cache"] / "made" / "here"
    monkeypatch.setenv("SARIFIX_CACHE", str(cache))
    before = state(repo)
    old = os.umask(int(umask, 8))
    try:
        for _ in range(2):
            how = judge(kind, *entry(kind, repo))
            assert how == "right" or umask == "777"
    finally:
        os.umask(old)
    left = differences(before, state(repo))
    assert (but_of_git(repo, left) if kind == "commit" else left) == []
    assert list(open_to_others(places["cache"] / "made")) == []


def open_to_others(directory: Path) -> Iterator[Path]:
    """Yield what another user could change: nothing, from a closed directory on."""
    mode = directory.lstat().st_mode
    if mode & 0o022 and not stat.S_ISLNK(mode):
        yield directory
    if stat.S_ISDIR(mode) and mode & 0o077:
        for child in directory.iterdir():
            yield from open_to_others(child)

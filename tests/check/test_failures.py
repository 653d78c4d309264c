"""A scanner that fails is named with its reason and never looks clean."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes import is_gone
from tests.support.repo import Repo
from tests.support.run import Fake, check, sarifix

MakeRepo = Callable[..., Repo]

FAULTS = {
    "exit": "exit code 9: the reason at the end",
    "nothing": "wrote no SARIF",
    "garbage": "not JSON",
    "truncated": "not JSON",
    "null": "results",
    "unsuccessful": "executionSuccessful",
    "fails-on-base": "on the base: exit code 9: the reason at the end",
    "fails-on-head": "on the head: exit code 9: the reason at the end",
}


def broken(make_repo: MakeRepo, fake: Fake, mode: str, grain: str, more: str = "") -> Repo:
    repo = make_repo({".sarifix.yaml": fake.config(mode, grain=grain, more=more), "a.txt": "ok\n"})
    repo.write({"a.txt": "HEAD-ONLY\nBAD(one)\n"})
    return repo


@pytest.mark.parametrize("grain", ["file", "tree"])
@pytest.mark.parametrize(("mode", "reason"), FAULTS.items())
def test_every_fault_is_named(
    make_repo: MakeRepo, tmp_path: Path, mode: str, reason: str, grain: str
) -> None:
    repo = broken(make_repo, Fake(tmp_path / "log"), mode, grain)
    ran = check(repo.path)
    assert ran.code == 3
    assert ran.json["outcome"] == "undecided"
    assert ran.json["introduced"] == []
    assert ran.scanner("fake")["status"] == "failed"
    assert reason in ran.scanner("fake")["reason"]
    text = sarifix("check", cwd=repo.path)
    assert text.code == 3
    assert reason in " ".join(text.out.split())


def test_a_failed_scan_is_not_cached(make_repo: MakeRepo, tmp_path: Path) -> None:
    fake = Fake(tmp_path / "log")
    repo = broken(make_repo, fake, "exit", "file")
    assert check(repo.path).code == 3
    before = len(fake.runs())
    assert check(repo.path).code == 3
    assert len(fake.runs()) == 2 * before


def test_the_others_results_stand(make_repo: MakeRepo, tmp_path: Path) -> None:
    good, bad = Fake(tmp_path / "log"), Fake(tmp_path / "log2", "other")
    config = "scanners:\n" + good.entry() + bad.entry("exit")
    repo = make_repo({".sarifix.yaml": config, "a.txt": "ok\n"})
    repo.write({"a.txt": "BAD(one)\n"})
    ran = check(repo.path)
    assert ran.code == 1
    assert ran.rules() == ["a.txt:1 one"]
    assert "exit code 9" in ran.scanner("other")["reason"]


def test_one_that_is_not_required_only_warns(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = broken(make_repo, Fake(tmp_path / "log"), "exit", "file", "required: false")
    ran = check(repo.path)
    assert ran.code == 0
    assert ran.json["outcome"] == "clean"
    assert ran.scanner("fake")["status"] == "failed"


def test_one_that_is_missing(make_repo: MakeRepo) -> None:
    config = "scanners:\n  gone:\n    command: [no-such-program-anywhere, '{out}']\n"
    repo = make_repo({".sarifix.yaml": config, "a.txt": "a\n"})
    repo.write({"a.txt": "b\n"})
    ran = check(repo.path)
    assert ran.code == 3
    assert "no-such-program-anywhere was not found" in ran.scanner("gone")["reason"]


def test_a_missing_preset_is_told_with_its_install_command(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = os.path.dirname(_which("git"))
    monkeypatch.setenv("PATH", git)
    repo = make_repo({".sarifix.yaml": "scanners:\n  golangci-lint: {}\n", "go.mod": "x\n"})
    repo.write({"a.go": "package a\n"})
    ran = check(repo.path)
    assert ran.code == 3
    assert "install it: " in ran.scanner("golangci-lint")["reason"]


def _which(name: str) -> str:
    import shutil

    found = shutil.which(name)
    assert found
    return found


def test_one_that_hangs(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = broken(make_repo, Fake(tmp_path / "log"), "hang", "tree", "timeout: 1")
    began = time.monotonic()
    ran = check(repo.path)
    assert ran.code == 3
    assert "did not finish within" in ran.scanner("fake")["reason"]
    assert time.monotonic() - began < 20


def test_the_deadline_of_the_whole_check(make_repo: MakeRepo, tmp_path: Path) -> None:
    config = "deadline: 1\n" + Fake(tmp_path / "log").config("hang", grain="tree")
    repo = make_repo({".sarifix.yaml": config, "a.txt": "a\n"})
    repo.write({"a.txt": "b\n"})
    assert "did not finish within" in check(repo.path).scanner("fake")["reason"]


def test_one_that_floods(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = broken(make_repo, Fake(tmp_path / "log"), "flood", "tree")
    ran = check(repo.path)
    assert ran.code == 3
    assert "wrote more than 64 MiB" in ran.scanner("fake")["reason"]


@pytest.mark.skipif(sys.platform != "linux", reason="grandchildren are found by /proc")
def test_one_that_leaves_a_grandchild(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = broken(make_repo, Fake(tmp_path / "log"), "grandchild", "tree")
    ran = check(repo.path)
    assert ran.code == 1
    pids = (tmp_path / "log.pid").read_text().split()
    assert len(pids) == 2
    assert all(is_gone(int(pid)) for pid in pids)


def test_nothing_is_left_in_our_directories(
    make_repo: MakeRepo, tmp_path: Path, isolation: Path
) -> None:
    repo = broken(make_repo, Fake(tmp_path / "log"), "exit", "tree")
    check(repo.path)
    assert list((isolation / "sarifix-cache").glob("repos/*/tmp/*")) == []

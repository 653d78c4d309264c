"""Nothing is scanned that cannot have changed: the scanner's runs are counted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake, check

MakeRepo = Callable[..., Repo]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "log")


def start(make_repo: MakeRepo, fake: Fake, grain: str) -> Repo:
    files = {"a.txt": "BAD(old)\n", "b.txt": "fine\n", "sub/c.txt": "c\n", "code.py": "pass\n"}
    return make_repo({**files, ".sarifix.yaml": fake.config(grain=grain)})


def test_equal_trees_run_no_scanner(make_repo: MakeRepo, fake: Fake) -> None:
    repo = start(make_repo, fake, "tree")
    ran = check(repo.path)
    assert (ran.code, ran.json["scanners"], fake.runs()) == (0, [], [])


def test_a_file_grain_scanner_sees_only_changed_files(make_repo: MakeRepo, fake: Fake) -> None:
    repo = start(make_repo, fake, "file")
    repo.write({"b.txt": "BAD(new)\n", "new.txt": "n\n"})
    ran = check(repo.path)
    assert ran.rules() == ["b.txt:1 new"]
    assert sorted(fake.runs()) == [["b.txt"], ["b.txt", "new.txt"]]


def test_a_renamed_file_is_scanned_under_each_sides_name(make_repo: MakeRepo, fake: Fake) -> None:
    repo = start(make_repo, fake, "file")
    repo.git("mv", "a.txt", "z.txt")
    ran = check(repo.path)
    assert (ran.code, ran.json["unchanged"]) == (0, 1)
    assert sorted(fake.runs()) == [["a.txt"], ["z.txt"]]


def test_a_tree_grain_scanner_without_changed_inputs_is_skipped(
    make_repo: MakeRepo, fake: Fake
) -> None:
    repo = start(make_repo, fake, "tree")
    repo.write({"code.py": "x = 1\n"})
    ran = check(repo.path)
    assert (ran.code, fake.runs()) == (0, [])
    assert ran.scanner("fake")["status"] == "skipped"
    assert ran.scanner("fake")["reason"] == "none of its inputs changed"


@pytest.mark.parametrize("grain", ["file", "tree"])
def test_the_second_run_runs_no_scanner(make_repo: MakeRepo, fake: Fake, grain: str) -> None:
    repo = start(make_repo, fake, grain)
    repo.write({"b.txt": "BAD(new)\n"})
    first = check(repo.path)
    runs = len(fake.runs())
    second = check(repo.path)
    assert runs == 2
    assert len(fake.runs()) == runs
    assert second.rules() == first.rules() == ["b.txt:1 new"]
    assert second.scanner("fake")["cached"] == {"base": True, "head": True}


@pytest.mark.parametrize("grain", ["file", "tree"])
def test_after_a_commit_the_former_head_is_the_base(
    make_repo: MakeRepo, fake: Fake, grain: str
) -> None:
    repo = start(make_repo, fake, grain)
    repo.write({"b.txt": "BAD(new)\n"})
    check(repo.path)
    repo.commit()
    before = len(fake.runs())
    repo.write({"b.txt": "BAD(new)\nBAD(newer)\n"})
    ran = check(repo.path)
    assert ran.rules() == ["b.txt:2 newer"]
    assert len(fake.runs()) == before + 1
    assert ran.scanner("fake")["cached"] == {"base": True, "head": False}


def test_a_commit_that_touches_no_input_keeps_the_tree_scan(
    make_repo: MakeRepo, fake: Fake
) -> None:
    repo = start(make_repo, fake, "tree")
    repo.write({"b.txt": "BAD(new)\n"})
    check(repo.path)
    repo.git("stash", "-q")
    repo.write({"code.py": "x = 2\n"})
    repo.commit()
    repo.git("stash", "pop", "-q")
    before = len(fake.runs())
    assert check(repo.path).rules() == ["b.txt:1 new"]
    assert len(fake.runs()) == before


def test_no_cache_scans_anew(make_repo: MakeRepo, fake: Fake) -> None:
    repo = start(make_repo, fake, "file")
    repo.write({"b.txt": "BAD(new)\n"})
    check(repo.path)
    check(repo.path, "--no-cache")
    assert len(fake.runs()) == 4


def test_another_command_line_is_another_scan(make_repo: MakeRepo, fake: Fake) -> None:
    repo = start(make_repo, fake, "file")
    repo.write({"b.txt": "BAD(new)\n"})
    check(repo.path)
    repo.write({".sarifix.yaml": fake.config(more="env: {SOME: thing}")})
    check(repo.path)
    assert len(fake.runs()) == 4


def test_a_symbolic_link_is_not_scanned(make_repo: MakeRepo, fake: Fake) -> None:
    repo = start(make_repo, fake, "file")
    (repo.path / "link.txt").symlink_to("a.txt")
    ran = check(repo.path)
    assert (ran.code, fake.runs()) == (0, [])


def test_many_files_are_scanned_in_several_runs(make_repo: MakeRepo, fake: Fake) -> None:
    repo = start(make_repo, fake, "file")
    names = [f"{'long-name-' * 15}{number:04}.txt" for number in range(800)]
    repo.write(dict.fromkeys(names, "BAD(new)\n"))
    ran = check(repo.path)
    assert len(ran.rules()) == 800
    assert len(fake.runs()) > 1
    assert sorted(name for run in fake.runs() for name in run) == sorted(names)


@pytest.mark.parametrize("grain", ["file", "tree"])
def test_results_are_of_use_in_another_clone(
    make_repo: MakeRepo, fake: Fake, grain: str, tmp_path: Path
) -> None:
    """CI keeps them between its runs, which check out anew (docs/ci.md)."""
    repo = start(make_repo, fake, grain)
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    repo.commit()
    assert check(repo.path, "--base", "HEAD^").rules() == ["a.txt:2 new"]
    runs = len(fake.runs())
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "anew"))
    anew = Repo(tmp_path / "anew")
    kept = Path(".git", "sarifix", "results")
    shutil.copytree(repo.path / kept, anew.path / kept)
    ran = check(anew.path, "--base", "HEAD^")
    assert (ran.rules(), len(fake.runs())) == (["a.txt:2 new"], runs)
    assert ran.scanner("fake")["cached"] == {"base": True, "head": True}

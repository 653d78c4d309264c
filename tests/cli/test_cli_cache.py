"""``sarifix cache``: where the stored results are, how many, and how to be rid of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake, check, sarifix

MakeRepo = Callable[..., Repo]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "log")


@pytest.fixture
def repo(make_repo: MakeRepo, fake: Fake) -> Repo:
    made = make_repo({".sarifix.yaml": fake.config(), "a.txt": "BAD(old)\n"})
    made.write({"a.txt": "BAD(new)\n"})
    (made.path / "sub").mkdir()
    return made


def stored(repo: Repo, *args: str) -> int:
    """Return the number of results that ``cache show`` tells of."""
    ran = sarifix("cache", *args, cwd=repo.path)
    assert (ran.code, ran.err) == (0, "")
    results, trees = ran.out.splitlines()
    assert results.endswith(f" in {repo.path / '.git' / 'sarifix' / 'results'}")
    assert "sarifix-cache" in trees
    found = re.fullmatch(r"results +\d+\.\d MB  (\d+) in .+", results)
    assert found
    return int(found[1])


def test_show_counts_what_is_stored(repo: Repo) -> None:
    assert stored(repo) == 0
    check(repo.path)
    # Two scans, what the program is, and the configuration as it was read.
    assert stored(repo) == stored(repo, "show") == 4


def test_clear_forgets_the_results_and_the_trees(repo: Repo, fake: Fake, isolation: Path) -> None:
    check(repo.path)
    assert list((isolation / "sarifix-cache").glob("repos/*/slots/*/tree"))
    ran = sarifix("cache", "clear", cwd=repo.path / "sub")
    assert (ran.code, ran.out) == (0, "cleared: the next check scans anew\n")
    assert stored(repo) == 0
    assert not list((isolation / "sarifix-cache").glob("repos/*/slots/*/tree"))
    before = len(fake.runs())
    assert check(repo.path).rules() == ["a.txt:1 new"]
    assert len(fake.runs()) == before + 2


def test_clear_leaves_the_users_files_alone(repo: Repo) -> None:
    status = repo.git("status", "--porcelain")
    sarifix("cache", "clear", cwd=repo.path)
    assert (repo.git("status", "--porcelain"), repo.read("a.txt")) == (status, "BAD(new)\n")


def test_outside_a_repository(tmp_path: Path) -> None:
    for action in ("show", "clear"):
        assert sarifix("cache", action, cwd=tmp_path).code == 2

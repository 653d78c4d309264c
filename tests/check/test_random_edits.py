"""Random edits of a real repository, with real scanners: moves introduce nothing, copies do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from random import Random

import pytest

from tests.support import edits
from tests.support.edits import DANGERS, Program
from tests.support.repo import Repo
from tests.support.run import check
from tests.support.tools import python_tools

MakeRepo = Callable[..., Repo]

RUFF = "scanners:\n  ruff:\n    args: [--isolated, --select, 'S307,S602,S324,E722']\n"
BANDIT = "scanners:\n  bandit:\n    args: [--tests, 'B307,B602,B324']\n"
OF_BANDIT = [danger for danger in DANGERS if "except" not in danger]


class Checked:
    """One repository, in which each example is a commit, an edit and a check of it."""

    def __init__(self, repo: Repo, dangers: Sequence[str]) -> None:
        self.repo = repo
        self.dangers = dangers
        self.seen = 0

    def moves(self, seed: int) -> None:
        """Edit without making anything new: nothing may be introduced."""
        random = Random(seed)
        base = edits.program(random, self.dangers)
        head = base
        for edit in random.choices(edits.HARMLESS, k=random.randint(1, 3)):
            head = edit(head, random)
        found = self._introduced(base, head, seed)
        assert found == [], seed

    def copies(self, seed: int) -> None:
        """Copy something, after another edit or none: what the copy holds is introduced."""
        random = Random(seed)
        base = edits.program(random, self.dangers)
        head = base
        for edit in random.choices(edits.STAYING, k=random.randint(0, 1)):
            head = edit(head, random)
        head, copied = random.choice(edits.COPIES)(head, random)
        assert len(self._introduced(base, head, seed)) == copied, seed

    def _introduced(self, base: Program, head: Program, seed: int) -> list[str]:
        self._write(base)
        self.repo.commit(str(seed))
        if not self.seen:
            self._check_the_scanner_sees(base)
        self.seen += 1
        self._write(head)
        ran = check(self.repo.path)
        report = ran.json
        assert {scanner["status"] for scanner in report["scanners"]} <= {"ok", "skipped"}, seed
        assert report["hidden"] == [], seed
        return ran.rules()

    def _check_the_scanner_sees(self, base: Program) -> None:
        """Against the commit before, which has no program, everything is new."""
        ran = check(self.repo.path, "--base", "HEAD~1", "--exact-base")
        assert len(ran.rules()) == base.findings() > 0

    def _write(self, program: Program) -> None:
        for path in self.repo.path.iterdir():
            if path.is_dir() and path.name != ".git":
                shutil.rmtree(path)
            elif path.suffix == ".py":
                path.unlink()
        self.repo.write(program.tree())


@pytest.fixture
def ruff(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> Checked:
    monkeypatch.setenv("PATH", python_tools(), prepend=os.pathsep)
    return Checked(make_repo({".sarifix.yaml": RUFF}), DANGERS)


@pytest.fixture
def bandit(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> Checked:
    monkeypatch.setenv("PATH", python_tools(), prepend=os.pathsep)
    return Checked(make_repo({".sarifix.yaml": BANDIT}), OF_BANDIT)


def test_moves_under_ruff(ruff: Checked) -> None:
    for seed in range(1, 16):
        ruff.moves(seed)


def test_copies_under_ruff(ruff: Checked) -> None:
    for seed in range(1, 16):
        ruff.copies(seed)


def test_moves_and_copies_under_bandit(bandit: Checked) -> None:
    for seed in range(1, 4):
        bandit.moves(seed)
        bandit.copies(seed)


@pytest.mark.slow
def test_many_under_ruff(ruff: Checked) -> None:
    for seed in range(100, 600):
        ruff.moves(seed)
        ruff.copies(seed)


@pytest.mark.slow
def test_many_under_bandit(bandit: Checked) -> None:
    for seed in range(100, 175):
        bandit.moves(seed)
        bandit.copies(seed)

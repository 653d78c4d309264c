"""Moves by which an agent could hide a finding, beyond those of tests/hooks/claude."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.claude import Answer, Session
from tests.support.repo import Repo
from tests.support.run import Fake

MakeRepo = Callable[..., Repo]
DENY = "paths:\n  deny: ['vendor/']\n"


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    config = Fake(tmp_path / "log").config() + DENY
    return make_repo({".sarifix.yaml": config, "a.txt": "ok\n", "b.txt": "BAD(old)\n"})


def told(answer: Answer) -> str:
    assert answer.context is not None, answer
    return answer.context


def test_git_replace(repo: Repo) -> None:
    """The base's blob, its tree and its commit, replaced by ones that have the finding already."""
    session = Session(repo.path, args=())
    repo.write({"a.txt": "BAD(new)\n"})
    new = repo.git("hash-object", "-w", "a.txt")
    repo.git("replace", repo.git("rev-parse", "HEAD:a.txt"), new)
    assert "a.txt:1:1: fake/new" in told(session.stop())
    repo.git("replace", "-d", repo.git("rev-parse", "HEAD:a.txt"))
    old = repo.git("rev-parse", "HEAD")
    repo.commit("with the finding")
    forged = repo.git("rev-parse", "HEAD")
    repo.git("reset", "-q", "--soft", old)
    repo.git("replace", old, forged)
    assert "a.txt:1:1: fake/new" in told(Session(repo.path, "other", args=()).stop())


def test_a_base_that_is_amended_in_the_session(repo: Repo) -> None:
    session = Session(repo.path)
    session.start()
    repo.write({"a.txt": "BAD(new)\n"})
    repo.git("commit", "-q", "-a", "--amend", "-m", "base")
    assert "a.txt:1:1: fake/new" in told(session.stop())


@pytest.mark.parametrize(
    "attributes", ["*.txt export-ignore\n", "*.txt -diff -text\n", "*.txt binary\n", "* eol=crlf\n"]
)
@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_attributes(repo: Repo, attributes: str, place: str) -> None:
    session = Session(repo.path)
    session.start()
    (repo.path / place).parent.mkdir(exist_ok=True)
    repo.write({place: attributes, "a.txt": "BAD(new)\n"})
    answer = session.stop()
    assert "a.txt:1:1: fake/new" in told(answer)


def test_a_sparse_checkout(repo: Repo) -> None:
    session = Session(repo.path)
    session.start()
    repo.git("sparse-checkout", "set", "--no-cone", "/b.txt", "/.sarifix.yaml")
    repo.write({"a.txt": "BAD(new)\n"})
    assert "a.txt:1:1: fake/new" in told(session.stop())


def test_a_path_that_the_policy_denies_is_out_of_reach(repo: Repo) -> None:
    """Documented in docs/security.md: the path is the team's own exception."""
    session = Session(repo.path)
    session.start()
    repo.write({"vendor/a.txt": "BAD(new)\n"})
    assert "fake/new" not in (session.stop().context or "")


def test_what_comes_out_of_a_denied_path_is_new(repo: Repo) -> None:
    """Else two commits would hide a finding: into the path, and out of it again."""
    repo.write({"vendor/a.txt": "BAD(hidden)\n" * 3})
    repo.commit()
    session = Session(repo.path)
    session.start()
    repo.git("mv", "vendor/a.txt", "moved.txt")
    assert "moved.txt:1:1: fake/hidden" in told(session.stop())


def test_a_suffix_that_no_scanner_reads_is_out_of_reach(repo: Repo) -> None:
    """Documented in docs/security.md."""
    session = Session(repo.path)
    session.start()
    repo.git("mv", "b.txt", "b.unread")
    repo.write({"b.unread": "BAD(old)\nBAD(new)\n"})
    assert "fake/new" not in (session.stop().context or "")


def test_an_enormous_file_is_given_to_the_scanner_whole(repo: Repo) -> None:
    session = Session(repo.path)
    session.start()
    repo.write({"a.txt": "x\n" * 3_000_000 + "BAD(new)\n"})
    assert "a.txt:3000001:1: fake/new" in told(session.stop())

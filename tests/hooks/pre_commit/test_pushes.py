"""Pushes: what will be on the other side, compared with what is there already."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.hooks import git, install_pre_push
from tests.support.repo import Repo
from tests.support.run import Fake, Ran, sarifix

MakeRepo = Callable[..., Repo]


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    """A clone with one commit pushed, and uncommitted work that no push brings along."""
    fake = Fake(tmp_path / "log")
    repo = make_repo({".sarifix.yaml": fake.config(), "a.txt": "BAD(old)\n"})
    repo.git("init", "-q", "--bare", "../server.git")
    repo.git("remote", "add", "origin", "../server.git")
    repo.git("push", "-q", "origin", "main")
    install_pre_push(repo)
    return repo


def commit(repo: Repo, **files: str) -> str:
    repo.write({f"{name}.txt": text for name, text in files.items()})
    return repo.commit("+".join(files))


def dirty(repo: Repo) -> None:
    repo.write({"staged.txt": "BAD(staged)\n"})
    repo.git("add", "-A")
    repo.write({"unstaged.txt": "BAD(unstaged)\n"})


def test_a_push_with_a_finding_is_stopped_and_its_fix_passes(repo: Repo) -> None:
    commit(repo, b="BAD(new)\n")
    commit(repo, c="c\n")
    dirty(repo)
    done = git(repo, "push", "origin", "main")
    assert done.code == 1
    assert "b.txt:1:1: error fake/new" in done.out
    assert "what will be pushed to origin" in done.out
    assert "staged" not in done.out
    repo.git("reset", "-q", "--hard")
    repo.remove("unstaged.txt")
    commit(repo, b="fixed\n")
    assert git(repo, "push", "origin", "main").code == 0


def test_the_command_it_names_shows_the_same(repo: Repo) -> None:
    commit(repo, b="BAD(new)\n")
    done = git(repo, "push", "origin", "main")
    (more,) = [line for line in done.out.splitlines() if line.startswith("More: ")]
    commit(repo, b="BAD(new)\nBAD(later)\n")
    ran = sarifix(*more.split()[2:], cwd=repo.path)
    assert ran.code == 1
    assert "fake/new" in ran.out
    assert "fake/later" not in ran.out


def test_a_new_branch_brings_what_the_remote_does_not_have(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "topic")
    commit(repo, a="BAD(old)\nmore\n")
    assert git(repo, "push", "origin", "topic").code == 0
    repo.git("switch", "-q", "-c", "bad", "main")
    commit(repo, b="BAD(first)\n")
    commit(repo, c="c\n")
    done = git(repo, "push", "origin", "bad")
    assert done.code == 1
    assert "b.txt:1:1: error fake/first" in done.out


def test_the_whole_history_is_compared_with_nothing(repo: Repo) -> None:
    repo.git("init", "-q", "--bare", "../empty.git")
    repo.git("remote", "add", "empty", "../empty.git")
    done = git(repo, "push", "empty", "main")
    assert done.code == 1
    assert "against the empty tree" in done.out
    assert "a.txt:1:1: error fake/old" in done.out
    more = done.out.partition("More: sarifix")[2].replace("\\\n", "").split("\n")[0].split()
    assert "fake/old" in sarifix(*more, cwd=repo.path).out
    commit(repo, a="fixed\n")
    assert git(repo, "push", "empty", "main").code == 0


def test_what_was_merged_from_the_remote_is_there_already(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "topic")
    commit(repo, t="t\n")
    repo.git("push", "-q", "origin", "topic")
    repo.git("switch", "-q", "main")
    commit(repo, m="BAD(main)\n")
    repo.git("push", "-q", "--no-verify", "origin", "main")
    repo.git("switch", "-q", "topic")
    repo.git("merge", "-q", "--no-edit", "main")
    assert git(repo, "push", "origin", "topic").code == 0
    commit(repo, t="t\nBAD(topic)\n")
    done = git(repo, "push", "origin", "topic")
    assert done.code == 1
    assert "1 finding introduced" in done.out


def test_every_ref_of_a_push_is_checked(repo: Repo) -> None:
    for name in ("good", "bad"):
        repo.git("switch", "-q", "-c", name, "main")
        commit(repo, **{name: "BAD(bad)\n" if name == "bad" else "fine\n"})
    done = git(repo, "push", "origin", "good", "bad")
    assert done.code == 1
    assert done.out.count("sarifix: ") == 2
    assert git(repo, "push", "origin", "good").code == 0


def test_deleting_a_branch_and_moving_it_back_bring_nothing(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "topic")
    commit(repo, b="BAD(new)\n")
    repo.git("push", "-q", "--no-verify", "origin", "topic")
    back = git(repo, "push", "-f", "origin", "main:topic")
    assert back.code == 0
    assert "origin has all of it" in back.out
    deleted = git(repo, "push", "origin", ":topic")
    assert deleted.code == 0
    assert "nothing is pushed" in deleted.out


def test_a_remote_that_was_never_fetched_since_somebody_pushed(repo: Repo) -> None:
    repo.git("clone", "-q", "../server.git", "../other")
    other = Repo(repo.path.parent / "other")
    commit(other, o="BAD(theirs)\n")
    other.git("push", "-q", "origin", "main")
    commit(repo, b="BAD(new)\n")
    done = git(repo, "push", "-f", "origin", "main")
    assert done.code == 1
    assert "1 finding introduced" in done.out


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("refs/heads/{0} {1} refs/heads/{0} {2}\n" * 2, "2 refs are pushed"),
        ("main\n", "standard input is not what git gives"),
    ],
)
@pytest.mark.parametrize("args", [("--format", "json"), ("--output", "report")])
def test_what_is_not_one_document_is_refused(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, lines: str, message: str, args: tuple[str, ...]
) -> None:
    sha = commit(repo, b="b\n")
    monkeypatch.setattr("sys.stdin", io.StringIO(lines.format("x", sha, "0" * 40)))
    ran = sarifix("pre-commit", "--pre-push", "origin", *args, cwd=repo.path)
    assert ran.code == 2
    assert message in ran.err


# ---------------------------------------------------------------------------
# As the frameworks tell it


def told(repo: Repo, monkeypatch: pytest.MonkeyPatch, **env: str) -> Ran:
    for name in ("FROM_REF", "TO_REF", "LOCAL_BRANCH", "REMOTE_NAME"):
        monkeypatch.delenv(f"PRE_COMMIT_{name}", raising=False)
    for name, value in env.items():
        monkeypatch.setenv(f"PRE_COMMIT_{name}", value)
    return sarifix("pre-commit", "--format", "json", cwd=repo.path)


def test_refs_are_compared_and_not_what_is_staged(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "-c", "topic")
    commit(repo, b="BAD(first)\n")
    commit(repo, c="BAD(second)\n")
    last = commit(repo, b="fixed\n")
    repo.git("switch", "-q", "main")
    commit(repo, m="BAD(main)\n")
    dirty(repo)
    assert told(repo, monkeypatch, FROM_REF=base, TO_REF=last).rules() == ["c.txt:1 second"]
    branches = told(repo, monkeypatch, FROM_REF="main", TO_REF="topic")
    assert branches.rules() == ["c.txt:1 second"]
    assert branches.json["base"]["origin"].startswith("merge base with main")
    assert branches.json["notes"][0] == "base: from main to topic"


@pytest.mark.parametrize(
    "env",
    [
        {"LOCAL_BRANCH": "refs/heads/main", "REMOTE_NAME": "empty"},  # pre-commit
        {"TO_REF": "main", "LOCAL_BRANCH": "refs/heads/main", "REMOTE_NAME": "empty"},  # prek
        {"TO_REF": "main"},
    ],
)
def test_a_whole_history_has_no_base(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, env: dict[str, str]
) -> None:
    dirty(repo)
    ran = told(repo, monkeypatch, **env)
    assert (ran.rules(), ran.json["base"]["origin"]) == (["a.txt:1 old"], "the empty tree")


def test_a_new_branch_as_pre_commit_tells_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "-c", "topic")
    sha = commit(repo, b="BAD(new)\n")
    env = {"FROM_REF": before, "TO_REF": sha, "REMOTE_NAME": "origin"}
    assert told(repo, monkeypatch, **env).rules() == ["b.txt:1 new"]


def test_a_conflict_in_the_index_does_not_matter_to_a_push(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "-c", "other")
    commit(repo, a="theirs\n")
    repo.git("switch", "-q", "main")
    sha = commit(repo, a="ours\n")
    repo.git("merge", "-q", "other", check=False)
    assert repo.git("ls-files", "-u")
    assert told(repo, monkeypatch, FROM_REF=before, TO_REF=sha).code == 0


def test_a_ref_that_is_not_here_is_a_refusal(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(repo, monkeypatch, FROM_REF="nowhere", TO_REF="main").code == 3
    assert told(repo, monkeypatch, FROM_REF="main", TO_REF="nowhere").code == 3

"""Where there is no working tree to check: exit code 2, git's own words, and a remedy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake, Ran, check
from tests.support.situations import history
from tests.support.state import differences, state


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return history(tmp_path / "repo", Fake(tmp_path / "log"))


def assert_refused(ran: Ran, said: str, remedy: str) -> None:
    assert ran.code == 2
    assert said in ran.err
    assert remedy in ran.err
    assert "Traceback" not in ran.err
    assert ran.json["outcome"] == "undecided"
    assert said in ran.json["error"]["message"]


def test_in_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", ".", "../bare")
    said = "this operation must be run in a work tree"
    assert_refused(check(tmp_path / "bare"), said, "a bare repository has no working tree")


def test_in_a_bare_repository_with_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", ".", "../bare")
    Repo(tmp_path / "bare").git("worktree", "add", "-q", "../linked")
    Repo(tmp_path / "linked").write({"n.txt": "BAD(new)\n"})
    assert check(tmp_path / "linked").rules() == ["n.txt:1 new"]


@pytest.mark.parametrize("where", [".git", ".git/refs"])
def test_inside_the_git_directory(repo: Repo, where: str) -> None:
    said = "this operation must be run in a work tree"
    assert_refused(check(repo.path / where), said, "working tree")


def test_outside_of_a_repository(tmp_path: Path) -> None:
    assert_refused(check(tmp_path), "not a git repository", "git init")


def test_in_a_repository_that_is_broken(repo: Repo) -> None:
    (repo.path / ".git" / "HEAD").write_text("nonsense\n")
    assert_refused(check(repo.path), "not a git repository", "git init")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)
def test_in_a_repository_of_another_user(repo: Repo) -> None:
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)
    assert_refused(check(repo.path), "detected dubious ownership", "safe.directory")
    repo.git("config", "--global", "--add", "safe.directory", str(repo.path))
    repo.write({"n.txt": "BAD(new)\n"})
    assert check(repo.path).rules() == ["n.txt:1 new"]


def test_where_the_configuration_names_another_working_tree(repo: Repo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    repo.git("config", "core.worktree", str(other))
    said = f"{repo.path} is not inside {other}"
    assert_refused(check(repo.path), said, "core.worktree")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_without_git(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A git of the repository's own is not used, nor one of a relative place."""
    real = shutil.which("git")
    assert real
    (repo.path / "bin").mkdir()
    (repo.path / "bin" / "git").symlink_to(real)
    places = (str(repo.path / "bin"), "bin", ".", "")
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    assert_refused(check(repo.path), "git was not found on PATH", "install git")
    link = tmp_path / "link"
    link.symlink_to(repo.path / "bin")
    monkeypatch.setenv("PATH", str(link))
    assert_refused(check(repo.path), "git was not found on PATH", "install git")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_with_a_git_that_cannot_be_started(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("#!/no/such/interpreter\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert_refused(check(repo.path), "git could not be started", "")


def test_a_head_whose_commit_is_gone_is_not_an_unborn_one(repo: Repo) -> None:
    """An object that cannot be read is an error, never "everything is new"."""
    commit = repo.git("rev-parse", "HEAD")
    (repo.path / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
    ran = check(repo.path)
    assert ran.code == 3
    assert "git status failed: fatal: bad object HEAD" in ran.err


@pytest.mark.parametrize("lost", ["HEAD^{tree}", "HEAD:a.txt"])
def test_an_object_that_is_gone_is_an_error(repo: Repo, lost: str) -> None:
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    oid = repo.git("rev-parse", lost)
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    before = state(repo.path)
    ran = check(repo.path)
    assert ran.code == 3
    assert "Traceback" not in ran.err
    assert differences(before, state(repo.path)) == []


def test_an_object_that_the_working_tree_still_has_is_made_again(repo: Repo) -> None:
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    oid = repo.git("rev-parse", "HEAD:out")
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    assert check(repo.path).rules() == ["a.txt:2 new"]


def test_a_broken_index_is_an_error(repo: Repo) -> None:
    (repo.path / ".git" / "index").write_bytes(b"DIRC nonsense")
    for head in ("worktree", "staged"):
        ran = check(repo.path, "--head", head)
        assert ran.code == 3
        assert "index file" in ran.err


def test_the_index_of_a_commit_that_has_ended(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken for empty, everything would be deleted: clean."""
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.path / ".git" / "next-index-123.lock"))
    ran = check(repo.path, "--head", "staged")
    assert ran.code == 3
    assert "next-index-123.lock is gone" in ran.err


@pytest.mark.parametrize("revision", ["nowhere", "-x", "^HEAD", "HEAD..HEAD~1", "a\nb", "0" * 40])
def test_a_revision_that_is_none(repo: Repo, revision: str) -> None:
    ran = check(repo.path, f"--head={revision}")
    assert ran.code == 3
    assert "is not in this repository" in ran.err

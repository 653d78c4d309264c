"""What cannot be read or written: files, directories, the git directory, the working tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.lowly import lowly
from tests.support.repo import Repo
from tests.support.run import Fake
from tests.support.situations import STAGED, WORKTREE, change, history
from tests.support.state import differences, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return change(history(tmp_path / "repo", Fake(tmp_path / "log")))


@pytest.fixture
def close() -> Iterator[Callable[[Path, int], None]]:
    """Give modes to paths; they are opened again at the end."""
    closed: dict[Path, int] = {}

    def to(path: Path, mode: int) -> None:
        closed[path] = path.stat().st_mode
        path.chmod(mode)

    yield to
    for path, mode in reversed(closed.items()):
        path.chmod(mode)


Close = Callable[[Path, int], None]


def look(repo: Repo, *options: str) -> tuple[list[str], str]:
    """Check, and return what was found and the notes; everything must stay as it was."""
    before = state(repo.path)
    ran = lowly("check", "--format", "json", *options, cwd=repo.path)
    assert ran.code == 1, ran.err
    assert differences(before, state(repo.path)) == []
    return sorted(ran.rules()), " ".join(ran.json["notes"])


@pytest.mark.parametrize("name", ["n.txt", "c.txt"])
def test_a_file_that_cannot_be_read_is_named(repo: Repo, close: Close, name: str) -> None:
    repo.write({name: "BAD(closed)\n"})
    close(repo.path / name, 0)
    found, notes = look(repo)
    assert found == [one for one in WORKTREE if not one.startswith(name)]
    assert f"could not be read and was left out: {name}" in notes


@pytest.mark.parametrize("mode", [0o000, 0o111], ids=oct)
def test_a_directory_that_cannot_be_read_is_named(repo: Repo, close: Close, mode: int) -> None:
    repo.write({"closed/tracked.txt": "BAD(tracked)\n"})
    repo.git("add", "closed")
    repo.git("commit", "-q", "--amend", "--no-edit", "--", "closed")
    repo.write({"closed/new.txt": "BAD(new)\n"})
    close(repo.path / "closed", mode)
    found, notes = look(repo)
    assert found == WORKTREE
    assert "left out: closed/" in notes


def test_a_directory_that_can_only_be_listed_is_an_error(repo: Repo, close: Close) -> None:
    """git adds nothing at all then."""
    repo.write({"closed/new.txt": "BAD(new)\n"})
    close(repo.path / "closed", 0o444)
    before = state(repo.path)
    ran = lowly("check", cwd=repo.path)
    assert ran.code == 3
    assert "unable to stat 'closed/new.txt': Permission denied" in ran.err
    assert differences(before, state(repo.path)) == []


def test_an_unreadable_file_does_not_matter_to_the_index(repo: Repo, close: Close) -> None:
    close(repo.path / "a.txt", 0)
    assert look(repo, "--head", "staged") == (STAGED, "")


def test_a_git_directory_that_cannot_be_written(repo: Repo, close: Close) -> None:
    for path in [*(repo.path / ".git").rglob("*"), repo.path / ".git"]:
        close(path, 0o555 if path.is_dir() else 0o444)
    assert look(repo) == (WORKTREE, "")
    assert look(repo, "--head", "staged") == (STAGED, "")


def test_a_working_tree_that_cannot_be_written(repo: Repo, close: Close) -> None:
    for path in [*repo.path.rglob("*"), repo.path]:
        close(path, 0o555 if path.is_dir() else 0o444)
    assert look(repo) == (WORKTREE, "")


def test_an_index_that_cannot_be_read_is_an_error(repo: Repo, close: Close) -> None:
    close(repo.path / ".git" / "index", 0)
    before = state(repo.path)
    ran = lowly("check", cwd=repo.path)
    assert ran.code == 3
    assert "index cannot be copied: Permission denied" in ran.err
    assert differences(before, state(repo.path)) == []


@pytest.mark.parametrize("what", ["HEAD", "objects", "refs"])
def test_a_git_directory_that_cannot_be_read_is_never_clean(
    repo: Repo, close: Close, what: str
) -> None:
    close(repo.path / ".git" / what, 0)
    ran = lowly("check", cwd=repo.path)
    assert ran.code in (2, 3)
    assert "Traceback" not in ran.err


def test_a_cache_that_cannot_be_written(repo: Repo, close: Close, isolation: Path) -> None:
    cache = isolation / "sarifix-cache"
    cache.mkdir()
    close(cache, 0o555)
    ran = lowly("check", cwd=repo.path)
    assert ran.code == 3
    assert f"the cache directory {cache}" in ran.err
    assert "SARIFIX_CACHE" in ran.err


def test_a_store_that_can_no_longer_be_written(repo: Repo, close: Close, isolation: Path) -> None:
    assert look(repo)[0] == WORKTREE
    for path in (isolation / "sarifix-cache").rglob("*"):
        if path.is_dir():
            close(path, 0o555)
    repo.write({"n.txt": "BAD(other)\n"})
    ran = lowly("check", cwd=repo.path)
    assert ran.code == 3
    assert "Traceback" not in ran.err

"""What cannot be read or written: files, directories, the git directory, the working tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.claude import event
from tests.support.lowly import lowly
from tests.support.repo import Repo
from tests.support.run import Fake, Ran
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
    """Check, and return what was found and what is told; everything must stay as it was."""
    before = state(repo.path)
    ran = lowly("check", "--format", "json", *options, cwd=repo.path)
    assert ran.code == 1, ran.err
    assert differences(before, state(repo.path)) == []
    return sorted(ran.rules()), " ".join(ran.json["notes"] + reasons(ran))


def reasons(ran: Ran) -> list[str]:
    return [scanner["reason"] for scanner in ran.json["scanners"] if scanner["reason"]]


@pytest.mark.parametrize("name", ["n.txt", "c.txt"])
def test_a_file_that_cannot_be_read_is_named(repo: Repo, close: Close, name: str) -> None:
    repo.write({name: "BAD(closed)\n"})
    close(repo.path / name, 0)
    found, notes = look(repo)
    assert found == [one for one in WORKTREE if not one.startswith(name)]
    assert f"{name} could not be read and was not checked" in notes


CLOSED = "could not be read and was not checked; make it readable, or have git ignore it"


@pytest.mark.parametrize("name", ["new.txt", "c.txt", "new/"])
def test_what_cannot_be_read_is_never_clean(
    tmp_path: Path, make_repo: Callable[..., Repo], close: Close, name: str
) -> None:
    """In every form, and where nothing else has changed; nor is a hook silent."""
    repo = make_repo({".sarifix.yaml": Fake(tmp_path / "log").config(), "c.txt": "c\n"})
    repo.write({f"{name}x.txt" if name.endswith("/") else name: "BAD(closed)\n"})
    close(repo.path / name, 0)
    ran = lowly("check", "--format", "json", cwd=repo.path)
    assert (ran.code, ran.rules(), reasons(ran)) == (3, [], [f"{name} {CLOSED}"])
    for args in (("check",), ("check", "-q"), ("pre-commit",), ("pre-commit", "-q")):
        ran = lowly(*args, cwd=repo.path)
        assert ran.code == 3
        assert "Undecided: sarifix failed" in ran.out
        assert f"sarifix failed: {name} could not be read" in ran.out
    stop = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False}
    given = event({**stop, "cwd": str(repo.path)})
    assert (
        f"{name} could not be read: it was not checked"
        in lowly("check", "--hook", cwd=repo.path, given=given).out
    )
    assert lowly("check", "--head", "staged", cwd=repo.path).code == 0


def test_what_is_ignored_need_not_be_read(
    tmp_path: Path, make_repo: Callable[..., Repo], close: Close
) -> None:
    config = Fake(tmp_path / "log").config()
    repo = make_repo({".sarifix.yaml": config, ".gitignore": "*.log\ndata/\n", "a.txt": "a\n"})
    repo.write({"x.log": "BAD(closed)\n", "data/x.txt": "BAD(closed)\n", "a.txt": "ok\n"})
    close(repo.path / "x.log", 0)
    close(repo.path / "data", 0)
    ran = lowly("check", "--format", "json", cwd=repo.path)
    assert (ran.code, reasons(ran)) == (0, [])


@pytest.mark.parametrize("mode", [0o000, 0o111], ids=oct)
def test_a_directory_that_cannot_be_read_is_named(repo: Repo, close: Close, mode: int) -> None:
    repo.write({"closed/tracked.txt": "BAD(tracked)\n"})
    repo.git("add", "closed")
    repo.git("commit", "-q", "--amend", "--no-edit", "--", "closed")
    repo.write({"closed/new.txt": "BAD(new)\n"})
    close(repo.path / "closed", mode)
    found, notes = look(repo)
    assert found == WORKTREE
    assert "closed/ could not be read and was not checked" in notes


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
    assert "index file open failed: Permission denied" in ran.err
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

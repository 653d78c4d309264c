"""Where we keep what is ours: private, outside of what scanners see, and swept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix import store
from sarifix.errors import SarifixError
from sarifix.git import Repository, discover
from tests.support.opened import opened
from tests.support.repo import Repo
from tests.support.run import Fake, check

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")

MakeRepo = Callable[..., Repo]


@pytest.fixture
def repository(make_repo: MakeRepo) -> Repository:
    return discover(str(make_repo({"a": "a\n"}).path), os.environ)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_it_is_private_whatever_the_umask(repository: Repository, root: Path) -> None:
    before = os.umask(0)
    try:
        made = store.prepare(repository, root)
    finally:
        os.umask(before)
    assert made.stat().st_mode & 0o777 == 0o700
    assert (made / "tmp").stat().st_mode & 0o777 == 0o700
    assert store.prepare(repository, root) == made


def test_linked_worktrees_share_one_and_repositories_do_not(
    make_repo: MakeRepo, repository: Repository, root: Path
) -> None:
    Repo(Path(repository.top)).git("worktree", "add", "-q", "../linked")
    linked = discover(str(Path(repository.top).parent / "linked"), os.environ)
    other = discover(str(make_repo({"a": "a\n"}, "other").path), os.environ)
    made = store.prepare(repository, root)
    assert store.prepare(linked, root) == made
    assert store.prepare(other, root) != made


def test_another_users_is_refused(repository: Repository, root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    made = store.prepare(repository, root)
    os.chown(made, 12345, 12345)
    with pytest.raises(SarifixError, match="can be written by another user"):
        store.prepare(repository, root)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o722])
def test_one_that_others_can_write_is_refused(
    repository: Repository, root: Path, mode: int
) -> None:
    store.prepare(repository, root).chmod(mode)
    with pytest.raises(SarifixError, match="can be written by another user"):
        store.prepare(repository, root)


def test_a_link_in_its_place_is_refused(repository: Repository, root: Path, tmp_path: Path) -> None:
    made = store.prepare(repository, root)
    made.rename(tmp_path / "elsewhere")
    made.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SarifixError, match="can be written by another user"):
        store.prepare(repository, root)


@pytest.mark.parametrize("name", ["cache", "cache/repos"])
def test_a_file_in_the_way_is_an_error(repository: Repository, root: Path, name: str) -> None:
    path = root.parent / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("in the way")
    with pytest.raises(SarifixError, match="cannot be used") as caught:
        store.prepare(repository, root)
    assert caught.value.hint is not None
    assert "SARIFIX_CACHE" in caught.value.hint


def test_results_go_to_the_git_directory_or_else_to_the_store(
    repository: Repository, root: Path
) -> None:
    made = store.prepare(repository, root)
    own = Path(repository.common_dir, "sarifix", "results")
    assert store.results(repository, made).directory == own
    own.parent.joinpath("results").rmdir()
    own.write_text("in the way")
    assert store.results(repository, made).directory == made / "results"


# -- which directory ----------------------------------------------------------


def test_the_place_of_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert store.cache_root({"SARIFIX_CACHE": "/x"}) == Path("/x")
    monkeypatch.chdir(tmp_path)
    assert store.cache_root({"SARIFIX_CACHE": "x"}) == tmp_path / "x"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store.cache_root({}).is_absolute()


def test_a_home_that_is_missing(monkeypatch: pytest.MonkeyPatch, make_repo: MakeRepo) -> None:
    """Then nothing is written to a directory called ``~`` in the user's working tree."""
    repo = make_repo({"a": "a\n"})

    def nobody(uid: int) -> None:
        raise KeyError(f"uid not found: {uid}")

    monkeypatch.setattr("pwd.getpwuid", nobody)
    for name in ("SARIFIX_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name)
    ran = check(repo.path)
    assert ran.code == 3
    assert "there is no home directory" in ran.err
    assert "SARIFIX_CACHE" in ran.err
    assert sorted(path.name for path in repo.path.iterdir()) == [".git", "a"]


def test_a_cache_in_the_working_tree_is_no_part_of_it(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Some CI systems keep only what lies there."""
    fake = Fake(tmp_path / "log")
    repo = make_repo({".sarifix.yaml": fake.config(grain="tree"), "a.txt": "BAD(old)\n"})
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    monkeypatch.setenv("SARIFIX_CACHE", "cache")
    for _ in range(2):
        assert check(repo.path, "--no-cache").rules() == ["a.txt:2 new"]
        assert repo.git("status", "--porcelain") == " M a.txt"
    assert fake.runs() == [[".sarifix.yaml", "a.txt"]] * 4


def test_a_cache_in_the_git_directory_is_refused(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scanners find nothing below a directory of that name: it would look clean."""
    repo = make_repo({"a": "a\n"})
    monkeypatch.setenv("SARIFIX_CACHE", str(repo.path / ".git" / "cache"))
    ran = check(repo.path)
    assert ran.code == 3
    assert "where scanners find nothing" in ran.err


# -- sweeping ---------------------------------------------------------------


def age(path: Path, days: float) -> None:
    then = time.time() - days * 86400
    os.utime(path, (then, then), follow_symlinks=False)


def test_what_killed_runs_left_is_swept(repository: Repository, root: Path) -> None:
    made = store.prepare(repository, root)
    for name, days in (("old", 2.0), ("fresh", 0.5)):
        (made / "tmp" / name).mkdir()
        (made / "tmp" / name / "x").touch()
        age(made / "tmp" / name, days)
    store.prepare(repository, root)
    assert [path.name for path in (made / "tmp").iterdir()] == ["fresh"]


def test_objects_that_no_run_has_used_for_long_are_swept(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    git = opened(repo.path)
    repo.write({"old": "old\n", "used": "used\n"})
    tree = git.working_tree().tree
    entries = git.entries(tree)
    for path in git.objects.glob("??/*"):
        age(path, 40)
    repo.remove("old")
    again = git.working_tree().tree  # freshens what it would write again
    opened(repo.path)
    assert git.entries(tree), "swept but once a day"
    age(git.store / "swept", 2)
    opened(repo.path)
    assert git.entries(again)["used"] == entries["used"]
    left = {path.parent.name + path.name for path in git.objects.glob("??/*")}
    assert entries["old"].oid not in left
    assert entries["used"].oid in left


def test_a_store_that_another_run_sweeps_as_well(repository: Repository, root: Path) -> None:
    """A link to nowhere has no age worth a word."""
    made = store.prepare(repository, root)
    (made / "tmp" / "dangling").symlink_to("nowhere")
    age(made / "tmp" / "dangling", 2)
    assert store.prepare(repository, root) == made

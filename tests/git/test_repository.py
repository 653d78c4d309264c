"""Finding the repository in the environment as git gave it to us."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.errors import GitError, NoRepositoryError
from sarifix.git import discover
from sarifix.git.repository import find_program
from sarifix.git.throwaway import make
from tests.support.opened import opened
from tests.support.repo import Repo

MakeRepo = Callable[..., Repo]


def environ(**more: str) -> dict[str, str]:
    return {**os.environ, **more}


def test_everything_is_absolute(make_repo: MakeRepo) -> None:
    repo = make_repo({"d/a": "a\n"})
    git_dir = str(repo.path / ".git")
    for cwd in (repo.path, repo.path / "d"):
        found = discover(str(cwd), environ())
        assert (found.top, found.git_dir, found.common_dir) == (str(repo.path), git_dir, git_dir)
        assert (found.index_file, found.objects) == (f"{git_dir}/index", f"{git_dir}/objects")
        assert found.object_format == "sha1"
        assert Path(found.program).is_absolute()


def test_a_linked_worktree(make_repo: MakeRepo) -> None:
    repo = make_repo({"d/a": "a\n"})
    repo.git("worktree", "add", "-q", "../linked")
    linked = repo.path.parent / "linked"
    own = repo.path / ".git" / "worktrees" / "linked"
    # As a hook there is told, wherever it works: git takes its directory for the top level.
    for env in ({}, {"GIT_DIR": str(own), "GIT_INDEX_FILE": str(own / "index")}):
        for cwd in (linked, linked / "d"):
            found = discover(str(cwd), environ(**env))
            assert (found.top, found.git_dir) == (str(linked), str(own))
            assert found.common_dir == str(repo.path / ".git")
            assert found.index_file == str(own / "index")


def test_the_index_of_a_commit_from_a_directory_below(make_repo: MakeRepo) -> None:
    repo = make_repo({"d/a": "a\n"})
    found = discover(str(repo.path / "d"), environ(GIT_INDEX_FILE=".git/next-index-1.lock"))
    assert found.index_file == str(repo.path / ".git" / "next-index-1.lock")


def test_a_git_directory_far_away_is_taken_with_the_current_directory(
    make_repo: MakeRepo, tmp_path: Path
) -> None:
    repo = make_repo({"a": "a\n"})
    home = tmp_path / "home"
    home.mkdir()
    env = environ(GIT_DIR=str(repo.path / ".git"))
    assert discover(str(home), env).top == str(home)
    Repo.init(home)
    assert discover(str(home), env).top == str(home)
    assert discover(str(repo.path), environ(GIT_DIR=".git", GIT_WORK_TREE=".")).top == str(
        repo.path
    )


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_a_path_with_line_breaks(tmp_path: Path) -> None:
    """One that git's answer could be misread by; its objects are found by ours, too."""
    top = tmp_path / 'a\nsha1\nGIT_DIR"\\\n'
    Repo.init(top, {"a": "a\n"})
    found = discover(str(top), environ())
    assert (found.top, found.object_format) == (str(top), "sha1")
    assert found.objects == str(top / ".git" / "objects")
    git = opened(top)
    assert git.entries(git.tree("HEAD")).keys() == {"a"}


def test_variables_that_tie_a_command_to_a_repository_are_dropped(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    tied = {
        "GIT_DIR": str(repo.path / ".git"),
        "GIT_WORK_TREE": str(repo.path),
        "GIT_INDEX_FILE": str(repo.path / ".git" / "index"),
        "GIT_PREFIX": "",
        "GIT_OBJECT_DIRECTORY": str(repo.path / ".git" / "objects"),
        "GIT_COMMON_DIR": str(repo.path / ".git"),
        "GIT_CONFIG": "/nowhere",
    }
    kept = {
        "GIT_CONFIG_PARAMETERS": "'core.abbrev=9'",
        "GIT_CONFIG_COUNT": "0",
        "GITHEAD_1234": "other",
        "PRE_COMMIT": "1",
        "GIT_SSH_COMMAND": "ssh -v",
    }
    found = discover(str(repo.path), environ(**tied, **kept))
    assert not tied.keys() & found.environ.keys()
    assert kept.items() <= found.environ.items()


@pytest.mark.parametrize("name", ["GLOB", "NOGLOB", "ICASE"])
def test_variables_that_change_pathspecs(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    repo = make_repo({"a": "a\n"})
    monkeypatch.setenv(f"GIT_{name}_PATHSPECS", "1")
    git = opened(repo.path)
    assert list(git.entries(git.tree("HEAD"))) == ["a"]
    assert git.ignored(["a"]) == set()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_path_without_places_of_the_repository(make_repo: MakeRepo, tmp_path: Path) -> None:
    real = shutil.which("git")
    assert real
    repo = make_repo({"bin/x": "x\n"})
    (repo.path / "bin" / "git").symlink_to(real)
    for path in ("bin", "", ".", str(repo.path / "bin"), str(repo.path)):
        with pytest.raises(NoRepositoryError, match="git was not found"):
            find_program({"PATH": path}, str(repo.path))
    path = os.pathsep.join([str(repo.path / "bin"), os.path.dirname(real)])
    assert find_program({"PATH": path}, str(repo.path / "bin")) == real
    assert find_program({"PATH": str(repo.path / "bin")}, str(tmp_path)).startswith(str(repo.path))
    with pytest.raises(NoRepositoryError):
        find_program({"PATH": ""}, str(tmp_path))


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(NoRepositoryError, match="git could not be started"):
        discover(str(tmp_path / "gone"), environ())


def test_a_repository_to_play_in(tmp_path: Path) -> None:
    env = make(tmp_path, {"d/a": "a\n"}, environ(GIT_DIR="/nowhere", GIT_INDEX_FILE="/nowhere"))
    assert "GIT_DIR" not in env
    assert opened(tmp_path).entries("HEAD").keys() == {"d/a"}
    shutil.rmtree(tmp_path / ".git")
    (tmp_path / ".git").write_text("nonsense\n")
    with pytest.raises(GitError, match="git init failed"):
        make(tmp_path, {}, environ())

"""Trees of the index and of the working tree, and trees that are edited."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.errors import GitError, UnmergedIndexError
from sarifix.git import Git
from sarifix.model import Entry
from tests.support.opened import opened
from tests.support.repo import Repo

MakeRepo = Callable[..., Repo]


def contents(git: Git, tree: str) -> dict[str, bytes]:
    blobs = git.blobs()
    try:
        return {name: blobs.read(entry.oid) for name, entry in git.entries(tree).items()}
    finally:
        blobs.close()


def worktree(git: Git) -> dict[str, bytes]:
    return contents(git, git.working_tree().tree)


def test_staged_and_working_tree_differ(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n", ".gitignore": "ignored\n", "gone": "g\n"})
    repo.write({"a": "staged\n"})
    repo.git("add", "a")
    repo.write({"a": "edited\n", "new": "n\n", "ignored": "i\n"})
    repo.remove("gone")
    git = opened(repo.path)
    ignore = {".gitignore": b"ignored\n"}
    assert contents(git, git.staged_tree()) == {**ignore, "a": b"staged\n", "gone": b"g\n"}
    assert worktree(git) == {**ignore, "a": b"edited\n", "new": b"n\n"}
    repo.git("add", "-A")
    assert git.staged_tree() == git.working_tree().tree == repo.git("write-tree")


@pytest.mark.skipif(os.name != "posix", reason="a name that Windows cannot have")
def test_an_unmerged_index_names_a_file(make_repo: MakeRepo) -> None:
    name = "b\tc\nd"
    repo = make_repo({name: "base\n"})
    repo.git("switch", "-q", "-c", "other")
    repo.write({name: "theirs\n"})
    repo.commit()
    repo.git("switch", "-q", "main")
    repo.write({name: "ours\n"})
    repo.commit()
    repo.git("merge", "other", check=False)
    git = opened(repo.path)
    with pytest.raises(UnmergedIndexError, match=f"for example in {name}"):
        git.staged_tree()
    assert worktree(git)[name].startswith(b"<<<<<<< HEAD\nours\n")


# -- edits that git could miss ----------------------------------------------


def begin_second() -> None:
    """Wait for the beginning of a second: git compares whole ones."""
    time.sleep(1 - time.time() % 1)


def test_an_edit_of_equal_size_in_the_instant_of_git_add(make_repo: MakeRepo) -> None:
    """The index is as new as the file, so git looks again, unless the copy is newer."""
    repo = make_repo()
    index = repo.path / ".git" / "index"
    same = False
    while not same:
        begin_second()
        repo.write({"a": "1\n"})
        repo.git("add", "a")
        repo.write({"a": "2\n"})
        same = int(index.stat().st_mtime) == int((repo.path / "a").stat().st_mtime)
    time.sleep(1.1)  # the copy is made in another second
    assert worktree(opened(repo.path)) == {"a": b"2\n"}


def test_the_private_index_has_the_time_of_the_users(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    index = repo.path / ".git" / "index"
    os.utime(index, ns=(1_000_000_007, 2_000_000_009))
    git = opened(repo.path)
    with git._index(str(index)) as copy:
        assert copy.stat().st_mtime_ns == 2_000_000_009
        assert copy.read_bytes() == index.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such time")
def test_an_edit_that_keeps_size_and_time(make_repo: MakeRepo) -> None:
    """``touch -d`` cannot set the time of the change of the inode."""
    repo = make_repo({"a": "a\n"})
    for name, value in (("core.trustctime", "false"), ("core.checkStat", "minimal")):
        repo.git("config", name, value)
    os.utime(repo.path / "a", (1000, 1000))
    repo.git("add", "a")
    time.sleep(1.1)
    repo.write({"a": "b\n"})
    os.utime(repo.path / "a", (1000, 1000))
    assert repo.git("status", "--porcelain") == ""
    assert worktree(opened(repo.path)) == {"a": b"b\n"}


@pytest.mark.skipif(os.name != "posix", reason="the filter is a shell script")
def test_a_file_that_vanishes_meanwhile(make_repo: MakeRepo, tmp_path: Path) -> None:
    """The filter of one file deletes another one: what git found first is gone."""
    repo = make_repo({"x": "x\n"})
    program = tmp_path / "filter"
    program.write_text(f"#!/bin/sh\nrm -f '{repo.path}/b'\nexec cat\n")
    program.chmod(0o755)
    repo.git("config", "filter.f.clean", str(program))
    (repo.path / ".git" / "info" / "attributes").write_text("a filter=f\n")
    repo.write({"a": "a\n", "b": "b\n"})
    assert worktree(opened(repo.path)) == {"a": b"a\n", "x": b"x\n"}


def test_what_git_refuses_every_time_is_an_error(make_repo: MakeRepo) -> None:
    repo = make_repo({"x": "x\n"})
    (repo.path / ".git" / "info" / "attributes").write_text("a working-tree-encoding=UTF-16\n")
    repo.write({"a": "a\n"})
    with pytest.raises(GitError, match="BOM is required"):
        opened(repo.path).working_tree()


def test_the_index_that_a_hook_was_told_of_is_gone(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo({"a": "a\n"})
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.path / ".git" / "next-index-1.lock"))
    git = opened(repo.path)
    with pytest.raises(GitError, match="is gone"):
        git.staged_tree()


def test_no_index_is_an_empty_one(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    (repo.path / ".git" / "index").unlink()
    git = opened(repo.path)
    assert git.staged_tree() == git.empty_tree()
    assert git.working_tree().tree == git.tree("HEAD")


@pytest.mark.skipif(os.name != "posix", reason="Windows says it in other words")
def test_an_index_that_cannot_be_copied(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    (repo.path / ".git" / "index").unlink()
    (repo.path / ".git" / "index").mkdir()
    with pytest.raises(GitError, match=os.strerror(errno.EISDIR)):
        opened(repo.path).staged_tree()


def test_a_temporary_directory_that_is_gone(make_repo: MakeRepo) -> None:
    git = opened(make_repo({"a": "a\n"}).path)
    shutil.rmtree(git.store / "tmp")
    with pytest.raises(GitError, match="cannot be written"):
        git.staged_tree()


def test_nothing_is_left_in_the_temporary_directory(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    git = opened(repo.path)
    git.staged_tree()
    git.working_tree()
    git.edit_tree(git.tree("HEAD"), {"a": None})
    assert list((git.store / "tmp").iterdir()) == []


# -- what is told of the working tree ----------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_what_is_left_out(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n", "pipe": "p\n"})
    Repo.init(repo.path / "empty")
    repo.remove("pipe")
    os.mkfifo(repo.path / "pipe")
    taken = opened(repo.path).working_tree()
    assert taken.unreadable == ("pipe",)
    assert taken.nested == ("empty/",)
    assert taken.hidden == ()
    assert not taken.filters_off


def test_hidden_edits(make_repo: MakeRepo) -> None:
    repo = make_repo(
        {name: f"{name}\n" for name in ("ae", "as", "ad", "se", "ss", "sd", "both", "x")}
    )
    repo.git("update-index", "--assume-unchanged", "ae", "as", "ad", "both")
    repo.git("update-index", "--skip-worktree", "se", "ss", "sd", "both")
    repo.write({"ae": "edited\n", "se": "edited\n", "both": "edited\n", "x": "edited\n"})
    repo.remove("ad", "sd")
    git = opened(repo.path)
    taken = git.working_tree()
    assert taken.hidden == ("ad", "ae", "both", "se")
    names = ("ae", "as", "ad", "se", "ss", "sd", "both")
    assert contents(git, taken.tree) == {n: f"{n}\n".encode() for n in names} | {"x": b"edited\n"}
    # Revealed, all is as on disk, but for what a sparse checkout would leave out, too.
    revealed = git.working_tree(reveal=True)
    assert revealed.hidden == ()
    assert contents(git, revealed.tree) == {
        **dict.fromkeys(("ae", "se", "both", "x"), b"edited\n"),
        **{n: f"{n}\n".encode() for n in ("as", "ss", "sd")},
    }


def test_marked_files_that_are_as_they_were(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n", "b": "b\n"})
    repo.git("update-index", "--assume-unchanged", "a")
    repo.git("update-index", "--skip-worktree", "b")
    for name in "ab":
        (repo.path / name).touch()
    assert opened(repo.path).working_tree().hidden == ()


def test_hidden_edits_where_a_required_filter_is_missing(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n", "b": "b\n"})
    repo.git("config", "filter.f.process", "no-such-program")
    repo.git("config", "filter.f.required", "true")
    repo.git("update-index", "--assume-unchanged", "a")
    (repo.path / ".git" / "info" / "attributes").write_text("* filter=f\n")
    repo.write({"a": "edited\n", "b": "edited\n"})
    taken = opened(repo.path).working_tree()
    assert taken.filters_off
    assert taken.hidden == ("a",)


# -- editing ----------------------------------------------------------------


@pytest.fixture
def git(make_repo: MakeRepo) -> Git:
    repo = make_repo({"a": "a\n", "d/x": "x\n", "d/y": "y\n"})
    return opened(repo.path)


def edited(git: Git, edits: dict[str, Entry | None]) -> dict[str, bytes]:
    return contents(git, git.edit_tree(git.tree("HEAD"), edits))


def test_edit_nothing(git: Git) -> None:
    assert git.edit_tree(git.tree("HEAD"), {}) == git.tree("HEAD")


@pytest.mark.skipif(os.name != "posix", reason="a name that Windows cannot have")
def test_edit_replaces_adds_and_removes(git: Git) -> None:
    x = git.entries(git.tree("HEAD"))["d/x"]
    assert edited(git, {"a": x, "new\n\t/deep": x, "d/x": None, "absent": None}) == {
        "a": b"x\n",
        "d/y": b"y\n",
        "new\n\t/deep": b"x\n",
    }


def test_edit_a_file_in_the_place_of_a_directory(git: Git) -> None:
    x = git.entries(git.tree("HEAD"))["d/x"]
    assert edited(git, {"d": x}) == {"a": b"a\n", "d": b"x\n"}
    assert edited(git, {"d/x": None, "d/y": None, "d": x}) == {"a": b"a\n", "d": b"x\n"}


def test_edit_a_directory_in_the_place_of_a_file(git: Git) -> None:
    x = git.entries(git.tree("HEAD"))["d/x"]
    expected = {"a/z": b"x\n", "d/x": b"x\n", "d/y": b"y\n"}
    assert edited(git, {"a/z": x}) == expected
    assert edited(git, {"a": None, "a/z": x}) == expected


def test_edit_keeps_modes(git: Git) -> None:
    oid = git.entries(git.tree("HEAD"))["a"].oid
    entries = {"s": Entry("100755", oid), "l": Entry("120000", oid), "m": Entry("160000", oid)}
    tree = git.edit_tree(git.tree("HEAD"), entries)
    found = git.entries(tree)
    assert {name: found[name] for name in entries} == entries


def test_edit_with_a_blob_that_is_gone_is_an_error(git: Git) -> None:
    with pytest.raises(GitError, match="invalid object"):
        git.edit_tree(git.tree("HEAD"), {"a": Entry("100644", "1" * 40)})


# -- the object store -------------------------------------------------------


def test_the_store_is_told_of_another_place_of_objects(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    git = opened(repo.path)
    (git.objects / "info" / "alternates").write_text("/nowhere\n")
    assert opened(repo.path).tree("HEAD") == repo.git("rev-parse", "HEAD^{tree}")
    assert worktree(opened(repo.path)) == {"a": b"a\n"}


def test_a_store_that_cannot_be_made(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    git = opened(repo.path)
    shutil.rmtree(git.objects)
    git.objects.write_text("in the way")
    with pytest.raises(GitError, match="object store"):
        opened(repo.path)


@pytest.mark.skipif(os.name != "posix", reason="Windows says it in other words")
def test_git_that_is_gone_meanwhile(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    git = opened(repo.path)
    shutil.rmtree(repo.path)
    with pytest.raises(GitError, match="could not be started"):
        git.staged_tree()

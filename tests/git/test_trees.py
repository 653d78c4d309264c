"""Revisions, entries and differences of trees."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.errors import GitError, MissingRevisionError
from sarifix.git import Git
from sarifix.model import Change, Entry
from tests.support.opened import opened
from tests.support.repo import Repo

MakeRepo = Callable[..., Repo]


def text(seed: str) -> str:
    """Return text that is long enough for git to follow (400 bytes), unlike any other seed's."""
    return "".join(f"{seed} {number}\n" for number in range(120))


def lose(repo: Repo, revision: str) -> None:
    oid = repo.git("rev-parse", revision)
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()


# -- revisions --------------------------------------------------------------


def test_revisions(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    repo.git("tag", "-a", "-m", "x", "v1")
    git = opened(repo.path)
    commit, tree = repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD^{tree}")
    for name in ("HEAD", "main", "v1", "@", commit, commit[:9]):
        assert (git.commit(name), git.tree(name)) == (commit, tree)
    assert git.tree(tree) == tree
    assert git.commit(tree) is None
    assert git.full_name("main") == "refs/heads/main"
    assert git.full_name("v1") == "refs/tags/v1"
    assert git.full_name(commit) is None
    assert git.full_name("--all") is None
    assert git.version()[0].isdigit()
    assert not git.is_shallow()


@pytest.mark.parametrize(
    "name", ["nowhere", "^HEAD", "HEAD^!", "HEAD..HEAD", "--all", "a\nb", "a\0b"]
)
def test_no_revision(make_repo: MakeRepo, name: str) -> None:
    repo = make_repo({"a": "a\n"})
    repo.commit("second")
    git = opened(repo.path)
    assert git.commit(name) is None
    with pytest.raises(MissingRevisionError, match="is not in this repository"):
        git.tree(name)


def test_a_replaced_commit_is_not_asked(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    first, tree = repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD^{tree}")
    repo.write({"a": "b\n"})
    repo.git("replace", first, repo.commit())
    assert repo.git("rev-parse", f"{first}^{{tree}}") != tree
    assert opened(repo.path).tree(first) == tree


def test_merge_base(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    base = repo.git("rev-parse", "HEAD")
    repo.git("branch", "other")
    repo.commit("on")
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit("alone")
    git = opened(repo.path)
    assert git.merge_base("main", "other") == base
    assert git.merge_base("main", "alone") is None
    assert git.merge_base("main", "nowhere") is None


def test_unborn(make_repo: MakeRepo) -> None:
    repo = make_repo()
    git = opened(repo.path)
    assert git.is_unborn()
    assert git.commit("HEAD") is None
    repo.commit("born")
    assert not git.is_unborn()
    repo.git("switch", "-q", "--detach")
    assert not git.is_unborn()


def test_a_branch_whose_commit_is_gone_is_not_unborn(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    lose(repo, "HEAD")
    with pytest.raises(GitError, match="bad ref"):
        opened(repo.path).is_unborn()


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_the_empty_tree(make_repo: MakeRepo, tmp_path: Path, kind: str) -> None:
    repo = Repo(tmp_path)
    repo.git("init", "-q", f"--object-format={kind}")
    git = opened(repo.path)
    assert git.empty_tree() == git.staged_tree()
    assert len(git.empty_tree()) == {"sha1": 40, "sha256": 64}[kind]
    assert git.entries(git.empty_tree()) == {}


# -- entries ----------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_entries(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n", "d/b\n\udcff\t": "b\n"})
    (repo.path / "x.sh").write_text("x\n")
    (repo.path / "x.sh").chmod(0o755)
    (repo.path / "link").symlink_to("a")
    Repo.init(repo.path / "sub", {"s": "s\n"})
    repo.commit("kinds")
    git = opened(repo.path)
    tree = git.tree("HEAD")
    entries = git.entries(tree)
    assert {name: entry.mode for name, entry in entries.items()} == {
        "a": "100644",
        "d/b\n\udcff\t": "100644",
        "x.sh": "100755",
        "link": "120000",
        "sub": "160000",
    }
    for name, entry in entries.items():
        assert entry.is_file == (name not in ("link", "sub"))
        assert entry.oid == repo.git("rev-parse", f"HEAD:{name}" if name != "sub" else "HEAD:sub")
    assert list(entries) == sorted(entries)
    assert "nowhere" not in entries
    assert entries.get("d") is None


def test_entries_of_a_file_whose_name_another_one_took(make_repo: MakeRepo) -> None:
    """git says that `a` was copied to `b`, and nothing of the `b` that was there before."""
    repo = make_repo({"a": text("a"), "b": "short\n", "c": "c\n"})
    repo.write({"a": "short", "b": text("a"), "c": "other\n"})
    repo.commit()
    git = opened(repo.path)
    base, head = git.tree("HEAD^"), git.tree("HEAD")
    assert Change("a", "b") in git.changes(base, head)
    assert len(git.entries(head)) == 3
    assert git.entries(base) == opened(repo.path).entries(base)


@pytest.mark.parametrize("ahead", ["HEAD^", "HEAD", "HEAD~2", "0" * 40, None, ""])
def test_entries_are_the_same_in_whatever_order_trees_are_listed(
    make_repo: MakeRepo, ahead: str | None
) -> None:
    """Only one of them is read whole; of the others, what differs. "" looks at none ahead."""
    repo = make_repo({"old": "old\n"})
    repo.write({"a": text("a"), "b": text("b"), "c": "c\n", "d": "file\n", "e/f": "f\n"})
    repo.commit()
    repo.remove("old", "c", "d", "e/f")
    (repo.path / "e").rmdir()
    repo.write({"a": text("b"), "b": text("a"), "d/now": "d\n", "e": "e\n", "new/c": "c\n"})
    repo.commit()
    names = ("HEAD", "HEAD^", "HEAD~2")
    trees = {name: repo.git("rev-parse", f"{name}^{{tree}}") for name in names}
    alone = {name: opened(repo.path).entries(tree) for name, tree in trees.items()}
    changed = opened(repo.path).changes(trees["HEAD^"], trees["HEAD"])
    for order in itertools.permutations(names):
        git = opened(repo.path)
        if ahead != "":
            git.look_ahead(trees.get(ahead or "", ahead))
        assert {name: git.entries(trees[name]) for name in order} == alone
        assert git.changes(trees["HEAD^"], trees["HEAD"]) == changed


def test_head_is_what_it_was_when_it_was_looked_at_ahead(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n"})
    git, then = opened(repo.path), opened(repo.path).head()
    git.look_ahead()
    assert git.head() == then
    repo.write({"a": "b\n"})
    repo.commit()
    assert git.head() == then != opened(repo.path).head()


def test_a_tree_that_cannot_be_listed_ahead_is_an_error_of_whoever_needs_it(
    make_repo: MakeRepo,
) -> None:
    repo = make_repo({"a": "a\n", "d/b": "b\n"})
    git = opened(repo.path)
    tree = git.tree("HEAD")
    lose(repo, "HEAD:d")
    git.look_ahead()
    assert git.entries(git.empty_tree()) == {}
    with pytest.raises(GitError, match="ls-tree"):
        git.entries(tree)


def test_entries_of_a_tree_that_is_gone_are_an_error(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": "a\n", "d/b": "b\n"})
    git = opened(repo.path)
    tree = git.tree("HEAD")
    lose(repo, "HEAD:d")
    with pytest.raises(GitError, match="ls-tree"):
        git.entries(tree)
    with pytest.raises(GitError, match="diff-tree"):
        git.changes(tree, git.empty_tree())


# -- changes ----------------------------------------------------------------


def changes(git: Git, repo: Repo) -> set[tuple[str | None, str | None]]:
    found = git.changes(git.tree("HEAD"), git.working_tree().tree)
    assert all(isinstance(change, Change) for change in found)
    return {(change.base_path, change.head_path) for change in found}


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_added_deleted_edited_and_another_kind(make_repo: MakeRepo) -> None:
    repo = make_repo(
        {"gone": "g\n", "edited": "e\n", "linked": "l\n", "same": "s\n", "mode": "m\n"}
    )
    git = opened(repo.path)
    repo.remove("gone", "linked")
    repo.write({"edited": "e2\n", "new\nname": "n\n"})
    (repo.path / "linked").symlink_to("same")
    (repo.path / "mode").chmod(0o755)
    assert changes(git, repo) == {
        ("gone", None),
        ("edited", "edited"),
        ("linked", "linked"),
        ("mode", "mode"),
        (None, "new\nname"),
    }


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_renames(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": text("a"), "b": text("b"), "c": text("c")})
    git = opened(repo.path)
    for name in ("a", "b"):
        (repo.path / name).rename(repo.path / f"\t{name}-moved")
    repo.write({"\tb-moved": text("b") + "and more\n"})
    assert changes(git, repo) == {("a", "\ta-moved"), ("b", "\tb-moved")}


def test_two_files_that_swap_their_names(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": text("a"), "b": text("b")})
    git = opened(repo.path)
    repo.write({"a": text("b"), "b": text("a")})
    assert changes(git, repo) == {("a", "b"), ("b", "a")}


def test_a_rename_with_a_new_file_at_the_old_path(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": text("a")})
    git = opened(repo.path)
    repo.write({"a": text("new"), "b": text("a")})
    assert ("a", "b") in changes(git, repo)


@pytest.mark.parametrize(
    "setting", ["diff.renames=false", "diff.renameLimit=1", "diff.orderFile=x"]
)
def test_the_users_settings_do_not_matter(make_repo: MakeRepo, setting: str) -> None:
    repo = make_repo({"a": text("a"), "b": text("b")})
    repo.git("config", *setting.split("="))
    git = opened(repo.path)
    for name in ("a", "b"):
        (repo.path / name).rename(repo.path / f"{name}2")
        repo.write({f"{name}2": text(name) + "x\n"})
    assert changes(git, repo) == {("a", "a2"), ("b", "b2")}


def test_a_submodule_that_gitmodules_would_ignore(make_repo: MakeRepo) -> None:
    repo = make_repo({".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = x\n\tignore = all\n'})
    inner = Repo.init(repo.path / "s", {"x": "x\n"})
    repo.git("add", "-f", "s")
    repo.git("commit", "-qm", "s")
    inner.commit("more")
    git = opened(repo.path)
    null = git.tree("HEAD")
    head = git.edit_tree(null, {"s": Entry("160000", inner.git("rev-parse", "HEAD"))})
    assert git.changes(null, head) == (Change("s", "s"),)


def test_a_blob_that_is_gone_is_an_error(make_repo: MakeRepo) -> None:
    repo = make_repo({"a": text("a")})
    git = opened(repo.path)
    (repo.path / "a").rename(repo.path / "b")
    repo.write({"b": text("a") + "x\n"})
    tree = git.working_tree().tree
    lose(repo, "HEAD:a")
    with pytest.raises(GitError, match="unable to read"):
        git.changes(git.tree("HEAD"), tree)


# -- ignored ----------------------------------------------------------------


def test_ignored(make_repo: MakeRepo) -> None:
    repo = make_repo({".gitignore": ".venv/\nforced/\n", "plain/x": "x\n"})
    repo.write({".venv/bin/x": "x\n", "forced/x": "x\n", "new/x": "x\n"})
    repo.git("add", "-f", "forced/x")
    git = opened(repo.path)
    asked = [".", ".venv/bin", "forced", "plain", "new", "absent"]
    assert git.ignored(asked) == {".venv/bin"}
    assert git.ignored(["."]) == set()
    assert git.ignored([]) == set()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_ignored_where_git_refuses_to_say(make_repo: MakeRepo) -> None:
    """A place in a submodule or behind a link: the others are still answered."""
    repo = make_repo({".gitignore": ".venv/\n", "real/x": "x\n"})
    Repo.init(repo.path / "sub", {"bin/x": "x\n"})
    repo.git("add", "sub")
    (repo.path / "link").symlink_to("real")
    repo.write({".venv/bin/x": "x\n"})
    git = opened(repo.path)
    assert git.ignored([".venv/bin", "sub/bin", "link/x", "real"]) == {".venv/bin"}
    assert git.ignored(["sub/bin"]) == set()

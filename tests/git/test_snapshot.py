"""Which two trees are compared, and what is said about how they were taken."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from sarifix import snapshot
from sarifix.errors import GitError, MissingRevisionError, UnmergedIndexError
from sarifix.model import Side, Status
from tests.support.opened import opened
from tests.support.repo import Repo

MakeRepo = Callable[..., Repo]


@pytest.fixture
def repo(make_repo: MakeRepo) -> Repo:
    """``main`` went on after ``work`` (HEAD) left it."""
    made = make_repo({"a": "a\n"})
    made.git("branch", "work")
    made.write({"b": "b\n"})
    made.commit("on")
    made.git("switch", "-q", "work")
    return made


def test_heads(repo: Repo) -> None:
    repo.write({"a": "staged\n"})
    repo.git("add", "a")
    repo.write({"a": "edited\n"})
    git = opened(repo.path)
    commit = repo.git("rev-parse", "HEAD")
    taken = {name: snapshot.head(git, name).snapshot for name in ("worktree", "staged", "HEAD")}
    assert len({one.tree for one in taken.values()}) == 3
    assert {one.side for one in taken.values()} == {Side.HEAD}
    assert [one.origin for one in taken.values()] == ["working tree", "index", f"HEAD {commit[:7]}"]
    assert snapshot.head(git, commit).snapshot.origin == commit[:7]
    assert snapshot.head(git, commit[:9]).snapshot.origin == commit[:7]
    tree = repo.git("rev-parse", "HEAD^{tree}")
    assert snapshot.head(git, tree).snapshot.origin == f"tree {tree}"
    with pytest.raises(MissingRevisionError):
        snapshot.head(git, "nowhere")


def test_bases(repo: Repo) -> None:
    git = opened(repo.path)
    fork, main = repo.git("rev-parse", "main~1"), repo.git("rev-parse", "main")

    def base(revision: str, *, exact: bool = False, head: str = "HEAD") -> tuple[str, str]:
        taken = snapshot.base(git, revision, exact=exact, head_revision=head)
        assert taken.snapshot.side is Side.BASE
        assert taken.notes == ()
        return taken.snapshot.tree, taken.snapshot.origin

    assert base("HEAD") == (git.tree("HEAD"), f"HEAD {fork[:7]}")
    assert base("main") == (git.tree(fork), f"merge base with main {fork[:7]}")
    assert base("main", exact=True) == (git.tree(main), f"main {main[:7]}")
    assert base("main", head="main") == (git.tree(main), f"merge base with main {main[:7]}")
    assert base(main) == (git.tree(main), main[:7])
    assert base("main~0")[0] == git.tree(main)


def test_bases_that_are_missing(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit("alone")
    git = opened(repo.path)
    with pytest.raises(MissingRevisionError, match="'nowhere' is not in this repository"):
        snapshot.base(git, "nowhere", exact=False)
    with pytest.raises(MissingRevisionError, match="no common ancestor"):
        snapshot.base(git, "main", exact=False)


def test_an_unborn_branch(make_repo: MakeRepo) -> None:
    repo = make_repo()
    git = opened(repo.path)
    taken = snapshot.base(git, "HEAD", exact=False).snapshot
    assert (taken.tree, taken.origin) == (git.empty_tree(), "no commit yet")
    with pytest.raises(MissingRevisionError):
        snapshot.base(git, "main", exact=False)


def test_files_that_are_named_like_revisions(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.write({"HEAD^{commit}": "x\n", "HEAD^{tree}": "x\n"})
    git = opened(repo.path)
    assert snapshot.base(git, "HEAD", exact=False).snapshot.tree == git.empty_tree()
    repo.commit()
    tree = repo.git("rev-parse", "HEAD^{tree}", "--").split()[0]
    assert snapshot.base(git, "HEAD", exact=False).snapshot.tree == tree


def test_a_head_that_cannot_be_read_is_not_an_unborn_branch(repo: Repo) -> None:
    oid = repo.git("rev-parse", "HEAD")
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    git = opened(repo.path)
    with pytest.raises(GitError):
        snapshot.base(git, "HEAD", exact=False)
    (repo.path / ".git" / "HEAD").write_text(f"{oid}\n")
    with pytest.raises(MissingRevisionError):
        snapshot.base(git, "HEAD", exact=False)


def test_conflicts(repo: Repo) -> None:
    repo.write({"b": "ours\n"})
    repo.commit()
    repo.git("merge", "main", check=False)
    git = opened(repo.path)
    with pytest.raises(UnmergedIndexError, match="for example in b"):
        snapshot.head(git, "staged")
    assert snapshot.head(git, "worktree").notes == ()


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
def test_notes(repo: Repo) -> None:
    repo.write({f"hidden{number}": "h\n" for number in range(8)})
    repo.write({"filtered": "f\n"})
    repo.commit()
    repo.git("update-index", "--skip-worktree", *(f"hidden{number}" for number in range(8)))
    repo.write({f"hidden{number}": "edited\n" for number in range(8)})
    os.mkfifo(repo.path / "pipe")
    repo.remove("a")
    os.mkfifo(repo.path / "a")
    Repo.init(repo.path / "nested")
    repo.git("config", "filter.f.clean", "no-such-program")
    repo.git("config", "filter.f.required", "true")
    (repo.path / ".git" / "info" / "attributes").write_text("filtered filter=f\n")
    repo.write({"filtered": "edited\n"})
    taken = snapshot.head(opened(repo.path), "worktree")
    (report,) = taken.reports
    assert report.status is Status.FAILED
    assert report.reason is not None
    assert report.reason.startswith("a could not be read and was not checked")
    assert taken.notes == (
        "nested repository without a commit, left out: nested/",
        (
            "edited, but marked assume-unchanged or skip-worktree, so the edit was left out: "
            "hidden0, hidden1, hidden2, hidden3, hidden4 and 3 more"
        ),
        "a required git filter could not run: files were taken without filters",
    )

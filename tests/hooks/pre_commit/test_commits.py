"""No commit is ever damaged: every way of committing, with a hook and without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.hooks import Hooks, git
from tests.support.repo import Repo
from tests.support.run import Fake

FILES = {"a.txt": "a\n", "b.txt": "b\nBAD(old)\n", "c.txt": "c\n", "d.txt": "d\n"}


def history(path: Path, fake: Fake) -> Repo:
    return Repo.init(path, {**FILES, ".sarifix.yaml": fake.config()})


def main_worktree(place: Path, fake: Fake) -> Repo:
    return history(place / "main", fake)


def linked_worktree(place: Path, fake: Fake) -> Repo:
    history(place / "main", fake).git("worktree", "add", "-q", "../linked", "-b", "linked")
    return Repo(place / "linked")


def submodule(place: Path, fake: Fake) -> Repo:
    library = history(place / "library", fake)
    outer = Repo.init(place / "outer", {"README": "outer\n"})
    allow = ("-c", "protocol.file.allow=always")
    outer.git(*allow, "submodule", "--quiet", "add", str(library.path), "inner")
    outer.commit("with a submodule")
    return Repo(outer.path / "inner")


PLACES = {"main": main_worktree, "linked": linked_worktree, "submodule": submodule}


def work(repo: Repo) -> None:
    """Stage a part of one file, edit another one, delete one, add an untracked one."""
    repo.write({"a.txt": "a\nstaged\n"})
    repo.git("add", "a.txt")
    repo.write({"a.txt": "a\nstaged\nnot staged\n", "c.txt": "c\nnot staged\n", "new.txt": "n\n"})
    repo.remove("d.txt")


@dataclass(frozen=True)
class Way:
    """One way of committing: what comes before, the command, and whether git runs a hook."""

    args: tuple[str, ...]
    before: Callable[[Repo], None] = work
    stdin: str | None = None
    hooked: bool = True


def other_branch(repo: Repo, files: dict[str, str]) -> None:
    """Commit files on a branch ``other`` and another one here."""
    here = repo.git("branch", "--show-current") or repo.git("rev-parse", "HEAD")
    repo.git("switch", "-q", "-c", "other")
    repo.write(files)
    repo.commit("theirs")
    repo.git("switch", "-q", here) if here.isalpha() else repo.git("switch", "-qd", here)
    repo.write({"b.txt": "b\nBAD(old)\nours\n"})
    repo.commit("ours")


def conflict(*command: str) -> Callable[[Repo], None]:
    def before(repo: Repo) -> None:
        other_branch(repo, {"b.txt": "b\nBAD(old)\ntheirs\n", "extra.txt": "x\n"})
        repo.git(*command, check=False)
        assert repo.git("ls-files", "-u")
        repo.write({"b.txt": "b\nBAD(old)\nboth\n"})
        repo.git("add", "b.txt")
        repo.write({"b.txt": "b\nBAD(old)\nboth\nnot staged\n", "new.txt": "n\n"})

    return before


def clean_merge(repo: Repo) -> None:
    other_branch(repo, {"extra.txt": "x\n"})
    repo.write({"c.txt": "c\nnot staged\n", "new.txt": "n\n"})


def rebasing(repo: Repo) -> None:
    conflict("rebase", "-q", "other")(repo)
    repo.git("checkout", "-q", "--", "b.txt")  # git goes on with a clean file only


def intent(repo: Repo) -> None:
    work(repo)
    repo.git("add", "-N", "new.txt")


def deletion(repo: Repo) -> None:
    work(repo)
    repo.git("reset", "-q")
    repo.git("rm", "-q", "--cached", "d.txt")


M = ("-q", "-m", "change")
WAYS = {
    "commit": Way(("commit", *M)),
    "all": Way(("commit", "-a", *M)),
    "patch": Way(("commit", "-p", *M), stdin="y\nn\nq\n"),
    "include": Way(("commit", "-i", *M, "c.txt")),
    "path": Way(("commit", *M, "--", "c.txt")),
    "amend": Way(("commit", "--amend", *M)),
    "intent-to-add": Way(("commit", *M), intent),
    "deletion": Way(("commit", *M), deletion),
    "merge": Way(("merge", *M, "other"), clean_merge),
    "merge-conflict": Way(("commit", *M), conflict("merge", "-q", "other")),
    "cherry-pick": Way(("cherry-pick", "--continue"), conflict("cherry-pick", "other")),
    "rebase-commit": Way(("commit", *M), conflict("rebase", "-q", "other")),
    "rebase": Way(("rebase", "--continue"), rebasing, hooked=False),
}


def looks(repo: Repo) -> dict[str, str]:
    """Return everything of a repository that its user sees, and the commit with its parents."""
    names = sorted(p for p in repo.path.rglob("*") if p.is_file() and ".git" not in p.parts)
    return {
        "head": repo.git("rev-parse", "HEAD"),
        "index": repo.git("ls-files", "-s", "-v", "-t"),
        "status": repo.git("status", "--porcelain=v2", "--branch", "--show-stash"),
        "stash": repo.git("stash", "list"),
        "diff": repo.git("diff"),
        "worktrees": repo.git("worktree", "list").replace("-hooked", ""),
        "refs": repo.git("for-each-ref"),
        "files": "\n".join(f"{p.relative_to(repo.path)} {p.read_bytes()!r}" for p in names),
    }


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", WAYS)
def test_a_commit_is_what_it_would_be_without_the_hook(
    tmp_path: Path, way: str, place: str
) -> None:
    how = WAYS[way]
    fake = Fake(tmp_path / "log")
    plain = PLACES[place](tmp_path / "repo", fake)
    hooked = PLACES[place](tmp_path / "repo-hooked", fake)
    hooks = None
    for repo in (plain, hooked):
        how.before(repo)
        if repo is hooked:
            hooks = Hooks.install(repo)
        done = git(repo, *how.args, stdin=how.stdin)
        assert done.code == 0, done.out
    assert hooks is not None
    assert looks(hooked) == looks(plain)
    committed = hooked.git("rev-parse", "HEAD^{tree}")
    assert hooks.trees() == ([committed] if how.hooked else [])
    if how.hooked:
        assert hooks.report["head"]["tree"] == committed
        assert (hooks.report["outcome"], hooks.report["exit_code"]) == ("clean", 0)


@pytest.mark.parametrize("place", PLACES)
def test_an_initial_commit(tmp_path: Path, place: str) -> None:
    fake = Fake(tmp_path / "log")
    repo = PLACES[place](tmp_path / "repo", fake)
    repo.git("switch", "-q", "--orphan", "fresh")
    repo.write({"a.txt": "a\n", ".sarifix.yaml": fake.config()})
    repo.git("add", "-A")
    repo.write({"a.txt": "a\nBAD(unstaged)\n", "new.txt": "BAD(untracked)\n"})
    hooks = Hooks.install(repo)
    done = git(repo, "commit", *M)
    assert done.code == 0, done.out
    assert hooks.trees() == [repo.git("rev-parse", "HEAD^{tree}")]
    assert hooks.report["head"]["tree"] == hooks.trees()[0]
    assert hooks.report["base"]["origin"] == "no commit yet"
    assert repo.read("a.txt") == "a\nBAD(unstaged)\n"
    assert repo.git("status", "--porcelain") == " M a.txt\n?? new.txt"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "args", [(), ("-a",), ("-i", "c.txt"), ("--", "a.txt")], ids=["plain", "all", "include", "path"]
)
def test_a_commit_that_is_stopped_leaves_everything_as_it_was(
    tmp_path: Path, place: str, args: tuple[str, ...]
) -> None:
    repo = PLACES[place](tmp_path / "repo", Fake(tmp_path / "log"))
    work(repo)
    repo.write({"a.txt": "a\nBAD(new)\n"})
    repo.git("add", "a.txt")
    repo.write({"a.txt": "a\nBAD(new)\nnot staged\n"})
    hooks = Hooks.install(repo)
    before = looks(repo)
    done = git(repo, "commit", *M, *args)
    assert done.code == 1
    assert hooks.rules() == ["a.txt:2 new"]
    assert "a.txt:2:1: error fake/new" in done.out
    assert looks(repo) == before

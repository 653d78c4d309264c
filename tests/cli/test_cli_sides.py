"""``--base`` and ``--head``: what is compared with what, and that the report says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake, Ran, check, sarifix

MakeRepo = Callable[..., Repo]


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    """Three commits with one bad line each; ``main`` went on after ``work`` left it.

    ::

        v1 (tag)  -- a:one           main: a:one,two
              \\-- b:three            work: a:one b:three (HEAD)
    """
    made = make_repo({".sarifix.yaml": Fake(tmp_path / "log").config(), "a.txt": "BAD(one)\n"})
    made.git("tag", "v1")
    made.git("tag", "-a", "-m", "annotated", "v1-annotated")
    made.git("switch", "-q", "-c", "work")
    made.write({"b.txt": "BAD(three)\n"})
    made.commit("work")
    made.git("switch", "-q", "main")
    made.write({"a.txt": "BAD(one)\nBAD(two)\n"})
    made.commit("main goes on")
    made.git("switch", "-q", "work")
    return made


def short(repo: Repo, revision: str) -> str:
    return repo.git("rev-parse", "--short=7", revision)


def sides(ran: Ran) -> tuple[str, str]:
    return ran.json["base"]["origin"], ran.json["head"]["origin"]


# -- base -------------------------------------------------------------------


def test_a_branch_is_compared_at_the_merge_base(repo: Repo) -> None:
    ran = check(repo.path, "--base", "main")
    assert (ran.code, ran.rules()) == (1, ["b.txt:1 three"])
    assert ran.json["fixed"] == 0
    assert sides(ran) == (f"merge base with main {short(repo, 'v1')}", "working tree")
    assert ran.json["base"]["tree"] == repo.git("rev-parse", "v1^{tree}")


def test_exact_base_takes_the_branch_as_it_is(repo: Repo) -> None:
    ran = check(repo.path, "--base", "main", "--exact-base")
    assert ran.rules() == ["b.txt:1 three"]
    assert ran.json["fixed"] == 1
    assert sides(ran) == (f"main {short(repo, 'main')}", "working tree")


@pytest.mark.parametrize("revision", ["v1", "v1-annotated", "HEAD~1"])
def test_a_revision_is_taken_as_it_is(repo: Repo, revision: str) -> None:
    ran = check(repo.path, "--base", revision)
    assert ran.rules() == ["b.txt:1 three"]
    assert sides(ran)[0] == f"{revision} {short(repo, 'v1')}"


def test_an_id_is_named_once(repo: Repo) -> None:
    ran = check(repo.path, "--base", repo.git("rev-parse", "v1"))
    assert sides(ran)[0] == short(repo, "v1")


def test_a_tree_can_be_the_base(repo: Repo) -> None:
    tree = repo.git("rev-parse", "v1^{tree}")
    assert check(repo.path, "--base", tree).rules() == ["b.txt:1 three"]


def test_a_remote_branch_is_compared_at_the_merge_base(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    ran = check(tmp_path / "clone", "--base", "origin/main")
    assert ran.rules() == ["b.txt:1 three"]
    assert sides(ran)[0] == f"merge base with origin/main {short(repo, 'v1')}"


def test_without_an_option_the_base_is_head(repo: Repo) -> None:
    repo.write({"b.txt": "BAD(three)\nBAD(four)\n"})
    ran = check(repo.path)
    assert ran.rules() == ["b.txt:2 four"]
    assert sides(ran) == (f"HEAD {short(repo, 'HEAD')}", "working tree")


def test_the_option_wins_over_the_variable_over_the_configuration(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write({".sarifix.yaml": "base: HEAD~1\n" + repo.read(".sarifix.yaml")})
    assert sides(check(repo.path))[0].startswith("HEAD~1 ")
    monkeypatch.setenv("SARIFIX_BASE", "v1")
    assert sides(check(repo.path))[0].startswith("v1 ")
    assert sides(check(repo.path, "--base", "HEAD"))[0].startswith("HEAD ")
    monkeypatch.setenv("SARIFIX_BASE", "")
    assert sides(check(repo.path))[0].startswith("HEAD~1 ")


@pytest.mark.parametrize("way", ["option", "variable", "configuration"])
def test_a_missing_base_is_undecided(repo: Repo, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    args: tuple[str, ...] = ()
    if way == "option":
        args = ("--base", "gone")
    elif way == "variable":
        monkeypatch.setenv("SARIFIX_BASE", "gone")
    else:
        repo.write({".sarifix.yaml": "base: gone\n" + repo.read(".sarifix.yaml")})
    ran = check(repo.path, *args)
    assert (ran.code, ran.json["outcome"]) == (3, "undecided")
    assert ran.json["error"]["message"] == "the revision 'gone' is not in this repository"
    assert "fetch-depth: 0" in ran.err


@pytest.mark.parametrize("revision", ["--all", "-x", ":/nothing", "HEAD:a.txt", "two\nlines"])
def test_what_is_no_revision_is_missing(repo: Repo, revision: str) -> None:
    ran = check(repo.path, f"--base={revision}")
    assert ran.code == 3
    assert "is not in this repository" in ran.json["error"]["message"]


def test_no_common_ancestor_is_undecided(repo: Repo) -> None:
    repo.git("switch", "-q", "--orphan", "island")
    repo.git("commit", "-q", "--allow-empty", "-m", "alone")
    ran = check(repo.path, "--base", "main", "--scanner", "ruff")
    assert ran.code == 3
    assert "no common ancestor" in ran.json["error"]["message"]
    assert "--exact-base" in ran.json["error"]["hint"]


def test_a_shallow_clone_without_the_base_is_undecided(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    ran = check(tmp_path / "shallow", "--base", "HEAD~1")
    assert ran.code == 3
    assert "git fetch --unshallow" in ran.err


# -- head -------------------------------------------------------------------


def test_the_index_is_checked_without_the_working_tree(repo: Repo) -> None:
    repo.write({"b.txt": "BAD(three)\nBAD(staged)\n"})
    repo.git("add", "b.txt")
    repo.write({"b.txt": "BAD(three)\nBAD(staged)\nBAD(unstaged)\n", "new.txt": "BAD(new)\n"})
    staged = check(repo.path, "--head", "staged")
    assert staged.rules() == ["b.txt:2 staged"]
    assert sides(staged)[1] == "index"
    worktree = check(repo.path, "--head", "worktree")
    assert worktree.rules() == ["b.txt:2 staged", "b.txt:3 unstaged", "new.txt:1 new"]


def test_a_revision_is_checked_without_the_working_tree(repo: Repo) -> None:
    repo.write({"b.txt": "BAD(unstaged)\n"})
    ran = check(repo.path, "--base", "v1", "--head", "main")
    assert ran.rules() == ["a.txt:2 two"]
    assert sides(ran) == (f"v1 {short(repo, 'v1')}", f"main {short(repo, 'main')}")


def test_the_merge_base_is_that_of_the_head_asked_for(repo: Repo) -> None:
    ran = check(repo.path, "--base", "work", "--head", "main")
    assert ran.rules() == ["a.txt:2 two"]
    assert sides(ran)[0] == f"merge base with work {short(repo, 'v1')}"


def test_a_missing_head_is_undecided(repo: Repo) -> None:
    ran = check(repo.path, "--head", "gone")
    assert ran.code == 3
    assert ran.json["error"]["message"] == "the revision 'gone' is not in this repository"


def test_an_index_with_conflicts_is_undecided(repo: Repo) -> None:
    repo.write({"a.txt": "BAD(mine)\n"})
    repo.commit()
    repo.git("merge", "main", check=False)
    ran = check(repo.path, "--head", "staged")
    assert ran.code == 3
    assert ran.json["error"]["message"] == "the index has conflicts, for example in a.txt"


# -- places -----------------------------------------------------------------


def test_an_unborn_branch_is_compared_with_nothing(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo()
    repo.write({".sarifix.yaml": Fake(tmp_path / "log").config(), "a.txt": "BAD(one)\n"})
    for head in ("worktree", "staged"):
        repo.git("add", "-A")
        ran = check(repo.path, "--head", head)
        assert ran.rules() == ["a.txt:1 one"]
        assert sides(ran)[0] == "no commit yet"
    missing = check(repo.path, "--base", "main")
    assert missing.code == 3


def test_below_the_top_level_the_whole_repository_is_checked(repo: Repo) -> None:
    repo.write({"sub/c.txt": "BAD(deep)\n", "b.txt": "BAD(three)\nBAD(four)\n"})
    ran = check(repo.path / "sub")
    assert ran.rules() == ["b.txt:2 four", "sub/c.txt:1 deep"]


def test_outside_a_repository_git_says_so(tmp_path: Path) -> None:
    (tmp_path / "bare.git").mkdir()
    ran = sarifix("check", cwd=tmp_path)
    assert ran.code == 2
    assert "not a git repository" in ran.err
    Repo(tmp_path / "bare.git").git("init", "-q", "--bare")
    bare = sarifix("check", cwd=tmp_path / "bare.git")
    assert bare.code == 2
    assert "must be run in a work tree" in bare.err
    assert "a clone or a linked worktree" in bare.err

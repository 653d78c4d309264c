"""The working tree by what `git status` said: the same tree, without walking through it again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sarifix.git.status import Status, parse
from tests.support.lowly import lowly_python
from tests.support.opened import opened
from tests.support.repo import Repo

FILES = {"a": "a\n", "b": "b\n", "d/x": "x\n", "d/e/y": "y\n", ".gitignore": "*.log\nbuild/\n"}
MakeRepo = Callable[..., Repo]


@pytest.fixture
def repo(make_repo: MakeRepo) -> Repo:
    return make_repo(FILES)


def same(repo: Repo) -> Status:
    """Take the tree both ways; return what git said."""
    git = opened(repo.path)
    status = git.status()
    quick = git.working_tree(reveal=True, status=status)
    assert quick == opened(repo.path).working_tree(reveal=True)
    return status


def test_an_untouched_tree(repo: Repo) -> None:
    assert same(repo) == Status((), ())


def test_all_that_a_person_does(repo: Repo) -> None:
    repo.write({"a": "edited\n", "b": "staged\n", "new/n": "n\n", "late": "l\n", "[a]*": "odd\n"})
    repo.git("add", "b")
    repo.git("add", "-N", "late")
    repo.remove("d/x")
    repo.write({"x.log": "x", "build/o": "o", "d/e/z.log": "z"})
    status = same(repo)
    assert status.differing == ("a", "d/x", "late", "[a]*", "new/n")
    assert status.ignored == ("build/", "d/e/z.log", "x.log")


def test_what_is_staged_and_then_edited_and_what_is_staged_for_removal(repo: Repo) -> None:
    repo.write({"a": "staged\n"})
    repo.git("add", "a")
    repo.git("rm", "-q", "--cached", "b")
    repo.write({"a": "edited\n"})
    assert same(repo).differing == ("a", "b")


@pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")
def test_other_kinds_of_files(repo: Repo) -> None:
    repo.remove("a", "d/e/y")
    (repo.path / "a").symlink_to("b")
    (repo.path / "d" / "e").rmdir()
    repo.write({"d/e": "a file now\n"})
    (repo.path / "b").chmod(0o755)
    repo.write({"d/x": "x\n"})
    assert same(repo).differing == ("a", "b", "d/e/y", "d/e")


def test_a_file_that_became_a_directory(repo: Repo) -> None:
    repo.remove("a")
    repo.write({"a/inner": "i\n"})
    same(repo)


@pytest.mark.parametrize("instead", ["nothing", "an ignored file"])
def test_a_directory_that_is_gone(repo: Repo, instead: str) -> None:
    """git complains that it cannot open it where nothing else differs."""
    repo.remove("d/e/y")
    (repo.path / "d" / "e").rmdir()
    if instead != "nothing":
        repo.write({".git/info/exclude": "e\n", "d/e": "a file now\n"})
    assert same(repo).differing == ("d/e/y",)


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_directory_that_became_a_link(repo: Repo) -> None:
    (repo.path / "d").rename(repo.path / "moved")
    (repo.path / "d").symlink_to("moved")
    same(repo)


def test_conflicts(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.write({"a": "theirs\n"})
    repo.commit()
    repo.git("switch", "-q", "main")
    repo.write({"a": "ours\n"})
    repo.commit()
    repo.git("merge", "other", check=False)
    assert same(repo).differing == ("a",)


def test_edits_under_hidden_bits_are_taken_all_the_same(repo: Repo) -> None:
    repo.git("update-index", "--assume-unchanged", "a")
    repo.git("update-index", "--skip-worktree", "b", "d/x")
    repo.write({"a": "edited\n", "b": "edited\n"})
    repo.remove("d/x")
    status = same(repo)
    assert status.differing == ()
    assert [name for _, name in status.marked] == ["a", "b", "d/x"]


def test_a_nested_repository_is_for_git_add_to_look_at(repo: Repo) -> None:
    nested = Repo.init(repo.path / "nested", {"n": "n\n"})
    assert same(repo).differing is None
    repo.git("add", "nested")
    assert same(repo).differing == ()
    nested.write({"n": "edited\n"})
    nested.commit()
    assert same(repo).differing is None


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_directory_that_cannot_be_read(repo: Repo) -> None:
    repo.write({"closed/f": "f\n"})
    (repo.path / "closed").chmod(0)
    code = (
        "import sys; from pathlib import Path; from tests.support.opened import opened\n"
        "assert opened(Path(sys.argv[1])).status().differing is None"
    )
    lowly_python(code, str(repo.path))
    (repo.path / "closed").chmod(0o700)


def test_more_paths_than_git_should_compare_one_by_one(repo: Repo) -> None:
    repo.write({f"many/{number}": f"{number}\n" for number in range(300)})
    differing = same(repo).differing
    assert differing is not None
    assert len(differing) == 300


def test_a_file_that_vanishes_after_git_was_asked(repo: Repo) -> None:
    repo.write({"gone": "g\n", "a": "edited\n"})
    git = opened(repo.path)
    status = git.status()
    repo.remove("gone")
    taken = git.working_tree(reveal=True, status=status)
    assert taken == opened(repo.path).working_tree(reveal=True)


def test_records_that_are_not_known_are_not_passed_over() -> None:
    zeros = "0" * 40
    plain = f"1 .M N... 100644 100644 100644 {zeros} {zeros} a b\0".encode()
    assert parse(plain, complained=False) == Status(("a b",), ())
    assert parse(plain, complained=True).differing is None
    assert parse(plain + b"2 R. something\0", complained=False).differing is None
    moved = plain.replace(b"N...", b"SC..")
    assert parse(moved, complained=False).differing is None


PATHS = ["a", "b", "d/x", "d/e/y", "d/e/new", "n/m", "x.log", "build/o", "a/inner"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "remove", "stage", "unstage", "hide"]), st.sampled_from(PATHS)
    ),
    min_size=1,
    max_size=8,
)


@given(STEPS)
@settings(max_examples=25, deadline=None)
def test_any_mixture_of_edits(tmp_path_factory: pytest.TempPathFactory, steps: list) -> None:  # type: ignore[type-arg]
    repo = Repo.init(tmp_path_factory.mktemp("repo"), FILES)
    for number, (step, path) in enumerate(steps):
        _apply(repo, step, path, f"{number}\n")
    same(repo)


def _apply(repo: Repo, step: str, path: str, content: str) -> None:
    place = Path(repo.path, path)
    if step == "write" and not place.is_dir() and not place.parent.is_file():
        repo.write({path: content})
    elif step == "remove" and place.is_file():
        place.unlink()
    elif step == "stage":
        repo.git("add", "-A", "--", path, check=False)
    elif step == "unstage":
        repo.git("reset", "-q", "--", path, check=False)
    elif step == "hide":
        repo.git("update-index", "--assume-unchanged", path, check=False)

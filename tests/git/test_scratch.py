"""Trees on disk: exact whatever happened to the slot before, and nobody's way is stood in."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.errors import GitError
from sarifix.git import Git, Scratch
from sarifix.locks import Lock
from sarifix.model import Entry
from tests.support.lowly import lowly_python
from tests.support.opened import opened
from tests.support.repo import Repo

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="links, modes and signals are those of POSIX"
)

MakeRepo = Callable[..., Repo]
FILES = {"a": "a\n", "d/b": "b\r\n", "d/\udcff\n": "c\n", ".gitignore": "a\n"}


@pytest.fixture
def repo(make_repo: MakeRepo) -> Repo:
    made = make_repo()
    made.write(FILES)
    (made.path / "x.sh").write_text("x\n")
    (made.path / "x.sh").chmod(0o755)
    (made.path / "link").symlink_to("../outside")
    made.git("add", "-f", ".")
    made.git("commit", "-qm", "base")
    return made


@pytest.fixture
def git(repo: Repo) -> Git:
    return opened(repo.path)


def found(top: Path) -> dict[str, tuple[str, bytes | str]]:
    """Return the kind and the content of all that is laid out."""
    facts: dict[str, tuple[str, bytes | str]] = {}
    for directory, names, files in os.walk(top):
        names[:] = [name for name in names if Path(directory, name) != top / ".git"]
        linked = [name for name in names if Path(directory, name).is_symlink()]
        for path in (Path(directory, name) for name in (*files, *linked)):
            name = path.relative_to(top).as_posix()
            if path.is_symlink():
                facts[name] = ("link", str(path.readlink()))
            else:
                facts[name] = (oct(path.stat().st_mode & 0o100), path.read_bytes())
    return facts


EXACT = {
    **{name: ("0o0", text.encode()) for name, text in FILES.items()},
    "x.sh": ("0o100", b"x\n"),
    "link": ("link", "../outside"),
}


def assert_exact(git: Git, slot: str = "head-0") -> Path:
    with Scratch(git).checkout(git.tree("HEAD"), slot) as (top, _):
        assert found(top) == EXACT
        return top


def slots(git: Git) -> list[str]:
    return sorted(path.name for path in (git.store / "slots").iterdir())


def test_a_tree_is_laid_out_exactly(git: Git) -> None:
    top = assert_exact(git)
    inode = (top / "a").stat().st_ino
    assert assert_exact(git) == top
    assert (top / "a").stat().st_ino == inode  # in place


def test_tools_see_a_repository_with_its_files(git: Git) -> None:
    top = assert_exact(git)
    listed = Repo(top).git("ls-files", "-z").split("\0")
    assert sorted(filter(None, listed)) == sorted(EXACT)
    assert Repo(top).git("status", "--porcelain", "--ignored", "-z").count("?? ") == 0


def test_another_tree_takes_its_place(git: Git, repo: Repo) -> None:
    assert_exact(git)
    repo.remove("a")
    shutil.rmtree(repo.path / "d")
    repo.write({"a/now-a-directory": "n\n", "d": "now a file\n", ".gitignore": ""})
    with Scratch(git).checkout(git.working_tree().tree, "head-0") as (top, _):
        assert {name for name in found(top) if name[0] in "ad"} == {"a/now-a-directory", "d"}
    assert_exact(git)
    with Scratch(git).checkout(git.empty_tree(), "head-0") as (top, _):
        assert found(top) == {}


def test_a_sha256_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("init", "-q", "--object-format=sha256")
    repo.write({"a": "a\n"})
    repo.commit()
    git = opened(tmp_path)
    with Scratch(git).checkout(git.tree("HEAD"), "head-0") as (top, _):
        assert found(top) == {"a": ("0o0", b"a\n")}


@pytest.mark.parametrize(
    "attributes",
    ["* text eol=crlf", "* filter=f", "* ident", "* working-tree-encoding=UTF-16", "* text=auto"],
)
def test_bytes_are_those_of_the_blobs(git: Git, repo: Repo, attributes: str) -> None:
    repo.write({".gitattributes": f"{attributes}\n"})
    entry = repo.git("hash-object", "-w", "--no-filters", ".gitattributes")
    tree = git.edit_tree(git.tree("HEAD"), {".gitattributes": Entry("100644", entry)})
    for name, value in {
        "core.autocrlf": "true",
        "core.eol": "crlf",
        "filter.f.smudge": "tr a-z A-Z",
        "filter.f.required": "true",
    }.items():
        repo.git("config", "--global", name, value)
    with Scratch(git).checkout(tree, "head-0") as (top, _):
        laid = found(top)
        assert laid.pop(".gitattributes") == ("0o0", f"{attributes}\n".encode())
        assert laid == EXACT


# -- what scanners do to a slot ----------------------------------------------


def edit(top: Path) -> None:
    (top / "a").write_text("A\n")


def edit_and_keep_size_and_time(top: Path) -> None:
    before = (top / "a").stat()
    (top / "a").write_text("A\n")
    os.utime(top / "a", ns=(before.st_atime_ns, before.st_mtime_ns))


def delete(top: Path) -> None:
    (top / "a").unlink()
    shutil.rmtree(top / "d")


def change_kinds(top: Path) -> None:
    (top / "a").unlink()
    (top / "a").mkdir()
    (top / "a" / "x").touch()
    (top / "x.sh").chmod(0o644)
    (top / "link").unlink()
    (top / "link").write_text("no link\n")
    shutil.rmtree(top / "d")
    (top / "d").symlink_to(top.parent)


def add_files(top: Path) -> None:
    (top / ".ruff_cache").mkdir()
    (top / ".ruff_cache" / "x").touch()
    (top / "new").touch()
    Repo.init(top / "nested", {"x": "x\n"})


def link_a_directory(top: Path) -> None:
    outside = top.parents[3] / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "kept").write_text("kept\n")
    (top / "node_modules").symlink_to(outside)


def stage(top: Path) -> None:
    (top / "a").write_text("A\n")
    Repo(top).git("add", "-A")
    Repo(top).git("commit", "-qm", "x")


def break_the_index(top: Path) -> None:
    (top / ".git" / "index").write_bytes(b"DIRC nonsense")


def leave_a_lock(top: Path) -> None:
    (top / ".git" / "index.lock").touch()


def lose_the_index(top: Path) -> None:
    (top / ".git" / "index").unlink()


def link_the_index(top: Path) -> None:
    outside = top.parents[3] / "elsewhere"
    outside.mkdir()
    (outside / "kept").write_text("kept\n")
    (top / ".git" / "index").unlink()
    (top / ".git" / "index").symlink_to(outside / "kept")


def a_directory_for_the_index(top: Path) -> None:
    lose_the_index(top)
    (top / ".git" / "index").mkdir()


def hide_an_edit(top: Path) -> None:
    Repo(top).git("update-index", "--skip-worktree", "a")
    (top / "a").write_text("A\n")


def break_the_index_beside_it(top: Path) -> None:
    (top.parent / "index").write_bytes(b"DIRC nonsense")


def leave_a_lock_beside_it(top: Path) -> None:
    (top.parent / "index.lock").touch()


def lose_the_index_beside_it(top: Path) -> None:
    (top.parent / "index").unlink()
    (top / "a").write_text("A\n")
    (top / "new").touch()


def lose_the_repository(top: Path) -> None:
    shutil.rmtree(top / ".git")


def replace_the_repository(top: Path) -> None:
    shutil.rmtree(top / ".git")
    (top / ".git").write_text("gitdir: /nowhere\n")


def break_the_mark(top: Path) -> None:
    (top.parent / "state").write_bytes(b"\xff")


def exclude(top: Path) -> None:
    (top / ".git" / "info" / "exclude").write_text("*\n")


def attributes(top: Path) -> None:
    (top / ".git" / "info" / "attributes").write_text("* text eol=crlf\n")
    (top / "d" / "b").unlink()


def alternates(top: Path) -> None:
    (top / ".git" / "objects" / "info" / "alternates").write_text("/nowhere\n")
    (top / "a").unlink()


def configuration(top: Path) -> None:
    Repo(top).git("config", "core.sparseCheckout", "true")
    Repo(top).git("config", "core.bare", "true")


def lose_the_tree(top: Path) -> None:
    shutil.rmtree(top)


def a_file_for_the_tree(top: Path) -> None:
    shutil.rmtree(top)
    top.write_text("no directory\n")


def a_link_for_the_tree(top: Path) -> None:
    shutil.rmtree(top)
    outside = top.parents[3] / "elsewhere"
    outside.mkdir()
    (outside / "kept").write_text("kept\n")
    top.symlink_to(outside)


def lose_the_slot(top: Path) -> None:
    shutil.rmtree(top.parent)


ACCIDENTS = (
    edit, edit_and_keep_size_and_time, delete, change_kinds, add_files, link_a_directory, stage,
    break_the_index, leave_a_lock, lose_the_index, link_the_index, a_directory_for_the_index,
    hide_an_edit, break_the_index_beside_it, leave_a_lock_beside_it, lose_the_index_beside_it,
    lose_the_repository, replace_the_repository, break_the_mark, exclude, attributes,
    alternates, configuration, lose_the_tree, a_file_for_the_tree, a_link_for_the_tree,
    lose_the_slot,
)  # fmt: skip


@pytest.mark.parametrize("accident", ACCIDENTS, ids=lambda accident: accident.__name__)
def test_accidents(git: Git, accident: Callable[[Path], None]) -> None:
    top = assert_exact(git)
    accident(top)
    assert assert_exact(git) == top
    assert not (top / ".git" / "info" / "exclude").exists()
    for asked in (["diff-files"], ["ls-files", "-o"], ["update-index", "--refresh"]):
        assert Repo(top).git(*asked) == ""  # what tools are told there
    for kept in git.store.parent.rglob("kept"):
        assert kept.read_text() == "kept\n"


def test_nothing_is_written_through_a_link_that_a_scanner_left(git: Git, repo: Repo) -> None:
    """``link:`` puts the user's directory in the tree; the next tree can have files there."""
    top = assert_exact(git)
    outside = repo.path / "node_modules"
    outside.mkdir()
    (top / "node_modules").symlink_to(outside)
    repo.write({"node_modules/x": "x\n"})
    tree = git.working_tree().tree
    (outside / "x").unlink()
    with Scratch(git).checkout(tree, "head-0") as (again, _):
        assert again == top
        assert found(top)["node_modules/x"] == ("0o0", b"x\n")
    assert list(outside.iterdir()) == []


def test_what_a_scanner_closed_is_opened(repo: Repo, git: Git) -> None:
    """A module cache of Go is read-only. The user's own directory behind a link is not opened."""
    top = assert_exact(git)
    outside = repo.path.parent / "outside"
    (outside / "sub").mkdir(parents=True)
    closed = top / "pkg" / "mod" / "deep"
    closed.mkdir(parents=True)
    (closed / "x").touch()
    (top / "pkg" / "out").symlink_to(outside)
    for path, mode in ((closed, 0), (closed.parent, 0o555), (closed.parents[1], 0o555)):
        path.chmod(mode)
    outside.chmod(0o555)
    lowly_python(
        "import sys; from pathlib import Path; from sarifix.git import Scratch\n"
        "from tests.support.opened import opened\n"
        "git = opened(Path(sys.argv[1]))\n"
        "with Scratch(git).checkout(git.tree('HEAD'), 'head-0'): pass\n",
        str(repo.path),
    )
    assert not (top / "pkg").exists()
    assert outside.stat().st_mode & 0o777 == 0o555
    assert_exact(git)


# -- errors ------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["HEAD:a", "HEAD:d", "HEAD^{tree}"])
def test_an_object_that_is_gone_is_an_error(git: Git, repo: Repo, lost: str) -> None:
    tree = git.tree("HEAD")
    oid = repo.git("rev-parse", lost)
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    for _ in range(2):
        with (
            pytest.raises(GitError, match="could not be laid out"),
            Scratch(git).checkout(tree, "head-0"),
        ):
            pass


def test_a_full_disk_or_a_closed_one_is_an_error(git: Git) -> None:
    shutil.rmtree(git.store / "slots", ignore_errors=True)
    (git.store / "slots").write_text("in the way")
    with pytest.raises(GitError, match="could not be laid out"):
        Scratch(git)


def test_a_slot_that_cannot_be_made_is_an_error(git: Git) -> None:
    scratch = Scratch(git)
    (git.store / "slots" / "head-0-----").write_text("in the way")
    with (
        pytest.raises(GitError, match="could not be laid out"),
        scratch.checkout(git.tree("HEAD"), "head-0"),
    ):
        pass


def test_an_error_of_the_caller_is_not_ours(git: Git) -> None:
    with pytest.raises(OSError, match="theirs"), Scratch(git).checkout(git.tree("HEAD"), "head-0"):
        raise OSError("theirs")
    assert_exact(git)


# -- several runs --------------------------------------------------------------


def test_a_busy_slot_is_left_alone(git: Git) -> None:
    scratch, tree = Scratch(git), git.tree("HEAD")
    with contextlib.ExitStack() as stack:
        tops = [stack.enter_context(scratch.checkout(tree, "head-0")).top for _ in range(3)]
        assert len(set(tops)) == 3
        assert len({len(str(top)) for top in tops}) == 1  # a path can be in a message
        edit(tops[0])
        assert [found(top) == EXACT for top in tops] == [False, True, True]
    assert slots(git) == ["head-0-----"]


def test_each_side_has_its_slot_of_equal_length(git: Git) -> None:
    scratch, tree = Scratch(git), git.tree("HEAD")
    with (
        scratch.checkout(tree, "base-0") as (base, _),
        scratch.checkout(tree, "head-0") as (head, _),
    ):
        assert base != head
        assert len(str(base)) == len(str(head))


def test_clear_leaves_what_is_in_use(git: Git) -> None:
    scratch, tree = Scratch(git), git.tree("HEAD")
    with scratch.checkout(tree, "base-0") as (base, _):
        with scratch.checkout(tree, "head-0") as (head, _):
            pass
        with scratch.checkout(tree, "base-0") as (temporary, _):
            scratch.clear()
            assert found(base) == found(temporary) == EXACT
        assert not head.exists()
    scratch.clear()
    assert not base.exists()
    assert_exact(git)


def test_leftovers_of_killed_runs_are_swept(git: Git) -> None:
    scratch = Scratch(git)
    old, fresh, busy = (git.store / "slots" / f"tmp{name:x<8}" for name in ("old", "new", "busy"))
    for path in (old, fresh, busy):
        (path / "tree").mkdir(parents=True)
        (path / "lock").touch()
    lock = Lock.attempt(busy / "lock")
    assert lock is not None
    for path in (old, busy):
        os.utime(path, (1000, 1000))
    Scratch(git)
    assert slots(git) == sorted([fresh.name, busy.name])
    lock.release()
    scratch.clear()
    assert slots(git) == []


HOLD = """
import sys, time
from pathlib import Path
from sarifix.git import Scratch
from tests.support.opened import opened
git = opened(Path(sys.argv[1]))
print("ready", flush=True)
with Scratch(git).checkout(git.tree("HEAD"), "head-0"):
    print("done", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def begin(repo: Repo, hold: float) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(repo.path), str(hold)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdout
    assert child.stdout.readline() == b"ready\n"
    return child


@pytest.fixture
def large(make_repo: MakeRepo) -> Repo:
    return make_repo({f"d{number % 40}/{number}.txt": f"{number}\n" * 50 for number in range(600)})


@pytest.mark.parametrize("whole_group", [True, False], ids=["git too", "git lives on"])
def test_killed_in_the_middle(large: Repo, whole_group: bool) -> None:
    git = opened(large.path)
    tree = git.tree("HEAD")
    in_the_middle = 0
    for number in range(5):
        shutil.rmtree(git.store / "slots", ignore_errors=True)
        child = begin(large, 60)
        time.sleep(0.01 * (number + 1))
        (os.killpg if whole_group else os.kill)(child.pid, signal.SIGKILL)
        out, _ = child.communicate()
        in_the_middle += out == b""
        with Scratch(git).checkout(tree, "head-0") as (top, _):
            laid = found(top)
            assert len(laid) == 600
            assert all(
                laid[f"d{number % 40}/{number}.txt"][1] == f"{number}\n".encode() * 50
                for number in range(600)
            )
    assert in_the_middle


def test_the_lock_outlives_us_in_git(repo: Repo, git: Git, tmp_path: Path) -> None:
    """A killed run's git still writes to its slot: the slot is busy until it ends."""
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    real = shutil.which("git")
    slow.write_text(f'#!/bin/sh\ncase "$*" in *read-tree*) sleep 3;; esac\nexec {real} "$@"\n')
    slow.chmod(0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{slow.parent}{os.pathsep}{path}"
    try:
        child = begin(repo, 60)
    finally:
        os.environ["PATH"] = path
    lock = git.store / "slots" / "head-0-----" / "lock"
    while not (lock.parent / "tree" / ".git" / "info" / "attributes").exists():
        time.sleep(0.01)
    time.sleep(0.2)
    child.kill()
    child.communicate(timeout=20)
    assert Lock.attempt(lock) is None
    top = assert_exact(git)
    assert top.parent != lock.parent
    os.killpg(child.pid, signal.SIGKILL)
    while (taken := Lock.attempt(lock)) is None:
        time.sleep(0.01)
    taken.release()
    assert assert_exact(git).parent == lock.parent


# -- made ready ahead -------------------------------------------------------


def test_a_slot_that_was_made_ready_is_exact_whatever_was_done_to_it(git: Git, repo: Repo) -> None:
    top = assert_exact(git)
    (top / "a").write_text("b\n")
    (top / "x.sh").unlink()
    (top / "d" / "more").write_text("more\n")
    (top / "made").mkdir()
    repo.write({"new": "n\n"})
    repo.remove("a")
    tree = git.working_tree().tree
    with contextlib.closing(Scratch(git)) as scratch:
        scratch.ready("head-0")
        scratch.expect("head-0", tree)
        with scratch.checkout(tree, "head-0") as (again, _):
            assert again == top
            expected = {name: fact for name, fact in EXACT.items() if name != "a"}
            assert found(top) == {**expected, "new": ("0o0", b"n\n")}


def _directory_for_file(top: Path, _: Path) -> None:
    (top / "a").unlink()
    (top / "a" / "b").mkdir(parents=True)
    (top / "a" / "b" / "c").write_text("c\n")


def _link_for_directory(top: Path, elsewhere: Path) -> None:
    shutil.rmtree(top / "d")
    (top / "d").symlink_to(elsewhere)


def _file_for_directory(top: Path, _: Path) -> None:
    shutil.rmtree(top / "d")
    (top / "d").write_text("d\n")


def _link_for_file(top: Path, elsewhere: Path) -> None:
    (top / "a").unlink()
    (top / "a").symlink_to(elsewhere / "kept")


def _repository_inside(top: Path, _: Path) -> None:
    subprocess.run(["git", "init", "-q", str(top / "d" / "nested")], check=True)


def _assumed_unchanged(top: Path, _: Path) -> None:
    for argv in (["--assume-unchanged", "a"], ["--refresh"]):
        subprocess.run(["git", "update-index", *argv], cwd=top, check=True)
    (top / "a").write_text("b\n")


def _other_mode(top: Path, _: Path) -> None:
    (top / "a").chmod(0o755)
    (top / "x.sh").chmod(0o400)


@pytest.mark.parametrize("also", ["", "a", "d"], ids=["", "a is removed", "d is removed"])
@pytest.mark.parametrize(
    "rearrange",
    [
        _directory_for_file,
        _link_for_directory,
        _file_for_directory,
        _link_for_file,
        _repository_inside,
        _assumed_unchanged,
        _other_mode,
    ],
)
def test_a_slot_that_was_rearranged_is_made_ready(
    git: Git, repo: Repo, tmp_path: Path, rearrange: Callable[[Path, Path], None], also: str
) -> None:
    """Nor is anything touched to which a link leads."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("kept", *(Path(name).name for name in EXACT if name.startswith("d/"))):
        (elsewhere / name).write_text("kept\n")
    rearrange(assert_exact(git), elsewhere)
    if also:
        gone = [name for name in EXACT if name == also or name.startswith(f"{also}/")]
        repo.remove(*gone)
    tree = git.working_tree().tree
    with contextlib.closing(Scratch(git)) as scratch:
        scratch.ready("head-0")
        scratch.expect("head-0", tree)
        with scratch.checkout(tree, "head-0") as (top, _):
            left = {n: f for n, f in EXACT.items() if also not in (n, n.partition("/")[0])}
            assert found(top) == left
    assert {file.read_text() for file in elsewhere.iterdir()} == {"kept\n"}


def test_another_tree_than_was_expected_is_laid_out_all_the_same(git: Git, repo: Repo) -> None:
    assert_exact(git)
    repo.write({"new": "n\n"})
    with contextlib.closing(Scratch(git)) as scratch:
        scratch.ready("head-0")
        scratch.expect("head-0", git.working_tree().tree)
        with scratch.checkout(git.tree("HEAD"), "head-0") as (top, _):
            assert found(top) == EXACT


def test_a_slot_that_cannot_be_made_ready_is_laid_out_anew(git: Git) -> None:
    top = assert_exact(git)
    (top / ".git" / "index").write_bytes(b"broken")
    with contextlib.closing(Scratch(git)) as scratch:
        scratch.ready("head-0")
        scratch.expect("head-0", git.tree("HEAD"))
        with scratch.checkout(git.tree("HEAD"), "head-0") as (again, _):
            assert found(again) == EXACT


def test_a_slot_that_nobody_asks_for_is_let_go_of(git: Git) -> None:
    with contextlib.closing(Scratch(git)) as scratch:
        scratch.ready("head-0")
        scratch.expect("head-0", "0" * 40)  # no such tree
    assert_exact(git)
    assert slots(git) == ["head-0-----"]


def test_a_busy_slot_is_not_made_ready(git: Git) -> None:
    with (
        Scratch(git).checkout(git.tree("HEAD"), "head-0") as (busy, _),
        contextlib.closing(Scratch(git)) as scratch,
    ):
        (busy / "a").write_text("in use\n")
        scratch.ready("head-0")
        scratch.expect("head-0", git.tree("HEAD"))
        with scratch.checkout(git.tree("HEAD"), "head-0") as (other, _):
            assert other != busy
            assert found(other) == EXACT
        assert (busy / "a").read_text() == "in use\n"

"""Reading files from the object store: a blob that is missing is an error, never "absent"."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sarifix.errors import GitError
from sarifix.git import Blobs, Git, TreeFiles
from sarifix.git.blobs import TEXT_LIMIT
from tests.support.opened import opened
from tests.support.repo import Repo

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="links, and names that Windows cannot have"
)

MakeRepo = Callable[..., Repo]
FILES: dict[str, bytes] = {
    "text": b"one\ntwo\n",
    "empty": b"",
    "odd": b"caf\xe9\r\n",
    "mark": b"\xef\xbb\xbfx\n",
    "binary": b"a\0b",
    "late": b"x" * 8000 + b"\0",
    "full": b"x" * TEXT_LIMIT,
    "large": b"x" * (TEXT_LIMIT + 1),
    "dir/name\n": b"deep\n",
}


@pytest.fixture
def repo(make_repo: MakeRepo) -> Repo:
    made = make_repo(FILES)
    (made.path / "link").symlink_to("text")
    Repo.init(made.path / "sub", {"x": "x\n"})
    made.commit()
    return made


@pytest.fixture
def git(repo: Repo) -> Git:
    return opened(repo.path)


@pytest.fixture
def blobs(git: Git) -> Iterator[Blobs]:
    reader = git.blobs()
    yield reader
    reader.close()


@pytest.fixture
def files(git: Git, blobs: Blobs) -> TreeFiles:
    return TreeFiles(git.entries(git.tree("HEAD")), blobs)


def test_content(git: Git, blobs: Blobs) -> None:
    entries = git.entries(git.tree("HEAD"))
    assert {name: blobs.read(entries[name].oid) for name in FILES} == FILES
    assert blobs.read(entries["link"].oid) == b"text"


def test_text(files: TreeFiles) -> None:
    assert files.text("text") == "one\ntwo\n"
    assert files.text("empty") == ""
    assert files.text("odd") == "caf\ufffd\r\n"
    assert files.text("mark") == "\ufeffx\n"
    assert files.text("late") == "x" * 8000 + "\0"
    assert files.text("full") == "x" * TEXT_LIMIT
    assert files.text("dir/name\n") == "deep\n"
    assert {name: files.text(name) for name in ("binary", "large", "link", "sub", "none")} == {
        "binary": None, "large": None, "link": None, "sub": None, "none": None
    }  # fmt: skip


def test_names(files: TreeFiles, git: Git) -> None:
    assert "text" in files
    assert "none" not in files
    assert files.oid("text") == git.entries(git.tree("HEAD"))["text"].oid
    assert files.oid("none") is None


@pytest.mark.parametrize("oid", ["1" * 40, "nonsense"])
def test_what_is_not_there_is_an_error(blobs: Blobs, git: Git, oid: str) -> None:
    with pytest.raises(GitError, match=f"the object {oid} could not be read"):
        blobs.read(oid)
    assert blobs.read(git.entries(git.tree("HEAD"))["text"].oid) == FILES["text"]  # still in step


def test_a_broken_object_is_an_error(repo: Repo, git: Git) -> None:
    oid = git.entries(git.tree("HEAD"))["late"].oid
    path = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    data = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(data[: len(data) // 2])
    reader = git.blobs()
    with pytest.raises(GitError):
        reader.read(oid)
    reader.close()


def test_git_that_has_ended_is_an_error(blobs: Blobs, git: Git) -> None:
    oid = git.entries(git.tree("HEAD"))["text"].oid
    child = blobs._dialogue._child
    child.kill()
    child.wait()
    for _ in range(2):
        with pytest.raises(GitError, match="could not be read"):
            blobs.read(oid)


def test_many_are_read_ahead(git: Git, blobs: Blobs) -> None:
    entries = git.entries(git.tree("HEAD"))
    files, others = TreeFiles(entries, blobs), TreeFiles(entries, blobs)
    files.read_ahead([*entries, "nowhere"])
    assert {name: files.text(name) for name in entries} == {
        name: others.text(name) for name in entries
    }
    assert files.text("text") == others.text("text")  # asked for again
    oid = entries["text"].oid
    assert list(blobs.texts([oid] * 1_100)) == [FILES["text"].decode()] * 1_100
    with pytest.raises(GitError, match="could not be read"):
        list(blobs.texts([oid, "0" * 40, entries["late"].oid]))
    assert blobs.read(oid) == FILES["text"]  # still in step


def test_several_threads(blobs: Blobs, git: Git) -> None:
    entries = git.entries(git.tree("HEAD"))
    names = [name for name in FILES if name not in ("full", "large")] * 100
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda name: blobs.read(entries[name].oid), names))
    assert found == [FILES[name] for name in names]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sizes of pipes are of Linux")
def test_pipes_that_take_little(git: Git, tmp_path: Path) -> None:
    """As they are for a user who has many of them open (pipe-user-pages-soft)."""
    program = tmp_path / "git"
    program.write_text(
        f"#!{sys.executable}\nimport fcntl, os, sys\n"
        "for pipe in (0, 1):\n    fcntl.fcntl(pipe, 1031, 4096)  # F_SETPIPE_SZ\n"
        f"os.execv({git.repository.program!r}, ['git', *sys.argv[1:]])\n"
    )
    program.chmod(0o755)
    blobs = Git(git.repository._replace(program=str(program)), git.store).blobs()
    blobs.read(oid := git.entries(git.tree("HEAD"))["late"].oid)  # it is set up by now
    assert len(list(blobs.texts([oid] * 300))) == 300
    blobs.close()

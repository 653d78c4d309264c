"""Names that git, a shell or a parser could trip over: of files, and of the repository itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake, check
from tests.support.situations import STAGED, WORKTREE, change, history
from tests.support.state import differences, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="names that Windows cannot have")

FILES = {
    "newline": b"a\nb.txt",
    "carriage return": b"a\rb.txt",
    "quotes": b"a\"b'c.txt",
    "tab": b"a\tb.txt",
    "backslash": b"a\\b.txt",
    "escape": b"a\x1b[31mb.txt",
    "not UTF-8": b"caf\xe9.txt",
    "halves of UTF-8": b"\xed\xa0\x80.txt",
    "option": b"-x.txt",
    "long option": b"--output=x.txt",
    "only an option": b"-x",
    "magic": b":(glob)x.txt",
    "short magic": b":!x.txt",
    "revision": b"HEAD",
    "index entry": b":0:x.txt",
    "spaces around": b" x.txt ",
    "only spaces": b"  ",
    "star": b"*.txt",
    "brackets": b"[a]{b,c}.txt",
    "percent": b"100%25.txt",
    "hash": b"#x.txt",
    "bang": b"!x.txt",
    "tilde": b"~root.txt",
    "dollar": b"$HOME.txt",
    "placeholder": b"{out}.txt",
    "at": b"@file.txt",
    "colon": b"c:x.txt",
    "composed": "\u00e9.txt".encode(),
    "decomposed": "e\u0301.txt".encode(),
    "line separator": "a\u2028b\u0085c.txt".encode(),
    "form feed": b"a\x0cb\x1cc.txt",
    "right to left": "\u202etxt.x".encode(),
    "longest": b"n" * 251 + b".txt",
}
PLACES = {
    "spaces": b"a b  c",
    "newline": b"new\nline",
    "newlines at the end": b"line\n\n",
    "format": b"new\nsha1",
    "variable": b"new\nGIT_DIR",
    "colon": b"a:b",
    "quote": b"a\"b'c",
    "leading quote": b'"a',
    "backslash": b"a\\b\nc",
    "not UTF-8": b"caf\xe9",
    "control": b"a\x0bb\x0cc\x1cd\x85",
    "line separator": "a\u2028b".encode(),
    "semicolon": b"a;b",
    "star": b"*",
    "option": b"-x",
    "hash": b"#a",
    "percent": b"%41",
    "git": b"a.git",
}

if sys.platform == "darwin":  # its file system keeps neither of these apart as bytes
    FILES = {
        k: v for k, v in FILES.items() if k not in ("not UTF-8", "halves of UTF-8", "decomposed")
    }
    PLACES = {k: v for k, v in PLACES.items() if k not in ("not UTF-8", "control")}


def shown(name: bytes) -> str:
    """Return a name as the JSON report has it: bytes that are not UTF-8 as ``\\xNN``."""
    return name.decode("utf-8", "backslashreplace")


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "log")


def all_files(fake: Fake) -> str:
    return fake.config().replace('["*.txt"]', '["*", "!/.sarifix.yaml"]')


def test_files(tmp_path: Path, fake: Fake) -> None:
    repo = Repo.init(tmp_path / "repo", {".sarifix.yaml": all_files(fake)})
    files = [repo.path / os.fsdecode(name) for name in FILES.values()]
    for file in files:
        file.write_text("BAD(old)\n")
    repo.commit("the files")
    for file in files:
        file.write_text("BAD(old)\nBAD(staged)\n")
    repo.git("add", "-A")
    for file in files:
        file.write_text("BAD(old)\nBAD(staged)\nBAD(edited)\n")
    before = state(repo.path)
    names = [shown(name) for name in FILES.values()]
    staged = {f"{name}:2 staged" for name in names}
    assert set(check(repo.path).rules()) == staged | {f"{name}:3 edited" for name in names}
    assert set(check(repo.path, "--head", "staged").rules()) == staged
    committed = {f"{name}:1 old" for name in names}
    assert set(check(repo.path, "--head", "HEAD", "--base", "HEAD~1").rules()) == committed
    assert differences(before, state(repo.path)) == []


def test_files_in_a_directory_that_was_renamed(tmp_path: Path, fake: Fake) -> None:
    repo = Repo.init(tmp_path / "repo", {".sarifix.yaml": all_files(fake)})
    for number, name in enumerate(FILES.values()):
        file = repo.path / "d" / os.fsdecode(name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"BAD(old)\n{number}\n")
    repo.commit("all")
    repo.git("mv", "d", "e\ne")
    before = state(repo.path)
    ran = check(repo.path)
    assert (ran.code, ran.rules(), ran.json["unchanged"]) == (0, [], len(FILES))
    assert differences(before, state(repo.path)) == []


@pytest.mark.parametrize("name", PLACES.values(), ids=PLACES)
def test_place(tmp_path: Path, fake: Fake, name: bytes) -> None:
    place = tmp_path / os.fsdecode(name)
    main = history(place / "repo", fake)
    repos = [main]
    if b"\n" not in name:  # git's own links between the two end at a line break
        main.git("worktree", "add", "-q", "../linked")
        repos.append(Repo(place / "linked"))
    for repo in repos:
        change(repo)
        before = state(repo.path)
        ran = check(repo.path)
        assert sorted(ran.rules()) == WORKTREE, ran.err
        assert check(repo.path, "--head", "staged").rules() == STAGED
        assert differences(before, state(repo.path)) == []


def test_a_very_long_place(tmp_path: Path, fake: Fake) -> None:
    place = tmp_path
    while len(os.fspath(place)) < os.pathconf(place, "PC_PATH_MAX") - 400:
        place /= "n" * 200
    repo = change(history(place / "repo", fake))
    before = state(repo.path)
    assert sorted(check(repo.path).rules()) == WORKTREE
    assert differences(before, state(repo.path)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="paths are shorter elsewhere")
def test_a_file_deeper_than_a_path_can_be_in_our_own_place(
    tmp_path: Path, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path
    while len(os.fspath(cache)) < 1500:
        cache /= "c" * 200
    monkeypatch.setenv("SARIFIX_CACHE", str(cache))
    repo = change(history(tmp_path / "repo", fake))
    deep = "/".join(["d" * 200] * 14) + "/x.txt"
    repo.write({deep: "BAD(deep)\n"})
    before = state(repo.path)
    assert sorted(check(repo.path).rules()) == sorted([*WORKTREE, f"{deep}:1 deep"])
    assert differences(before, state(repo.path)) == []


@pytest.mark.parametrize("sub", ["out", "out/deep"])
def test_from_a_directory_below(tmp_path: Path, fake: Fake, sub: str) -> None:
    repo = change(history(tmp_path / "repo", fake))
    before = state(repo.path)
    assert sorted(check(repo.path / sub).rules()) == WORKTREE
    assert differences(before, state(repo.path)) == []


def test_through_a_link_to_the_repository(tmp_path: Path, fake: Fake) -> None:
    repo = change(history(tmp_path / "repo", fake))
    (tmp_path / "link").symlink_to(repo.path)
    before = state(repo.path)
    assert sorted(check(tmp_path / "link" / "out").rules()) == WORKTREE
    assert differences(before, state(repo.path)) == []

"""Whatever is done to what sarifix keeps: the verdict is right, or it is an error, and no crash."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.lowly import lowly
from tests.support.repo import Repo
from tests.support.run import Fake, Ran, check
from tests.support.state import differences, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")

EXPECTED = ["a.txt:2 new", "sub/b.txt:1 other"]
FUTURE = 4_000_000_000


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacked")


@pytest.fixture
def cache(ground: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = ground / "there" / "cache"
    monkeypatch.setenv("SARIFIX_CACHE", str(cache))
    return cache


@pytest.fixture
def repo(ground: Path, cache: Path) -> Repo:
    """A repository that was checked: made once, and then put back at the same place."""
    there, kept = cache.parent, ground / "kept"
    if not kept.exists():
        made(there)
        shutil.copytree(there, kept, symlinks=True)
    else:
        shutil.rmtree(there)
        shutil.copytree(kept, there, symlinks=True)
    return Repo(there / "repo")


def made(there: Path) -> None:
    file, tree = Fake(there / "log"), Fake(there / "log2", "whole")
    config = "scanners:\n" + file.entry() + tree.entry(grain="tree")
    config += "rules:\n  deny: ['whole/*']\n"
    files = {"a.txt": "BAD(old)\n", "sub/b.txt": "fine\n", "c.txt": "BAD(c)\n"}
    repo = Repo.init(there / "repo", {".sarifix.yaml": config, **files})
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n", "sub/b.txt": "BAD(other)\n", "d.txt": "fine\n"})
    assert_right(check(repo.path))


def assert_right(ran: Ran) -> None:
    assert ran.code == 1, ran.err
    assert sorted(ran.rules()) == EXPECTED
    assert all(scanner["status"] == "ok" for scanner in ran.json["scanners"])


def entries(repo: Repo) -> list[Path]:
    found = sorted(repo.path.glob(".git/sarifix/results/??/*"))
    assert len(found) >= 6
    return found


Attack = Callable[[list[Path]], None]


def truncate(share: float) -> Attack:
    def attack(files: list[Path]) -> None:
        for file in files:
            os.truncate(file, int(file.stat().st_size * share))

    return attack


def flip(seed: int) -> Attack:
    def attack(files: list[Path]) -> None:
        chance = random.Random(seed)
        for file in files:
            data = bytearray(file.read_bytes())
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            file.write_bytes(data)

    return attack


def rotate(files: list[Path]) -> None:
    """Give each key the entry of another one: each is whole, and none is right."""
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, [*contents[1:], contents[0]], strict=True):
        file.write_bytes(content)


def instead(make: Callable[[Path, Path], object]) -> Attack:
    def attack(files: list[Path]) -> None:
        moved = files[0].parents[3] / "moved"
        moved.mkdir()
        for file in files:
            file.rename(moved / file.name)
        for file in files:
            make(file, moved / file.name)

    return attack


def dated(time: int) -> Attack:
    def attack(files: list[Path]) -> None:
        for file in files:
            os.utime(file, (time, time))

    return attack


def append(files: list[Path]) -> None:
    for file in files:
        file.write_bytes(file.read_bytes() + b" ")


ATTACKS: dict[str, Attack] = {
    **{
        f"truncated to {share:.0%}": truncate(share) for share in (0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
    },
    **{f"bit {seed} flipped": flip(seed) for seed in range(3)},
    "appended to": append,
    "rotated": rotate,
    "a directory": instead(lambda file, _: file.mkdir()),
    "a symlink to the entry": instead(lambda file, moved: file.symlink_to(moved)),
    "a symlink to itself": instead(lambda file, _: file.symlink_to(file)),
    "a symlink to /dev/zero": instead(lambda file, _: file.symlink_to("/dev/zero")),
    "a pipe": instead(lambda file, _: os.mkfifo(file)),
    "gone": instead(lambda file, _: None),
    "of the future": dated(FUTURE),
    "of the past": dated(0),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_results(repo: Repo, attack: Attack) -> None:
    attack(entries(repo))
    before = state(repo.path)
    assert_right(check(repo.path))
    assert_right(check(repo.path))
    assert differences(before, state(repo.path)) == []


def test_results_that_cannot_be_read(repo: Repo) -> None:
    for file in entries(repo):
        file.chmod(0)
    assert_right(lowly("check", "--format", "json", cwd=repo.path))


def replace(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def attack(place: Path) -> None:
        shutil.rmtree(place)
        make(place)

    return attack


def elsewhere(place: Path) -> None:
    other = place.with_name("other")
    place.rename(other)
    place.symlink_to(other)


PLACES: dict[str, Callable[[Path], None]] = {
    "gone": replace(lambda place: None),
    "a file": replace(lambda place: place.write_text("")),
    "a pipe": replace(os.mkfifo),
    "a dangling link": replace(lambda place: place.symlink_to("nowhere")),
    "a link": elsewhere,
    "open to others": lambda place: place.chmod(0o777),
    "closed": lambda place: place.chmod(0),
}


@pytest.mark.parametrize("attack", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("place", [".git/sarifix", ".git/sarifix/results"])
def test_the_directory_of_results(repo: Repo, place: str, attack: Callable[[Path], None]) -> None:
    attack(repo.path / place)
    try:
        assert_right(lowly("check", "--format", "json", cwd=repo.path))
    finally:
        if (repo.path / place).is_dir():
            (repo.path / place).chmod(0o700)


@pytest.mark.parametrize("kind", ["directory", "link", "pipe"])
def test_the_mark_of_the_last_sweep(repo: Repo, kind: str) -> None:
    mark = repo.path / ".git/sarifix/results/swept"
    mark.unlink()
    if kind == "directory":
        mark.mkdir()
    elif kind == "link":
        mark.symlink_to(repo.path / "a.txt")
    else:
        os.mkfifo(mark)
    before = state(repo.path)
    assert_right(check(repo.path))
    assert differences(before, state(repo.path)) == []


def own_files(cache: Path) -> list[Path]:
    """Return what is kept in the user's cache directory: objects, slots, their indexes."""
    return sorted(p for p in cache.rglob("*") if p.is_file())


def garbage(file: Path) -> None:
    file.chmod(0o600)
    file.write_bytes(b"\0garbage\xff\n" * 9)


def emptied(file: Path) -> None:
    file.chmod(0o600)
    file.write_bytes(b"")


STORE: dict[str, Callable[[Path], None]] = {
    "garbage": garbage,
    "empty": emptied,
    "gone": Path.unlink,
    "linked": lambda file: (file.unlink(), file.symlink_to("/dev/null"))[1],
}


@pytest.mark.parametrize("attack", STORE.values(), ids=STORE)
def test_the_store(repo: Repo, cache: Path, attack: Callable[[Path], None]) -> None:
    """All of it at once. What cannot be mended is an error, until the cache is cleared."""
    for file in own_files(cache):
        attack(file)
    before = state(repo.path)
    ran = check(repo.path, "--no-cache")
    assert "Traceback" not in ran.err
    if ran.code != 3:
        assert_right(ran)
    assert differences(before, state(repo.path)) == []
    shutil.rmtree(cache)
    assert_right(check(repo.path))


@pytest.mark.parametrize("name", ["a.txt", "c.txt", "new.txt"])
def test_a_scratch_tree_that_was_edited(repo: Repo, cache: Path, name: str) -> None:
    """A file that is edited, with its size and times kept, is laid out again."""
    for top in cache.glob("repos/*/slots/*/tree"):
        file = top / name
        before = file.stat() if file.exists() else None
        text = file.read_text() if before else ""
        file.write_text(text.replace("BAD(", "bad(") or "BAD(planted)\n")
        if before:
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert_right(check(repo.path, "--no-cache"))

"""The cache: what it keeps, and that any doubt is a miss."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sarifix import cache
from sarifix.cache import Cache
from sarifix.model import Finding, Level, Log, Region

LOG = Log(
    findings=(
        Finding(
            "ruff",
            "S602",
            Level.ERROR,
            "a \ud800 b\n",
            "dir/na\udcffme.py",
            Region(3, 5, None, 9),
            in_tree=True,
            secret=True,
            help_uri="https://example.com",
            fingerprints=(("a/v1", "x"), ("b", "y")),
        ),
        Finding("ruff", "x", Level.NONE, "", None, None, in_tree=False),
    ),
    suppressed=(Finding("ruff", "S1", Level.NOTE, "m", "a.py", Region(1)),),
    unread=("b\udcff.py",),
    notes=("one",),
)


@pytest.fixture
def store(tmp_path: Path) -> Cache:
    return Cache.open(tmp_path / "results")


def only_file(store: Cache) -> Path:
    assert store.directory is not None
    (file,) = store.directory.glob("??/*")
    return file


def test_a_log_comes_back_as_it_was() -> None:
    assert cache.load(cache.dump(LOG)) == LOG
    assert cache.load(cache.dump(Log())) == Log()


def test_what_was_put_is_found(store: Cache) -> None:
    name = cache.key("a")
    assert store.get(name) is None
    store.put(name, b"payload\nwith lines")
    assert store.get(name) == b"payload\nwith lines"
    assert only_file(store).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("one", "other"),
    [(("ab", "c"), ("a", "bc")), (("a",), ("a", "")), (("1:a",), ("1", "a")), (("",), ())],
)
def test_keys_do_not_run_together(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert cache.key(*one) != cache.key(*other)


def test_every_damage_is_a_miss(store: Cache) -> None:
    name = cache.key("a")
    store.put(name, b"payload")
    file = only_file(store)
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert store.get(name) is None
    for position in range(len(whole)):
        changed = bytearray(whole)
        changed[position] ^= 1
        file.write_bytes(bytes(changed))
        assert store.get(name) is None


def test_an_entry_under_another_key_is_a_miss(store: Cache) -> None:
    one, other = cache.key("a"), cache.key("b")
    store.put(one, b"payload")
    file = only_file(store)
    target = file.parents[1] / other[:2] / other[2:]
    target.parent.mkdir(exist_ok=True)
    file.rename(target)
    assert store.get(other) is None


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file types")
@pytest.mark.parametrize("kind", ["directory", "link", "pipe"])
def test_what_is_no_file_is_a_miss(store: Cache, tmp_path: Path, kind: str) -> None:
    name = cache.key("a")
    store.put(name, b"payload")
    file = only_file(store)
    moved = file.rename(tmp_path / "moved")
    if kind == "directory":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(moved)
    else:
        os.mkfifo(file)
    assert store.get(name) is None
    store.put(name, b"again")  # must not raise, whatever stands there


def test_no_directory_keeps_nothing() -> None:
    store = Cache(None)
    store.put(cache.key("a"), b"x")
    assert store.get(cache.key("a")) is None
    assert store.usage() == cache.Usage(0, 0)
    store.sweep()
    store.clear()


def test_the_first_directory_that_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert Cache.open(tmp_path / "file" / "x", tmp_path / "ok").directory == tmp_path / "ok"
    assert Cache.open(tmp_path / "file" / "x").directory is None


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX modes")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720])
def test_a_directory_that_others_may_write_is_not_used(tmp_path: Path, mode: int) -> None:
    directory = tmp_path / "shared"
    directory.mkdir()
    directory.chmod(mode)
    assert Cache.open(directory).directory is None


def test_a_link_in_place_of_the_directory_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "target")
    assert Cache.open(tmp_path / "link").directory is None


def test_usage_and_clear(store: Cache) -> None:
    store.put(cache.key("a"), b"x" * 100)
    store.put(cache.key("b"), b"y" * 100)
    store.sweep()
    used = store.usage()
    assert used.entries == 2
    assert used.size > 200
    store.clear()
    assert store.usage() == cache.Usage(0, 0)


def test_sweep_drops_by_age_once_a_day(store: Cache) -> None:
    now = 2_000_000_000.0
    for name, age in (("old", cache.MAX_AGE + 10), ("new", 10)):
        store.put(cache.key(name), b"x")
        path = store.directory / cache.key(name)[:2] / cache.key(name)[2:]  # type: ignore[operator]
        os.utime(path, (now - age, now - age))
    store.sweep(now)
    assert store.get(cache.key("old")) is None
    assert store.get(cache.key("new")) == b"x"


def test_sweep_drops_the_oldest_over_the_size(store: Cache) -> None:
    for number in range(10):
        store.put(cache.key(str(number)), b"x" * 200)
        path = store.directory / cache.key(str(number))[:2] / cache.key(str(number))[2:]  # type: ignore[operator]
        os.utime(path, (1e9 + number, 1e9 + number))
    store.sweep(1e9 + 20, max_size=1000)
    left = [n for n in range(10) if store.get(cache.key(str(n))) is not None]
    assert left == [7, 8, 9]


def test_sweep_is_not_done_twice_a_day(store: Cache) -> None:
    store.sweep()
    store.put(cache.key("old"), b"x")
    os.utime(only_file(store), (1, 1))
    store.sweep()
    assert store.get(cache.key("old")) == b"x"

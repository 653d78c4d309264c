"""The other options of ``sarifix check``: which scanners, which rules, how much is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake, check, sarifix

MakeRepo = Callable[..., Repo]

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git knows it without having it


@pytest.fixture
def fakes(tmp_path: Path) -> tuple[Fake, Fake]:
    return Fake(tmp_path / "log1", "one"), Fake(tmp_path / "log2", "two")


@pytest.fixture
def repo(make_repo: MakeRepo, fakes: tuple[Fake, Fake]) -> Repo:
    """Two scanners, one old and one new finding for each."""
    config = "scanners:\n" + "".join(fake.entry() for fake in fakes)
    made = make_repo({".sarifix.yaml": config, "a.txt": "BAD(old)\n"})
    made.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    return made


# -- which scanners ---------------------------------------------------------


def test_scanner_runs_that_one_only(repo: Repo, fakes: tuple[Fake, Fake]) -> None:
    ran = check(repo.path, "--scanner", "two")
    assert [s["name"] for s in ran.json["scanners"]] == ["two"]
    assert [len(fake.runs()) for fake in fakes] == [0, 2]


def test_scanner_may_be_given_more_than_once(repo: Repo) -> None:
    ran = check(repo.path, "--scanner", "two", "--scanner", "one", "--scanner", "two")
    assert [s["name"] for s in ran.json["scanners"]] == ["one", "two"]


def test_scanner_may_be_a_preset_that_is_not_configured(repo: Repo) -> None:
    repo.write({"a.py": "import os\n"})
    ran = check(repo.path, "--scanner", "ruff")
    assert (ran.code, ran.rules()) == (1, ["a.py:1 F401"])


@pytest.mark.parametrize(
    ("name", "hint"),
    [("onne", "did you mean one?"), ("rufff", "did you mean ruff?"), ("zzz", "known are ansible")],
)
def test_an_unknown_scanner_is_a_usage_error(repo: Repo, name: str, hint: str) -> None:
    ran = check(repo.path, "--scanner", name)
    assert ran.code == 2
    assert ran.json["error"]["message"] == f"--scanner {name}: no such scanner"
    assert ran.json["error"]["hint"].startswith(hint)


def test_one_that_is_switched_off_is_no_scanner(repo: Repo, fakes: tuple[Fake, Fake]) -> None:
    repo.write({".sarifix.yaml": "scanners:\n" + fakes[0].entry(more="enabled: false")})
    ran = check(repo.path, "--scanner", "one")
    assert ran.code == 2


# -- policy -----------------------------------------------------------------


def test_allowed_only(repo: Repo) -> None:
    repo.write({".sarifix.yaml": "rules:\n  allow: ['two/*']\n" + repo.read(".sarifix.yaml")})
    assert [f["scanner"] for f in check(repo.path).json["introduced"]] == ["one", "two"]
    ran = check(repo.path, "--allowed-only")
    assert [f["scanner"] for f in ran.json["introduced"]] == ["two"]
    assert [(h["by"], h["count"]) for h in ran.json["hidden"]] == [("rules.allow", 1)]


def test_allowed_only_without_a_list_allows_everything(repo: Repo) -> None:
    assert len(check(repo.path, "--allowed-only").json["introduced"]) == 2


# -- configuration ----------------------------------------------------------


def test_config_takes_the_place_of_the_repositorys(repo: Repo, tmp_path: Path) -> None:
    other = Fake(tmp_path / "log3", "other")
    (tmp_path / "elsewhere.yaml").write_text(other.config(), encoding="utf-8")
    ran = check(repo.path, "--config", str(tmp_path / "elsewhere.yaml"))
    assert [s["name"] for s in ran.json["scanners"]] == ["other"]


def test_config_is_relative_to_where_one_stands(repo: Repo, fakes: tuple[Fake, Fake]) -> None:
    repo.write({"sub/mine.yaml": fakes[0].config()})
    ran = check(repo.path / "sub", "--config", "mine.yaml")
    assert [s["name"] for s in ran.json["scanners"]] == ["one"]


def test_the_configuration_is_that_of_the_head(repo: Repo) -> None:
    repo.write({".sarifix.yaml": repo.read(".sarifix.yaml").split("  two:")[0]})
    assert [s["name"] for s in check(repo.path).json["scanners"]] == ["one"]
    staged = check(repo.path, "--head", "staged", "--base", EMPTY_TREE)
    assert [s["name"] for s in staged.json["scanners"]] == ["one", "two"]


def test_no_cache_neither_reads_nor_stores(repo: Repo, fakes: tuple[Fake, Fake]) -> None:
    check(repo.path, "--no-cache", "--scanner", "one")
    check(repo.path, "--scanner", "one")
    check(repo.path, "--no-cache", "--scanner", "one")
    assert len(fakes[0].runs()) == 6


# -- how much is said -------------------------------------------------------


def test_quiet_says_one_line_a_finding(repo: Repo) -> None:
    ran = sarifix("check", "-q", cwd=repo.path)
    assert ran.out.splitlines() == [
        "a.txt:2:1: error one/new: new is bad",
        "a.txt:2:1: error two/new: new is bad",
    ]
    assert (ran.code, ran.err) == (1, "")


def test_quiet_says_nothing_when_clean(repo: Repo) -> None:
    repo.commit()
    ran = sarifix("check", "--quiet", cwd=repo.path)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_verbose_says_what_ran_and_how_long(repo: Repo) -> None:
    plain = sarifix("check", cwd=repo.path)
    verbose = sarifix("check", "--verbose", cwd=repo.path)
    assert "cached" not in plain.out
    assert "one of unknown version: ok, base " in verbose.out
    assert verbose.out.count("(cached)") == 4


def test_nothing_is_said_on_stderr_when_it_is_no_terminal(repo: Repo) -> None:
    assert sarifix("check", "-v", cwd=repo.path).err == ""

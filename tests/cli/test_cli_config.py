"""A configuration that cannot be used: exit 2, where it is, what is expected, no traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import check, sarifix

MakeRepo = Callable[..., Repo]

ENTRY = "scanners:\n  mine:\n    command: [x, '{out}']\n"
MANY = "".join(f"{'[' * n}\n" for n in (50, 5000))

# What is written, where it is wrong, what the message says, what the hint says.
WRONG: dict[str, tuple[str | bytes, str, str, str]] = {
    "no YAML": ("rules: [a\nbase: x\n", "2:5", "not YAML", "quotes"),
    "a tab": ("rules:\n\tdeny: []\n", "2:1", "not YAML", "indentation"),
    "no mapping": ("- ruff\n", "1:1", "a list is given; expected a mapping", ""),
    "an unknown key": ("rule:\n  deny: []\n", "1:1", "rule: unknown key", "Did you mean rules?"),
    "an unknown key below": (
        "rules:\n  minlevel: error\n",
        "2:3",
        "rules.minlevel: unknown key; expected one of allow, deny, min_level",
        "Did you mean min_level?",
    ),
    "an unknown key of a scanner": (
        f"{ENTRY}    ok_exitcodes: [1]\n", "4:5", "unknown key", "ok_exit_codes?",
    ),
    "a key in the wrong place": (
        "min_level: error\n", "1:1", "min_level: unknown key", "rules.min_level?",
    ),
    "a wrong type": ("deadline: soon\n", "1:11", "the string 'soon' is given; expected a num", ""),
    "a list for a mapping": ("scanners: [ruff]\n", "1:11", "a list is given; expected a map", ""),
    "an unknown level": (
        "rules:\n  min_level: high\n", "2:14", "expected none, note, warning or error", "",
    ),
    "an unknown preset": ("scanners:\n  ruf: {}\n", "2:3", "scanners.ruf: no preset", "ruff?"),
    "an unknown preset by name": (
        "scanners:\n  a:\n    preset: ruf\n", "3:13", "there is no preset 'ruf'", "ruff?",
    ),
    "an empty command": (
        "scanners:\n  a:\n    command: []\n", "3:14", "an empty list is given; expected", "",
    ),
    "an empty program": (
        "scanners:\n  a:\n    command: ['']\n", "3:15", "the string '' is no program", "",
    ),
    "no files": (
        f"{ENTRY}    grain: file\n", "3:14", "{files} is missing, and the grain is file", "Add",
    ),
    "an open class": ("paths:\n  deny: ['a[']\n", "2:10", "[ that is never closed", ""),
    "a pattern that cannot be read": ("paths:\n  deny: ['[z-a]']\n", "2:10", "cannot be read", ""),
    "an empty pattern": (f"{ENTRY}    inputs: ['']\n", "4:14", "an empty pattern", ""),
    "a key given twice": ("base: a\nbase: b\n", "2:1", "given twice, first in line 1", ""),
    "a scanner given twice": (
        "scanners:\n  ruff: {}\n  bandit: {}\n  ruff: {}\n", "4:3", "given twice, first in", "",
    ),
    "not UTF-8": (b"base: HEAD\njobs: \xff\n", "2:1", "is not UTF-8", "save the file as UTF-8"),
    "a character that is no text": ("base: \0\n", "1:7", "not YAML", ""),
    "nested without end": (MANY, "", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_it_is_told_where_and_what_is_expected(make_repo: MakeRepo, name: str) -> None:
    text, place, message, hint = WRONG[name]
    repo = make_repo({"a.py": "x = 1\n"})
    repo.write({".sarifix.yaml": text})
    ran = check(repo.path)
    error = ran.json["error"]
    assert (ran.code, ran.json["outcome"]) == (2, "undecided")
    assert error["message"].startswith(f".sarifix.yaml:{place}")
    assert message in error["message"]
    assert hint in error["hint"]
    assert ran.err.startswith(f"sarifix: error: .sarifix.yaml:{place}")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", ["check", "doctor"])
def test_every_command_that_reads_it_refuses_it(make_repo: MakeRepo, command: str) -> None:
    repo = make_repo({".sarifix.yaml": "rule: {}\n", "a.py": "x = 1\n"})
    ran = sarifix(command, cwd=repo.path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0].startswith("sarifix: error: .sarifix.yaml:1:1: rule: ")


def test_the_file_is_called_what_the_user_called_it(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({"a.py": "x = 1\n"})
    (tmp_path / "mine.yaml").write_text("rule: {}\n", encoding="utf-8")
    ran = check(repo.path, "--config", "../mine.yaml")
    assert ran.code == 2
    assert ran.json["error"]["message"].startswith("../mine.yaml:1:1: rule: unknown key")


@pytest.mark.parametrize("name", ["gone.yaml", "."])
def test_a_file_that_cannot_be_read(make_repo: MakeRepo, name: str) -> None:
    ran = check(make_repo({"a.py": "x = 1\n"}).path, "--config", name)
    assert ran.code == 2
    assert ran.json["error"]["message"].startswith(f"{name}: cannot be read: ")
    assert ran.json["error"]["hint"] == "it must be a YAML file: docs/configuration.md"


def test_a_directory_of_its_name_is_no_configuration(make_repo: MakeRepo) -> None:
    ran = check(make_repo({"a.py": "x = 1\n", ".sarifix.yaml/a": ""}).path)
    assert ran.code == 2
    assert ran.json["error"]["message"].startswith(".sarifix.yaml: cannot be read: ")


def test_no_scanner_at_all_is_undecided(make_repo: MakeRepo) -> None:
    repo = make_repo({".sarifix.yaml": "scanners: {}\n", "a.py": "x = 1\n"})
    repo.write({"a.py": "x = 2\n"})
    ran = check(repo.path)
    assert ran.code == 3
    assert ran.json["error"]["message"] == "no scanner is configured, so nothing can be decided"


def test_an_empty_file_gives_the_defaults(make_repo: MakeRepo) -> None:
    repo = make_repo({".sarifix.yaml": "# nothing yet\n", "a.py": "x = 1\n"})
    repo.write({"a.py": "import os\n"})
    assert "a.py:1 F401" in check(repo.path).rules()

"""Files that a tool passes over in a directory are not named to it either."""

from __future__ import annotations

from sarifix.model import Scanner
from sarifix.scanners import PRESETS
from sarifix.scanners.ignored import without_ignored

SEMGREP = PRESETS["semgrep"]
PATHS = ["app.py", "tests/test_app.py", "vendor/x.py", "gen/y.py", "keep/z.py"]


def left(files: dict[str, str], scanner: Scanner = SEMGREP) -> list[str]:
    return without_ignored(scanner, PATHS, files.get)


def test_its_own_list_counts_where_there_is_no_file() -> None:
    assert left({}) == ["app.py", "gen/y.py", "keep/z.py"]


def test_the_file_takes_the_place_of_the_list() -> None:
    text = "# generated\n\ngen/\nkeep/*\n!keep/z.py\n"
    assert left({".semgrepignore": text}) == [
        "app.py", "tests/test_app.py", "vendor/x.py", "keep/z.py",
    ]  # fmt: skip


def test_an_empty_file_ignores_nothing() -> None:
    assert left({".semgrepignore": ""}) == PATHS


def test_a_file_may_include_another() -> None:
    files = {".semgrepignore": ":include .gitignore\ngen/\n", ".gitignore": "# x\nvendor/\n"}
    assert left(files) == ["app.py", "tests/test_app.py", "keep/z.py"]
    assert left({".semgrepignore": ":include .gitignore\ngen/\n"}) == [
        "app.py", "tests/test_app.py", "vendor/x.py", "keep/z.py",
    ]  # fmt: skip


def test_a_scanner_without_such_a_file_gets_all() -> None:
    assert left({".semgrepignore": "*"}, PRESETS["ruff"]) == PATHS

"""``sarifix init --pre-commit``: the entry, and nothing else of the file, changes."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix import __version__
from sarifix.errors import ConfigError
from sarifix.hooks.pre_commit_config import NAME, REPOSITORY, with_hook
from tests.support.frameworks import Framework
from tests.support.hooks import run
from tests.support.repo import Repo
from tests.support.run import Fake, sarifix

MakeRepo = Callable[..., Repo]
ENTRY = f"""\
  - repo: {REPOSITORY}
    rev: v{__version__}
    hooks:
      - id: sarifix
        additional_dependencies: [ruff==1.2.3, "bandit[sarif]"]
"""
PACKAGES = ["ruff==1.2.3", "bandit[sarif]"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, f"repos:\n{ENTRY}"),
        ("", f"repos:\n{ENTRY}"),
        ("# nothing yet", f"# nothing yet\nrepos:\n{ENTRY}"),
        ("exclude: x\n", f"exclude: x\nrepos:\n{ENTRY}"),
        (
            "# top\nrepos:\n  - repo: local\n    hooks:\n      - id: a # why\n      # - id: b\n",
            "# top\nrepos:\n  - repo: local\n    hooks:\n      - id: a # why\n      # - id: b\n"
            + ENTRY,
        ),
        (
            "repos:\n  - repo: 'x'\n    rev: \"1\"\n    hooks:\n      - id: a\n\n# of ci\nci: {}\n",
            "repos:\n  - repo: 'x'\n    rev: \"1\"\n    hooks:\n      - id: a\n"
            + ENTRY
            + "\n# of ci\nci: {}\n",
        ),
    ],
    ids=["none", "empty", "comment", "no-repos", "comments", "more-keys"],
)
def test_the_entry_comes_last_and_the_rest_stays(old: str | None, new: str) -> None:
    assert with_hook(old, PACKAGES) == new
    assert with_hook(new, ["other"]) == new


def test_the_entry_is_indented_as_its_neighbours_are() -> None:
    old = "repos:\n-   repo: x\n    rev: v1\n    hooks:\n    -   id: a\n"
    new = with_hook(old, ["ruff"])
    assert new == (
        f"{old}-   repo: {REPOSITORY}\n    rev: v{__version__}\n    hooks:\n    -   id: sarifix\n"
        "        additional_dependencies: [ruff]\n"
    )


def test_a_neighbour_without_a_list_of_hooks_in_lines() -> None:
    old = "repos:\n- repo: x\n  rev: v1\n  hooks: [{id: a}]"
    assert with_hook(old, []) == (
        f"{old}\n- repo: {REPOSITORY}\n  rev: v{__version__}\n  hooks:\n    - id: sarifix\n"
    )


def test_line_ends_stay() -> None:
    old = "repos:\r\n  - repo: x\r\n    rev: v1\r\n    hooks:\r\n      - id: a\r\n"
    new = with_hook(old, ["ruff"])
    assert new.startswith(old)
    assert new.count("\r\n") == new.count("\n") == 10


@pytest.mark.parametrize("old", ["repos: []\n", "repos:\n", "a: 1 # a\nrepos: [{repo: meta}]\n"])
def test_a_list_in_flow_style_is_written_anew(old: str) -> None:
    new = with_hook(old, ["ruff"])
    assert f"- repo: {REPOSITORY}" in new
    assert with_hook(new, ["ruff"]) == new
    assert ("# a" in new) == ("# a" in old)


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ("repos: [\n", f"{NAME}:2:1: "),
        ("a: 1\na: 2\n", f"{NAME}:2:1: "),
        ("- repo: x\n", "is not a mapping"),
        ("repos: {a: 1}\n", "`repos` is not a list"),
        ("repos: 7\n", "`repos` is not a list"),
        ("a: \x07\n", NAME),
    ],
)
def test_what_cannot_be_parsed_is_refused(old: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        with_hook(old, [])
    assert message in refused.value.message
    assert refused.value.hint


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    system = ("/usr/bin", "/bin")
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), *system)))


def test_the_scanners_of_the_configuration_are_installed(
    make_repo: MakeRepo, scripts: None
) -> None:
    own = Fake(Path("log"), "own").entry()
    config = f"scanners:\n  style: {{preset: ruff}}\n  eslint: {{}}\n{own}"
    repo = make_repo({".sarifix.yaml": config})
    ran = sarifix("init", "--pre-commit", "--yes", cwd=repo.path)
    assert ran.code == 0
    assert "        additional_dependencies: [ruff==0.17.6]\n" in repo.read(NAME)
    assert f"+++ {repo.path / NAME}" in ran.out
    assert "+      - id: sarifix" in ran.out
    written = repo.read(NAME)
    again = sarifix("init", "--pre-commit", cwd=repo.path)
    assert again.code == 0
    assert "nothing to do" in again.out
    assert repo.read(NAME) == written


def test_without_a_configuration_those_that_apply_are_installed(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, scripts: None
) -> None:
    repo = make_repo({"a.py": "x = 1\n"})
    sarifix("init", "--pre-commit", "--yes", cwd=repo.path)
    assert "ruff==" in repo.read(NAME)
    assert "bandit[sarif]==" in repo.read(NAME)
    assert "zizmor" not in repo.read(NAME)
    repo.remove(NAME)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("sys.prefix", "/nonexistent")  # where our own scripts are
    sarifix("init", "--pre-commit", "--yes", cwd=repo.path)
    assert '"bandit[sarif]", ' in repo.read(NAME)
    assert "==" not in repo.read(NAME)


def test_it_asks_first(make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repo({".sarifix.yaml": Fake(Path("log")).config()})
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert "left as it is" in sarifix("init", "--pre-commit", cwd=repo.path).out
    assert not (repo.path / NAME).exists()
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    sub = repo.path / "sub"
    sub.mkdir()
    assert "pre-commit install" in sarifix("init", "--pre-commit", cwd=sub).out
    assert "additional_dependencies" not in repo.read(NAME)


def test_a_file_that_cannot_be_parsed_stays(make_repo: MakeRepo) -> None:
    repo = make_repo({".sarifix.yaml": Fake(Path("log")).config(), NAME: "repos: [\n"})
    ran = sarifix("init", "--pre-commit", "--yes", cwd=repo.path)
    assert ran.code == 2
    assert f"{NAME}:2:1" in ran.err
    assert repo.read(NAME) == "repos: [\n"


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_the_frameworks_take_the_file(make_repo: MakeRepo, name: str) -> None:
    repo = make_repo({NAME: with_hook(None, PACKAGES)})
    program = Framework(name, repo.path, repo).program
    done = run(repo, program, "validate-config", NAME)
    assert done.code == 0, done.out


def test_a_hook_of_another_name_that_runs_us_is_there_already() -> None:
    old = "repos:\n- repo: local\n  hooks:\n  - id: mine\n    entry: sarifix pre-commit -q\n"
    assert with_hook(old, []) == old

"""``sarifix doctor``: what is found, what applies, and why the rest does not."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix import __version__
from sarifix.scanners import PRESETS
from tests.support.repo import Repo
from tests.support.run import Ran, sarifix

MakeRepo = Callable[..., Repo]

PYTHON = {"app.py": "x = 1\n", ".gitignore": "/.venv/\n"}
SCRIPT = f"#!{sys.executable}\nprint('{{0}} 9.8.7')\n"


def install(repo: Repo, *names: str) -> None:
    """Put programs into the repository's ignored environment: they say a version, no more."""
    directory = repo.path / ".venv" / "bin"
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        program = directory / name
        program.write_text(SCRIPT.format(name), encoding="utf-8")
        program.chmod(0o755)


@pytest.fixture(autouse=True)
def bare_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leave git alone on ``PATH``. What is installed beside sarifix is found all the same."""
    git = shutil.which("git")
    assert git
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def sections(ran: Ran) -> dict[str, dict[str, str]]:
    """Return the tables and lists by their titles: scanner to the rest of its line."""
    found: dict[str, dict[str, str]] = {}
    for block in ran.out.split("\n\n")[1:]:
        title, _, rest = block.partition("\n")
        if ": " in title and not rest:
            title, _, names = title.partition(": ")
            found[title] = dict.fromkeys(names.strip().split(", "), "")
        else:
            rows = (line.strip().partition(" ") for line in rest.splitlines())
            found[title] = {name: text.strip() for name, _, text in rows}
    return found


def test_without_a_configuration(make_repo: MakeRepo) -> None:
    repo = make_repo(PYTHON)
    install(repo, "golangci-lint", "ast-grep")
    ran = sarifix("doctor", cwd=repo.path)
    found = sections(ran)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"sarifix {__version__}, Python {sys.version.split()[0]}, git ")
    assert f"\nrepository     {repo.path}\n" in ran.out
    assert "\nconfiguration  no .sarifix.yaml: every scanner that applies runs\n" in ran.out
    version, _, path = found["runs here"]["ruff"].partition(" ")
    assert version[0].isdigit()
    assert Path(path.strip()).name == "ruff"
    assert found["installed, but does not apply"]["golangci-lint"] == "no file that it reads"
    assert "sgconfig.yml" in found["installed, but does not apply"]["ast-grep"]
    assert "eslint" in found["neither installed nor needed"]
    assert ran.out.endswith("\n\nTry it: `sarifix check`\n")


def test_every_preset_is_accounted_for_once(make_repo: MakeRepo) -> None:
    ran = sarifix("doctor", cwd=make_repo(PYTHON).path)
    names = [name for table in sections(ran).values() for name in table]
    assert sorted(name for name in names if name in PRESETS) == sorted(PRESETS)


def test_what_would_run_is_told_with_its_install_command(make_repo: MakeRepo) -> None:
    repo = make_repo({**PYTHON, "go.mod": "module x\n", "a.go": "package a\n"})
    found = sections(sarifix("doctor", cwd=repo.path))
    assert found["would run here, but is not installed"]["golangci-lint"]


def test_the_repositorys_own_environment_is_looked_through(make_repo: MakeRepo) -> None:
    repo = make_repo({**PYTHON, "go.mod": "module x\n", "a.go": "package a\n"})
    install(repo, "golangci-lint")
    found = sections(sarifix("doctor", cwd=repo.path))
    path = repo.path / ".venv" / "bin" / "golangci-lint"
    assert found["runs here"]["golangci-lint"].split() == ["9.8.7", str(path)]


def test_with_a_configuration(make_repo: MakeRepo) -> None:
    config = """\
scanners:
  ruff: {}
  hadolint: {enabled: false}
  golangci-lint: {required: false}
  mine:
    command: [.venv/bin/mine, "{out}"]
    inputs: ["*.xyz"]
    version_command: [mine, --version]
"""
    repo = make_repo({**PYTHON, ".sarifix.yaml": config})
    install(repo, "mine")
    ran = sarifix("doctor", cwd=repo.path)
    found = sections(ran)
    assert ran.code == 0
    assert "\nconfiguration  .sarifix.yaml\n" in ran.out
    assert set(found["configured"]) == {"ruff", "mine"}
    assert found["configured"]["mine"].startswith("9.8.7 ")
    assert "not required" in found["configured, but not found"]["golangci-lint"]
    assert found["configured, but has nothing to go by here"] == {"mine": "no file that it reads"}
    assert found["switched off in the configuration"] == {"hadolint": ""}
    assert "bandit" in found["would run here too, but is not configured"]
    assert "ruff" not in found["would run here too, but is not configured"]


@pytest.mark.parametrize("entry", ["golangci-lint: {}", "gone: {command: [no-such-program]}"])
def test_a_required_scanner_that_is_missing(make_repo: MakeRepo, entry: str) -> None:
    name = entry.partition(":")[0]
    repo = make_repo({**PYTHON, ".sarifix.yaml": f"scanners:\n  {entry}\n"})
    ran = sarifix("doctor", cwd=repo.path)
    assert ran.code == 3
    assert sections(ran)["configured, but not found"][name]
    last = f"A check would be undecided: {name} must run and cannot be found."
    assert ran.out.splitlines()[-1] == last


def test_a_program_without_a_version(make_repo: MakeRepo) -> None:
    config = "scanners:\n  mine: {command: [.venv/bin/mine], version_command: [mine, -x]}\n"
    repo = make_repo({**PYTHON, ".sarifix.yaml": config})
    install(repo, "mine")
    (repo.path / ".venv" / "bin" / "mine").write_text("no program at all", encoding="utf-8")
    ran = sarifix("doctor", cwd=repo.path)
    assert sections(ran)["configured"]["mine"].startswith("?")


def test_config_names_another_file(make_repo: MakeRepo, tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("scanners: {ruff: {}}\n", encoding="utf-8")
    ran = sarifix("doctor", "--config", str(tmp_path / "my.yaml"), cwd=make_repo(PYTHON).path)
    assert f"\nconfiguration  {tmp_path}{os.sep}my.yaml\n" in ran.out
    assert set(sections(ran)["configured"]) == {"ruff"}


def test_an_empty_configuration_is_refused_as_by_check(make_repo: MakeRepo) -> None:
    repo = make_repo({**PYTHON, ".sarifix.yaml": "scanners: {}\n"})
    ran = sarifix("doctor", cwd=repo.path)
    assert ran.code == 3
    assert "no scanner is configured" in ran.err


def test_outside_a_repository(tmp_path: Path) -> None:
    ran = sarifix("doctor", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "not a git repository" in ran.err

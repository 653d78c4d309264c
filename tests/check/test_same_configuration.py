"""Both sides are scanned with the same configuration, and the report says when it differs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.repo import Repo
from tests.support.run import Fake, check

MakeRepo = Callable[..., Repo]

RUFF = "scanners:\n  ruff: {}\n"
OLD = "import os\nimport subprocess\n\nsubprocess.call('ls *', shell=True)\n"


def pyproject(*select: str) -> str:
    return f"[tool.ruff.lint]\nselect = {list(select)}\n"


def test_a_rule_that_is_switched_on_makes_no_old_finding_new(make_repo: MakeRepo) -> None:
    repo = make_repo({".sarifix.yaml": RUFF, "a.py": OLD, "pyproject.toml": pyproject("S602")})
    repo.write({"pyproject.toml": pyproject("S", "F"), "a.py": f"{OLD}x = 1\n"})
    ran = check(repo.path)
    assert (ran.code, ran.json["introduced"]) == (0, [])
    assert ran.json["unchanged"] >= 2
    assert any("pyproject.toml differs" in note for note in ran.json["notes"])


def test_a_new_file_finding_of_the_new_rule_is_reported(make_repo: MakeRepo) -> None:
    repo = make_repo({".sarifix.yaml": RUFF, "a.py": OLD, "pyproject.toml": pyproject("S602")})
    repo.write({"pyproject.toml": pyproject("S602", "F"), "a.py": OLD, "b.py": "import sys\n"})
    assert check(repo.path).rules() == ["b.py:1 F401"]


def test_a_configuration_change_alone_scans_nothing(make_repo: MakeRepo) -> None:
    repo = make_repo({".sarifix.yaml": RUFF, "a.py": OLD, "pyproject.toml": pyproject("S602")})
    repo.write({"pyproject.toml": pyproject("S", "F")})
    ran = check(repo.path)
    assert ran.code == 0
    assert ran.scanner("ruff")["status"] == "skipped"


def test_an_ignore_that_is_taken_away_makes_no_old_finding_new(make_repo: MakeRepo) -> None:
    ignored = pyproject("S602") + "per-file-ignores = {'a.py' = ['S602']}\n"
    repo = make_repo({".sarifix.yaml": RUFF, "a.py": OLD, "pyproject.toml": ignored})
    repo.write({"pyproject.toml": pyproject("S602"), "a.py": f"{OLD}x = 1\n"})
    ran = check(repo.path)
    assert (ran.code, ran.json["unchanged"]) == (0, 1)


def test_configuration_that_arguments_name(make_repo: MakeRepo) -> None:
    config = "scanners:\n  ruff:\n    args: [--config, lint/my.toml]\n"
    one, both = "lint.select = ['S602']\n", "lint.select = ['S602', 'F401']\n"
    repo = make_repo({".sarifix.yaml": config, "a.py": OLD, "lint/my.toml": one})
    repo.write({"lint/my.toml": both, "a.py": f"{OLD}x = 1\n"})
    ran = check(repo.path)
    assert (ran.code, ran.json["unchanged"]) == (0, 2)
    assert any("lint/my.toml differs" in note for note in ran.json["notes"])


def test_a_deleted_configuration_is_deleted_on_both_sides(make_repo: MakeRepo) -> None:
    repo = make_repo({".sarifix.yaml": RUFF, "a.py": OLD, "ruff.toml": "lint.ignore = ['F']\n"})
    repo.remove("ruff.toml")
    repo.write({"a.py": f"{OLD}x = 1\n"})
    ran = check(repo.path)
    assert (ran.code, ran.json["unchanged"]) == (0, 1)


def test_a_finding_in_a_changed_configuration_file_is_known(
    make_repo: MakeRepo, tmp_path: Path
) -> None:
    """A file that is both: it is held equal, so nothing in it can look new."""
    fake = Fake(tmp_path / "log")
    config = fake.config(grain="tree", more='config_files: ["conf.txt"]')
    repo = make_repo({".sarifix.yaml": config, "conf.txt": "x\n", "a.txt": "a\n"})
    repo.write({"conf.txt": "BAD(conf)\n", "a.txt": "BAD(a)\n"})
    assert check(repo.path).rules() == ["a.txt:1 a"]


def test_configuration_in_the_home_directory_makes_no_old_finding_new(
    make_repo: MakeRepo, isolation: Path
) -> None:
    """It is the same for both sides, so a result from before it changed is not used."""
    repo = make_repo({".sarifix.yaml": RUFF, "a.py": OLD})
    repo.write({"a.py": f"{OLD}x = 1\n"})
    assert check(repo.path).code == 0
    user = isolation / ".config" / "ruff" / "ruff.toml"
    user.parent.mkdir(parents=True)
    user.write_text("lint.select = ['F', 'S']\n", encoding="utf-8")
    repo.write({"a.py": f"{OLD}x = 2\n"})
    ran = check(repo.path)
    assert (ran.code, ran.json["introduced"]) == (0, [])
    assert ran.json["unchanged"] > 1

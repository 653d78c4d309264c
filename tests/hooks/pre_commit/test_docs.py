"""What the documentation shows can be copied as it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from sarifix import __version__
from sarifix.hooks.ci import MARKS
from sarifix.hooks.pre_commit_config import HOOK, NAME, REPOSITORY
from tests.support.frameworks import TOP, Framework
from tests.support.hooks import run
from tests.support.repo import Repo

MakeRepo = Callable[..., Repo]
PAGES = {name: (TOP / "docs" / name).read_text() for name in ("pre-commit.md", "ci.md")}
BLOCKS = [
    text
    for page in PAGES.values()
    for text in re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
]
CONFIGS = [block for block in BLOCKS if re.search(r"^repos:", block, re.MULTILINE)]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_example_is_yaml(block: str) -> None:
    assert isinstance(YAML(typ="safe", pure=True).load(block), dict)


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_the_three_configurations_are_valid(make_repo: MakeRepo, name: str) -> None:
    assert len(CONFIGS) == 3
    repo = make_repo({})
    program = Framework(name, repo.path, repo).program
    for config in CONFIGS:
        repo.write({NAME: config})
        done = run(repo, program, "validate-config", NAME)
        assert (done.code, "warning" in done.out.lower()) == (0, False), done.out


def test_they_name_this_version_and_this_hook() -> None:
    (hook,) = YAML(typ="safe", pure=True).load(Path(TOP, ".pre-commit-hooks.yaml"))
    assert hook["id"] == HOOK
    for config in CONFIGS:
        (repository,) = YAML(typ="safe", pure=True).load(config)["repos"]
        (used,) = repository["hooks"]
        assert used["id"] == HOOK
        if repository["repo"] == "local":
            shared = ("entry", "pass_filenames", "always_run", "require_serial", "stages")
            assert {key: used[key] for key in shared} == {key: hook[key] for key in shared}
        else:
            assert (repository["repo"], repository["rev"]) == (REPOSITORY, f"v{__version__}")


def test_every_mark_of_a_service_is_documented() -> None:
    for mark in MARKS:
        assert f"`{mark}`" in PAGES["ci.md"]

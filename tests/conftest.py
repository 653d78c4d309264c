"""The harness: no test sees the user's home, cache or git configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.repo import Repo


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="run the tests marked slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--run-slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow: run with --run-slow"))


@pytest.fixture(autouse=True)
def isolation(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a home, a cache and a git configuration of its own."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("SARIFIX_CACHE", str(home / "sarifix-cache"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in (
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_WORK_TREE",
        "CI",
        "GITHUB_ACTIONS",
        "SARIFIX_BASE",
        "NO_COLOR",
        "FORCE_COLOR",
        "XDG_CONFIG_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """Return a maker of repositories: ``make_repo(files, name="repo")``."""

    def make(files: Mapping[str, str | bytes] | None = None, name: str = "repo") -> Repo:
        return Repo.init(tmp_path / name, files)

    return make

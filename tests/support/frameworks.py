"""The hook as users install it: from a repository, by pre-commit, prek or lefthook."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.hooks import Done, run
from tests.support.repo import Repo
from tests.support.tools import ENVIRONMENT

TOP = Path(__file__).parent.parent.parent
SHIPPED = ("sarifix", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
STAGES = ("pre-commit", "pre-merge-commit", "pre-push")
RUFF = "ruff==0.17.6"


def hook_repository(path: Path) -> Repo:
    """Make a repository of what is in this checkout, committed or not."""
    path.mkdir(parents=True)
    for name in SHIPPED:
        source = TOP / name
        if source.is_dir():
            shutil.copytree(source, path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, path / name)
    return Repo.init(path, {})


@dataclass(frozen=True)
class Framework:
    """pre-commit or prek, with a home in which the hook is installed once."""

    name: str
    home: Path
    hook: Repo

    @property
    def program(self) -> Path:
        """Its program, installed beside the python that runs the tests."""
        found = shutil.which(self.name, path=str(Path(sys.executable).parent))
        assert found, f"{self.name} is not installed"
        return Path(found)

    @property
    def env(self) -> dict[str, str]:
        """What its commands and hooks need; of our environment no program but git's."""
        system = os.pathsep.join(("/usr/bin", "/bin", str(Path(shutil.which("git") or "").parent)))
        homes = {"PRE_COMMIT_HOME": str(self.home), "PREK_HOME": str(self.home)}
        return {**homes, "PATH": system}

    def config(self, dependencies: str = RUFF, more: str = "") -> str:
        """Return a ``.pre-commit-config.yaml`` with the hook alone."""
        sha = self.hook.git("rev-parse", "HEAD")
        lines = [
            "repos:",
            f"  - repo: {self.hook.path.as_uri()}",
            f"    rev: {sha}",
            "    hooks:",
            "      - id: sarifix",
            f"        additional_dependencies: [{dependencies}]",
            *(f"        {line}" for line in more.splitlines()),
        ]
        return "".join(f"{line}\n" for line in lines)

    def prepare(self, repo: Repo) -> None:
        """Install the environments of the hooks, with the network and the user's settings."""
        done = run(repo, self.program, "install-hooks", env={**ENVIRONMENT, **self._homes()})
        assert done.code == 0, done.out

    def _homes(self) -> dict[str, str]:
        return {"PRE_COMMIT_HOME": str(self.home), "PREK_HOME": str(self.home)}

    def install(self, repo: Repo) -> None:
        """Install the hooks of git."""
        types = [word for stage in STAGES for word in ("-t", stage)]
        done = self.run(repo, "install", *types)
        assert done.code == 0, done.out

    def run(self, repo: Repo, *args: str, env: Mapping[str, str] | None = None) -> Done:
        """Run one of its commands."""
        return run(repo, self.program, *args, env={**self.env, **(env or {})})

    def git(self, repo: Repo, *args: str, env: Mapping[str, str] | None = None) -> Done:
        """Run git, with the hooks finding what they need."""
        return run(repo, "git", *args, env={**self.env, **(env or {})})

"""Hooks of git in test repositories, and what they saw."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.repo import IDENTITY, Repo

# Writes down the tree that the commit will have, and what sarifix says of it.
_SCRIPT = """#!/bin/sh
seen="$(git rev-parse --git-common-dir)/seen"
mkdir -p "$seen"
cp "${{GIT_INDEX_FILE:-$(git rev-parse --git-path index)}}" "$seen/index" 2>/dev/null
GIT_INDEX_FILE="$(cd "$seen" && pwd)/index" git write-tree >> "$seen/trees"
exec '{python}' -m sarifix pre-commit --format json --output "$seen/report" "$@" {args}
"""
_PUSH = """#!/bin/sh
exec '{python}' -m sarifix pre-commit --pre-push "$1"
"""


@dataclass(frozen=True)
class Done:
    """How a command ended, and all that it said."""

    code: int
    out: str


def run(
    repo: Repo, *argv: str | Path, stdin: str | None = None, env: Mapping[str, str] | None = None
) -> Done:
    """Run a program in the repository, with both streams in one, as a person sees them."""
    done = subprocess.run(
        argv,
        cwd=repo.path,
        env={**os.environ, **IDENTITY, "GIT_EDITOR": "true", **(env or {})},
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout)


def git(
    repo: Repo, *args: str, stdin: str | None = None, env: Mapping[str, str] | None = None
) -> Done:
    """Run git, whatever its exit code, with its output."""
    return run(repo, "git", *args, stdin=stdin, env=env)


@dataclass(frozen=True)
class Hooks:
    """The plain hooks of a repository, without any framework."""

    repo: Repo

    @classmethod
    def install(cls, repo: Repo, args: str = "") -> Hooks:
        """Install the hooks of commits and merges, which also keep what they saw."""
        for stage in ("pre-commit", "pre-merge-commit"):
            _write(repo, stage, _SCRIPT.format(python=sys.executable, args=args))
        return cls(repo)

    def trees(self) -> list[str]:
        """Return the tree of each commit that the hook saw, before sarifix ran."""
        path = self._seen / "trees"
        return path.read_text().split() if path.exists() else []

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report of the last run."""
        return json.loads((self._seen / "report").read_text())  # type: ignore[no-any-return]

    def rules(self) -> list[str]:
        """Return ``path:line rule`` of what the last run reported."""
        return [f"{f['path']}:{f['line']} {f['rule']}" for f in self.report["introduced"]]

    @property
    def _seen(self) -> Path:
        return self.repo.path / self.repo.git("rev-parse", "--git-common-dir") / "seen"


def install_pre_push(repo: Repo) -> None:
    """Install the plain hook of a push."""
    _write(repo, "pre-push", _PUSH.format(python=sys.executable))


def _write(repo: Repo, name: str, text: str) -> None:
    hook = repo.path / repo.git("rev-parse", "--git-path", "hooks") / name
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text(text)
    hook.chmod(0o755)

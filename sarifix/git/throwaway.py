"""A repository to play in, for ``sarifix demo``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sarifix import process
from sarifix.errors import GitError
from sarifix.git.repository import find_program, one_line
from sarifix.git_settings import flags

_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "sarifix demo"), ("EMAIL", "demo@example.com"))
}


def make(top: Path, files: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Make a repository at ``top`` with ``files`` as its only commit.

    Returns the environment to work in it with: that of the user, less all that would
    lead git elsewhere. Raises ``GitError``.
    """
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    env = {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **_IDENTITY}
    program = find_program(env, str(top.parent))
    write(top, files)
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "base")):
        done = process.run([program, *flags(), *command], cwd=str(top), env=env)
        if done.returncode:
            raise GitError(f"git {command[0]} failed in {top}: {one_line(done.stderr)}")
    return env


def write(top: Path, files: Mapping[str, str]) -> None:
    """Write files below ``top``."""
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

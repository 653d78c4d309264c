"""A builder for real git repositories."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


class Repo:
    """A repository at ``path``; made by ``Repo.init`` or taken as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def init(cls, path: Path, files: Mapping[str, str | bytes] | None = None) -> Repo:
        """Make a repository with ``files`` as its first commit (none: unborn HEAD)."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "-q", "-b", "main")
        if files is not None:
            repo.write(files)
            repo.commit("base")
        return repo

    def git(self, *args: str, check: bool = True, env: Mapping[str, str] | None = None) -> str:
        """Run git here and return its standard output."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, **IDENTITY, **(env or {})},
            capture_output=True,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"git {args}: {done.stderr.decode(errors='replace')}")
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files of the working tree, with their directories."""
        for name, content in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, name: str) -> str:
        """Return the text of a file of the working tree."""
        return (self.path / name).read_bytes().decode()

    def remove(self, *names: str) -> None:
        """Delete files of the working tree."""
        for name in names:
            (self.path / name).unlink()

    def commit(self, message: str = "change") -> str:
        """Commit everything in the working tree and return the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

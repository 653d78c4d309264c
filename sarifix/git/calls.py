"""Calling git on a repository, with an object store of our own in front of the user's."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sarifix import process
from sarifix.errors import GitError
from sarifix.git.repository import Repository, one_line
from sarifix.git_settings import ENVIRONMENT, flags
from sarifix.named import NamedTuple


class Setting(NamedTuple):
    """One line of git's configuration; ``origin`` is a ``file:...``, or how else it was given."""

    origin: str
    key: str
    value: str


class Calls:
    """One door to git. ``store`` is our own directory: objects and temporary files.

    What git writes goes to ``store/objects``, so nothing of it is left in the user's
    repository, a read-only one will do, and ``git gc`` there takes nothing of ours away.
    """

    def __init__(self, repository: Repository, store: Path) -> None:
        self.repository = repository
        self.store = store
        self.objects = store / "objects"
        self._env = {
            **repository.environ,
            **ENVIRONMENT,
            "GIT_DIR": repository.git_dir,
            "GIT_WORK_TREE": repository.top,
            "GIT_OBJECT_DIRECTORY": str(self.objects),
        }
        try:
            self._prepare()
        except OSError as error:
            raise GitError(
                f"the object store {self.objects} cannot be made: {error.strerror}",
                "set SARIFIX_CACHE to a directory that can be written",
            ) from error

    def _prepare(self) -> None:
        (self.objects / "info").mkdir(parents=True, exist_ok=True)
        (self.store / "tmp").mkdir(exist_ok=True)
        # A file, not GIT_ALTERNATE_OBJECT_DIRECTORIES: that is split at each colon.
        alternates = self.objects / "info" / "alternates"
        wanted = alternates_line(self.repository.objects)
        if not alternates.exists() or alternates.read_bytes() != wanted:
            replace(alternates, wanted)

    def _run(
        self,
        *args: str,
        index: Path | None = None,
        stdin: bytes | None = None,
        ok: Sequence[int] = (0,),
        settings: Sequence[str] = (),
        literal: bool = True,
    ) -> process.Completed:
        """Run one git command; raises ``GitError`` for an exit code that is not ``ok``."""
        env = {**self._env, "GIT_LITERAL_PATHSPECS": "1" if literal else "0"}
        if index is not None:
            env["GIT_INDEX_FILE"] = str(index)
        argv = [self.repository.program, *flags(settings), *args]
        try:
            done = process.run(argv, cwd=self.repository.top, env=env, stdin=stdin)
        except OSError as error:
            raise GitError(f"git {args[0]} could not be started: {error}") from error
        if done.returncode not in ok:
            said = one_line(done.stderr) or f"exit code {done.returncode}"
            raise GitError(f"git {args[0]} failed: {said}")
        return done

    @functools.cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Git's configuration, read once; what counts more comes later."""
        listed = os.fsdecode(self._run("config", "-z", "--list", "--show-origin").stdout)
        fields = listed.split("\0")
        pairs = zip(fields[::2], (field.partition("\n") for field in fields[1::2]), strict=False)
        return tuple(Setting(origin, key, value) for origin, (key, _, value) in pairs)

    def _names(self, *args: str, index: Path, settings: Sequence[str] = ()) -> list[str]:
        """Return the names that a command prints with ``-z``."""
        output = os.fsdecode(self._run(*args, index=index, settings=settings).stdout)
        return [name for name in output.split("\0") if name]


def alternates_line(directory: str) -> bytes:
    """Return the line of ``info/alternates`` for a directory, quoted as git unquotes it."""
    if "\n" in directory:
        escaped = directory.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        directory = f'"{escaped}"'
    return os.fsencode(directory) + b"\n"


def replace(path: Path, data: bytes) -> None:
    """Write a small file at once: another run sees the old one or the new one, no half."""
    fd, temporary = tempfile.mkstemp(dir=path.parent, prefix="tmp-")
    with os.fdopen(fd, "wb") as file:
        file.write(data)
    Path(temporary).replace(path)

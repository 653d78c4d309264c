"""Finding git and the repository, in the environment as it was given to us."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from sarifix import process
from sarifix.errors import NoRepositoryError
from sarifix.git_settings import ENVIRONMENT, flags
from sarifix.named import NamedTuple


class Repository(NamedTuple):
    """Where a repository keeps what; all paths are absolute.

    ``index_file`` is the index of the commit that is being made, where a hook is told of
    one (``GIT_INDEX_FILE``). ``environ`` is the caller's environment without the
    variables that tie a git command to a repository: it is what scanners get, too.
    """

    program: str
    top: str
    git_dir: str
    common_dir: str
    index_file: str
    objects: str
    object_format: str
    environ: Mapping[str, str]


def find_program(environ: Mapping[str, str], cwd: str) -> str:
    """Return the path of git, from ``PATH`` without relative entries or the repository's own.

    Raises ``NoRepositoryError`` if there is none.
    """
    inside = _enclosing(cwd)
    entries = [
        entry
        for entry in environ.get("PATH", os.defpath).split(os.pathsep)
        if Path(entry).is_absolute() and not (inside and _is_within(entry, inside))
    ]
    found = shutil.which("git", path=os.pathsep.join(entries)) if entries else None
    if not found:
        raise NoRepositoryError(
            "git was not found on PATH",
            "install git; entries of PATH that are relative or inside the repository are not used",
        )
    return found


def _enclosing(cwd: str) -> str | None:
    here = Path(cwd).resolve()
    return next((str(d) for d in (here, *here.parents) if (d / ".git").exists()), None)


def _is_within(path: str, directory: str) -> bool:
    real = os.path.realpath(path)
    return real == directory or real.startswith(os.path.join(directory, ""))


def discover(cwd: str, environ: Mapping[str, str]) -> Repository:
    """Find the repository of ``cwd``, in the environment as git gave it to us.

    git's own checks (``safe.directory``) are made here and never bypassed. Raises
    ``NoRepositoryError`` with git's own words outside a working tree.
    """
    ask = _Asker(find_program(environ, cwd), cwd, {**environ, **ENVIRONMENT})
    paths, object_format, local = ask.everything()
    top, git_dir, common_dir, index, objects = paths
    if "GIT_DIR" in environ and "GIT_WORK_TREE" not in environ:
        top = ask.without(local).top_of(git_dir) or top
    if not _is_within(cwd, os.path.realpath(top)):
        raise NoRepositoryError(
            f"{cwd} is not inside {top}, the working tree that git answers for it",
            "look at core.worktree and GIT_WORK_TREE",
        )
    # Configuration that the caller gave (git -c) is kept; GIT_CONFIG itself names a file.
    tied = {name for name in local if not name.startswith("GIT_CONFIG_")}
    kept = {name: value for name, value in environ.items() if name not in tied}
    return Repository(ask.program, top, git_dir, common_dir, index, objects, object_format, kept)


class _Asker(NamedTuple):
    """``git rev-parse`` in one place and environment."""

    program: str
    cwd: str
    env: Mapping[str, str]

    def everything(self) -> tuple[list[str], str, list[str]]:
        """Return top level, git directory, common one, index, objects; format; local names.

        In one call where it can be, as each costs a process. A path that holds a line
        break makes too many lines: then each path is asked for by itself.
        """
        paths: tuple[tuple[str, ...], ...] = (
            ("--show-toplevel",), ("--absolute-git-dir",), ("--git-common-dir",),
            ("--git-path", "index"), ("--git-path", "objects"),
        )  # fmt: skip
        words = [word for path in paths for word in path]
        lines = self._ask(*words, "--show-object-format", "--local-env-vars").split("\n")
        local: list[str] = []
        while lines and lines[-1].startswith("GIT_"):
            local.append(lines.pop())
        object_format = lines.pop()
        if len(lines) != len(paths):
            lines = [self._ask(*path) for path in paths]
        return [self._absolute(line) for line in lines], object_format, local

    def without(self, names: Iterable[str]) -> _Asker:
        """Return one that asks without these variables."""
        tied = set(names)
        env = {name: value for name, value in self.env.items() if name not in tied}
        return _Asker(self.program, self.cwd, env)

    def top_of(self, git_dir: str) -> str | None:
        """Return the top level if this is the repository of ``git_dir``, else None.

        With GIT_DIR alone, as hooks of a linked worktree get it, git takes the current
        directory for the top level, wherever in the working tree that is.
        """
        try:
            if self._absolute(self._ask("--absolute-git-dir")) == git_dir:
                return self._absolute(self._ask("--show-toplevel"))
        except NoRepositoryError:
            pass
        return None

    def _absolute(self, path: str) -> str:
        return os.path.abspath(os.path.join(self.cwd, path))

    def _ask(self, *words: str) -> str:
        argv = [self.program, *flags(), "rev-parse", *words]
        try:
            done = process.run(argv, cwd=self.cwd, env=self.env)
        except OSError as error:
            raise NoRepositoryError(f"git could not be started in {self.cwd}: {error}") from error
        if done.returncode:
            raise _no_repository(self.cwd, one_line(done.stderr))
        if not done.stdout.endswith(b"\n"):  # git does not look whether a pipe took its words
            raise _no_repository(self.cwd, "git rev-parse gave no answer")
        return os.fsdecode(done.stdout).removesuffix("\n")


def _no_repository(cwd: str, reason: str) -> NoRepositoryError:
    said = f"{cwd}: {reason}"
    if "dubious ownership" in reason:
        hint = "if you trust it, do what git says: git config --global --add safe.directory ..."
    elif "work tree" in reason:
        hint = "a bare repository has no working tree: run sarifix in a clone or a linked worktree"
    else:
        hint = "run sarifix inside a git repository, or `git init` one"
    return NoRepositoryError(said, hint)


def one_line(data: bytes) -> str:
    """Return what git printed as one line of text."""
    return " ".join(data.decode("utf-8", "backslashreplace").split())

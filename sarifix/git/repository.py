"""Finding git and the repository, in the environment as it was given to us."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sarifix import process
from sarifix.errors import NoRepositoryError

# What could run a program, write behind our back, or hide a part of the tree.
SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "index.sparse=false",
    "submodule.recurse=false",
    "core.safecrlf=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.addEmbeddedRepo=false",
    # An edit that keeps size and time is still an edit.
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
)
ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository keeps what; all paths are absolute.

    ``index`` is the index of the commit that is being made, where a hook is told of
    one (``GIT_INDEX_FILE``). ``environ`` is the caller's environment without the
    variables that tie a git command to a repository: it is what scanners get, too.
    """

    program: str
    top: str
    git_dir: str
    common_dir: str
    index: str
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
    program = find_program(environ, cwd)
    asked = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--git-path", "index",
             "--git-path", "objects", "--show-object-format", "--local-env-vars")  # fmt: skip
    env = {**environ, **ENVIRONMENT}
    try:
        done = process.run([program, *flags(), "rev-parse", *asked], cwd=cwd, env=env)
    except OSError as error:
        raise NoRepositoryError(f"git could not be started in {cwd}: {error}") from error
    if done.returncode:
        raise _no_repository(cwd, one_line(done.stderr))
    lines = os.fsdecode(done.stdout).splitlines()
    paths = [os.path.abspath(os.path.join(cwd, line)) for line in lines[:5]]
    top = paths[0]
    if not (_is_within(cwd, os.path.realpath(top))):
        raise NoRepositoryError(
            f"{cwd} is not inside {top}, the working tree that git answers for it",
            "look at core.worktree and GIT_WORK_TREE",
        )
    if lines[5] not in ("sha1", "sha256") or not Path(paths[1]).is_dir():
        raise NoRepositoryError(f"the path of the repository holds a line break: {cwd!r}")
    tied = {name for name in lines[6:] if not name.startswith("GIT_CONFIG")}
    kept = {name: value for name, value in environ.items() if name not in tied}
    top, git_dir, common_dir, index, objects = paths
    return Repository(program, top, git_dir, common_dir, index, objects, lines[5], kept)


def _no_repository(cwd: str, reason: str) -> NoRepositoryError:
    said = f"{cwd}: {reason}"
    if "dubious ownership" in reason:
        hint = "if you trust it, do what git says: git config --global --add safe.directory ..."
    elif "work tree" in reason:
        hint = "a bare repository has no working tree: run sarifix in a clone or a linked worktree"
    else:
        hint = "run sarifix inside a git repository, or `git init` one"
    return NoRepositoryError(said, hint)


def flags(settings: Iterable[str] = ()) -> list[str]:
    """Return the options of git that every call of ours begins with."""
    return ["--no-pager", *(f for s in (*SETTINGS, *settings) for f in ("-c", s))]


def one_line(data: bytes) -> str:
    """Return what git printed as one line of text."""
    return " ".join(data.decode("utf-8", "backslashreplace").split())

"""Where sarifix keeps what is its own: one store a repository, in the user's cache directory."""

from __future__ import annotations

import math
import os
import shutil
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from sarifix.cache import Cache
from sarifix.digests import sha256
from sarifix.errors import SarifixError
from sarifix.git import Repository

_STALE = 86400  # seconds after which a temporary directory of a killed run is removed
_OBJECTS_AGE = 30 * 86400  # seconds


def cache_root(environ: Mapping[str, str]) -> Path:
    """Return the user's cache directory: ``SARIFIX_CACHE``, or the platform's.

    Raises ``SarifixError`` where there is none (no home): a relative one would lie in the
    user's working tree.
    """
    if environ.get("SARIFIX_CACHE"):
        return Path(environ["SARIFIX_CACHE"]).absolute()
    import platformdirs

    try:
        found = Path(platformdirs.user_cache_dir("sarifix", appauthor=False))
    except RuntimeError:  # newer versions of platformdirs refuse, older ones answer ~
        found = Path()
    if not found.is_absolute():
        raise SarifixError(
            "there is no home directory to keep the cache in",
            "set HOME or XDG_CACHE_HOME, or SARIFIX_CACHE to a directory that can be written",
        )
    return found


def prepare(repository: Repository, root: Path) -> Path:
    """Return the store of a repository, private to this user; linked worktrees share one.

    Raises ``SarifixError`` if it cannot be made or written, or belongs to somebody else.
    """
    name = sha256(os.fsencode(os.path.realpath(repository.common_dir)))[:16]
    store = root / "repos" / name
    if ".git" in store.resolve().parts:
        raise SarifixError(
            f"the cache directory {store} is in a git directory, where scanners find nothing",
            "set SARIFIX_CACHE to a directory outside of it",
        )
    try:
        make_private(store)
        _require_own(store)
        if store.resolve().is_relative_to(Path(repository.top).resolve()):
            # Ours is no part of the user's working tree, wherever they put it.
            (store / ".gitignore").write_text("*\n", encoding="ascii")
        (store / "tmp").mkdir(mode=0o700, exist_ok=True)
        _sweep(store, time.time())
    except OSError as error:
        raise SarifixError(
            f"the cache directory {store} cannot be used: {error.strerror}",
            "set SARIFIX_CACHE to a directory that can be written",
        ) from error
    return store


def make_private(directory: Path) -> None:
    """Make a directory, and what is missing above it, for this user alone: whatever the umask.

    Path.mkdir gives its mode to the last one only. Who can write one above can exchange it.
    """
    if not directory.parent.exists():
        make_private(directory.parent)
    directory.mkdir(mode=0o700, exist_ok=True)


def _require_own(store: Path) -> None:
    """Refuse a store that another user made or can write, or a link that leads elsewhere."""
    if os.name != "posix":  # pragma: no cover
        return
    status = store.lstat()
    own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not own or status.st_mode & 0o022:
        raise SarifixError(
            f"the cache directory {store} can be written by another user",
            "remove it, or set SARIFIX_CACHE to a directory of your own",
        )


def results(repository: Repository, store: Path) -> Cache:
    """Return the cache of results: in the git directory, else in the store."""
    return Cache.open(Path(repository.common_dir, "sarifix", "results"), store / "results")


def _sweep(store: Path, now: float) -> None:
    """Remove what killed runs left, and objects that no run has used for long."""
    for directory in (store / "tmp").iterdir():
        if _age(directory, now) > _STALE:
            shutil.rmtree(directory, ignore_errors=True)
    mark = store / "swept"
    if _age(mark, now) < _STALE:
        return
    mark.touch()
    # git freshens an object that it would write again, so age is the time since its last use.
    for path in (store / "objects").glob("??/*"):
        if _age(path, now) > _OBJECTS_AGE:
            path.unlink(missing_ok=True)


def _age(path: Path, now: float) -> float:
    """Return the seconds since a file was written; infinite where it is gone."""
    try:
        return now - path.lstat().st_mtime
    except FileNotFoundError:
        return math.inf

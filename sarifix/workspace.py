"""A repository, opened for a check: its store, its cache, its configuration."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from sarifix import config as configuration
from sarifix import store
from sarifix.cache import Cache
from sarifix.config.kept import Documents
from sarifix.errors import ConfigError
from sarifix.git import Blobs, Git, Repository, discover
from sarifix.look import Look
from sarifix.model import Config
from sarifix.named import NamedTuple
from sarifix.output.progress import Progress
from sarifix.scanners import PRESETS
from sarifix.scanners.find import SearchPath, search_path

CONFIG_NAME = ".sarifix.yaml"


class Edge(NamedTuple):
    """What enters from outside: where we are, the environment, our own scripts, the screen.

    ``look`` is what git was asked of the working tree before anything else was done.
    """

    cwd: str
    environ: Mapping[str, str]
    own_scripts: str
    progress: Progress
    look: Look | None = None


class Workspace(NamedTuple):
    """A repository, opened: our store and cache, and what its scanners are run with."""

    repository: Repository
    git: Git
    cache: Cache
    blobs: Blobs
    search: SearchPath
    store: Path
    documents: Documents


@contextlib.contextmanager
def open_workspace(edge: Edge, *, use_cache: bool = True) -> Iterator[Workspace]:
    """Open the repository of ``edge.cwd``; raises ``NoRepositoryError``."""
    repository = discover(edge.cwd, edge.environ)
    own = store.prepare(repository, store.cache_root(edge.environ))
    git = Git(repository, own)
    results = store.results(repository, own) if use_cache else Cache(None)
    path = edge.environ.get("PATH", os.defpath)
    search = search_path(path, repository.top, git.ignored, edge.own_scripts)
    blobs = git.blobs()
    try:
        yield Workspace(repository, git, results, blobs, search, own, Documents(results))
    finally:
        blobs.close()
        results.sweep()


def load_config(space: Workspace, tree: str, file: str | None = None) -> Config:
    """Read ``file`` (``--config``), or the ``.sarifix.yaml`` of a tree; raises ``ConfigError``.

    Where the tree has none, one in the working tree that git ignores is used.
    """
    if file is not None:
        return parse_config(space, _read(Path(file), file), file)
    entry = space.git.entries(tree).get(CONFIG_NAME)
    if entry is not None and entry.is_file:
        return parse_config(space, space.blobs.read(entry.oid), CONFIG_NAME)
    on_disk = Path(space.repository.top, CONFIG_NAME)
    if not os.path.lexists(on_disk):
        return Config()
    return parse_config(space, _read(on_disk, CONFIG_NAME), CONFIG_NAME)


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{name}: cannot be read: {error.strerror}",
            "it must be a YAML file: docs/configuration.md",
        ) from error


def parse_config(space: Workspace, data: bytes, name: str) -> Config:
    """Read a configuration from the bytes of a file called ``name``; raises ``ConfigError``."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{name}:{line}:1: is not UTF-8: {error.reason}", "save the file as UTF-8"
        ) from error
    return configuration.loads(text, name, PRESETS, space.documents.parse)

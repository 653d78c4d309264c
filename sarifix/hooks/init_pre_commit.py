"""``sarifix init --pre-commit``: offer the hook, with the repository's scanners."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

from sarifix import scan, selection, snapshot
from sarifix.engine import make_runner
from sarifix.hooks.advice import requirements
from sarifix.hooks.pre_commit_config import NAME, with_hook
from sarifix.init import offer, read
from sarifix.model import Config
from sarifix.scanners.find import identity
from sarifix.selection import Selected
from sarifix.workspace import Edge, Workspace, load_config, open_workspace

_RELEASE = re.compile(r"\d+(\.\d+)+")


def init_pre_commit(edge: Edge, *, yes: bool) -> bool:
    """Offer the hook to the ``.pre-commit-config.yaml`` of the repository.

    Returns whether it has the hook afterwards. Raises ``ConfigError`` for a file that
    cannot be parsed.
    """
    with open_workspace(edge) as space:
        path = Path(space.repository.top, NAME)
        old = read(path)
        new = with_hook(old, list(_dependencies(space, edge)))
        return offer(path, old, new, yes=yes)


def _dependencies(space: Workspace, edge: Edge) -> Iterator[str]:
    """Yield what pip installs of the repository's scanners, as the versions that are here."""
    tree = snapshot.head(space.git, snapshot.WORKTREE).snapshot.tree
    config = load_config(space, tree)
    runner = make_runner(space, config, edge, time.monotonic() + config.deadline)
    for selected in _scanners(space, config, tree):
        scanner, path = selected.scanner, selected.path
        version = scan.version(scanner, path, identity(path), runner).text if path else None
        for package in requirements(scanner.install):
            yield _pinned(package, scanner.preset or scanner.name, version)


def _scanners(space: Workspace, config: Config, tree: str) -> list[Selected]:
    """Return the scanners named, else those that apply: the installed ones, if there are any."""
    paths = set(space.git.entries(tree))
    if config.scanners is not None:
        return list(selection.select(config, (), paths, space.search))
    applying = [c for c in selection.consider(paths, space.search) if not c.why_not]
    installed = [c for c in applying if c.path]
    return [Selected(c.scanner, c.path) for c in installed or applying]


def _pinned(package: str, preset: str, version: str | None) -> str:
    """Name the version, where the package has the program's name and so its versions."""
    same = package.partition("[")[0] == preset
    return f"{package}=={version}" if same and _RELEASE.fullmatch(version or "") else package

"""``sarifix doctor`` and ``sarifix cache``: what is found here, and what is kept."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sarifix import __version__, scan, selection, snapshot
from sarifix.engine import make_runner
from sarifix.errors import ExitCode
from sarifix.git import Scratch
from sarifix.model import Config, Scanner
from sarifix.sanitize import clean, clean_path
from sarifix.scan import Runner
from sarifix.scanners.find import identity
from sarifix.workspace import Edge, Workspace, load_config, open_workspace

Row = tuple[str, str, str]  # scanner, version, program or why not


def doctor(edge: Edge, config_file: str | None) -> ExitCode:
    """Print which scanners are found, where, which version, and which apply here and why not.

    Returns UNDECIDED if a scanner that the configuration requires is missing.
    """
    with open_workspace(edge) as space:
        tree = snapshot.head(space.git, snapshot.WORKTREE).snapshot.tree
        config = load_config(space, tree, config_file)
        runner = make_runner(space, config, edge, time.monotonic() + config.deadline)
        print("\n".join(_place(space, config)))
        if config.scanners is None:
            return _presets(space, tree, runner)
        return _configured(space, config, runner)


def _place(space: Workspace, config: Config) -> Iterator[str]:
    python = sys.version.split()[0]
    usage = space.cache.usage()
    yield f"sarifix {__version__}, Python {python}, git {space.git.version()}"
    yield f"repository     {clean_path(space.repository.top)}"
    yield f"configuration  {config.path or 'none: every preset that is installed and applies'}"
    yield f"cache          {usage.entries} results, {usage.size / 1e6:.1f} MB"


def _presets(space: Workspace, tree: str, runner: Runner) -> ExitCode:
    considered = selection.consider(space.git.entries(tree), space.search)
    runs = [c for c in considered if c.path and not c.why_not]
    missing = [c for c in considered if not c.path and not c.why_not]
    idle = [c for c in considered if c.path and c.why_not]
    rest = [c.scanner.name for c in considered if not c.path and c.why_not]
    found = _found([(c.scanner, c.path) for c in runs if c.path], runner)
    _table("runs here", found)
    _table(
        "would apply, but is not installed",
        [(c.scanner.name, "", c.scanner.install) for c in missing],
    )
    _table("installed, but does not apply", [(c.scanner.name, "", c.why_not or "") for c in idle])
    if rest:
        print(f"\nneither installed nor needed: {', '.join(rest)}")
    return ExitCode.CLEAN


def _configured(space: Workspace, config: Config, runner: Runner) -> ExitCode:
    chosen = selection.select(config, (), (), space.search)
    missing = [s.scanner for s in chosen if s.path is None]
    found = _found([(s.scanner, s.path) for s in chosen if s.path], runner)
    _table("configured", found)
    _table("configured, but not found", [(s.name, "", s.install) for s in missing])
    required = any(scanner.required for scanner in missing)
    return ExitCode.UNDECIDED if required else ExitCode.CLEAN


def _found(programs: Sequence[tuple[Scanner, str]], runner: Runner) -> list[Row]:
    def row(scanner: Scanner, path: str) -> Row:
        version = scan.version(scanner, path, identity(path), runner)
        return scanner.name, version or "?", clean_path(path)

    with ThreadPoolExecutor(max_workers=runner.parallel) as pool:
        return list(pool.map(row, *zip(*programs, strict=True))) if programs else []


def _table(title: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    print(f"\n{title}")
    for name, version, text in rows:
        line = f"  {name:<{widths[0]}}  {version:<{widths[1]}}  {clean(text, 300)}"
        print(line.rstrip())


def cache_show(edge: Edge) -> ExitCode:
    """Print where results and scratch trees are kept, and how much they hold."""
    with open_workspace(edge) as space:
        usage = space.cache.usage()
        print(f"results  {space.cache.directory}: {usage.entries}, {usage.size / 1e6:.1f} MB")
        print(f"trees    {space.store}: {_size(space.store) / 1e6:.1f} MB")
    return ExitCode.CLEAN


def cache_clear(edge: Edge) -> ExitCode:
    """Forget the results, and remove the scratch trees, of this repository."""
    with open_workspace(edge) as space:
        space.cache.clear()
        Scratch(space.git).clear()
        print("cleared: the next check scans anew")
    return ExitCode.CLEAN


def _size(directory: Path) -> int:
    return sum(path.lstat().st_size for path in directory.rglob("*"))

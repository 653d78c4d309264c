"""``sarifix doctor`` and ``sarifix cache``: what is found here, and what is kept."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from sarifix import __version__, scan, selection, snapshot
from sarifix.engine import make_runner
from sarifix.errors import ExitCode
from sarifix.git import Scratch
from sarifix.model import Config, Scanner
from sarifix.sanitize import clean, clean_path
from sarifix.scan import Runner
from sarifix.scanners.find import identity
from sarifix.selection import Considered, Selected
from sarifix.workspace import Edge, Workspace, load_config, open_workspace

Row = tuple[str, str, str]  # scanner, version, program or why not


def doctor(edge: Edge, config_file: str | None) -> ExitCode:
    """Print which scanners are found, where, which version, and which apply here and why not.

    Returns UNDECIDED if a scanner that the configuration requires is missing. Raises
    ``SarifixError`` where a check would refuse to begin.
    """
    with open_workspace(edge) as space:
        tree = snapshot.head(space.git, snapshot.WORKTREE).snapshot.tree
        config = load_config(space, tree, config_file)
        runner = make_runner(space, config, edge, time.monotonic() + config.deadline)
        paths = space.git.entries(tree)
        print("\n".join(_place(space, config)), flush=True)
        missing = _scanners(space, config, paths, runner)
    print()
    if missing:
        print(f"A check would be undecided: {_names(missing)} must run and cannot be found.")
        return ExitCode.UNDECIDED
    print("Try it: `sarifix check`")
    return ExitCode.CLEAN


def _place(space: Workspace, config: Config) -> Iterator[str]:
    python = sys.version.split()[0]
    usage = space.cache.usage()
    configuration = config.path and clean_path(config.path)
    yield f"sarifix {__version__}, Python {python}, git {clean(space.git.version(), 100)}"
    yield f"repository     {clean_path(space.repository.top)}"
    yield f"configuration  {configuration or 'no .sarifix.yaml: every scanner that applies runs'}"
    yield f"cache          {usage.entries} results, {usage.size / 1e6:.1f} MB"


def _scanners(
    space: Workspace, config: Config, paths: Collection[str], runner: Runner
) -> Sequence[Scanner]:
    """Print the tables and return the scanners without which a check cannot be decided."""
    considered = selection.consider(paths, space.search)
    if config.scanners is None:
        _presets(considered, runner)
        selection.select(config, (), paths, space.search)  # refuses where nothing would run
        return ()
    chosen = selection.select(config, (), paths, space.search)
    _configured(chosen, paths, runner)
    off = [entry.name for entry in config.scanners if not entry.enabled]
    _list("switched off in the configuration", off)
    named = {entry.preset for entry in config.scanners}
    _list(
        "would run here too, but is not configured",
        [c.scanner.name for c in considered if _runs(c) and c.scanner.name not in named],
    )
    return [s.scanner for s in chosen if s.path is None and s.scanner.required]


def _runs(considered: Considered) -> bool:
    return bool(considered.path and not considered.why_not)


def _presets(considered: Sequence[Considered], runner: Runner) -> None:
    missing = [c.scanner for c in considered if not c.path and not c.why_not]
    idle = [c for c in considered if c.path and c.why_not]
    _table("runs here", _found([(c.scanner, c.path) for c in considered if _runs(c)], runner))
    _table("would run here, but is not installed", [(s.name, "", s.install) for s in missing])
    _table("installed, but does not apply", [(c.scanner.name, "", c.why_not or "") for c in idle])
    _list(
        "neither installed nor needed",
        [c.scanner.name for c in considered if not c.path and c.why_not],
    )


def _configured(chosen: Sequence[Selected], paths: Collection[str], runner: Runner) -> None:
    top = runner.around.top
    why_not = {s.scanner.name: selection.why_not(s.scanner, paths, top) for s in chosen}
    missing = [s.scanner for s in chosen if s.path is None]
    idle = [(s.scanner.name, "", why_not[s.scanner.name] or "") for s in chosen if s.path]
    _table("configured", _found([(s.scanner, s.path) for s in chosen], runner))
    _table(
        "configured, but not found",
        [(s.name, "" if s.required else "not required", s.install or s.argv[0]) for s in missing],
    )
    _table("configured, but has nothing to go by here", [row for row in idle if row[2]])


def _found(programs: Sequence[tuple[Scanner, str | None]], runner: Runner) -> list[Row]:
    """Ask the programs that are there for their versions."""

    def row(program: tuple[Scanner, str]) -> Row:
        scanner, path = program
        version = scan.version(scanner, path, identity(path), runner)
        text = version.unusable and f"{version.unusable}; install it: {scanner.install}"
        return scanner.name, version.text or "?", text or clean_path(path)

    with scan.at_once(runner) as pool:
        return scan.results(
            [pool.submit(row, (scanner, path)) for scanner, path in programs if path]
        )


def _table(title: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    print(f"\n{title}")
    for name, version, text in rows:
        line = f"  {name:<{widths[0]}}  {version:<{widths[1]}}  {clean(text, 300)}"
        print(line.rstrip())


def _list(title: str, names: Sequence[str]) -> None:
    if names:
        print(f"\n{title}: {', '.join(names)}")


def _names(scanners: Sequence[Scanner]) -> str:
    return " and ".join(scanner.name for scanner in scanners)


def cache_show(edge: Edge) -> ExitCode:
    """Print where results and scratch trees are kept, and how much they hold."""
    with open_workspace(edge) as space:
        usage = space.cache.usage()
        print(f"results  {usage.size / 1e6:8.1f} MB  {usage.entries} in {space.cache.directory}")
        print(f"trees    {_size(space.store) / 1e6:8.1f} MB  in {space.store}")
    return ExitCode.CLEAN


def cache_clear(edge: Edge) -> ExitCode:
    """Forget the results, and remove the scratch trees, of this repository."""
    with open_workspace(edge) as space:
        space.cache.clear()
        Scratch(space.git).clear()
    print("cleared: the next check scans anew")
    return ExitCode.CLEAN


def _size(directory: Path) -> int:
    """Return the size of what is in a directory; another run may be changing it."""
    size = 0
    for top, _, names in os.walk(directory):
        for name in names:
            path = Path(top, name)
            size += path.lstat().st_size if path.exists() else 0
    return size

"""Which scanner must see which files: nothing that cannot have changed is scanned."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from sarifix import cache
from sarifix.model import Change, Entry, Grain, Program, Scanner, Side
from sarifix.named import NamedTuple
from sarifix.patterns import Patterns
from sarifix.scanners.ignored import without_ignored
from sarifix.scanners.references import literal, with_references
from sarifix.scanners.resolve import config_paths_in_argv

Entries = Mapping[str, Entry]


class Sides(NamedTuple):
    """Both trees, and which side's scanner configuration is in force on both."""

    base: Entries
    head: Entries
    base_tree: str
    head_tree: str
    changes: tuple[Change, ...]
    in_force: Side = Side.HEAD

    @property
    def in_force_entries(self) -> Entries:
        """The tree whose scanner configuration both sides are scanned with."""
        return self.base if self.in_force is Side.BASE else self.head

    @property
    def for_agent(self) -> bool:
        """Whether the base's configuration is in force: it is not the agent's to change."""
        return self.in_force is Side.BASE

    @property
    def renames(self) -> dict[str, str]:
        """Head path to base path, for the files that have another name."""
        pairs = ((change.head_path, change.base_path) for change in self.changes)
        return {head: base for head, base in pairs if head and base and head != base}

    def paths(self) -> tuple[str, ...]:
        """Return every path that differs between the trees, sorted."""
        found = {p for c in self.changes for p in (c.base_path, c.head_path) if p is not None}
        return tuple(sorted(found))


class Job(NamedTuple):
    """One scanner on one side.

    ``tree`` is the side's tree id; ``edits`` hold the configuration of the other side
    that is put in its place. ``files`` are the files to scan (None: the whole tree), each
    with the key of its result; ``key`` is the result's for a whole tree.
    """

    scanner: Scanner
    program: Program
    side: Side
    tree: str
    entries: Entries
    edits: tuple[tuple[str, Entry | None], ...] = ()
    files: tuple[tuple[str, str], ...] | None = None
    key: str = ""


class Plan(NamedTuple):
    """What one scanner has to look at.

    ``changed`` are its inputs that differ; without any it is ``skipped``, for that
    reason. ``held`` is its configuration that differs, and is made equal.
    """

    scanner: Scanner
    held: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def skipped(self) -> str | None:
        """Why the scanner need not run, or None."""
        return None if self.changed else "none of its inputs changed"


def make(scanner: Scanner, sides: Sides, read: Callable[[str], str | None]) -> Plan:
    """Find what a scanner must see. Its configuration is the same on both sides.

    ``read`` returns the text of a file of the tree whose configuration is in force.

    A rule that is switched on must not make an old finding new, and an ignore file that
    is edited must not make a new one vanish (docs/what-is-new.md).
    """
    scanner = _with_local_config(scanner, sides.in_force_entries)
    scanner = with_references(scanner, sides.in_force_entries, read)
    config = _config(scanner, sides)
    paths = [path for path in sides.paths() if _differs(path, sides)]
    held = tuple(config.filter(paths))
    changed = [path for path in Patterns(scanner.inputs).filter(paths) if path not in held]
    if scanner.grain is Grain.FILE:
        files = [path for path in changed if _is_file(path, sides)]
        changed = without_ignored(scanner, files, read)
    return Plan(scanner, held, tuple(changed))


def _is_file(path: str, sides: Sides) -> bool:
    return any(e is not None and e.is_file for e in (sides.base.get(path), sides.head.get(path)))


def _config(scanner: Scanner, sides: Sides) -> Patterns:
    """Return what configures a scanner: its files, and those that its arguments name."""
    named = config_paths_in_argv(scanner, lambda path: _known(path, sides.in_force_entries))
    return Patterns((*scanner.config_files, *(f"/{literal(path)}" for path in named)))


def jobs(plan: Plan, program: Program, sides: Sides) -> tuple[Job, Job]:
    """Return the two jobs of a plan that is not skipped: base and head."""
    described = plan.scanner._replace(required=True, timeout=None, install="", url="", named=False)
    config = _listing(_config(plan.scanner, sides), sides.in_force_entries)
    told = (program.identity, program.version or "", *program.variables)
    seed = cache.key(repr(described), cache.key(*told), *config)
    return (
        _job(plan, program, sides, Side.BASE, seed),
        _job(plan, program, sides, Side.HEAD, seed),
    )


def _known(path: str, entries: Entries) -> bool:
    return path in entries or any(name.startswith(f"{path}/") for name in entries)


def _differs(path: str, sides: Sides) -> bool:
    return sides.base.get(path) != sides.head.get(path)


def _with_local_config(scanner: Scanner, entries: Entries) -> Scanner:
    """Fill in ``{config}``: the flag and the first local configuration that is there."""
    found = next((path for path in scanner.local_config if _known(path, entries)), None)
    given = (scanner.config_flag, found) if found else ()
    argv = tuple(a for arg in scanner.argv for a in (given if arg == "{config}" else (arg,)))
    return scanner._replace(argv=argv)


def _job(plan: Plan, program: Program, sides: Sides, side: Side, seed: str) -> Job:
    tree, own, other = (
        (sides.base_tree, sides.base, sides.head)
        if side is Side.BASE
        else (sides.head_tree, sides.head, sides.base)
    )
    edits = () if side is sides.in_force else tuple((path, other.get(path)) for path in plan.held)
    entries = _edited(own, edits)
    inputs = Patterns(plan.scanner.inputs)
    job = Job(plan.scanner, program, side, tree, entries, edits)
    if plan.scanner.grain is Grain.TREE:
        return job._replace(key=cache.key(seed, *_listing(inputs, entries)))
    if plan.scanner.directories_matter:
        seed = cache.key(seed, *_directories(inputs, tuple(entries)))
    files = tuple(
        (path, cache.key(seed, path, entries[path].mode, entries[path].oid))
        for path in plan.changed
        if path in entries and entries[path].is_file
    )
    return job._replace(files=files)


def _edited(entries: Entries, edits: tuple[tuple[str, Entry | None], ...]) -> Entries:
    if not edits:
        return entries
    replaced = {**entries, **dict(edits)}
    return {path: entry for path, entry in replaced.items() if entry is not None}


def _listing(patterns: Patterns, entries: Entries) -> list[str]:
    """Return the entries that match, one string each, as they enter a key."""
    found = patterns.filter(sorted(entries))
    return [f"{entries[path].mode} {entries[path].oid} {path}" for path in found]


@functools.lru_cache(maxsize=1)  # both sides of most changes have the same paths
def _directories(patterns: Patterns, paths: tuple[str, ...]) -> list[str]:
    """Return the directories that hold a match."""
    return sorted({path.rpartition("/")[0] for path in patterns.filter(paths)})

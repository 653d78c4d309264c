"""One repository of a session: its beginning, and a check of it that Claude cannot game."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sarifix import snapshot
from sarifix.engine import Request, make_runner, run
from sarifix.errors import ConfigError, GitError, SarifixError
from sarifix.git import HEAD_SLOT, WorkingTree, made_ready, unseen
from sarifix.hooks import alarm, ignores, traces
from sarifix.hooks.session import Start, State
from sarifix.hooks.traces import Notice, identify
from sarifix.look import stamps
from sarifix.model import Config, Entry, Report, ScannerEntry, Side, Snapshot
from sarifix.named import NamedTuple
from sarifix.sanitize import RULE_LIMIT, clean, clean_path
from sarifix.scanners import PRESETS
from sarifix.scanners.find import own_places
from sarifix.snapshot import Taken
from sarifix.workspace import CONFIG_NAME, Edge, Workspace, load_config, parse_config

if TYPE_CHECKING:
    from sarifix.look import Stamps

SESSION = "session"
Entries = Mapping[str, Entry]


class Checked(NamedTuple):
    """What was found out about one repository."""

    top: str
    git_dir: str
    start: Start
    report: Report
    notices: tuple[Notice, ...]
    # Stamps of the files that the answer depends on and that git does not tell of; None
    # where it depends on more, as on where a branch is.
    watched: Stamps | None


# ---------------------------------------------------------------------------
# The beginning


def begin(space: Workspace, edge: Edge) -> Start:
    """Take the working tree, and what leaves no trace in it, as the session begins."""
    seen = snapshot.see(space.git, edge.look)
    tree = snapshot.take(space.git, seen, reveal=True).tree
    state = traces.look(space, edge.environ, seen.status)
    with contextlib.suppress(SarifixError):  # told at the first stop, if it is so still
        config = load_config(space, tree)
        state = {**state, **_programs(space, config, Request(), space.git.entries(tree).keys())}
    return Start(
        top=space.repository.top,
        tree=tree,
        origin="the beginning of this session",
        known=True,
        config=_on_disk(space, CONFIG_NAME),
        state=traces.kept(state),
    )


def _first_seen(space: Workspace, now: State) -> Start:
    """Stand in for a beginning that is not known: HEAD, held from now on."""
    head = snapshot.base(space.git, "HEAD", exact=True).snapshot
    entries = space.git.entries(head.tree)
    return Start(
        top=space.repository.top,
        tree=head.tree,
        origin=head.origin,
        known=False,
        config=_in_tree(space, head.tree, CONFIG_NAME),
        state=traces.of_tree(space, entries, now),
    )


def _programs(space: Workspace, config: Config, request: Request, paths: Collection[str]) -> State:
    """Return the state of the programs; where none can be chosen, the check itself says why."""
    from sarifix import selection

    try:
        chosen = selection.select(config, request.scanners, paths, space.search)
    except SarifixError:
        return {}
    return traces.programs(chosen)


def _on_disk(space: Workspace, name: str) -> str | None:
    data = traces.read(Path(space.repository.top, name))
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _in_tree(space: Workspace, tree: str, name: str) -> str | None:
    entry = space.git.entries(tree).get(name)
    if entry is None or not entry.is_file:
        return None
    return space.blobs.read(entry.oid).decode("utf-8", "surrogateescape")


# ---------------------------------------------------------------------------
# The check


def check(
    space: Workspace,
    request: Request,
    edge: Edge,
    known: Start | None,
    began: float,
) -> Checked:
    """Check the working tree under the base's policy and configuration.

    ``known`` is the beginning of the session in this repository, if there is a record;
    ``began`` is when the hook did (``time.monotonic``), as all repositories share its
    time. Raises ``SarifixError`` where nothing can be decided.
    """
    space.git.look_ahead(_likely_base(request, edge, known))
    with made_ready(space.git) as scratch:
        seen = snapshot.see(space.git, edge.look)
        alarm.within(_deadline(space, known), time.monotonic() - began)
        now = traces.look(space, edge.environ, seen.status)
        watched = stamps(_watched(space, edge, now, request))
        start = known or _first_seen(space, now)
        taken = snapshot.take(space.git, seen, reveal=True)
        if seen.status.differing != ():  # else it is most likely not needed
            scratch.expect(HEAD_SLOT, taken.tree)
        head = Taken(Snapshot(taken.tree, Side.HEAD, "working tree"))
        head_entries = space.git.entries(taken.tree)
        base, notices = _base(space, request, edge, start, taken.tree)
        base_entries = space.git.entries(base.snapshot.tree)
        config, proposed = _in_force(space, request, start, base.snapshot.tree)
        alarm.within(config.hook_deadline, time.monotonic() - began)
        programs = _programs(space, config, request, {*base_entries, *head_entries})
        watched |= stamps(traces.program_files(programs))
        runner = make_runner(space, config, edge, began + config.hook_deadline, scratch)
        report = run(request, config, space, runner, [base], head)
    if known is None:
        start = start._replace(state={**start.state, **programs})
    changes = space.git.changes(base.snapshot.tree, taken.tree)
    changed = {change.head_path for change in changes if change.head_path is not None}
    notices += (
        *proposed,
        *traces.changes(start.state, {**now, **programs}),
        *traces.in_trees(base_entries, head_entries, changed, space.blobs.read),
        *_hidden(space, base_entries, head_entries, start.state, now),
        *_left_out(taken),
        *_held(report, head_entries),
    )
    where = space.repository
    fixed = base.snapshot.origin.startswith("HEAD ") or base.snapshot.tree == start.tree
    return Checked(where.top, where.git_dir, start, report, notices, watched if fixed else None)


def _deadline(space: Workspace, known: Start | None) -> float:
    """Return the deadline by the configuration as the session began, if that can be read."""
    if known is not None and known.config is not None:
        with contextlib.suppress(ConfigError):
            return _parsed(space, known.config, CONFIG_NAME).hook_deadline
    return alarm.DEADLINE


def _watched(space: Workspace, edge: Edge, now: State, request: Request) -> Iterator[str]:
    """Yield the files that decide the answer and that `git status` says nothing of."""
    top = space.repository.top
    yield space.repository.index_file
    if Path(top, ".git").is_file():  # of a linked worktree
        yield os.path.join(top, ".git")
    yield from (os.path.join(top, name) for name in traces.setting_files(space))
    yield str(Path("~/.gitconfig").expanduser())
    home = edge.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    yield os.path.join(home, "git", "config")
    yield os.path.join(space.repository.common_dir, "config")
    yield os.path.join(space.repository.git_dir, "config.worktree")
    yield from map(str, traces.guards(space.repository.top, edge.environ).values())
    yield from map(str, traces.rule_files(space, edge.environ))
    yield from (os.path.join(top, name) for name in traces.names_marked(now))
    yield from space.search.directories
    yield from own_places(top)
    if request.config_file is not None:
        yield request.config_file


def _left_out(taken: WorkingTree) -> Iterator[Notice]:
    yield from traces.left_out(taken.unreadable, taken.nested)
    if taken.filters_off:
        text = "a required git filter could not run: files were taken without filters"
        yield Notice(identify("filters"), text)


def _hidden(
    space: Workspace, base: Entries, head: Entries, before: State, now: State
) -> Iterator[Notice]:
    untracked = ignores.untracked(space.repository.top, base, head, now)
    yield from traces.hidden(untracked, "ignored now and was tracked")
    fresh = ignores.newly_hidden(space, base, before, now)
    names = [name for name in fresh if name not in untracked]
    yield from traces.hidden(names, "hidden by ignore rules that are new")


def _held(report: Report, head: Entries) -> Iterator[Notice]:
    """Yield which configuration of a scanner was changed, and so not heeded."""
    for path in report.held:
        oid = head[path].oid if path in head else ""
        text = f"{clean_path(path)} was changed: what it was in the base is in force for scanners"
        yield Notice(identify("held", path, oid), text)


def _base(
    space: Workspace, request: Request, edge: Edge, start: Start, head: str
) -> tuple[Taken, tuple[Notice, ...]]:
    asked = request.base or edge.environ.get("SARIFIX_BASE")
    if asked == SESSION:
        return _session_base(space, start, head)
    if asked is not None:
        return snapshot.base(space.git, asked, exact=request.exact_base), ()
    commit = snapshot.base(space.git, "HEAD", exact=True)
    # Of the commit, not of the working tree: that one is Claude's to edit.
    committed = _in_tree(space, commit.snapshot.tree, CONFIG_NAME)
    asked = _parsed(space, committed, CONFIG_NAME).base if committed is not None else None
    if asked is None:
        return commit, ()
    return snapshot.base(space.git, asked, exact=request.exact_base), ()


def _likely_base(request: Request, edge: Edge, known: Start | None) -> str | None:
    asked = request.base or edge.environ.get("SARIFIX_BASE")
    return known.tree if asked == SESSION and known is not None else None


def _session_base(space: Workspace, start: Start, head: str) -> tuple[Taken, tuple[Notice, ...]]:
    if not _is_whole(space, start.tree, head):
        text = (
            "what the files were when this session began is gone (old objects are removed): "
            "they are compared with HEAD"
        )
        return snapshot.base(space.git, "HEAD", exact=True), (Notice(identify("gone"), text),)
    base = Taken(Snapshot(start.tree, Side.BASE, start.origin))
    if start.known:
        return base, ()
    text = (
        f"the beginning of this session is not known here, so its files are compared with "
        f"{start.origin}; sarifix has to be installed before a session begins"
    )
    return base, (Notice(identify("unknown", start.top), text),)


def _is_whole(space: Workspace, tree: str, head: str) -> bool:
    """Whether all of a tree can still be read; what the head has as well is there."""
    try:
        entries = space.git.entries(tree)
        changes = space.git.changes(tree, head)
    except GitError:
        return False
    differing = (entries[change.base_path] for change in changes if change.base_path)
    oids = {entry.oid for entry in differing if not entry.is_gitlink}
    return not unseen.missing(space.git, sorted(oids))


# ---------------------------------------------------------------------------
# The configuration in force


def _in_force(
    space: Workspace, request: Request, start: Start, base: str
) -> tuple[Config, tuple[Notice, ...]]:
    """Return the base's configuration; of one that only the working tree has, its presets.

    A file outside the repository, named by the caller, is not Claude's to edit.
    """
    name = CONFIG_NAME
    if request.config_file is not None:
        inside = _relative(request.config_file, space.repository.top)
        if inside is None:
            return load_config(space, base, request.config_file), ()
        name = inside
    text = _in_tree(space, base, name)
    if text is None and name == CONFIG_NAME and start.known:
        text = start.config
    if text is not None:
        return _parsed(space, text, name), ()
    proposed = _on_disk(space, name)
    return (Config(), ()) if proposed is None else _presets_of(space, proposed, name)


def _relative(path: str, top: str) -> str | None:
    real, root = os.path.realpath(path), os.path.realpath(top)
    return os.path.relpath(real, root).replace(os.sep, "/") if _is_below(real, root) else None


def _is_below(path: str, root: str) -> bool:
    return path.startswith(os.path.join(root, ""))


def _parsed(space: Workspace, text: str, name: str) -> Config:
    return parse_config(space, text.encode("utf-8", "surrogateescape"), name)


def _presets_of(space: Workspace, text: str, name: str) -> tuple[Config, tuple[Notice, ...]]:
    """Return a configuration of the presets that a file names, and what of it does not count."""
    try:
        proposed = _parsed(space, text, name)
    except ConfigError as error:
        said = f"{clean(error.message, 300)}; it does not count before the base has it"
        return Config(), (Notice(identify("config", text), said),)
    entries = proposed.scanners or ()
    named = tuple(
        ScannerEntry(entry.name, entry.place, preset=entry.preset)
        for entry in entries
        if entry.enabled and entry.command is None and (entry.preset or entry.name) in PRESETS
    )
    without = ", ".join(_without_effect(proposed))
    left = f" (not: {without})" if without else ""
    said = (
        f"{clean_path(name)} is not in the base: of it, only the names of presets count{left}. "
        "Commit it to have it in force"
    )
    config = Config(path=name, scanners=named) if named else Config()
    return config, (Notice(identify("config", text), said),)


def _without_effect(proposed: Config) -> Iterator[str]:
    for entry in proposed.scanners or ():
        if entry.command:
            yield f"the command of {clean(entry.name, RULE_LIMIT)}"
    if proposed.policy.min_level != Config().policy.min_level:
        yield f"min_level: {proposed.policy.min_level}"
    if proposed.policy.deny:
        yield "rules.deny"
    if proposed.policy.deny_paths:
        yield "paths.deny"

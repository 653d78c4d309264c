"""The whole story of a check, on one screen."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sarifix import plan as planning
from sarifix import policy, report, rounds, scan, selection, snapshot, suppressions
from sarifix.compare import compare
from sarifix.execute import Surroundings
from sarifix.git import Git, Scratch, TreeFiles
from sarifix.model import (
    Comparison,
    Config,
    Introduced,
    Policy,
    Program,
    Report,
    Scan,
    Side,
    Snapshot,
)
from sarifix.plan import Job, Plan, Sides
from sarifix.rounds import Round
from sarifix.scan import Runner
from sarifix.scanners.find import home_files, identity, variables
from sarifix.selection import Selected
from sarifix.snapshot import Taken
from sarifix.workspace import Edge, Workspace, load_config, open_workspace


class Request(NamedTuple):
    """What is asked: the options of ``sarifix check``, as they were given.

    For an ``agent`` the base's scanner configuration is in force, and what would hide a
    finding is a finding: an agent must not be able to decide what is reported of it.
    """

    head: str = snapshot.WORKTREE
    base: str | None = None
    exact_base: bool = False
    scanners: tuple[str, ...] = ()
    allowed_only: bool = False
    config_file: str | None = None
    use_cache: bool = True
    agent: bool = False


def check(request: Request, edge: Edge) -> Report:
    """Compare the head with the base that is asked for, by what the scanners say of them.

    Raises ``SarifixError`` (a subclass with its exit code) where nothing can be decided.
    """
    began = time.monotonic()
    with (
        open_workspace(edge, use_cache=request.use_cache) as space,
        scan.ahead(space.git) as scratch,
    ):
        head = snapshot.head(space.git, request.head)
        scratch.expect(scan.HEAD_SLOT, head.snapshot.tree)
        config = load_config(space, head.snapshot.tree, request.config_file)
        base = _base(request, edge, config, space.git)
        runner = make_runner(space, config, edge, began + config.deadline, scratch)
        return run(request, config, space, runner, [base], head)


def run(
    request: Request,
    config: Config,
    space: Workspace,
    runner: Runner,
    bases: Sequence[Taken],
    head: Taken,
) -> Report:
    """Report what is in the head and in none of the bases (a merge has several)."""
    found = Report(
        base=bases[0].snapshot,
        head=head.snapshot,
        bases=tuple(base.snapshot for base in bases[1:]),
        scanners=head.reports,
        notes=(*(note for base in bases for note in base.notes), *head.notes),
    )
    if any(base.snapshot.tree == head.snapshot.tree for base in bases):
        return found
    in_force = Side.BASE if request.agent else Side.HEAD
    each = [_sides(space.git, base.snapshot, head.snapshot, in_force) for base in bases]
    paths = {path for sides in each for path in (*sides.base, *sides.head)}
    chosen = selection.select(config, request.scanners, paths, space.search)
    total = rounds.merge([_round(chosen, sides, runner, space, config.policy) for sides in each])
    judged = policy.judge(
        total.comparison,
        config.policy,
        allowed_only=request.allowed_only,
        agent=request.agent,
    )
    return found._replace(
        introduced=report.reported(judged.introduced, TreeFiles(each[0].head, space.blobs)),
        fixed=judged.fixed,
        unchanged=judged.unchanged,
        suppressed=total.suppressed,
        hidden=judged.hidden,
        scanners=(*found.scanners, *total.scanners),
        notes=(*found.notes, *total.notes),
        held=total.held,
    )


def _round(
    chosen: Sequence[Selected], sides: Sides, runner: Runner, space: Workspace, rules: Policy
) -> Round:
    """Plan, scan and compare with one base."""
    read = TreeFiles(sides.in_force_entries, space.blobs).text
    plans = [planning.make(selected.scanner, sides, read) for selected in chosen]
    programs = _programs(chosen, plans, runner)
    jobs = [
        job
        for plan, program in zip(plans, programs, strict=True)
        if program is not None and not program.unusable
        for job in planning.jobs(plan, program, sides)
    ]
    scans = scan.run(jobs, runner)
    pairs = list(zip(scans[::2], scans[1::2], strict=True))
    compared = [
        _compare(base, head, jobs, sides, space)
        for base, head in pairs
        if base.failure is None and head.failure is None
    ]
    if sides.for_agent:
        compared.append(
            Comparison(introduced=tuple(rounds.not_scanned(pairs, sides.renames, sides.head)))
        )
    if sides.for_agent or rules.suppressions == "report":
        compared.append(Comparison(introduced=_suppressions(pairs, sides, space)))
    return Round(
        comparison=rounds.join(compared),
        suppressed=sum(len(head.log.suppressed) for _, head in pairs if head.failure is None),
        scanners=tuple(rounds.scanner_reports(chosen, plans, programs, pairs)),
        notes=(
            *rounds.held_notes(plans, sides.in_force),
            *rounds.gitlink_notes(sides),
            *rounds.scan_notes(pairs, sides.renames),
        ),
        held=tuple(dict.fromkeys(path for plan in plans for path in plan.held)),
    )


def _compare(
    base: Scan, head: Scan, jobs: Sequence[Job], sides: Sides, space: Workspace
) -> Comparison:
    """Compare the scans of one scanner, over the files as it saw them."""
    entries = {job.side: job.entries for job in jobs if job.scanner.name == base.scanner}
    old = TreeFiles(entries[Side.BASE], space.blobs)
    new = TreeFiles(entries[Side.HEAD], space.blobs)
    _read_ahead(base, head, old, new, sides.renames)
    return compare(
        base.log.findings,
        head.log.findings,
        base_files=old,
        head_files=new,
        renames=sides.renames,
    )


def _read_ahead(
    base: Scan, head: Scan, old: TreeFiles, new: TreeFiles, renames: Mapping[str, str]
) -> None:
    """Read all files at once that have findings and differ: a comparison looks at their lines."""
    now = {was: path for path, was in renames.items()}
    pairs = {(renames.get(f.path, f.path), f.path) for f in head.log.findings if f.path}
    pairs |= {(f.path, now.get(f.path, f.path)) for f in base.log.findings if f.path}
    differing = [(was, path) for was, path in pairs if old.oid(was) != new.oid(path)]
    old.read_ahead(was for was, _ in differing)
    new.read_ahead(path for _, path in differing)


def _suppressions(
    pairs: Sequence[tuple[Scan, Scan]], sides: Sides, space: Workspace
) -> tuple[Introduced, ...]:
    """Return the ignore comments, and the suppressions in SARIF, that the change added."""
    files = suppressions.Sides(
        TreeFiles(sides.base, space.blobs), TreeFiles(sides.head, space.blobs), sides.renames
    )
    paths = sides.paths()
    comments = suppressions.introduced(
        [path for path in paths if path in sides.base],
        [path for path in paths if path in sides.head],
        files,
        agent=sides.for_agent,
    )
    sound = [pair for pair in pairs if all(one.failure is None for one in pair)]
    return comments + suppressions.suppressed(
        [finding for base, _ in sound for finding in base.log.suppressed],
        [finding for _, head in sound for finding in head.log.suppressed],
        files,
        agent=sides.for_agent,
        comments=comments,
    )


def _programs(
    chosen: Sequence[Selected], plans: Sequence[Plan], runner: Runner
) -> list[Program | None]:
    """Identify the programs that will run; None where one is missing, or need not run."""

    def program(selected: Selected, plan: Plan) -> Program | None:
        if selected.path is None or plan.skipped:
            return None
        scanner, environ = selected.scanner, runner.around.environ
        known = identity(selected.path)
        version = scan.version(scanner, selected.path, known, runner)
        heeded = (*variables(scanner, environ), *home_files(scanner, environ))
        made = scan.contents(selected.path, known, runner)
        return Program(selected.path, made, version.text, version.unusable, heeded)

    with scan.at_once(runner) as pool:
        return scan.results(
            [pool.submit(program, *pair) for pair in zip(chosen, plans, strict=True)]
        )


def _base(request: Request, edge: Edge, config: Config, git: Git) -> Taken:
    """Take the base: ``--base``, else ``SARIFIX_BASE``, else ``base:``, else HEAD."""
    revision = request.base or edge.environ.get("SARIFIX_BASE") or config.base or "HEAD"
    head = "HEAD" if request.head in (snapshot.WORKTREE, snapshot.STAGED) else request.head
    return snapshot.base(git, revision, exact=request.exact_base, head_revision=head)


def _sides(git: Git, base: Snapshot, head: Snapshot, in_force: Side) -> Sides:
    entries = git.entries(head.tree)  # of the base only what differs is read then
    return Sides(
        base=git.entries(base.tree),
        head=entries,
        base_tree=base.tree,
        head_tree=head.tree,
        changes=git.changes(base.tree, head.tree),
        in_force=in_force,
    )


def make_runner(
    space: Workspace, config: Config, edge: Edge, deadline: float, scratch: Scratch | None = None
) -> Runner:
    """Return what the scans share; ``deadline`` is a time of ``time.monotonic``.

    ``scratch`` are the trees on disk where a slot was made ready before.
    """
    around = Surroundings(
        environ={**space.repository.environ, "PATH": space.search.environ_path},
        private=space.store / "tmp",
        top=space.repository.top,
        deadline=deadline,
        cancel=threading.Event(),
    )
    parallel = config.jobs or os.cpu_count() or 1
    return Runner(space.git, scratch, space.cache, around, edge.progress, parallel)

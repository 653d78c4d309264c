"""The whole story of a check, on one screen."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sarifix import loading, snapshot
from sarifix.git import HEAD_SLOT, Git, Scratch, TreeFiles, made_ready
from sarifix.model import Config, Report, Side, Snapshot
from sarifix.named import NamedTuple
from sarifix.snapshot import Taken
from sarifix.workspace import Edge, Workspace, load_config, open_workspace

if TYPE_CHECKING:
    from sarifix.plan import Sides
    from sarifix.scan import Runner


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
        made_ready(space.git) as scratch,
    ):
        load_ahead()
        space.git.look_ahead()
        head = snapshot.head(space.git, request.head, edge.look)
        scratch.expect(HEAD_SLOT, head.snapshot.tree)
        config = load_config(space, head.snapshot.tree, request.config_file)
        base = _base(request, edge, config, space.git)
        runner = make_runner(space, config, edge, began + config.deadline, scratch)
        return run(request, config, space, runner, [base], head)


def load_ahead() -> None:
    """Import what the second half of a check needs, while git works for the first one."""
    loading.begin("sarifix.rounds")


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
    # Not at the top of the file: they are being loaded while git is asked.
    from sarifix import policy, report, rounds, selection

    paths = {path for sides in each for path in (*sides.base, *sides.head)}
    chosen = selection.select(config, request.scanners, paths, space.search)
    rules = config.policy
    total = rounds.merge([rounds.make(chosen, sides, runner, space, rules) for sides in each])
    judged = policy.judge(
        total.comparison,
        rules,
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


def _base(request: Request, edge: Edge, config: Config, git: Git) -> Taken:
    """Take the base: ``--base``, else ``SARIFIX_BASE``, else ``base:``, else HEAD."""
    revision = request.base or edge.environ.get("SARIFIX_BASE") or config.base or "HEAD"
    head = "HEAD" if request.head in (snapshot.WORKTREE, snapshot.STAGED) else request.head
    return snapshot.base(git, revision, exact=request.exact_base, head_revision=head)


def _sides(git: Git, base: Snapshot, head: Snapshot, in_force: Side) -> Sides:
    from sarifix.plan import Sides

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
    from sarifix.execute import Surroundings
    from sarifix.scan import Runner

    around = Surroundings(
        environ={**space.repository.environ, "PATH": space.search.environ_path},
        private=space.store / "tmp",
        top=space.repository.top,
        deadline=deadline,
        cancel=threading.Event(),
    )
    parallel = config.jobs or os.cpu_count() or 1
    return Runner(space.git, scratch, space.cache, around, edge.progress, parallel)

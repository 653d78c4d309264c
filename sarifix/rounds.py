"""One comparison with one base, and several of them as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sarifix import plan as planning
from sarifix import scan, scanner_reports, suppressions
from sarifix.compare import compare
from sarifix.git import TreeFiles
from sarifix.model import (
    Comparison,
    Finding,
    Introduced,
    Policy,
    Program,
    Scan,
    ScannerReport,
    Side,
    Status,
)
from sarifix.named import NamedTuple
from sarifix.plan import Job, Plan, Sides
from sarifix.scan import Runner
from sarifix.scanners.find import home_files, identity, variables
from sarifix.selection import Selected
from sarifix.workspace import Workspace


class Round(NamedTuple):
    """What the comparison with one base found out."""

    comparison: Comparison
    suppressed: int = 0
    scanners: tuple[ScannerReport, ...] = ()
    notes: tuple[str, ...] = ()
    held: tuple[str, ...] = ()  # scanner configuration that differs, and was made equal


def make(
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
            Comparison(
                introduced=tuple(scanner_reports.not_scanned(pairs, sides.renames, sides.head))
            )
        )
    if sides.for_agent or rules.suppressions == "report":
        compared.append(Comparison(introduced=_suppressions(pairs, sides, space)))
    return Round(
        comparison=join(compared),
        suppressed=sum(len(head.log.suppressed) for _, head in pairs if head.failure is None),
        scanners=tuple(scanner_reports.scanner_reports(chosen, plans, programs, pairs)),
        notes=(
            *scanner_reports.held_notes(plans, sides.in_force),
            *scanner_reports.gitlink_notes(sides),
            *scanner_reports.scan_notes(pairs, sides.renames),
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


# ---------------------------------------------------------------------------
# Several as one


def join(parts: Sequence[Comparison]) -> Comparison:
    """Return the comparisons of several scanners as one."""
    return Comparison(
        tuple(new for part in parts for new in part.introduced),
        tuple(gone for part in parts for gone in part.fixed),
        tuple(pair for part in parts for pair in part.unchanged),
    )


def merge(rounds: Sequence[Round]) -> Round:
    """Return the rounds with several bases as one: introduced is what is in none of them."""
    if len(rounds) == 1:
        return rounds[0]
    return Round(
        comparison=Comparison(
            introduced=_in_none([r.comparison.introduced for r in rounds]),
            fixed=tuple({gone: None for r in rounds for gone in r.comparison.fixed}),
            unchanged=max((r.comparison.unchanged for r in rounds), key=len),
        ),
        suppressed=max(r.suppressed for r in rounds),
        scanners=tuple(_worst(of) for of in zip(*(r.scanners for r in rounds), strict=True)),
        notes=tuple(dict.fromkeys(note for r in rounds for note in r.notes)),
        held=tuple(dict.fromkeys(path for r in rounds for path in r.held)),
    )


def _in_none(introduced: Sequence[Sequence[Introduced]]) -> tuple[Introduced, ...]:
    counts = [Counter(new.finding for new in of) for of in introduced[1:]]
    left: list[Introduced] = []
    taken: Counter[Finding] = Counter()
    for new in introduced[0]:
        taken[new.finding] += 1
        if all(count[new.finding] >= taken[new.finding] for count in counts):
            left.append(new)
    return tuple(left)


def _worst(reports: Sequence[ScannerReport]) -> ScannerReport:
    order = (Status.FAILED, Status.OK, Status.SKIPPED)
    worst = min(reports, key=lambda r: order.index(r.status))
    return worst._replace(
        seconds=(sum(r.seconds[0] for r in reports), sum(r.seconds[1] for r in reports)),
        cached=(all(r.cached[0] for r in reports), all(r.cached[1] for r in reports)),
    )

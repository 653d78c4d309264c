"""What a report says of the scanners: how each of them fared, and what should be known of it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from sarifix.model import (
    Finding,
    Introduced,
    Level,
    Program,
    Scan,
    Scanner,
    ScannerReport,
    Side,
    Status,
)
from sarifix.plan import Plan, Sides
from sarifix.policy import OWN
from sarifix.selection import Selected

Scans = tuple[Scan, Scan]  # base and head


def scanner_reports(
    chosen: Sequence[Selected],
    plans: Sequence[Plan],
    programs: Sequence[Program | None],
    pairs: Sequence[Scans],
) -> Iterator[ScannerReport]:
    """Yield how each scanner fared."""
    by_name = {base.scanner: (base, head) for base, head in pairs}
    for selected, plan, program in zip(chosen, plans, programs, strict=True):
        scanner = selected.scanner
        if plan.skipped:
            yield ScannerReport(
                scanner.name, Status.SKIPPED, reason=plan.skipped, required=scanner.required
            )
        elif program is None:
            yield ScannerReport(
                scanner.name,
                Status.FAILED,
                reason=_with_hint(f"{scanner.argv[0]} was not found", scanner),
                required=scanner.required,
                missing=scanner,
            )
        elif program.unusable:
            yield _unusable(scanner, program.unusable)
        else:
            yield _ran(plan, program, by_name[scanner.name])


def _unusable(scanner: Scanner, why: str) -> ScannerReport:
    """A scanner that nobody named and that is installed without what it needs is no failure."""
    status = Status.FAILED if scanner.named else Status.SKIPPED
    return ScannerReport(
        scanner.name, status, reason=_with_hint(why, scanner), required=scanner.required
    )


def _with_hint(why: str, scanner: Scanner) -> str:
    return f"{why}; install it: {scanner.install}" if scanner.install else why


def _ran(plan: Plan, program: Program, scans: Scans) -> ScannerReport:
    base, head = scans
    reason = _failure(base, head)
    return ScannerReport(
        name=plan.scanner.name,
        status=Status.OK if reason is None else Status.FAILED,
        version=program.version,
        reason=reason,
        required=plan.scanner.required,
        seconds=(base.seconds, head.seconds),
        cached=(base.cached, head.cached),
        head_alone=base.failure is None and head.failure is not None,
    )


def _failure(base: Scan, head: Scan) -> str | None:
    if base.failure is not None and head.failure is not None:
        return head.failure
    if base.failure is not None:
        return f"on the base: {base.failure}"
    if head.failure is not None:
        return f"on the head: {head.failure}"
    return None


def gitlink_notes(sides: Sides) -> Iterator[str]:
    """Yield the submodules and nested repositories that changed: nobody looks into them."""
    for path in sides.paths():
        entry = sides.head.get(path)
        if entry is not None and entry.is_gitlink and entry != sides.base.get(path):
            yield f"{path} is a repository of its own: what is in it was not checked"


def held_notes(plans: Sequence[Plan], in_force: Side) -> Iterator[str]:
    """Yield which scanner configuration differs, and whose version both sides were held to."""
    for plan in plans:
        if plan.held and not plan.skipped:
            names = ", ".join(plan.held)
            yield f"{names} differs: {plan.scanner.name} used the {in_force.value}'s on both sides"


def scan_notes(pairs: Sequence[Scans], renames: Mapping[str, str]) -> Iterator[str]:
    """Yield what the logs say besides findings: repeats, and files that can be read no more."""
    for base, head in pairs:
        yield from (f"{head.scanner}: {note}" for note in head.log.notes)
        for path in _unread_now(base, head, renames):
            yield f"{head.scanner} could not read {path}, so it was not checked"


def not_scanned(
    pairs: Sequence[Scans], renames: Mapping[str, str], files: Container[str]
) -> Iterator[Introduced]:
    """Yield a finding for each file that a scanner cannot read, and could in the base.

    Breaking the syntax of a file must not be a way to hide what is in it. ``files`` are
    those of the head: a scanner that gives no path says something else in its place.
    """
    for base, head in pairs:
        if base.failure is None and head.failure is None:
            for said in _unread_now(base, head, renames):
                path = said if said in files else None
                message = f"{head.scanner} cannot read {path or said!r}, so it was not checked"
                yield Introduced(Finding(OWN, "not-scanned", Level.WARNING, message, path))


def _unread_now(base: Scan, head: Scan, renames: Mapping[str, str]) -> list[str]:
    before = set(base.log.unread)
    return [path for path in head.log.unread if renames.get(path, path) not in before]

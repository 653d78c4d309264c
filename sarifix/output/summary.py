"""What several outputs say of a report, in the same words. All of it is clean text."""

from __future__ import annotations

from collections import Counter

from sarifix.errors import ExitCode
from sarifix.model import Finding, Level, Report, Reported, ScannerReport, Snapshot, Status
from sarifix.report import order
from sarifix.sanitize import (
    MESSAGE_LIMIT,
    REASON_LIMIT,
    RULE_LIMIT,
    TOOL_LIMIT,
    clean,
    clean_path,
)


def exit_code(report: Report) -> ExitCode:
    """Return what the process answers with for this report."""
    return ExitCode[report.outcome.name]


def ordered(report: Report) -> list[Reported]:
    """Return the introduced findings by path, line, column and rule; without a path last."""
    return sorted(report.introduced, key=lambda reported: order(reported.finding))


def place(finding: Finding) -> str | None:
    """Return ``path:line:column`` as far as it is known; None without a path."""
    if finding.path is None:
        return None
    parts = [clean_path(finding.path)]
    if finding.region:
        parts.append(str(finding.region.line))
        if finding.region.column is not None:
            parts.append(str(finding.region.column))
    return ":".join(parts)


def rule(finding: Finding) -> str:
    """Return ``scanner/rule``, as the configuration names it."""
    return clean(finding.qualified_rule, TOOL_LIMIT + RULE_LIMIT)


def message(finding: Finding) -> str:
    """Return the finding's message as one line."""
    return clean(finding.message, MESSAGE_LIMIT)


def reason(reported: Reported | ScannerReport) -> str | None:
    """Return the reason of a finding or of a scanner's status as one line."""
    return clean(reported.reason, REASON_LIMIT) if reported.reason else None


def counted(count: int, noun: str) -> str:
    """Return ``1 finding``, ``2 findings``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def verdict(report: Report) -> str:
    """Return the verdict in one sentence, without its full stop."""
    if report.introduced:
        return f"{counted(len(report.introduced), 'finding')} introduced ({_by_level(report)})"
    failed = [clean(scanner.name, TOOL_LIMIT) for scanner in report.failed]
    if failed:
        return f"Undecided: {' and '.join(failed)} failed, so there may be findings not shown"
    if report.base.tree == report.head.tree:
        return "No findings introduced: base and head are the same"
    if not any(scanner.status is Status.OK for scanner in report.scanners):
        return "No findings introduced; no scanner ran"
    return "No findings introduced"


def _by_level(report: Report) -> str:
    counts = Counter(reported.finding.level for reported in report.introduced)
    words = {Level.NONE: "{} without a level"}
    return ", ".join(
        words[level].format(counts[level]) if level in words else counted(counts[level], str(level))
        for level in sorted(counts, reverse=True)
    )


def totals(report: Report) -> str:
    """Return every count of the report, in one line."""
    counts = (
        f"{len(report.introduced)} introduced, {report.fixed} fixed, "
        f"{report.unchanged} unchanged, {report.suppressed} suppressed, "
        f"{sum(hidden.number for hidden in report.hidden)} hidden"
    )
    by = ", ".join(f"{hidden.number} by {clean(hidden.by, RULE_LIMIT)}" for hidden in report.hidden)
    return f"{counts} ({by})" if by else counts


def unwell(report: Report) -> list[str]:
    """Return one line for each scanner that failed or was skipped, with the reason."""
    return [
        f"{clean(scanner.name, TOOL_LIMIT)} {_status(scanner)}"
        for scanner in report.scanners
        if scanner.status is not Status.OK
    ]


def _status(scanner: ScannerReport) -> str:
    optional = scanner.status is Status.FAILED and not scanner.required
    status = f"{scanner.status.value} (not required)" if optional else scanner.status.value
    return f"{status}: {reason(scanner) or 'no reason given'}"


def against(report: Report) -> str:
    """Return what was compared with what, as a person says it: the head against every base."""
    bases = " and ".join(_origin(base) for base in (report.base, *report.bases))
    return f"{_origin(report.head)} against {bases}"


def sides(report: Report) -> str:
    """Return what was compared with what: every base, and the head."""
    bases = " and ".join(_origin(base) for base in (report.base, *report.bases))
    return f"base {bases}, head {_origin(report.head)}"


def _origin(snapshot: Snapshot) -> str:
    return clean(snapshot.origin, RULE_LIMIT)


def notes(report: Report) -> list[str]:
    """Return the notes, one line each."""
    return [clean(note, MESSAGE_LIMIT) for note in report.notes]

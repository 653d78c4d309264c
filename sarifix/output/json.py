"""The report as JSON, version 1: the keys are a promise (``docs/report.schema.json``)."""

from __future__ import annotations

from sarifix.errors import SarifixError
from sarifix.model import Outcome, Report, Reported, ScannerReport, Snapshot
from sarifix.output import Options
from sarifix.output.summary import exit_code
from sarifix.sanitize import to_json

VERSION = 1


def render(report: Report, options: Options) -> str:  # noqa: ARG001  the same for everyone
    """Return the report as one JSON document, in the order the report has."""
    document = {
        "version": VERSION,
        "outcome": report.outcome.value,
        "exit_code": int(exit_code(report)),
        "base": _snapshot(report.base),
        "head": _snapshot(report.head),
        "introduced": [_introduced(reported) for reported in report.introduced],
        "fixed": report.fixed,
        "unchanged": report.unchanged,
        "suppressed": report.suppressed,
        "hidden": [{"by": hidden.by, "count": hidden.number} for hidden in report.hidden],
        "scanners": [_scanner(scanner) for scanner in report.scanners],
        "notes": list(report.notes),
    }
    return to_json(document) + "\n"


def render_error(error: SarifixError) -> str:
    """Return the document of a check that could not be made."""
    document = {
        "version": VERSION,
        "outcome": Outcome.UNDECIDED.value,
        "exit_code": int(error.exit_code),
        "error": {"message": error.message, "hint": error.hint},
    }
    return to_json(document) + "\n"


def _snapshot(snapshot: Snapshot) -> dict[str, object]:
    return {"tree": snapshot.tree, "origin": snapshot.origin}


def _introduced(reported: Reported) -> dict[str, object]:
    finding = reported.finding
    region = finding.region
    return {
        "scanner": finding.scanner,
        "rule": finding.rule,
        "level": str(finding.level),
        "message": finding.message,
        "path": finding.path,
        "line": region.line if region else None,
        "column": region.column if region else None,
        "end_line": region.end_line if region else None,
        "end_column": region.end_column if region else None,
        "fingerprint": reported.fingerprint,
        "reason": reported.reason,
        "help_uri": finding.help_uri,
    }


def _scanner(scanner: ScannerReport) -> dict[str, object]:
    return {
        "name": scanner.name,
        "status": scanner.status.value,
        "version": scanner.version,
        "seconds": _by_side(scanner.seconds),
        "cached": _by_side(scanner.cached),
        "reason": scanner.reason,
    }


def _by_side(pair: tuple[object, object]) -> dict[str, object]:
    base, head = pair
    return {"base": base, "head": head}

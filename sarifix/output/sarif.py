"""The report as SARIF 2.1.0: one run for each scanner, its results the introduced findings."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Sequence

from sarifix import __version__
from sarifix.model import Finding, Region, Report, Reported, ScannerReport, Snapshot, Status
from sarifix.sanitize import to_json

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_NOT_A_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # not from os.fsdecode
_URI_CHARACTERS = "%/:?#[]@!$&'()*+,;="


def render(report: Report, options: object | None = None) -> str:  # noqa: ARG001  the same for all
    """Return ``report`` as a SARIF document that passes the OASIS schema.

    A scanner without findings has a run too, a failed one says so in its invocation, a
    skipped one in a note. With equal trees no scanner ran: the one run is sarifix's own.
    The text of findings is untrusted: it is escaped as JSON and nothing else.
    """
    known = {scanner.name for scanner in report.scanners}
    own = [r.finding.scanner for r in report.introduced if r.finding.scanner not in known]
    scanners = [*report.scanners, *(_sarifix(name) for name in dict.fromkeys(own))]
    origin = _origin(report)
    document = _document([_run(scanner, report, origin) for scanner in scanners or [_sarifix()]])
    document["properties"] = {"sarifix": {**origin, **_counts(report)}}
    return to_json(document) + "\n"


def render_error(message: str, hint: str | None) -> str:
    """Return a SARIF document that says that the check itself could not be made."""
    said = message if hint is None else f"{message} ({hint})"
    scanner = ScannerReport("sarifix", Status.FAILED, __version__, said)
    return to_json(_document([_shell(scanner)])) + "\n"


def _document(runs: list[dict[str, object]]) -> dict[str, object]:
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}


def _sarifix(name: str = "sarifix") -> ScannerReport:
    """Stand in for a name that is no scanner's: our own findings (``new-suppression``)."""
    return ScannerReport(name, Status.OK, __version__ if name == "sarifix" else None)


def _run(scanner: ScannerReport, report: Report, origin: dict[str, object]) -> dict[str, object]:
    mine = [r for r in report.introduced if r.finding.scanner == scanner.name]
    rules = _rules([reported.finding for reported in mine])
    indices = {str(rule["id"]): index for index, rule in enumerate(rules)}
    run = _shell(scanner, rules)
    run["results"] = [_result(reported, indices) for reported in mine]
    run["properties"] = {"sarifix": origin}
    return run


def _shell(scanner: ScannerReport, rules: Sequence[dict[str, object]] = ()) -> dict[str, object]:
    """Return a run without results: the tool, and how it fared."""
    driver: dict[str, object] = {"name": scanner.name, "rules": list(rules)}
    if scanner.version:
        driver["version"] = scanner.version
    return {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"sarifix/{scanner.name}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(scanner)],
        "results": [],
    }


def _invocation(scanner: ScannerReport) -> dict[str, object]:
    invocation: dict[str, object] = {"executionSuccessful": scanner.status is not Status.FAILED}
    if scanner.status is not Status.OK or scanner.reason:
        level = "error" if scanner.status is Status.FAILED else "note"
        text = scanner.reason or f"{scanner.name}: {scanner.status.value}"
        invocation["toolExecutionNotifications"] = [{"level": level, "message": {"text": text}}]
    return invocation


def _rules(findings: Sequence[Finding]) -> list[dict[str, object]]:
    rules: dict[str, dict[str, object]] = {}
    for finding in findings:
        rule = rules.setdefault(finding.rule, {"id": finding.rule})
        if finding.help_uri:
            rule["helpUri"] = _quoted(finding.help_uri, _URI_CHARACTERS)
    return list(rules.values())


def _result(reported: Reported, indices: dict[str, int]) -> dict[str, object]:
    finding = reported.finding
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": indices[finding.rule],
        "level": str(finding.level),
        "message": {"text": finding.message},
        "baselineState": "new",
        "partialFingerprints": {"sarifix/v1": reported.fingerprint},
    }
    if finding.path is not None:
        physical: dict[str, object] = {"artifactLocation": {"uri": _uri(finding)}}
        if finding.region is not None:
            physical["region"] = _region(finding.region)
        result["locations"] = [{"physicalLocation": physical}]
    if reported.reason is not None:
        result["properties"] = {"sarifix": {"reason": reported.reason}}
    return result


def _region(region: Region) -> dict[str, int]:
    numbers = {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }
    return {key: number for key, number in numbers.items() if number is not None}


def _uri(finding: Finding) -> str:
    """Return a path as a URI; what is not in the tree stands as it came, often a URI."""
    return _quoted(finding.path or "", "/" if finding.in_tree else _URI_CHARACTERS)


def _quoted(text: str, safe: str) -> str:
    """Percent-encode text, with the bytes of a path that are not UTF-8."""
    encodable = _NOT_A_BYTE.sub("\ufffd", text)
    return urllib.parse.quote(encodable.encode("utf-8", "surrogateescape"), safe)


def _origin(report: Report) -> dict[str, object]:
    return {
        "version": __version__,
        "base": _snapshot(report.base),
        "head": _snapshot(report.head),
        "bases": [_snapshot(base) for base in report.bases],
    }


def _snapshot(snapshot: Snapshot) -> dict[str, object]:
    return {"tree": snapshot.tree, "origin": snapshot.origin}


def _counts(report: Report) -> dict[str, object]:
    return {
        "outcome": report.outcome.value,
        "introduced": len(report.introduced),
        "fixed": report.fixed,
        "unchanged": report.unchanged,
        "suppressed": report.suppressed,
        "hidden": [{"by": hidden.by, "count": hidden.number} for hidden in report.hidden],
        "notes": list(report.notes),
    }

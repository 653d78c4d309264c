"""The report as GitHub workflow commands: annotations on the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from sarifix.errors import SarifixError
from sarifix.model import Finding, Level, Report, Reported, ScannerReport, Status
from sarifix.output import Options, summary
from sarifix.sanitize import (
    MESSAGE_LIMIT,
    TOOL_LIMIT,
    clean,
    is_plain_path,
    to_command_data,
    to_command_property,
    to_terminal,
)

# GitHub shows no more than this for one step:
# https://docs.github.com/actions/reference/limits (annotations)
_PER_LEVEL = 10
_COMMANDS = {
    Level.ERROR: "error",
    Level.WARNING: "warning",
    Level.NOTE: "notice",
    Level.NONE: "notice",
}


def render(report: Report, options: Options) -> str:  # noqa: ARG001  a log has no width
    """Return one command a line, failures first, and a last line for the log alone.

    At most ten commands of a kind; how many findings were left out is said in a notice.
    """
    failures = [_failure(scanner) for scanner in report.scanners if _is_failed(scanner)]
    findings = [_finding(reported) for reported in summary.ordered(report)]
    shown, left = _within_limits(failures, findings)
    lines = [*shown, *_rest(left), to_terminal(_log_line(report))]
    return "".join(f"{line}\n" for line in lines)


def render_error(error: SarifixError) -> str:
    """Return the failure as one annotation."""
    text = clean(f"{error.message} {error.hint or ''}", 2 * MESSAGE_LIMIT)
    return f"{_command('error', {'title': 'sarifix'}, text)}\n"


def _within_limits(
    failures: list[tuple[str, str]], findings: list[tuple[str, str]]
) -> tuple[list[str], int]:
    """Return the lines that GitHub will show, and how many findings are not among them."""
    # One notice is kept for the count of the rest.
    room = {"error": _PER_LEVEL, "warning": _PER_LEVEL, "notice": _PER_LEVEL - 1}
    lines = []
    left = 0
    for index, (kind, line) in enumerate(failures + findings):
        if room[kind] > 0:
            room[kind] -= 1
            lines.append(line)
        elif index >= len(failures):
            left += 1
    return lines, left


def _is_failed(scanner: ScannerReport) -> bool:
    return scanner.status is Status.FAILED


def _failure(scanner: ScannerReport) -> tuple[str, str]:
    kind = "error" if scanner.required else "warning"
    name = clean(scanner.name, TOOL_LIMIT)
    text = f"{name} failed: {summary.reason(scanner) or 'no reason given'}"
    return kind, _command(kind, {"title": f"sarifix: {name} failed"}, text)


def _finding(reported: Reported) -> tuple[str, str]:
    finding = reported.finding
    kind = _COMMANDS[finding.level]
    properties = _location(finding)
    text = summary.message(finding)
    place = summary.place(finding)
    if place and not properties:  # GitHub cannot say where, so the text does
        text = f"{place}: {text}"
    reason = summary.reason(reported)
    if reason:
        text = f"{text} ({reason})"
    return kind, _command(kind, {**properties, "title": summary.rule(finding)}, text)


def _location(finding: Finding) -> dict[str, str]:
    """Return the properties of a place that GitHub can show, or none."""
    path, region = finding.path, finding.region
    if path is None or not finding.in_tree or not is_plain_path(path):
        return {}
    properties = {"file": path}
    if region is None:
        return properties
    properties["line"] = str(region.line)
    if region.column is not None:
        properties["col"] = str(region.column)
    if region.end_line is not None:
        properties["endLine"] = str(region.end_line)
    return properties


def _command(kind: str, properties: dict[str, str], text: str) -> str:
    shown = ",".join(f"{name}={to_command_property(value)}" for name, value in properties.items())
    return f"::{kind} {shown}::{to_command_data(text)}"


def _rest(left: int) -> Iterator[str]:
    if left:
        text = f"{summary.counted(left, 'more finding')} introduced; `sarifix check` shows all"
        yield _command("notice", {"title": "sarifix"}, text)


def _log_line(report: Report) -> str:
    return f"sarifix: {summary.verdict(report)}. {summary.totals(report)}; {summary.sides(report)}"

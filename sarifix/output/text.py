"""The report for a person at a terminal. Without colours nothing of rich is imported."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterator

from sarifix.errors import SarifixError
from sarifix.model import Finding, Level, Outcome, Report, Reported, ScannerReport, Status
from sarifix.output import Options, summary
from sarifix.sanitize import (
    MESSAGE_LIMIT,
    RULE_LIMIT,
    TOOL_LIMIT,
    boundary,
    clean,
    clean_path,
    to_terminal,
)

Paint = Callable[[str, str], str]

_NOTES_SHOWN = 10  # all of them, and in full, with -v
LEVEL_STYLES = {
    Level.ERROR: "bold red",
    Level.WARNING: "bold yellow",
    Level.NOTE: "bold cyan",
    Level.NONE: "bold",
}
OUTCOME_STYLES = {
    Outcome.CLEAN: "bold green",
    Outcome.INTRODUCED: "bold red",
    Outcome.UNDECIDED: "bold yellow",
}


def render(report: Report, options: Options) -> str:
    """Return the findings by file, and a footer with the totals.

    With verbosity -1 one line a finding, and nothing when clean; with 1 also versions,
    times, cache hits, every note in full, and where a rule is explained.
    """
    paint = painter(color=options.color)
    if options.verbosity < 0:
        lines = _quiet(report, paint)
    else:
        lines = itertools.chain(_findings(report, options, paint), _footer(report, options, paint))
    return "".join(f"{line}\n" for line in lines)


def render_error(error: SarifixError) -> str:  # noqa: ARG001
    """Return nothing: the message is for standard error."""
    return ""


def painter(*, color: bool) -> Paint:
    """Return what puts a style on a piece of clean text."""
    if not color:
        return lambda text, _style: text
    from rich.color import ColorSystem  # late: 20 ms, and only for colours
    from rich.style import Style

    return lambda text, style: Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def _quiet(report: Report, paint: Paint) -> Iterator[str]:
    for reported in summary.ordered(report):
        finding = reported.finding
        place = summary.place(finding)
        head = f"{paint(to_terminal(place), 'bold')}: " if place else ""
        yield f"{head}{_title(finding, paint)}"
    if report.outcome is Outcome.UNDECIDED:
        yield paint(summary.verdict(report), OUTCOME_STYLES[Outcome.UNDECIDED])
        yield from summary.unwell(report)


def _findings(report: Report, options: Options, paint: Paint) -> Iterator[str]:
    groups = itertools.groupby(
        summary.ordered(report), lambda item: (item.finding.path, item.finding.in_tree)
    )
    for (path, in_tree), items in groups:
        yield paint(_heading(path, in_tree=in_tree), "bold underline")
        for reported in items:
            yield from _finding(reported, options, paint)
        yield ""


def _heading(path: str | None, *, in_tree: bool) -> str:
    if path is None:
        return "Without a file"
    shown = to_terminal(clean_path(path))
    return shown if in_tree else f"{shown} (not in the repository)"


def _finding(reported: Reported, options: Options, paint: Paint) -> Iterator[str]:
    finding = reported.finding
    yield f"  {_title(finding, paint)}"
    place = summary.place(finding)
    if place:
        yield f"    {paint('-->', 'blue')} {place}"
    # NOTE: a secret is never shown, whoever built the report.
    if reported.line is not None and not finding.secret:
        line = fitted(clean(reported.line, MESSAGE_LIMIT), options.width - len("      | "))
        yield f"      {paint('|', 'blue')} {line}"
    reason = summary.reason(reported)
    if reason:
        yield f"      {paint('=', 'blue')} {reason}"
    if options.verbosity > 0 and finding.help_uri:
        yield f"      {paint('=', 'blue')} help: {clean(finding.help_uri, MESSAGE_LIMIT)}"


def _title(finding: Finding, paint: Paint) -> str:
    level = paint(str(finding.level), LEVEL_STYLES[finding.level])
    return f"{level} {paint(summary.rule(finding), 'bold')}: {summary.message(finding)}"


def fitted(text: str, width: int) -> str:
    """Cut a line of clean text to so many cells, visibly, and not inside of an emoji."""
    ends = list(itertools.accumulate(map(_cells, text)))
    if not ends or ends[-1] <= width:
        return text
    fits = sum(end <= width - len("...") for end in ends)
    return f"{text[: boundary(text, fits)]}..."


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"F", "W"} else 1


def _footer(report: Report, options: Options, paint: Paint) -> Iterator[str]:
    yield paint(f"{summary.verdict(report)}.", OUTCOME_STYLES[report.outcome])
    yield summary.totals(report)
    yield from summary.unwell(report)
    if options.verbosity > 0:
        ran = (scanner for scanner in report.scanners if scanner.status is not Status.SKIPPED)
        yield from map(_scanner, ran)
    yield from _notes(report, options)
    yield paint(summary.sides(report), "dim")


def _scanner(scanner: ScannerReport) -> str:
    version = clean(scanner.version or "of unknown version", RULE_LIMIT)
    sides = ", ".join(
        f"{side} {seconds:.1f} s{' (cached)' if cached else ''}"
        for side, seconds, cached in zip(
            ("base", "head"), scanner.seconds, scanner.cached, strict=True
        )
    )
    return f"{clean(scanner.name, TOOL_LIMIT)} {version}: {scanner.status.value}, {sides}"


def _notes(report: Report, options: Options) -> Iterator[str]:
    notes = summary.notes(report)
    if options.verbosity > 0:
        yield from (f"note: {note}" for note in notes)
        return
    yield from (fitted(f"note: {note}", options.width) for note in notes[:_NOTES_SHOWN])
    if len(notes) > _NOTES_SHOWN:
        yield f"note: {summary.counted(len(notes) - _NOTES_SHOWN, 'more note')} with -v"

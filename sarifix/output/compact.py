"""The report of a hook: short, as it is read below other hooks' output, in 80 columns."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

from sarifix.model import Outcome, Report, Reported, Status
from sarifix.output import Options, summary
from sarifix.output.text import LEVEL_STYLES, OUTCOME_STYLES, Paint, fitted, painter
from sarifix.sanitize import MESSAGE_LIMIT, clean, to_terminal

WIDTH = 78  # prek indents what a hook says by two
_FINDINGS = 20  # shown one by one; then how many there are of each rule
_RULES = 10
_NOTES = 5


def first_line(report: Report, why: str, options: Options) -> str:
    """Return what is compared with what, and why; all there is to say of two equal trees."""
    said = f"{summary.against(report)}: {clean(why, MESSAGE_LIMIT)}"
    if is_same(report):
        said = f"nothing to check, both sides are the same: {said}"
    return _joined(_wrapped(f"sarifix: {said}", options))


def is_same(report: Report) -> bool:
    """Whether the head is the same tree as a base, and all of it: nothing was scanned."""
    trees = {base.tree for base in (report.base, *report.bases)}
    return report.head.tree in trees and report.outcome is Outcome.CLEAN


def render(report: Report, options: Options) -> str:
    """Return the findings, two lines each, the verdict, and what went wrong or unseen."""
    paint = painter(color=options.color)
    return _joined((*_findings(report, options, paint), *_footer(report, options, paint)))


def _findings(report: Report, options: Options, paint: Paint) -> Iterator[str]:
    ordered = summary.ordered(report)
    for reported in ordered[:_FINDINGS]:
        yield from _finding(reported, options, paint)
    rest = Counter(summary.rule(reported.finding) for reported in ordered[_FINDINGS:])
    for rule, count in rest.most_common(_RULES):
        yield f"and {count} x {rule}"
    others = rest.most_common()[_RULES:]
    if others:
        yield f"and {sum(n for _, n in others)} of {summary.counted(len(others), 'other rule')}"


def _finding(reported: Reported, options: Options, paint: Paint) -> Iterator[str]:
    finding = reported.finding
    place = to_terminal(summary.place(finding) or "without a file")  # before it is painted
    level, rule = str(finding.level), summary.rule(finding)
    title = f"{paint(level, LEVEL_STYLES[finding.level])} {paint(rule, 'bold')}"
    if len(place) + len(level) + len(rule) + 3 <= options.width:
        yield f"{paint(place, 'bold')}: {title}"
    else:  # a place is never cut: terminals and editors open it
        yield f"{paint(place, 'bold')}:"
        yield f"  {title}"
    yield f"  {fitted(summary.message(finding), options.width - 2)}"
    reason = summary.reason(reported)
    if reason:
        yield f"  {fitted(f'= {reason}', options.width - 2)}"


def _footer(report: Report, options: Options, paint: Paint) -> Iterator[str]:
    for line in _wrapped(f"{summary.verdict(report)}.", options):
        yield paint(line, OUTCOME_STYLES[report.outcome])
    if report.outcome is Outcome.CLEAN:
        yield summary.totals(report)
    failed = tuple(scanner for scanner in report.scanners if scanner.status is Status.FAILED)
    for line in summary.unwell(report._replace(scanners=failed)):
        yield from _wrapped(line, options)
    notes = summary.notes(report)
    yield from (fitted(f"note: {note}", options.width) for note in notes[:_NOTES])
    if len(notes) > _NOTES:
        yield f"note: {summary.counted(len(notes) - _NOTES, 'more note')}"


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{to_terminal(line)}\n" for line in lines)


def _wrapped(text: str, options: Options) -> list[str]:
    return textwrap.wrap(
        text, options.width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )

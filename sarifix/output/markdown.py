"""The report as Markdown, for a job summary or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sarifix.errors import SarifixError
from sarifix.model import Finding, Report, Reported
from sarifix.output import Options, summary
from sarifix.sanitize import MESSAGE_LIMIT, clean, to_markdown, to_markdown_code

# GitHub takes 65,536 characters in a comment; what is not said here is for the totals.
_ROWS, _ROW_CHARACTERS = 50, 45_000
_ITEMS, _ITEM_CHARACTERS = 20, 15_000  # of failures and notes


def render(report: Report, options: Options) -> str:  # noqa: ARG001  a page has no width
    """Return the verdict, a table of the findings by file, and the totals."""
    lines = [
        f"### sarifix: {to_markdown(summary.verdict(report))}",
        *_table(summary.ordered(report)),
        "",
        to_markdown(summary.totals(report)),
        *_items(report),
        "",
        to_markdown(summary.sides(report)),
    ]
    return "\n".join(lines) + "\n"


def render_error(error: SarifixError) -> str:
    """Return a short section about a check that could not be made."""
    # Behind a word of ours, so that the text cannot begin a list or a rule.
    lines = ["### sarifix: undecided", "", f"Error: {_message(error.message)}"]
    if error.hint:
        lines += ["", f"Hint: {_message(error.hint)}"]
    return "\n".join(lines) + "\n"


def _message(text: str) -> str:
    return to_markdown(clean(text, MESSAGE_LIMIT))


def _table(findings: list[Reported]) -> Iterator[str]:
    if not findings:
        return
    yield ""
    yield "| Place | Level | Rule | Message |"
    yield "| --- | --- | --- | --- |"
    rows = _fitting(map(_row, findings[:_ROWS]), _ROW_CHARACTERS)
    yield from rows
    if len(rows) < len(findings):
        yield ""
        yield f"and {summary.counted(len(findings) - len(rows), 'more finding')}"


def _items(report: Report) -> Iterator[str]:
    """Yield a list of the scanners that did not run well, and of the notes."""
    lines = [*summary.unwell(report), *(f"note: {note}" for note in summary.notes(report))]
    if not lines:
        return
    yield ""
    items = _fitting((f"- {to_markdown(line)}" for line in lines[:_ITEMS]), _ITEM_CHARACTERS)
    yield from items
    if len(items) < len(lines):
        yield f"- and {len(lines) - len(items)} more"


def _fitting(lines: Iterable[str], most: int) -> list[str]:
    """Return the first lines that have no more than so many characters together."""
    fitting = []
    for line in lines:
        most -= len(line)
        if most < 0:
            break
        fitting.append(line)
    return fitting


def _row(reported: Reported) -> str:
    finding = reported.finding
    message = to_markdown(summary.message(finding))
    reason = summary.reason(reported)
    if reason:
        message = f"{message} ({to_markdown(reason)})"
    cells = (_place(finding), str(finding.level), _code(summary.rule(finding)), message)
    return f"| {' | '.join(cells)} |"


def _place(finding: Finding) -> str:
    place = summary.place(finding)
    if place is None:
        return "without a file"
    return _code(place) if finding.in_tree else f"{_code(place)} (not in the repository)"


def _code(text: str) -> str:
    # In a table a bar ends the cell, in a code span as well, and cannot always be escaped.
    return to_markdown(text) if "|" in text else to_markdown_code(text)

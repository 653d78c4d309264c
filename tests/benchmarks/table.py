"""Results as Markdown, which reads well in a terminal, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tests.benchmarks.contest import Judged, Result, Taken

BEGIN = "<!-- what follows is written by python -m tests.benchmarks --write -->"
END = "<!-- up to here -->"


def render(results: Sequence[Result], machine: dict[str, Any]) -> str:
    """Return the bars in one table, then a table for each case."""
    about = ", ".join(f"{name} {value}" for name, value in machine.items())
    bars = [_bars(results)] if any(result.bars for result in results) else []
    parts = [f"Measured with: {about}.", *bars, *map(_case, results)]
    return "\n\n".join(parts) + "\n"


def write(document: str, text: str) -> str:
    """Return a document with ``text`` between its two marks; raises ``ValueError`` without."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(document):
        raise ValueError(f"the document has no place for the tables: {BEGIN} ... {END}")
    return pattern.sub(lambda _: f"{BEGIN}\n\n{text}\n{END}", document)


def _bars(results: Sequence[Result]) -> str:
    rows = [
        (result.title, bar.text, _value(bar), _limit(bar), _MET[bar.met])
        for result in results
        for bar in result.bars
    ]
    return _table(("case", "what", "measured", "bar", ""), rows)


_PROBLEM = 300  # characters
_MET = {True: "met", False: "**missed**", None: "not measured"}


def _value(bar: Judged) -> str:
    return "-" if bar.value is None else _number(bar.value, bar.unit)


def _limit(bar: Judged) -> str:
    return ("at least " if bar.at_least else "at most ") + _number(bar.limit, bar.unit)


def _number(value: float, unit: str) -> str:
    digits = 3 if unit == "s" else 2 if unit == "x" else 0
    return f"{value:,.{digits}f} {unit}".strip()


def _case(result: Result) -> str:
    ours = result.taken[0]
    rows = [_row(one, ours) for one in result.taken]
    head = ("", "median", "range", "processors", "peak memory", "in relation")
    rounds = f"{result.rounds} rounds, load {result.load:.1f}"
    return f"**{result.title}** (`{result.name}`, {rounds})\n\n{_table(head, rows)}"


def _row(one: Taken, ours: Taken) -> tuple[str, ...]:
    if one.problem or not one.runs:
        told = " ".join((one.problem or "no run").split())
        return (one.name, f"**{told[:_PROBLEM]}**", "", "", "", "")
    walls = [usage.wall for usage in one.runs]
    relation = f"{one.median() / ours.median():.2f}" if ours.runs else ""
    return (
        one.name,
        f"{one.median():.3f} s",
        f"{min(walls):.3f} - {max(walls):.3f}",
        f"{one.median('cpu'):.3f} s",
        f"{one.median('rss') / 1e6:,.0f} MB",
        relation,
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

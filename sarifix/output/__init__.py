"""The kinds of output. Each is a function of the report: one file, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from sarifix.errors import SarifixError
from sarifix.model import Report
from sarifix.named import NamedTuple


class Options(NamedTuple):
    """How a report is shown to a person: ``width`` in cells, ``verbosity`` -1, 0 or 1."""

    color: bool = False
    width: int = 80
    verbosity: int = 0


class Format(NamedTuple):
    """One kind of output: of a report, and of a check that could not be made."""

    render: Callable[[Report, Options], str]
    render_error: Callable[[SarifixError], str]


def _text() -> Format:
    from sarifix.output import text  # late, like the others: one run writes one kind

    return Format(text.render, text.render_error)


def _json() -> Format:
    from sarifix.output import json

    return Format(json.render, json.render_error)


def _sarif() -> Format:
    from sarifix.output import sarif

    return Format(sarif.render, lambda error: sarif.render_error(error.message, error.hint))


def _github() -> Format:
    from sarifix.output import github

    return Format(github.render, github.render_error)


def _markdown() -> Format:
    from sarifix.output import markdown

    return Format(markdown.render, markdown.render_error)


FORMATS: dict[str, Callable[[], Format]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "markdown": _markdown,
}


def render(report: Report, format: str, options: Options) -> str:  # noqa: A002  as the option
    """Return the report as a document of that format, with its last line break.

    Nothing at all is a document too: of ``text`` with verbosity -1, when clean.
    """
    return FORMATS[format]().render(report, options)


def render_error(error: SarifixError, format: str) -> str:  # noqa: A002  as the option
    """Return what stands in a report's place when there could be no check.

    Empty for ``text``, where the message goes to standard error.
    """
    return FORMATS[format]().render_error(error)

"""The JSON report: its keys are a promise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from sarifix.errors import ConfigError, GitError
from sarifix.model import Finding, Level, Region, Report, Reported
from sarifix.output import Options, render, render_error
from tests.support.golden import assert_golden
from tests.support.report import everything, failed, report, reported

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "report.schema.json").read_text(encoding="utf-8")
)


def document(made: Report) -> dict[str, Any]:
    """Return the document as a strict reader has it, checked against the schema."""
    read: dict[str, Any] = json.loads(render(made, "json", Options()), parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(SCHEMA).validate(read)
    return read


def test_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_everything() -> None:
    assert_golden("everything.json", render(everything(), "json", Options()))
    assert len(document(everything())["introduced"]) == len(everything().introduced)


@pytest.mark.parametrize(
    ("made", "outcome", "code"),
    [
        (report(), "clean", 0),
        (report(scanners=()), "clean", 0),
        (report(reported()), "introduced", 1),
        (report(reported(), scanners=(failed(),)), "introduced", 1),
        (report(scanners=(failed(),)), "undecided", 3),
    ],
)
def test_outcomes(made: Report, outcome: str, code: int) -> None:
    read = document(made)
    assert (read["outcome"], read["exit_code"]) == (outcome, code)


def test_keys_and_their_order() -> None:
    finding = Finding(
        "ruff", "S602", Level.ERROR, "m", "app.py", Region(3, 5, 3, 40), help_uri="https://h"
    )
    read = document(report(Reported(finding, "ab12", "copy of lib.py:5"), fixed=2))
    assert list(read) == [
        *("version", "outcome", "exit_code", "base", "head", "introduced", "fixed"),
        *("unchanged", "suppressed", "hidden", "scanners", "notes"),
    ]
    assert read["introduced"] == [
        {
            "scanner": "ruff",
            "rule": "S602",
            "level": "error",
            "message": "m",
            "path": "app.py",
            "line": 3,
            "column": 5,
            "end_line": 3,
            "end_column": 40,
            "fingerprint": "ab12",
            "reason": "copy of lib.py:5",
            "help_uri": "https://h",
        }
    ]
    assert read["scanners"] == [
        {
            "name": "ruff",
            "status": "ok",
            "version": "0.9.1",
            "seconds": {"base": 0.0, "head": 0.25},
            "cached": {"base": True, "head": False},
            "reason": None,
        }
    ]
    assert read["base"] == {"tree": "1" * 40, "origin": "HEAD 1a2b3c4"}


def test_finding_without_a_place_has_nulls() -> None:
    (finding,) = document(report(reported("m", None, None)))["introduced"]
    places = ("path", "line", "column", "end_line", "end_column", "reason", "help_uri")
    assert [finding[key] for key in places] == [None] * 7


def test_text_is_escaped_and_not_cleaned() -> None:
    message = "\x1b[31m\u202e##[error]\n" + "x" * 1000
    (finding,) = document(report(reported(message, "a\udcffb\n.py")))["introduced"]
    assert finding["message"] == message
    assert finding["path"] == "a\\xffb\n.py"


def test_document_is_harmless_in_a_log() -> None:
    shown = render(everything(), "json", Options())
    assert shown.isascii()
    assert "##[" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            ConfigError("f:1:2: unknown key", "a hint"),
            {"exit_code": 2, "error": {"message": "f:1:2: unknown key", "hint": "a hint"}},
        ),
        (
            GitError("git failed"),
            {"exit_code": 3, "error": {"message": "git failed", "hint": None}},
        ),
    ],
)
def test_refusal(error: ConfigError, expected: dict[str, object]) -> None:
    read = json.loads(render_error(error, "json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(read)
    assert read == {"version": 1, "outcome": "undecided", **expected}


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"outcome": "clean"},
        {"extra": 1},
        {"fixed": -1},
        {"introduced": [{}]},
        {"error": {"message": "m", "hint": None}},
    ],
)
def test_schema_refuses_other_documents(change: dict[str, object]) -> None:
    read = document(report(reported()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate({**read, **change})

"""What holds for every kind of output."""

from __future__ import annotations

import pytest

from sarifix.errors import ConfigError, ExitCode, GitError, MissingRevisionError, SarifixError
from sarifix.model import Outcome
from sarifix.output import FORMATS, Options, render, render_error
from sarifix.output.summary import exit_code
from tests.support.report import everything, failed, report, reported

ERRORS = [
    ConfigError(".sarifix.yaml:1:2: unknown key", "did you mean `rules`?"),
    MissingRevisionError("origin/main is not here", "fetch-depth: 0"),
    GitError("git failed"),
]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "made", [everything(), report(), report(scanners=()), report(scanners=(failed(),))]
)
def test_document_is_whole_and_can_be_written(name: str, made: object) -> None:
    shown = render(made, name, Options())  # type: ignore[arg-type]
    assert shown.endswith("\n")
    shown.encode()  # no surrogates


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "text"])
@pytest.mark.parametrize("error", ERRORS)
def test_error_has_a_document_with_message_and_hint(name: str, error: SarifixError) -> None:
    shown = render_error(error, name)
    assert shown.endswith("\n")
    plain = shown.replace("\\", "")
    assert error.message in plain
    assert (error.hint or "").replace("`", "") in plain.replace("`", "")


@pytest.mark.parametrize("error", ERRORS)
def test_error_as_text_is_left_to_standard_error(error: SarifixError) -> None:
    assert render_error(error, "text") == ""


@pytest.mark.parametrize("name", FORMATS)
def test_output_is_a_function_of_the_report(name: str) -> None:
    assert render(everything(), name, Options()) == render(everything(), name, Options())


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_an_exit_code(outcome: Outcome) -> None:
    reports = {
        Outcome.CLEAN: (report(), ExitCode.CLEAN),
        Outcome.INTRODUCED: (report(reported(), scanners=(failed(),)), ExitCode.INTRODUCED),
        Outcome.UNDECIDED: (report(scanners=(failed(),)), ExitCode.UNDECIDED),
    }
    made, code = reports[outcome]
    assert made.outcome is outcome
    assert exit_code(made) is code

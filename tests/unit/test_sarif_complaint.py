"""What the document of a failed scan says of the failure; nothing else of it counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sarifix.sarif import complaint

EXECUTION, CONFIGURATION = "toolExecutionNotifications", "toolConfigurationNotifications"


def said(text: Any, level: Any = "error") -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}


def complaint_of(*invocations: Any) -> str:
    return complaint(json.dumps({"runs": [{"invocations": list(invocations)}]}).encode())


@pytest.mark.parametrize("key", [EXECUTION, CONFIGURATION])
def test_the_first_error_is_told_in_one_line(key: str) -> None:
    notes = [
        said("took 5 s", "note"),
        said("all is well", "warning"),
        said("no\n rules"),
        said("x"),
    ]
    assert complaint_of({key: notes}) == "no rules"
    assert complaint_of({key: [said("x" * 1000)]}) == "x" * 300


def test_what_failed_in_the_execution_comes_before_the_configuration() -> None:
    assert complaint_of({CONFIGURATION: [said("later")], EXECUTION: [said("first")]}) == "first"
    assert complaint_of({CONFIGURATION: [said("first")]}, {EXECUTION: [said("later")]}) == "first"


def test_the_error_may_be_in_any_run() -> None:
    runs = [{}, {"invocations": [{}]}, {"invocations": [{EXECUTION: [said("here")]}]}]
    assert complaint(json.dumps({"runs": runs}).encode()) == "here"


@pytest.mark.parametrize(
    "document",
    [
        *("", "not JSON", "[]", "null", '"error"', "{}"),
        *('{"runs": 5}', '{"runs": [5]}', '{"runs": [{"invocations": [5]}]}'),
        json.dumps({"runs": [{"invocations": [{EXECUTION: [5, said("x", None), said("y", 5)]}]}]}),
        json.dumps({"runs": [{"invocations": [{EXECUTION: [{"level": "error"}]}]}]}),
        json.dumps({"runs": [{"invocations": [{EXECUTION: [said(5)]}]}]}),
        json.dumps({"runs": [{"invocations": [{EXECUTION: said("x")}]}]}),
    ],
)
def test_a_document_that_says_nothing_of_an_error(document: str) -> None:
    assert complaint(document.encode()) == ""

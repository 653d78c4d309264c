"""The report as SARIF: valid by the OASIS schema, complete, and safe to parse."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sarifix import __version__
from sarifix.model import (
    Finding,
    Hidden,
    Level,
    Region,
    Report,
    Reported,
    ScannerReport,
    Side,
    Snapshot,
    Status,
)
from sarifix.output.sarif import render, render_error
from tests.support.report import BASE, HEAD, failed, report, reported
from tests.support.sarif import SAMPLES, read_document


@cache
def validator() -> jsonschema.Draft4Validator:
    schema = json.loads((SAMPLES / "schema" / "sarif-2.1.0.json").read_bytes())
    return jsonschema.Draft4Validator(schema)


def parsed(text: str) -> Any:
    """Parse a document as a strict consumer would, and hold it to the schema."""
    assert text.endswith("}\n")
    assert text.isascii()
    made = json.loads(text)
    json.dumps(made, ensure_ascii=False).encode("utf-8")  # no lone surrogates
    validator().validate(made)
    return made


def rendered(*introduced: Reported, **fields: Any) -> Any:
    return parsed(render(report(*introduced, **fields)))


def only(finding: Finding, reason: str | None = None) -> Any:
    """Return the one result of a report on one finding."""
    made = rendered(Reported(finding, "fp", reason))
    (result,) = made["runs"][0]["results"]
    return result


def test_the_schema_itself_refuses() -> None:
    """A validator that lets everything pass would prove nothing."""
    made = json.loads(render(report(reported())))
    made["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(made)


def test_most_samples_pass_the_schema() -> None:
    """As tests/samples/README.md says."""
    refused = {
        path.stem
        for path in SAMPLES.glob("*.sarif")
        if not validator().is_valid(json.loads(path.read_bytes()))
    }
    assert refused == {"typos"}


def test_a_finding() -> None:
    finding = Finding(
        scanner="ruff",
        rule="S602",
        level=Level.ERROR,
        message="`shell=True`",
        path="my dir/ü#1%.py",
        region=Region(3, 5, 4, 2),
        help_uri="https://example.com/S602",
    )
    made = rendered(Reported(finding, "abcd", "copy of lib.py:5", "secret line"))
    (run,) = made["runs"]
    assert run["tool"]["driver"] == {
        "name": "ruff",
        "version": "0.9.1",
        "rules": [{"id": "S602", "helpUri": "https://example.com/S602"}],
    }
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True}]
    assert run["results"] == [
        {
            "ruleId": "S602",
            "ruleIndex": 0,
            "level": "error",
            "message": {"text": "`shell=True`"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "my%20dir/%C3%BC%231%25.py"},
                        "region": {"startLine": 3, "startColumn": 5, "endLine": 4, "endColumn": 2},
                    }
                }
            ],
            "baselineState": "new",
            "partialFingerprints": {"sarifix/v1": "abcd"},
            "properties": {"sarifix": {"reason": "copy of lib.py:5"}},
        }
    ]
    assert "secret line" not in json.dumps(made)


def test_a_finding_with_the_least() -> None:
    result = only(Finding("ruff", "R1", Level.NONE, ""))
    assert "locations" not in result
    assert "properties" not in result
    assert (result["level"], result["message"]) == ("none", {"text": ""})


@pytest.mark.parametrize("level", Level)
def test_levels(level: Level) -> None:
    assert only(Finding("ruff", "R1", level, "x"))["level"] == level.name.lower()


def test_a_path_without_a_region() -> None:
    physical = only(Finding("ruff", "R1", Level.NOTE, "x", "app.py"))["locations"][0]
    assert physical == {"physicalLocation": {"artifactLocation": {"uri": "app.py"}}}


@pytest.mark.parametrize(
    ("path", "in_tree", "uri"),
    [
        ("caf\udce9.py", True, "caf%E9.py"),
        ("a\ud800b.py", True, "a%EF%BF%BDb.py"),
        ("g:h.py", True, "g%3Ah.py"),
        ("a\nb\\c.py", True, "a%0Ab%5Cc.py"),
        ("file:///etc/pass%20wd", False, "file:///etc/pass%20wd"),
        ("https://example.com/a b?c#d", False, "https://example.com/a%20b?c#d"),
        ("../x.py", False, "../x.py"),
    ],
)
def test_uris(path: str, in_tree: bool, uri: str) -> None:
    result = only(Finding("ruff", "R1", Level.NOTE, "x", path, in_tree=in_tree))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_rules_are_listed_once_and_in_order() -> None:
    findings = [("B", None), ("A", None), ("B", "https://example.com/B c\ud800")]
    made = rendered(
        *(
            Reported(Finding("ruff", rule, Level.NOTE, "x", help_uri=uri), "fp")
            for rule, uri in findings
        )
    )
    (run,) = made["runs"]
    assert run["tool"]["driver"]["rules"] == [
        {"id": "B", "helpUri": "https://example.com/B%20c%EF%BF%BD"},
        {"id": "A"},
    ]
    assert [(r["ruleId"], r["ruleIndex"]) for r in run["results"]] == [("B", 0), ("A", 1), ("B", 0)]


def test_every_scanner_has_a_run() -> None:
    scanners = (
        ScannerReport("ruff", Status.OK, "0.9.1"),
        failed("semgrep", reason="exit code 2: no rules"),
        ScannerReport("trivy", Status.SKIPPED, None, "none of its inputs changed"),
        ScannerReport("bandit", Status.SKIPPED),
        ScannerReport("checkov", Status.OK, None, "a remark"),
    )
    made = rendered(reported(), scanners=scanners)
    told = {
        run["tool"]["driver"]["name"]: (
            len(run["results"]),
            run["invocations"][0]["executionSuccessful"],
            [
                (said["level"], said["message"]["text"])
                for said in run["invocations"][0].get("toolExecutionNotifications", [])
            ],
        )
        for run in made["runs"]
    }
    assert told == {
        "ruff": (1, True, []),
        "semgrep": (0, False, [("error", "exit code 2: no rules")]),
        "trivy": (0, True, [("note", "none of its inputs changed")]),
        "bandit": (0, True, [("note", "bandit: skipped")]),
        "checkov": (0, True, [("note", "a remark")]),
    }
    assert "version" not in made["runs"][2]["tool"]["driver"]
    identities = {run["automationDetails"]["id"] for run in made["runs"]}
    assert len(identities) == len(scanners)


def test_our_own_findings_have_a_run_too() -> None:
    made = rendered(reported(), reported(scanner="sarifix", rule="new-suppression"))
    assert [
        (run["tool"]["driver"]["name"], run["tool"]["driver"]["version"], len(run["results"]))
        for run in made["runs"]
    ] == [("ruff", "0.9.1", 1), ("sarifix", __version__, 1)]


def test_a_finding_of_a_scanner_that_is_not_listed_is_not_lost() -> None:
    made = rendered(reported(scanner="other"), reported(scanner="other"))
    assert [len(run["results"]) for run in made["runs"]] == [0, 2]
    assert "version" not in made["runs"][1]["tool"]["driver"]


def test_with_equal_trees_there_is_a_run_without_results() -> None:
    (run,) = rendered(scanners=())["runs"]
    assert (run["tool"]["driver"]["name"], run["results"]) == ("sarifix", [])
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_what_was_compared_and_counted() -> None:
    other = Snapshot("3" * 40, Side.BASE, "MERGE_HEAD 4d5e6f7")
    made = rendered(
        reported(),
        fixed=2,
        unchanged=40,
        suppressed=1,
        hidden=(Hidden("rules.min_level", 3),),
        notes=("a note",),
        bases=(other,),
    )
    origin = {
        "version": __version__,
        "base": {"tree": BASE.tree, "origin": BASE.origin},
        "head": {"tree": HEAD.tree, "origin": HEAD.origin},
        "bases": [{"tree": "3" * 40, "origin": "MERGE_HEAD 4d5e6f7"}],
    }
    assert made["runs"][0]["properties"] == {"sarifix": origin}
    assert made["properties"] == {
        "sarifix": {
            **origin,
            "outcome": "introduced",
            "introduced": 1,
            "fixed": 2,
            "unchanged": 40,
            "suppressed": 1,
            "hidden": [{"by": "rules.min_level", "count": 3}],
            "notes": ["a note"],
        }
    }


@pytest.mark.parametrize(
    ("hint", "said"),
    [(None, "no such revision: main"), ("fetch it", "no such revision: main (fetch it)")],
)
def test_an_error(hint: str | None, said: str) -> None:
    (run,) = parsed(render_error("no such revision: main", hint))["runs"]
    assert run["tool"]["driver"] == {"name": "sarifix", "version": __version__, "rules": []}
    assert run["results"] == []
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [{"level": "error", "message": {"text": said}}],
        }
    ]


def test_what_is_written_can_be_read_again() -> None:
    finding = Finding(
        "ruff",
        "A/b",
        Level.NOTE,
        "braces {0} and \x1b[31m ✓ 😀",
        "my dir/caf\udce9%.py",
        Region(3, 5, 3, 9),
        help_uri="https://example.com/",
    )
    made = json.loads(render(report(Reported(finding, "fp"))))
    (again,) = read_document(made, ("my dir/caf\udce9%.py",)).findings
    assert (again.rule, again.level, again.message) == ("A/b", Level.NOTE, finding.message)
    assert (again.path, again.region, again.in_tree) == (finding.path, finding.region, True)
    assert again.fingerprints == (("sarifix/v1", "fp"),)


texts = st.text(max_size=20) | st.text(
    st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010, categories=["Cs", "Lo", "Co"]),
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(texts, texts, texts, texts.filter(bool), st.booleans(), st.sampled_from(Level))
def test_untrusted_text_stays_valid(
    rule: str, message: str, origin: str, path: str, in_tree: bool, level: Level
) -> None:
    finding = Finding(rule, rule, level, message, path, in_tree=in_tree, help_uri=message)
    made = Report(
        Snapshot(origin, Side.BASE, origin),
        HEAD,
        (Reported(finding, rule, message),),
        scanners=(ScannerReport(rule, Status.FAILED, message, message),),
        notes=(message,),
    )
    assert len(parsed(render(made))["runs"][0]["results"]) == 1

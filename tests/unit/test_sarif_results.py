"""How one result becomes a finding: rule, level, message, region, suppressions, kind."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from sarifix.model import Finding, Level, Log, Region
from sarifix.sarif import read
from sarifix.sarif_rules import expand
from sarifix.scanners import PRESETS
from tests.support.sarif import (
    SAMPLES,
    document,
    location,
    read_document,
    read_results,
    result,
    run,
    sample_context,
)


def one(made: dict[str, Any], **fields: Any) -> Finding:
    """Read one result of one run and return the one finding."""
    (finding,) = read_results(made, **fields).findings
    return finding


def test_a_finding_names_its_scanner() -> None:
    assert one(result()).scanner == "tool"


# Rule ids


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"ruleId": "R1"}, "R1"),
        ({"ruleId": "R1", "rule": {"id": "R2"}}, "R1"),
        ({"rule": {"id": "R2"}}, "R2"),
        ({"ruleIndex": 1}, "R2"),
        ({"rule": {"index": 1}}, "R2"),
        ({"ruleId": "", "ruleIndex": 1}, "R2"),
        ({"ruleId": 5, "ruleIndex": 1}, "R2"),
        ({"ruleId": "R1/a/b"}, "R1/a/b"),
        ({"ruleId": "not listed"}, "not listed"),
        ({"ruleId": "not listed", "ruleIndex": 1}, "not listed"),
        ({"ruleIndex": 2}, "unknown"),
        ({"ruleIndex": 3}, "unknown"),
        ({"ruleIndex": 9}, "unknown"),
        ({"ruleIndex": -1}, "unknown"),
        ({"ruleIndex": True}, "unknown"),
        ({"ruleIndex": "1"}, "unknown"),
        ({"rule": "R1"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_rule_id(fields: dict[str, Any], rule: str) -> None:
    made = {"message": {"text": "x"}, **fields}
    assert one(made, rules=[{"id": "R1"}, {"id": "R2"}, {}, "R3"]).rule == rule


NOTE = {"id": "N", "defaultConfiguration": {"level": "note"}}
ERROR = {"id": "E", "defaultConfiguration": {"level": "error"}}


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({"ruleId": "N"}, Level.NOTE),
        ({"ruleId": "N/x/y"}, Level.NOTE),
        ({"ruleIndex": 1}, Level.ERROR),
        ({"ruleId": "N", "ruleIndex": 1}, Level.NOTE),  # the id outranks a wrong index
        ({"ruleId": "other", "ruleIndex": 1}, Level.ERROR),
        ({"ruleId": "other"}, Level.WARNING),
        ({"ruleId": "E", "level": "note"}, Level.NOTE),
        ({"ruleId": "E", "level": "none"}, Level.NONE),
        ({"ruleId": "E", "level": None}, Level.ERROR),
        ({"ruleId": "E", "level": "Note"}, Level.NOTE),
        ({"ruleId": "E", "level": "fatal"}, Level.WARNING),
        ({"ruleId": "E", "level": 3}, Level.WARNING),
        ({"ruleId": "E", "level": ["error"]}, Level.WARNING),
        ({"ruleId": "E", "level": ""}, Level.WARNING),
        ({"ruleId": "N", "properties": {"security-severity": "9.8"}}, Level.NOTE),
    ],
)
def test_level(fields: dict[str, Any], level: Level) -> None:
    assert one({"message": {"text": "x"}, **fields}, rules=[NOTE, ERROR]).level is level


def test_of_a_rule_id_with_parts_the_longest_that_is_listed_counts() -> None:
    assert one(result(ruleId="N/x/y"), rules=[NOTE, {**ERROR, "id": "N/x"}]).level is Level.ERROR


def test_of_two_rules_of_one_id_the_first_counts() -> None:
    twice = [{"id": "R1", "defaultConfiguration": {"level": "error"}}, {"id": "R1"}]
    assert one(result(), rules=twice).level is Level.ERROR


@pytest.mark.parametrize(
    ("points", "level"),
    [
        ("9.8", Level.ERROR),
        ("7.0", Level.ERROR),
        (7, Level.ERROR),
        ("6.9", Level.WARNING),
        (4.0, Level.WARNING),
        ("3.9", Level.NOTE),
        ("0.1", Level.NOTE),
        ("0", Level.WARNING),
        ("-1", Level.WARNING),
        ("nan", Level.WARNING),
        ("inf", Level.WARNING),
        ("high", Level.WARNING),
        (10**400, Level.WARNING),
        (True, Level.WARNING),
        (None, Level.WARNING),
        ([9.8], Level.WARNING),
    ],
)
def test_security_severity_stands_in_for_a_level(points: Any, level: Level) -> None:
    properties: Any = {"properties": {"security-severity": points}}
    assert one(result(), rules=[{"id": "R1", **properties}]).level is level
    assert one(result(**properties), rules=[{"id": "R1"}]).level is level


def test_a_rule_of_level_none_stays_none() -> None:
    rule = {"id": "R1", "defaultConfiguration": {"level": "none"}}
    rule["properties"] = {"security-severity": "9.8"}
    assert one(result(), rules=[rule]).level is Level.NONE


def test_a_results_own_severity_outranks_its_rules() -> None:
    rules = [{"id": "R1", "properties": {"security-severity": "9.8"}}]
    assert one(result(properties={"security-severity": "1"}), rules=rules).level is Level.NOTE


@pytest.mark.parametrize(
    "reference",
    [
        {"index": 0, "toolComponent": {"index": 1}},
        {"index": 0, "toolComponent": {"name": "pack"}},
        {"index": 0, "toolComponent": {"guid": "g-2"}},
        {"id": "X1", "toolComponent": {"index": 1}},
        {"id": "X1"},
        {"id": "X1", "toolComponent": {"name": "another"}},
    ],
)
def test_rules_of_an_extension(reference: dict[str, Any]) -> None:
    extensions = [
        {"name": "first", "rules": [{"id": "F"}]},
        {"name": "pack", "guid": "g-2", "rules": [{**ERROR, "id": "X1"}]},
    ]
    tool = {"driver": {"name": "tool", "rules": [NOTE]}, "extensions": extensions}
    finding = one({"rule": reference, "message": {"text": "x"}}, tool=tool)
    assert (finding.rule, finding.level) == ("X1", Level.ERROR)


def test_without_a_known_component_the_driver_counts() -> None:
    made = {"rule": {"index": 0, "toolComponent": {"index": 7, "guid": "?"}}, "message": "x"}
    assert one(made, rules=[NOTE]).rule == "N"


@pytest.mark.parametrize(
    ("uri", "kept"),
    [
        ("https://example.com/R1", True),
        ("HTTP://example.com/R1", True),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("", False),
        (None, False),
        (5, False),
    ],
)
def test_help_uri(uri: Any, kept: bool) -> None:
    finding = one(result(), rules=[{"id": "R1", "helpUri": uri}])
    assert finding.help_uri == (uri if kept else None)


@pytest.mark.parametrize(
    ("tags", "secret"),
    [
        (["security", "secret"], True),
        (["Secrets"], True),
        (["secretary"], False),
        (["CWE-798: Use of Hard-coded Credentials"], True),
        (["external/cwe/cwe-0321"], True),
        (["CWE-7981", "external/cwe/cwe-259"], False),
        ([None, 5], False),
        ("secret", False),
        (None, False),
    ],
)
def test_a_secret_by_its_rules_tags(tags: Any, secret: bool) -> None:
    assert one(result(), rules=[{"id": "R1", "properties": {"tags": tags}}]).secret is secret


def test_a_secret_by_the_name_that_ruff_gives_its_rule() -> None:
    rules = [{"id": "R1", "properties": {"name": "hardcoded-password-string"}}]
    assert one(result(), rules=rules).secret


def test_secrets_by_the_scanner() -> None:
    (finding,) = read_document(document(run(result())), secrets=True).findings
    assert finding.secret


# Messages


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "plain"}, "plain"),
        ({"text": "plain", "markdown": "**bold**"}, "plain"),
        ({"markdown": "**bold**"}, "**bold**"),
        ({"text": "", "markdown": "**bold**"}, "**bold**"),
        ({"text": 5, "markdown": "**bold**"}, "**bold**"),
        ({"id": "own"}, "of the rule {0}"),
        ({"id": "own", "arguments": ["A"]}, "of the rule A"),
        ({"id": "shared", "arguments": ["A"]}, "of all A"),
        ({"id": "rich", "arguments": ["A"]}, "*rich* A"),
        ({"id": "missing"}, "missing"),
        ({"text": "text", "id": "own"}, "text"),
        ({"text": "{0} and {1}", "arguments": ["A", "B"]}, "A and B"),
        ({"text": "{1}{1}{0}", "arguments": ["{1}", "B"]}, "BB{1}"),
        ({"text": "{{0}} {0} }}", "arguments": ["A"]}, "{0} A }"),
        ({"text": "{0} {7} {x} {", "arguments": ["A"]}, "A {7} {x} {"),
        ({"text": "{0} {1}", "arguments": [5, None]}, "{0} {1}"),
        ({"text": "{0.__class__} {0!r} {}", "arguments": ["A"]}, "{0.__class__} {0!r} {}"),
        ({"text": "f({0}) {{x}}"}, "f({0}) {{x}}"),
        ({"text": "{0}", "arguments": []}, "{0}"),
        ({"text": "{0}", "arguments": "A"}, "{0}"),
        ({"text": "in /repo/app.py"}, "in app.py"),
        ({"text": "in {0}", "arguments": ["/repo/app.py"]}, "in app.py"),
        ("a string", "a string"),
        ({}, ""),
        (None, ""),
        (5, ""),
    ],
)
def test_message(message: Any, text: str) -> None:
    rule = {
        "id": "R1",
        "messageStrings": {"own": {"text": "of the rule {0}"}, "rich": {"markdown": "*rich* {0}"}},
    }
    driver = {"globalMessageStrings": {"shared": {"text": "of all {0}"}, "own": {"text": "no"}}}
    assert one(result(message=message), rules=[rule], driver=driver).message == text


def test_a_result_without_a_message_is_kept() -> None:
    assert one({"ruleId": "R1"}).message == ""


def test_a_shared_string_serves_a_rule_that_is_not_listed() -> None:
    driver = {"globalMessageStrings": {"shared": {"text": "of all"}}}
    assert one(result(message={"id": "shared"}), driver=driver).message == "of all"


@pytest.mark.parametrize(
    "message",
    [
        {"text": "{0}" * 20_000, "arguments": ["x" * 20_000]},
        {"text": "{0}" * 200, "arguments": ["x" * 100]},
        {"text": "{0}" + "y" * 9_000, "arguments": ["x"]},
        {"text": "y" * 1_000_000},
        {"text": "/repo/a " * 1_000_000},
        {"text": "{0}", "arguments": ["/repo/a " * 1_000_000]},
        {"text": "{0}" * 1_000_000, "arguments": [""]},
    ],
)
def test_a_long_message_is_cut_where_one_can_see_it(message: Any) -> None:
    text = one(result(message=message)).message
    assert len(text) <= 8192
    assert text.endswith("[... cut at 8192 characters]")
    assert "/repo" not in text


@pytest.mark.parametrize("size", [20_000, 1_000])
def test_a_message_is_cut_while_it_grows(size: int) -> None:
    """Cut afterwards, this one would first be 20 or 400 MB."""
    template, argument = "{0}" * 20_000, "x" * size
    tracemalloc.start()
    try:
        expand(template, [argument])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_a_message_of_just_the_limit_is_whole() -> None:
    assert one(result(message={"text": "y" * 8192})).message == "y" * 8192


def test_an_argument_that_fills_the_limit_leaves_room_for_an_empty_one() -> None:
    message = {"text": "{0}{1}", "arguments": ["y" * 8192, ""]}
    assert one(result(message=message)).message == "y" * 8192


# Places


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ({"startLine": 3}, Region(3)),
        (
            {"startLine": 3, "startColumn": 2, "endLine": 4, "endColumn": 1},
            Region(3, 2, 4, 1),
        ),
        ({"startLine": 3, "startColumn": 2, "endColumn": 2}, Region(3, 2, None, 2)),
        ({"startLine": 3, "startColumn": 2, "endColumn": 1}, Region(3, 2)),
        ({"startLine": 3, "startColumn": 2, "endLine": 3, "endColumn": 1}, Region(3, 2, 3)),
        ({"startLine": 3, "endColumn": 4}, Region(3)),
        ({"startLine": 3, "startColumn": 0, "endColumn": 0}, Region(3)),
        ({"startLine": 3, "startColumn": -1, "endColumn": None}, Region(3)),
        ({"startLine": 3, "startColumn": "2"}, Region(3)),
        ({"startLine": 3, "endLine": 2}, Region(3)),
        ({"startLine": 3, "endLine": 0}, Region(3)),
        ({"startLine": 3.0, "startColumn": 2.5}, Region(3)),
        ({"startLine": 0}, None),
        ({"startLine": -1, "startColumn": 1}, None),
        ({"startLine": None}, None),
        ({"startLine": True}, None),
        ({"startLine": "3"}, None),
        ({"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}, Region(1, 1, 1, 1)),
        ({"startLine": 2**31 - 1}, Region(2**31 - 1)),
        ({"startLine": 2**31}, None),
        ({"startLine": 10**30}, None),
        ({"charOffset": 10, "charLength": 5}, None),
        ({"byteOffset": 10, "byteLength": 5}, None),
        ({}, None),
        (None, None),
        ([3], None),
    ],
)
def test_region(region: Any, expected: Region | None) -> None:
    made = location("app.py")
    made["physicalLocation"]["region"] = region
    finding = one(result(locations=[made]))
    assert (finding.path, finding.region) == ("app.py", expected)


@pytest.mark.parametrize(
    ("locations", "path"),
    [
        ([location("app.py", 3), location("b.py", 4)], "app.py"),
        ([{"logicalLocations": [{"name": "f"}]}, location("app.py", 3)], "app.py"),
        ([{}, None, "x", location("app.py", 3)], "app.py"),
        ([{"physicalLocation": {}}, location("app.py", 3)], "app.py"),
        ([{"physicalLocation": {"region": {"startLine": 3}}}, location("app.py", 3)], None),
        ([{"physicalLocation": {"artifactLocation": "app.py"}}], None),
        ([{"physicalLocation": "app.py"}], None),
        ([{"physicalLocation": {"address": {"absoluteAddress": 5}}}], None),
        ([], None),
        (None, None),
        ("app.py", None),
        (location("app.py", 3), None),
    ],
)
def test_the_first_physical_location_decides(locations: Any, path: str | None) -> None:
    finding = one(result(locations=locations), files=("app.py", "b.py"))
    assert finding.path == path
    assert finding.region == (Region(3, 1, None, 5) if path else None)


@pytest.mark.parametrize(
    ("own", "partial", "expected"),
    [
        ({"a/v1": "x"}, {"b/v1": "y"}, (("a/v1", "x"), ("b/v1", "y"))),
        ({"b": "x"}, {"a": "y"}, (("a", "y"), ("b", "x"))),
        ({"a": "x"}, {"a": "x"}, (("a", "x"),)),
        ({"a": "x"}, {"a": "y"}, (("a", "x"), ("a", "y"))),
        ({"a": "", "b": None, "c": 5, "d": ["x"]}, {}, ()),
        (None, "x", ()),
    ],
)
def test_fingerprints(own: Any, partial: Any, expected: Any) -> None:
    finding = one(result(fingerprints=own, partialFingerprints=partial))
    assert finding.fingerprints == expected


# What is no active finding


@pytest.mark.parametrize(
    ("suppressions", "suppressed"),
    [
        ([{"kind": "inSource"}], True),
        ([{"kind": "external", "status": "accepted"}], True),
        ([{"status": None}], True),
        ([{"status": "rejected"}, {"status": "accepted"}], True),
        ([{"status": "rejected"}], False),
        ([{"status": "underReview"}], False),
        ([{"status": "Accepted"}], False),
        ([{"status": 5}], False),
        ([{"status": []}], False),
        ([], False),
        (None, False),
        (["inSource"], False),
        ([None], False),
        ({"kind": "inSource"}, False),
        ("inSource", False),
        (True, False),
    ],
)
def test_suppressions(suppressions: Any, suppressed: bool) -> None:
    log = read_results(result(suppressions=suppressions))
    assert (len(log.findings), len(log.suppressed)) == ((0, 1) if suppressed else (1, 0))


@pytest.mark.parametrize("kind", ["fail", "open", "review", "Pass", "new kind", "", None, 5, []])
def test_kinds_that_are_findings(kind: Any) -> None:
    log = read_results(result(kind=kind))
    assert (len(log.findings), log.notes) == (1, ())


def test_kinds_that_are_no_findings_are_counted() -> None:
    kinds = ["pass", "informational", "pass", "notApplicable"]
    log = read_results(*(result(kind=kind) for kind in kinds))
    assert log.findings == ()
    assert log.notes == (
        "results that are no findings, by kind: informational 1, notApplicable 1, pass 2",
    )


@pytest.mark.parametrize("state", ["new", "unchanged", "absent", "updated", 5])
def test_the_scanners_own_baseline_is_ignored(state: Any) -> None:
    assert len(read_results(result(baselineState=state)).findings) == 1


def test_equal_results_count_once_and_are_named() -> None:
    log = read_results(result(), result(), result(), result(line=4))
    assert len(log.findings) == 2
    assert log.notes == ("2 repeated results counted once",)
    assert read_results(result(), result()).notes == ("1 repeated result counted once",)


def test_equal_results_of_two_runs_count_once() -> None:
    log = read_document(document(run(result()), run(result())))
    assert (len(log.findings), len(log.notes)) == (1, 1)


@pytest.mark.parametrize(
    "other",
    [
        {"ruleId": "R2"},
        {"level": "error"},
        {"message": {"text": "Another"}},
        {"locations": [location("b.py", 3)]},
        {"locations": [location("app.py", 4)]},
        {"suppressions": [{"kind": "inSource"}]},
    ],
)
def test_results_that_differ_are_all_kept(other: dict[str, Any]) -> None:
    log = read_results(result(), result(**other), files=("app.py", "b.py"))
    assert len(log.findings) + len(log.suppressed) == 2
    assert log.notes == ()


@pytest.mark.parametrize("line", [{"startLine": 3}, None])
def test_without_columns_equal_results_may_be_two(line: Any) -> None:
    """checkov's have whole lines and no name of the resource in the message."""
    made = location("app.py")
    made["physicalLocation"]["region"] = line
    log = read_results(result(locations=[made]), result(locations=[made]))
    assert (len(log.findings), log.notes) == (2, ())


def test_two_runs_are_read_with_their_own_rules() -> None:
    made = document(
        run(result(), rules=[{"id": "R1", "defaultConfiguration": {"level": "note"}}]),
        run(result(line=4), rules=[{"id": "R1", "defaultConfiguration": {"level": "error"}}]),
    )
    assert [f.level for f in read_document(made).findings] == [Level.NOTE, Level.ERROR]


# Notifications


def notified(*notifications: Any, key: str = "toolExecutionNotifications") -> Log:
    invocation = {"executionSuccessful": True, key: list(notifications)}
    return read_document(document(run(invocations=[invocation])), ("app.py", "b.py"))


def notification(
    level: Any = "error", text: str = "boom", uri: str | None = None, identity: str = "X"
) -> dict[str, Any]:
    made: dict[str, Any] = {"level": level, "message": {"text": text}}
    made["descriptor"] = {"id": identity}
    if uri is not None:
        made["locations"] = [location(uri)]
    if level is None:
        del made["level"]
    return made


@pytest.mark.parametrize("key", ["toolExecutionNotifications", "toolConfigurationNotifications"])
def test_a_file_with_an_error_is_unread(key: str) -> None:
    uris = ["b.py", "file:///repo/app.py", "b.py", "/repo/gone.py"]
    log = notified(*(notification(uri=uri) for uri in uris), key=key)
    assert (log.unread, log.notes) == (("app.py", "b.py", "gone.py"), ())


@pytest.mark.parametrize(
    ("level", "text", "identity", "unread"),
    [
        ("warning", "Syntax error at line 3", "X", True),
        ("warning", "could not parse the file", "X", True),
        (None, "Unparsable", "X", True),
        ("warning", "failed to decode", "X", True),
        ("warning", "cannot be read", "X", True),
        ("warning", "3 lines", "PartialParsing", False),
        ("warning", "3 lines", "Syntax error", True),
        ("warning", "took 5 s", "X", False),
        ("note", "Syntax error", "X", False),
        ("none", "Syntax error", "X", False),
        ("fatal", "took 5 s", "X", True),
        (5, "took 5 s", "X", True),
        ([], "took 5 s", "X", True),
    ],
)
def test_which_notifications_name_an_unread_file(
    level: Any, text: str, identity: str, unread: bool
) -> None:
    log = notified(notification(level, text, "app.py", identity))
    assert log.unread == (("app.py",) if unread else ())
    assert log.notes == ()


def test_an_error_without_a_file_is_a_note_of_one_line() -> None:
    log = notified(
        notification(text="no rules:\n\t/repo/r.yml is \u2028 broken"),
        notification(text=""),
        notification(text="x" * 1000),
        notification("warning", "no syntax"),
        {"level": "error"},
    )
    assert log.notes == (
        "the scanner says: no rules: r.yml is broken",
        "the scanner says: an error without a message",
        "the scanner says: " + "x" * 300,
    )


def test_a_level_of_null_is_as_good_as_none_at_all() -> None:
    log = notified(
        {"level": None, "message": {"text": "took 5 s"}, "locations": [location("b.py")]}
    )
    assert log == Log()


def test_many_errors_are_counted() -> None:
    log = notified(
        *(notification(text=f"error {i}") for i in range(7)), notification(text="error 1")
    )
    assert len(log.notes) == 6
    assert log.notes[-1] == "the scanner says: 2 more errors"


def test_the_telling_part_of_a_message() -> None:
    """Trivy's holds the file, the rule and the severity besides; a preset says where it is."""
    data = (SAMPLES / "trivy-config.sarif").read_bytes()
    context = sample_context("trivy-config")._replace(message=PRESETS["trivy"].message)
    findings = read(data, context).findings
    assert len(findings) == 26
    assert findings[0].message == "Specify a tag in the 'FROM' statement for image 'debian'"
    assert not any("Artifact:" in finding.message for finding in findings)

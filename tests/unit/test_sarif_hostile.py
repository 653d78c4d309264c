"""Documents that are broken, cut short or made to mislead: refused, and never misread."""

from __future__ import annotations

import gc
import gzip
import json
import os
from typing import Any

import pytest

from sarifix.errors import SarifError
from sarifix.model import Log
from sarifix.sarif import Context, read
from tests.support.sarif import document, location, read_document, read_results, result, run

CLEAN = json.dumps(document(run()))
ONE = json.dumps(document(run(result())))


def read_text(data: str | bytes, **flags: bool) -> Log:
    content = data.encode() if isinstance(data, str) else data
    context = Context("tool", exists={"app.py"}.__contains__, roots=("/repo",), **flags)
    return read(content, context)


def refusal(data: str | bytes | Any, **flags: bool) -> str:
    """Return why a document is refused: one line."""
    content = data if isinstance(data, (str, bytes)) else json.dumps(data)
    with pytest.raises(SarifError) as caught:
        read_text(content, **flags)
    assert len(caught.value.message.splitlines()) == 1
    assert len(caught.value.message) < 400
    return caught.value.message


# No JSON, or not one document


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_nothing_at_all(data: bytes) -> None:
    assert refusal(data) == "the output is empty"


@pytest.mark.parametrize(
    "data",
    [
        "No files found to lint.",
        CLEAN[:-1],
        CLEAN + CLEAN,
        CLEAN + "x",
        "Scanning...\n" + CLEAN,
        "{'version': '2.1.0'}",
        CLEAN.replace(",", ",,", 1),
        "\0" + CLEAN,
        "// comment\n" + CLEAN,
        CLEAN.replace('"tool"', '"to\nol"', 1),
    ],
)
def test_not_json(data: str) -> None:
    assert refusal(data).startswith("the output is not JSON: ")


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(ONE.encode(), mtime=0),
        b"\xef\xbb\xbf\xef\xbb\xbf" + ONE.encode(),
        ONE.encode("utf-32"),
        CLEAN.encode() + b"\n" + ONE.encode(),
        b"\x1e" + ONE.encode() + b"\n",
        ONE.encode() + b"\0",
        ONE.encode() + b"\x1a",
        ONE.encode() + "\u00a0".encode(),
        b"\x0b" + ONE.encode(),
        ONE.encode()[:-1] + b",}",
        ONE.replace("3", "\u0663", 1).encode(),
        ONE.replace("3", "03", 1).encode(),
        ONE.replace("3", "0x3", 1).encode(),
        ONE.replace("3", "+3", 1).encode(),
    ],
)
def test_what_other_readers_may_take_for_a_document(data: bytes) -> None:
    """Each of these holds a result for some reader, and none, or another, for the next."""
    assert refusal(data).startswith("the output is not JSON: ")


@pytest.mark.parametrize("key", ["r\\u0065sults", "\\u0072\\u0065\\u0073\\u0075\\u006C\\u0074s"])
def test_a_key_that_is_written_in_escapes_is_that_key(key: str) -> None:
    assert len(read_text(ONE.replace("results", key)).findings) == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_only_python_takes_for_json(number: str) -> None:
    assert refusal(ONE.replace("3", number, 1)) == f"the output is not JSON: {number}"


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400 + ".0"])
def test_numbers_out_of_range(number: str) -> None:
    reason = f"the number {number[:80]} is out of range"
    assert refusal(ONE.replace("3", number, 1)) == reason


def test_a_huge_integer() -> None:
    assert refusal(ONE.replace("3", "9" * 5000, 1)) == "a number of 5000 digits"


@pytest.mark.parametrize(
    "text",
    [
        ONE.replace('"results"', '"results": [], "results"').replace("]}]}", '], "results": []}]}'),
        ONE[:-1] + ', "runs": []}',
        ONE[:-1] + ', "version": "2.1.0"}',
        ONE.replace('"text"', '"text": "x", "text"'),
        ONE.replace('"ruleId"', '"rule\\u0049d": "x", "ruleId"'),
    ],
)
def test_a_key_that_stands_twice(text: str) -> None:
    assert "stands twice in one object" in refusal(text)


def test_a_long_or_odd_key_that_stands_twice_is_named_in_short() -> None:
    key = "\\ud800\\n" + "k" * 1000
    assert len(refusal(f'{{"{key}": 1, "{key}": 2}}')) < 200


def test_over_64_mib() -> None:
    assert refusal(CLEAN.encode() + b" " * 2**26) == "the output is over 64 MiB"
    assert read_text(CLEAN.encode().ljust(2**26)) == Log()


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"x":', "}")])
@pytest.mark.parametrize("depth", [200, 1_000, 100_000])
def test_nested_too_deep(opening: str, closing: str, depth: int) -> None:
    """The results stand at depth 4 or so; the document itself is the first level."""
    nested = opening * depth + "1" + closing * depth
    assert refusal(CLEAN[:-1] + f', "properties": {nested}}}') == (
        "the output is nested deeper than 200 levels"
    )


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"x":', "}")])
def test_nested_just_deep_enough(opening: str, closing: str) -> None:
    nested = opening * 199 + "1" + closing * 199
    assert read_text(CLEAN[:-1] + f', "properties": {nested}}}') == Log()


def test_nesting_that_is_not_closed() -> None:
    assert refusal("[" * 100_000) in {
        "the output is nested deeper than 200 levels",
        "the output is not JSON: Expecting value at line 1 column 100001",
    }


def test_brackets_in_strings_are_no_nesting() -> None:
    log = read_results(result(message={"text": "[" * 1000 + "{" * 1000}))
    assert len(log.findings) == 1


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    text = json.dumps(document(run(result(message={"text": "naïve ✓ 😀"}))), ensure_ascii=False)
    assert read_text(text.encode(encoding)).findings[0].message == "naïve ✓ 😀"


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_needs_its_mark(order: str) -> None:
    refusal(ONE.encode(order))
    assert len(read_text(("\ufeff" + ONE).encode(order)).findings) == 1
    assert "cut off" in refusal(("\ufeff" + ONE).encode(order)[:-1])


def test_bytes_that_are_not_utf_8_name_the_file_that_has_them() -> None:
    name = b"caf\xe9.py"
    data = ONE.encode().replace(b"app.py", name)
    context = Context("tool", exists={os.fsdecode(name)}.__contains__)
    (finding,) = read(data, context).findings
    assert (finding.path, finding.in_tree) == (os.fsdecode(name), True)


def test_lone_surrogates_are_kept() -> None:
    odd = "\ud800x\udfff"
    made = result(odd, ruleId=odd, message={"text": odd}, fingerprints={odd: odd})
    made["properties"] = {odd: odd}
    (finding,) = read_results(made).findings
    assert (finding.path, finding.rule, finding.message) == (odd, odd, odd)
    assert finding.fingerprints == ((odd, odd),)


# Not SARIF 2.1.0


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ([], "the document is an array, not an object"),
        ('"text"', "the document is a string, not an object"),
        (5, "the document is a number, not an object"),
        (None, "the document is missing or null, not an object"),
        (True, "the document is a boolean, not an object"),
        ({}, "the output is not SARIF 2.1.0: version 'None'"),
        ({"runs": [run()]}, "the output is not SARIF 2.1.0: version 'None'"),
        (document(run(), version="2.0.0"), "the output is not SARIF 2.1.0: version '2.0.0'"),
        (document(run(), version="2.2"), "the output is not SARIF 2.1.0: version '2.2'"),
        (document(run(), version=2.1), "the output is not SARIF 2.1.0: version '2.1'"),
        (document(run(), version="2.1.0\n"), "the output is not SARIF 2.1.0: version '2.1.0\\n'"),
        (
            document(run(), version=["2.1.0"]),
            "the output is not SARIF 2.1.0: version \"['2.1.0']\"",
        ),
        ({"version": "2.1.0"}, "runs is missing or null, not an array"),
        ({"version": "2.1.0", "runs": None}, "runs is missing or null, not an array"),
        ({"version": "2.1.0", "runs": {}}, "runs is an object, not an array"),
        (document(), "the output has no runs"),
        (document(None), "runs[0] is missing or null, not an object"),
        (document(run(), [run()]), "runs[1] is an array, not an object"),
    ],
)
def test_not_a_sarif_log(made: Any, reason: str) -> None:
    assert refusal(made) == reason


def test_a_long_version_is_named_in_short() -> None:
    made = document(run(), version="9" * 100)
    assert refusal(made) == f"the output is not SARIF 2.1.0: version '{'9' * 40}'"


@pytest.mark.parametrize("version", ["2.1.0-rtm.5", "2.1.0-rtm.6"])
def test_the_versions_before_the_standard_was_final(version: str) -> None:
    assert len(read_document(document(run(result()), version=version)).findings) == 1


# Results that would be lost


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        (None, "runs[0].results is missing or null, not an array"),
        ({}, "runs[0].results is an object, not an array"),
        ("", "runs[0].results is a string, not an array"),
        (0, "runs[0].results is a number, not an array"),
        (False, "runs[0].results is a boolean, not an array"),
        ([result(), None], "runs[0].results[1] is missing or null, not an object"),
        ([[result()]], "runs[0].results[0] is an array, not an object"),
        ([result(), result(), "x"], "runs[0].results[2] is a string, not an object"),
    ],
)
def test_results_of_a_wrong_type(results: Any, reason: str) -> None:
    assert refusal(document({**run(), "results": results})) == reason


def test_results_that_are_missing() -> None:
    made = run()
    del made["results"]
    reason = "runs[1].results is missing or null, not an array"
    assert refusal(document(run(), made)) == reason
    assert read_document(document(run(result()), made), null_results_ok=True).findings
    assert read_document(document(run(results=None)), null_results_ok=True) == Log()


def test_leave_for_null_results_is_not_leave_for_others() -> None:
    made = document(run(results={}))
    assert refusal(made, null_results_ok=True) == "runs[0].results is an object, not an array"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"results": [{"location": {"uri": "r.json"}}]},
            "incomplete: runs[0].externalPropertyFileReferences.results are in other files",
        ),
        (
            {"invocations": [{"location": {"uri": "i.json"}}]},
            "incomplete: runs[0].externalPropertyFileReferences.invocations are in other files",
        ),
        (
            ["r.json"],
            "runs[0].externalPropertyFileReferences is an array, not an object",
        ),
    ],
)
def test_results_in_other_files(files: Any, reason: str) -> None:
    assert refusal(document(run(result(), externalPropertyFileReferences=files))) == reason


@pytest.mark.parametrize("files", [None, {}, {"results": []}, {"artifacts": [{"guid": "x"}]}])
def test_other_things_in_other_files(files: Any) -> None:
    assert len(read_results(result(), externalPropertyFileReferences=files).findings) == 1


@pytest.mark.parametrize(
    ("inline", "reason"),
    [
        ([{}, {"results": [result()]}], "incomplete: results in inlineExternalProperties[1]"),
        (["x"], "inlineExternalProperties[0] is a string, not an object"),
        ("x", "inlineExternalProperties is a string, not an array"),
    ],
)
def test_results_beside_the_runs(inline: Any, reason: str) -> None:
    assert refusal(document(run(), inlineExternalProperties=inline)) == reason


def test_other_things_beside_the_runs() -> None:
    made = document(run(result()), inlineExternalProperties=[{"artifacts": []}])
    assert len(read_document(made).findings) == 1


# Runs that failed


@pytest.mark.parametrize("value", [False, None, 0, 1, "true", "false", []])
def test_a_run_that_does_not_say_it_succeeded(value: Any) -> None:
    made = document(run(result(), invocations=[{}, {"executionSuccessful": value}]))
    assert refusal(made) == (
        "the scanner says that it failed: runs[0].invocations[1].executionSuccessful"
    )
    assert len(read_document(made, unsuccessful_ok=True).findings) == 1


@pytest.mark.parametrize("key", ["exitSignalName", "processStartFailureMessage"])
def test_an_invocation_that_did_not_end_by_itself_failed(key: str) -> None:
    for successful in ({}, {"executionSuccessful": True}):
        made = document(run(result(), invocations=[{**successful, key: "SIGKILL"}]))
        assert refusal(made) == f"the scanner says that it failed: {key} is SIGKILL"
    assert len(read_document(document(run(result(), invocations=[{key: ""}]))).findings) == 1


def test_a_failure_is_told_in_the_scanners_own_words() -> None:
    notification: Any = {"level": "error", "message": {"text": "no\nrules"}}
    invocation = {"executionSuccessful": False, "toolExecutionNotifications": [notification]}
    made = document(run(invocations=[invocation]))
    assert refusal(made) == "the scanner says that it failed: no rules"
    notification["locations"] = [location("app.py")]
    assert refusal(made) == "the scanner says that it failed: could not read app.py"
    notification["locations"] = [location("a\nb")]
    assert refusal(made) == "the scanner says that it failed: could not read a b"


@pytest.mark.parametrize(
    ("invocations", "reason"),
    [
        ({"executionSuccessful": False}, "runs[0].invocations is an object, not an array"),
        ([None], "runs[0].invocations[0] is missing or null, not an object"),
        (
            [{"toolExecutionNotifications": {}}],
            "runs[0].invocations[0].toolExecutionNotifications is an object, not an array",
        ),
        (
            [{"toolConfigurationNotifications": ["x"]}],
            "runs[0].invocations[0].toolConfigurationNotifications[0] is a string, not an object",
        ),
    ],
)
def test_what_would_hide_a_failure(invocations: Any, reason: str) -> None:
    assert refusal(document(run(invocations=invocations))) == reason


@pytest.mark.parametrize(
    "invocations",
    [None, [], [{}], [{"executionSuccessful": True, "toolExecutionNotifications": None}]],
)
def test_invocations_that_say_nothing(invocations: Any) -> None:
    assert read_results(result(), invocations=invocations).findings


# Wrong types that lose nothing


@pytest.mark.parametrize("odd", [None, 5, True, "x", [], ["x"], {}, {"x": "y"}, [[]], -1.5])
@pytest.mark.parametrize(
    "where",
    [
        *("tool", "artifacts", "originalUriBaseIds", "columnKind", "taxonomies", "properties"),
        *("tool.driver", "tool.extensions", "tool.driver.rules", "tool.driver.name"),
        *("tool.driver.rules.0", "tool.driver.rules.0.id", "tool.driver.rules.0.properties"),
        "tool.driver.rules.0.defaultConfiguration",
        "tool.driver.rules.0.messageStrings",
        "tool.driver.globalMessageStrings",
        *("results.0.ruleId", "results.0.ruleIndex", "results.0.rule", "results.0.level"),
        *("results.0.message", "results.0.message.text", "results.0.message.arguments"),
        *("results.0.locations", "results.0.locations.0", "results.0.kind"),
        "results.0.locations.0.physicalLocation",
        "results.0.locations.0.physicalLocation.artifactLocation",
        "results.0.locations.0.physicalLocation.artifactLocation.uri",
        "results.0.locations.0.physicalLocation.artifactLocation.index",
        "results.0.locations.0.physicalLocation.artifactLocation.uriBaseId",
        "results.0.locations.0.physicalLocation.region",
        "results.0.locations.0.physicalLocation.region.startLine",
        *("results.0.fingerprints", "results.0.partialFingerprints", "results.0.properties"),
        *("results.0.suppressions", "results.0.baselineState", "results.0.rule.toolComponent"),
    ],
)
def test_a_wrong_type_that_loses_nothing_is_passed_over(where: str, odd: Any) -> None:
    made = run(result(rule={"index": 0}), rules=[{"id": "R1"}])
    *parents, last = [int(part) if part.isdigit() else part for part in where.split(".")]
    target: Any = made
    for parent in parents:
        target = target[parent]
    target[last] = odd
    log = read_document(document(made))
    assert len(log.findings) == 1
    assert log.suppressed == ()


# Bounds


def test_many_results_at_many_places_are_linear() -> None:
    """100,000 are read in about two seconds; this only guards against the quadratic."""
    made = (result(f"src/{i}.py", i + 1) for i in range(20_000))
    log = read_results(*made)
    assert len(log.findings) == 20_000


def test_a_rule_id_of_many_parts() -> None:
    assert len(read_results(result(ruleId="a/" * 1_000_000)).findings) == 1


def test_the_collector_is_paused_and_comes_back() -> None:
    seen: list[bool] = []

    def exists(path: str) -> bool:
        seen.append(gc.isenabled())
        return True

    read(ONE.encode(), Context("tool", exists))
    assert seen == [False]
    assert gc.isenabled()
    refusal("{")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        read_text(ONE)
        assert not gc.isenabled()
    finally:
        gc.enable()

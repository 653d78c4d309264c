"""Whatever is done to a document: it is read whole or refused, and nothing else happens."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sarifix.errors import SarifError
from sarifix.model import Log
from sarifix.sarif import read
from tests.support.sarif import SAMPLES, document, result, run, sample_context, sample_files

NAMES = sorted(path.stem for path in SAMPLES.glob("*.sarif") if not path.stem.startswith("gitl"))

ODD = [
    *("", "x", "../x", "/etc/passwd", "file:///repo/app.py", "/repo", "error", "none", "pass"),
    *("open", "%", "%ff", "\ud800", "\0", "{0}{1}", "C:\\x", "file://", "accepted", "rejected"),
]
odd_text = st.sampled_from(ODD) | st.text(max_size=8)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    odd_text,
    st.integers(-2, 3),
    st.integers(),
    st.floats(allow_nan=False),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_text, inner, max_size=3),
    max_leaves=5,
)
KEYS = [
    *("level", "kind", "suppressions", "status", "baselineState", "ruleId", "ruleIndex", "rule"),
    *("message", "arguments", "text", "markdown", "id", "locations", "physicalLocation", "uri"),
    *("region", "startLine", "startColumn", "endLine", "endColumn", "uriBaseId", "index"),
    *("results", "runs", "invocations", "executionSuccessful", "toolExecutionNotifications"),
    *("originalUriBaseIds", "artifacts", "extensions", "toolComponent", "fingerprints"),
    *("externalPropertyFileReferences", "inlineExternalProperties", "properties", "tags"),
]


@cache
def sample(name: str) -> Any:
    return json.loads((SAMPLES / f"{name}.sarif").read_bytes())


def containers(value: Any) -> list[Any]:
    """Return every object and array of a document that is not empty, outermost first."""
    found, todo = [], [value]
    for item in todo:
        children = item.values() if isinstance(item, dict) else item
        if children:
            found.append(item)
        todo += [child for child in children if isinstance(child, (dict, list))]
    return found


def mutate(made: Any, data: st.DataObject) -> None:
    places = containers(made)
    if not places:
        return
    # As often near the top as deep in some rule's help.
    bound = data.draw(st.sampled_from([3, 10, 40, len(places)]))
    place = places[data.draw(st.integers(0, min(bound, len(places)) - 1))]
    if isinstance(place, list):
        index = data.draw(st.integers(0, len(place) - 1))
        how = data.draw(st.sampled_from(["replace", "delete", "again", "add"]))
        if how == "replace":
            place[index] = data.draw(values)
        elif how == "delete":
            del place[index]
        else:
            place.append(copy.deepcopy(place[index]) if how == "again" else data.draw(values))
        return
    key = data.draw(st.sampled_from(sorted(place)) | st.sampled_from(KEYS))
    if data.draw(st.booleans()):
        place[key] = data.draw(values)
    else:
        place.pop(key, None)


def counted(log: Log) -> int:
    """Return how many results a log accounts for."""
    total = len(log.findings) + len(log.suppressed)
    for note in log.notes:
        if repeated := re.fullmatch(r"(\d+) repeated results? counted once", note):
            total += int(repeated[1])
        elif note.startswith("results that are no findings, by kind: "):
            total += sum(map(int, re.findall(r" (\d+)(?:,|$)", note)))
        else:
            assert note.startswith("the scanner says: ")
    return total


def hold(made: Any, name: str) -> None:
    """Read a document; if it is not refused, every result must be accounted for."""
    try:
        log = read(json.dumps(made).encode(), sample_context(name))
    except SarifError as error:
        assert len(error.message.splitlines()) == 1  # noqa: PT017  both ways are right
        return
    assert counted(log) == sum(len(run["results"]) for run in made["runs"])
    for finding in (*log.findings, *log.suppressed):
        assert finding.rule
        assert len(finding.message) <= 8192
        if finding.path is None:
            assert finding.region is None
        else:
            assert finding.in_tree == (finding.path in sample_files(name))
        if finding.region is not None:
            assert finding.region.line >= 1
    for note in log.notes:
        assert len(note.splitlines()) == 1


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(NAMES), st.integers(1, 4), st.data())
def test_a_sample_that_was_changed(name: str, changes: int, data: st.DataObject) -> None:
    made = copy.deepcopy(sample(name))
    for _ in range(changes):
        mutate(made, data)
    hold(made, name)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), values, max_size=6), max_size=4))
def test_results_out_of_nothing(fields: list[dict[str, Any]]) -> None:
    hold(document(run(*(result(**each) for each in fields), *fields)), "ruff")


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["typos", "ty", "bandit-parse-error", "scenario-s3-v3-trivy"]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3), st.binary(max_size=3)), max_size=3),
)
def test_a_sample_with_other_bytes(name: str, edits: list[tuple[float, int, bytes]]) -> None:
    content = (SAMPLES / f"{name}.sarif").read_bytes()
    for where, length, replacement in edits:
        at = int(where * len(content))
        content = content[:at] + replacement + content[at + length :]
    try:
        log = read(content, sample_context(name))
    except SarifError:
        return
    assert isinstance(log, Log)

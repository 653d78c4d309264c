"""Whatever is done to a document: it is read whole or refused, and nothing else happens."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sarifix.errors import SarifError
from sarifix.model import Log
from sarifix.sarif import read
from tests.support.accounting import account
from tests.support.mutate import KEYS, Path, again, deleted, dumped, parent, places, replaced, shape
from tests.support.mutate import ODD as ODD_VALUES
from tests.support.sarif import SAMPLES, document, result, run, sample_context

ALL = sorted(path.stem for path in SAMPLES.glob("*.sarif"))
NAMES = [name for name in ALL if not name.startswith("gitl")]  # those are large

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


def hold(made: Any, name: str) -> None:
    """Read a document; if it is not refused, every result must be accounted for."""
    account(json.dumps(made).encode(), sample_context(name))


def change(name: str, changes: int, data: st.DataObject) -> None:
    made = copy.deepcopy(sample(name))
    for _ in range(changes):
        mutate(made, data)
    hold(made, name)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(NAMES), st.integers(1, 4), st.data())
def test_a_sample_that_was_changed(name: str, changes: int, data: st.DataObject) -> None:
    change(name, changes, data)


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(ALL), st.integers(1, 6), st.data())
def test_a_sample_that_was_changed_often(name: str, changes: int, data: st.DataObject) -> None:
    change(name, changes, data)


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


# ---------------------------------------------------------------------------
# Every place


def shapes(name: str) -> dict[Path, Path]:
    """Return one path of each shape in a sample: of its first result, rule and so on."""
    found: dict[Path, Path] = {}
    for path in places(sample(name)):
        found.setdefault(shape(path), path)
    return found


@cache
def everywhere() -> dict[str, list[Path]]:
    """Return the shapes of all samples together, each in the smallest sample that has it."""
    by_size = sorted(ALL, key=lambda name: len(json.dumps(sample(name))))
    seen: set[Path] = set()
    found: dict[str, list[Path]] = {}
    for name in by_size:
        new = {kind: path for kind, path in shapes(name).items() if kind not in seen}
        seen |= new.keys()
        found[name] = list(new.values())
    return found


def changed_at(document: Any, path: Path, odd: Sequence[Any]) -> Iterator[bytes]:
    yield dumped(deleted(document, path))
    for value in odd:
        yield dumped(replaced(document, path, value))
    if isinstance(parent(document, path), list):
        yield dumped(again(document, path))


def check_place(name: str, path: Path, odd: Sequence[Any]) -> int:
    """Change a sample at one place in every way; return how many ways."""
    made, context = sample(name), sample_context(name)
    count = 0
    for data in changed_at(made, path, odd):
        account(data, context)
        count += 1
    if isinstance(parent(made, path), dict):
        assert account(dumped(again(made, path)), context) is None  # a key that stands twice
        count += 1
    return count


def test_the_samples_are_accounted_for_as_they_are() -> None:
    for name in ALL:
        assert account((SAMPLES / f"{name}.sarif").read_bytes(), sample_context(name)), name


def test_every_kind_of_place() -> None:
    for name, paths in everywhere().items():
        for path in paths:
            check_place(name, path, (None, 0, "", "x", [], {}, [None], {"x": "y"}, 10**400))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_place_in_every_way(name: str) -> None:
    assert sum(check_place(name, path, ODD_VALUES) for path in shapes(name).values()) > 300

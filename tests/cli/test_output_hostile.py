"""Whatever a report's texts are: no document has anything hidden, or a command that is not ours."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sarifix.hooks import answer
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
from sarifix.output import FORMATS, Options, compact, render
from sarifix.output.text import fitted
from tests.support.visible import commands_in, hidden_in

PIECES = (
    *(
        "\x1b[31m",
        "\x1b]0;x\x07",
        "\x9b2J",
        "\n",
        "\r",
        "\t",
        "\u2028",
        "\u202e",
        "\u200b",
        "\u200d",
    ),
    *("\u200c", "\ufe0f", "\U000e0041", "\u0301", "\u3164", "\ue000", "\ud800", "\udcff", "\x00"),
    *("##[error]", "##", "[", "::error::x", "::", " ", "%0A", "<b>", "</x>", "`", "|", "\\", "*"),
    *(
        "word",
        "a",
        "\u00e9",
        "\u4f60",
        "\U0001f468",
        "\u2764",
        "\u0915\u094d",
        "https://x",
        "long " * 50,
    ),
    *("\U0001f468\u200d\U0001f469\u200d\U0001f467 " * 20, "\u00e9\u200d" * 60),
)
texts = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=25).map("".join)
# Names of scanners are checked when the configuration is read.
names = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,30}\Z")
regions = st.builds(Region, st.integers(1, 99), st.none() | st.integers(1, 99))
findings = st.builds(
    Finding,
    scanner=names,
    rule=texts.filter(bool),
    level=st.sampled_from(Level),
    message=texts,
    path=st.none() | texts.filter(bool),
    region=st.none() | regions,
    in_tree=st.booleans(),
    help_uri=st.none() | texts.map("https://{}".format),
)
introduced = st.builds(Reported, findings, st.just("ab" * 16), st.none() | texts, st.none() | texts)
scanners = st.builds(
    ScannerReport,
    names,
    st.sampled_from(Status),
    st.none() | texts,
    st.none() | texts,
    st.booleans(),
    seconds=st.just((0.0, 0.25)),
)
snapshots = st.builds(Snapshot, st.just("1" * 40), st.just(Side.BASE), texts)
reports = st.builds(
    Report,
    snapshots,
    snapshots,
    introduced=st.lists(introduced, max_size=4).map(tuple),
    hidden=st.lists(st.builds(Hidden, texts, st.integers(1, 9)), max_size=2).map(tuple),
    scanners=st.lists(scanners, max_size=3).map(tuple),
    notes=st.lists(texts, max_size=3).map(tuple),
)
options = st.builds(
    Options, color=st.booleans(), width=st.integers(20, 120), verbosity=st.integers(-1, 1)
)


def check_documents(made: Report, how: Options) -> None:
    documents = {name: render(made, name, how) for name in FORMATS}
    documents["compact"] = compact.first_line(made, made.base.origin, how)
    documents["compact"] += compact.render(made, how)
    for name, shown in documents.items():
        shown.encode()
        colored = how.color and name in {"text", "compact"}
        plain = re.sub(r"\x1b\[[\d;]*m", "", shown) if colored else shown
        for line in plain.split("\n"):
            assert hidden_in(line) == [], name
        commands = commands_in(plain)
        if name == "github":
            ours = [line for line in commands if re.match(r"::(error|warning|notice) \w+=", line)]
            assert commands == ours
            assert len(ours) <= len(made.introduced) + len(made.scanners)
        else:
            assert commands == [], name
    assert len(json.loads(documents["json"])["introduced"]) == len(made.introduced)


def check_answers(made: Report) -> None:
    """The hook's texts are for a model and for a terminal."""
    found = made.introduced
    said = answer.for_claude(found, "HEAD", [])
    user = answer.for_user(answer.standing(found, "Why.")) or ""
    for line in (*said.split("\n"), *user.split("\n")):
        assert hidden_in(line) == []
        assert len(commands_in(line)) == 0
    assert not re.search(r"<[A-Za-z/!?]", said)
    assert said.count("\n- ") + said.count("more, by rule") >= min(len(found), 1)


@pytest.mark.parametrize(
    "text", ["\u00e9\u200d" * 30 + "\u00e9", "ok \U0001f468\u200d\U0001f469 " * 9]
)
def test_a_line_is_not_cut_behind_a_joiner(text: str) -> None:
    for width in range(-5, 80):
        shown = fitted(text, width)
        assert hidden_in(shown) == []
        assert len(shown) <= max(width, len("..."))


def test_a_path_that_is_painted_is_no_command() -> None:
    finding = Finding("ruff", "S1", Level.ERROR, "m", "::error::x")
    snapshot = Snapshot("1" * 40, Side.BASE, "HEAD")
    made = Report(snapshot, snapshot, introduced=(Reported(finding, "ab" * 16),))
    check_documents(made, Options(color=True))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(reports, options)
def test_no_document_has_anything_hidden(made: Report, how: Options) -> None:
    check_documents(made, how)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(reports)
def test_no_answer_of_the_hook_has_anything_hidden(made: Report) -> None:
    check_answers(made)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(reports, options)
def test_none_of_many_documents_has_anything_hidden(made: Report, how: Options) -> None:
    check_documents(made, how)
    check_answers(made)

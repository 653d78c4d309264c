"""Workflow commands, read as GitHub's runner reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from sarifix.errors import ConfigError
from sarifix.model import Finding, Level, Region, Report, Reported, ScannerReport, Status
from sarifix.output import Options, render, render_error
from tests.support.golden import assert_golden
from tests.support.report import everything, failed, report, reported


@dataclass(frozen=True)
class Command:
    """A command as the runner understands it."""

    kind: str
    properties: dict[str, str]
    text: str


def _unescape(text: str, *, in_property: bool) -> str:
    codes = {"%0D": "\r", "%0A": "\n", "%25": "%"}
    if in_property:
        codes = {"%3A": ":", "%2C": ",", **codes}
    return re.sub("|".join(codes), lambda match: codes[match[0]], text)


def commands(log: str) -> list[Command]:
    """Read a log: ``::`` after white space, and ``##[`` anywhere (``ActionCommand.cs``)."""
    assert not re.search(r"##\w*\[", log)
    found = []
    for line in re.split(r"[\n\r]", log):
        trimmed = line.lstrip()
        if not trimmed.startswith("::"):
            continue
        head, text = trimmed[2:].split("::", 1)
        kind, _, rest = head.partition(" ")
        pairs = [pair.split("=", 1) for pair in rest.split(",") if pair]
        properties = {name: _unescape(value, in_property=True) for name, value in pairs}
        found.append(Command(kind, properties, _unescape(text, in_property=False)))
    return found


def github(made: Report) -> list[Command]:
    return commands(render(made, "github", Options()))


def test_everything() -> None:
    assert_golden("everything.github.txt", render(everything(), "github", Options()))


def test_finding_is_an_annotation() -> None:
    finding = Finding("ruff", "S602", Level.ERROR, "50 % bad: a,b", "a,b:c%.py", Region(3, 5, 4, 9))
    assert github(report(Reported(finding, "00", "copied"))) == [
        Command(
            "error",
            {"file": "a,b:c%.py", "line": "3", "col": "5", "endLine": "4", "title": "ruff/S602"},
            "50 % bad: a,b (copied)",
        )
    ]


@pytest.mark.parametrize(
    ("level", "kind"),
    [
        (Level.ERROR, "error"),
        (Level.WARNING, "warning"),
        (Level.NOTE, "notice"),
        (Level.NONE, "notice"),
    ],
)
def test_every_level_has_a_command(level: Level, kind: str) -> None:
    assert [command.kind for command in github(report(reported(level=level)))] == [kind]


def test_finding_without_a_region_or_path() -> None:
    one, two = github(report(reported("m", "a.py", None), reported("n", None, None)))
    assert one == Command("warning", {"file": "a.py", "title": "ruff/R1"}, "m")
    assert two == Command("warning", {"title": "ruff/R1"}, "n")


@pytest.mark.parametrize(
    "path", ["../outside.c", "new\nline.py", "##[error].py", "byte\udcff.py", "\u202epy.exe"]
)
def test_file_is_named_only_where_github_can_show_it(path: str) -> None:
    finding = Finding("t", "r", Level.ERROR, "m", path, Region(2), in_tree=path[0] != ".")
    (command,) = github(report(Reported(finding, "00")))
    assert command.properties == {"title": "t/r"}
    assert command.text.endswith(":2: m")


@pytest.mark.parametrize(
    "forged",
    [
        "\n::error file=app.py::forged",
        "\r\n  ::stop-commands::x",
        "\u2028::warning::forged",
        "##[error]forged",
        "x::error::forged",
        "%0A::error::forged",
        "\x1b]0;x\x07::error::forged",
        "##\u200b[error]",
    ],
)
def test_text_forges_no_command(forged: str) -> None:
    finding = Finding(forged, forged, Level.WARNING, forged, forged, Region(1))
    made = report(
        Reported(finding, "00", forged, forged), scanners=(failed(forged, reason=forged),)
    )
    assert [command.kind for command in github(made)] == ["error", "warning"]
    assert all(set(command.properties) <= {"file", "line", "title"} for command in github(made))
    assert len(commands(render_error(ConfigError(forged, forged), "github"))) == 1


def test_ten_of_a_level_and_one_notice_for_the_rest() -> None:
    made = report(
        *(reported(f"e{number}", level=Level.ERROR) for number in range(12)),
        *(reported(f"w{number}") for number in range(3)),
        *(reported(f"n{number}", level=Level.NOTE) for number in range(15)),
        scanners=(failed(),),
    )
    kinds = [command.kind for command in github(made)]
    assert [kinds.count(kind) for kind in ("error", "warning", "notice")] == [10, 3, 10]
    first, *_, last = github(made)
    assert first.text == "semgrep failed: exit 2"
    # Shown: 9 of the 12 errors beside the failure, 3 warnings, 9 of the 15 notes.
    assert last.text == "9 more findings introduced; `sarifix check` shows all"


def test_failures_are_errors_and_skipped_scanners_are_not_shown() -> None:
    skipped = ScannerReport("trivy", Status.SKIPPED, None, "not installed")
    made = report(scanners=(failed(), failed("slow", required=False), skipped))
    assert [(command.kind, command.text) for command in github(made)] == [
        ("error", "semgrep failed: exit 2"),
        ("warning", "slow failed: exit 2"),
    ]


def test_failures_beyond_the_limit_are_not_counted_as_findings() -> None:
    made = report(scanners=tuple(failed(f"s{number}") for number in range(12)))
    assert [command.kind for command in github(made)] == ["error"] * 10


def test_last_line_has_the_totals() -> None:
    log = render(report(fixed=2), "github", Options())
    assert log == (
        "sarifix: No findings introduced. 0 introduced, 2 fixed, 0 unchanged, 0 suppressed, "
        "0 hidden; base HEAD 1a2b3c4, head working tree\n"
    )


def test_error_is_an_annotation() -> None:
    assert commands(render_error(ConfigError("f:1:2: bad", "do this"), "github")) == [
        Command("error", {"title": "sarifix"}, "f:1:2: bad do this")
    ]

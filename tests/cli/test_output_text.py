"""The report for a person."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sarifix.model import Finding, Hidden, Level, Region, Reported, ScannerReport, Status
from sarifix.output import Options, render
from tests.support.golden import assert_golden
from tests.support.report import BASE, HEAD, everything, failed, report, reported

PLAIN = Options(width=100)


def text(value: object, **options: object) -> str:
    return render(value, "text", PLAIN._replace(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("everything.txt", PLAIN),
        ("everything-verbose.txt", PLAIN._replace(verbosity=1)),
        ("everything-quiet.txt", PLAIN._replace(verbosity=-1)),
        ("everything-color.txt", PLAIN._replace(color=True)),
    ],
)
def test_everything(name: str, options: Options) -> None:
    assert_golden(name, render(everything(), "text", options))


def test_clean_is_short() -> None:
    assert text(report(fixed=2, unchanged=40)).splitlines() == [
        "No findings introduced.",
        "0 introduced, 2 fixed, 40 unchanged, 0 suppressed, 0 hidden",
        "base HEAD 1a2b3c4, head working tree",
    ]


def test_equal_trees_are_named() -> None:
    same = report(scanners=())._replace(head=HEAD._replace(tree=BASE.tree))
    assert text(same).startswith("No findings introduced: base and head are the same.\n")


def test_clean_without_any_scanner_says_so() -> None:
    skipped = ScannerReport("trivy", Status.SKIPPED, None, "no input changed")
    shown = text(report(scanners=(skipped,)))
    assert shown.startswith("No findings introduced; no scanner ran.\n")
    assert "trivy skipped: no input changed\n" in shown


def test_undecided_says_so_first() -> None:
    shown = text(report(scanners=(failed(), failed("trivy", reason="killed"))))
    assert shown.splitlines()[0] == (
        "Undecided: semgrep and trivy failed, so there may be findings not shown."
    )
    assert "semgrep failed: exit 2\ntrivy failed: killed\n" in shown


def test_optional_failure_only_warns() -> None:
    shown = text(report(scanners=(failed(required=False),)))
    assert "Undecided" not in shown
    assert "semgrep failed (not required): exit 2\n" in shown


def test_failure_without_a_reason() -> None:
    assert "semgrep failed: no reason given\n" in text(report(scanners=(failed(reason=""),)))


def test_finding_with_all_its_parts() -> None:
    finding = reported("Bad", "a.py", 7, Level.ERROR, source="\tx = 1\n", reason="copy of b.py:1")
    assert text(report(finding)).split("\n\n")[0].splitlines() == [
        "a.py",
        "  error ruff/R1: Bad",
        "    --> a.py:7",
        "      | x = 1",
        "      = copy of b.py:1",
    ]


def test_findings_stand_by_file_and_line() -> None:
    shown = text(
        report(
            reported("4", None, None),
            reported("3", "b.py", 1),
            reported("2", "a.py", 10),
            reported("1", "a.py", 9),
            reported("0", "a.py", None),
        )
    )
    assert re.findall(r"R1: (\d)$", shown, re.MULTILINE) == list("01234")
    assert re.findall(r"^\S.*", shown, re.MULTILINE)[:3] == ["a.py", "b.py", "Without a file"]
    assert shown.startswith("a.py\n")


def test_verdict_counts_levels() -> None:
    shown = text(report(reported(level=Level.ERROR), reported("x"), reported("y")))
    assert "\n3 findings introduced (1 error, 2 warnings).\n" in shown
    assert "\n1 finding introduced (1 note).\n" in text(report(reported(level=Level.NOTE)))


def test_hidden_are_counted_with_what_hid_them() -> None:
    shown = text(report(hidden=(Hidden("rules.min_level", 3), Hidden("paths.deny", 2))))
    assert "5 hidden (3 by rules.min_level, 2 by paths.deny)\n" in shown


@pytest.mark.parametrize("verbosity", [0, 1])
def test_secret_is_never_shown(verbosity: int) -> None:
    finding = Finding("gitleaks", "key", Level.ERROR, "A key", "a.env", Region(1), secret=True)
    leaking = Reported(finding, "00", None, "KEY=hunter2")
    assert "hunter2" not in text(report(leaking), verbosity=verbosity)


@pytest.mark.parametrize("width", [20, 40, 100])
@pytest.mark.parametrize("line", ["x" * 300, "\u5168" * 300, "e\u0301" * 300])
def test_line_is_cut_to_the_width(width: int, line: str) -> None:
    shown = text(report(reported(source=line)), width=width)
    (source,) = [shown_line for shown_line in shown.splitlines() if "      | " in shown_line]
    cells = sum(0 if c == "\u0301" else 2 if c == "\u5168" else 1 for c in source)
    assert width - 1 <= cells <= width
    assert source.endswith("...")


def test_empty_line_is_shown_as_such() -> None:
    assert "\n      | \n" in text(report(reported(source="\n")))


def test_verbose_tells_versions_times_and_cache_hits() -> None:
    shown = text(report(), verbosity=1)
    assert "ruff 0.9.1: ok, base 0.0 s (cached), head 0.2 s\n" in shown
    assert "ruff 0.9.1" not in text(report())


def test_notes_are_cut_and_counted_unless_verbose() -> None:
    notes = tuple(f"{number} {'x' * 200}" for number in range(12))
    short = [line for line in text(report(notes=notes)).splitlines() if line.startswith("note:")]
    assert len(short) == 11
    assert {len(line) for line in short[:-1]} == {100}
    assert short[-1] == "note: 2 more notes with -v"
    assert f"note: 11 {'x' * 200}\n" in text(report(notes=notes), verbosity=1)


def test_quiet_is_one_line_a_finding() -> None:
    shown = text(report(reported(), reported("Else", None, None)), verbosity=-1)
    assert shown == ("app.py:3: warning ruff/R1: Something is wrong\nwarning ruff/R1: Else\n")


def test_quiet_is_silent_when_clean() -> None:
    assert text(report(fixed=1, notes=("n",)), verbosity=-1) == ""


def test_quiet_says_when_undecided() -> None:
    assert text(report(scanners=(failed(),)), verbosity=-1).splitlines() == [
        "Undecided: semgrep failed, so there may be findings not shown",
        "semgrep failed: exit 2",
    ]


@pytest.mark.parametrize("verbosity", [-1, 0, 1])
def test_no_line_is_a_command(verbosity: int) -> None:
    shown = text(everything(), verbosity=verbosity)
    assert not re.search(r"^\s*::", shown, re.MULTILINE)
    assert not re.search(r"##\w*\[", shown)
    assert "\x1b" not in shown


def test_colours_change_nothing_but_colours() -> None:
    colored = text(everything(), color=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == text(everything())


def test_without_colours_rich_is_not_imported() -> None:
    program = (
        "import sys; from tests.support.report import everything;"
        "from sarifix.output import FORMATS, Options, render;"
        "[render(everything(), name, Options()) for name in FORMATS];"
        "import sarifix.output.progress as p; p.progress(sys.stderr, enabled=False);"
        "sys.exit('rich' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program], cwd=root, check=False).returncode == 0

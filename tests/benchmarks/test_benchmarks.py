"""The benchmarks on a tiny input, so that they cannot rot, and what would make them lie."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

if os.name != "posix":
    pytest.skip("what a process took is asked for as on POSIX", allow_module_level=True)

from tests.benchmarks import table
from tests.benchmarks.__main__ import main
from tests.benchmarks.bench import Bench, scripts
from tests.benchmarks.cases import all_cases
from tests.benchmarks.contest import Bar, Case, Contestant, WrongError, hold
from tests.benchmarks.measure import Command, Ran, run

DOCUMENT = Path(__file__).parents[2] / "docs" / "performance.md"
needs_script = pytest.mark.skipif(
    shutil.which("sarifix", path=scripts()) is None, reason="sarifix is not installed"
)


@needs_script
def test_a_tiny_run_is_written_gone_on_with_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document, picture = tmp_path / "doc.md", tmp_path / "plot.svg"
    document.write_text(
        f"before\n{table.BEGIN}\nto be replaced\n{table.END}\nafter\n", encoding="utf-8"
    )
    args = ["--work", str(tmp_path / "bench"), "--scale", "0.01", "--repeat", "1", "--only"]
    assert main([*args, "repository-1000"]) == 0
    first = json.loads((tmp_path / "bench" / "results.json").read_text(encoding="utf-8"))
    shown = ["--resume", "--plot", str(picture), "--write", str(document)]
    main([*args, "repository-1000", "files-cold", *shown])
    results = json.loads((tmp_path / "bench" / "results.json").read_text(encoding="utf-8"))
    assert list(results["cases"]) == ["files-cold", "repository-1000"]
    assert results["cases"]["repository-1000"] == first["cases"]["repository-1000"]
    for case in results["cases"].values():
        assert [one["problem"] for one in case["taken"]] == [""] * len(case["taken"])
        assert all(len(one["runs"]) == 1 for one in case["taken"])
    assert {bar["met"] for bar in results["cases"]["files-cold"]["bars"]} <= {True, False}
    assert picture.read_text(encoding="utf-8").count("<polyline") == 3
    written = document.read_text(encoding="utf-8")
    assert re.fullmatch(r"before\n<!--.*\| git status \|.*-->\nafter\n", written, re.DOTALL)
    assert "](plot.svg)" in written
    assert "replaced" not in written
    assert "**One file of 10 changed, ruff, warm**" in capsys.readouterr().out


def test_wrong_work_and_who_is_absent_are_shown_and_not_counted(tmp_path: Path) -> None:
    command = Command((sys.executable, "-c", "print('half of it')"), tmp_path, os.environ)

    def wrong(ran: Ran) -> None:
        raise WrongError(ran.text())

    def right(ran: Ran) -> None:
        assert ran.code == 0

    contestants = (
        Contestant("quick", [command], wrong),
        Contestant("sound", [command], right),
        Contestant("far away", [command], right, absent="not installed"),
    )
    bars = (Bar("quick", lambda of: of("quick"), 1), Bar("sound", lambda of: of("sound"), 0))
    result = hold(Case("case", "A case", lambda: contestants, bars), 2, tmp_path)
    assert [(one.problem.strip(), len(one.runs)) for one in result.taken] == [
        ("half of it", 0), ("", 2), ("not installed", 0),
    ]  # fmt: skip
    assert [bar.met for bar in result.bars] == [None, False]
    text = table.render([result], {})
    assert "| quick | **half of it** |" in text
    assert "| far away | **not installed** |" in text


def test_the_figures_are_of_the_program_and_what_it_started(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "subprocess.run([sys.executable, '-S', '-c', 'x = bytearray(200_000_000)'], check=True)\n"
        "time.sleep(0.1)\n"
    )
    large = Command((sys.executable, "-c", code), tmp_path, os.environ)
    small = Command((sys.executable, "-S", "-c", "pass"), tmp_path, os.environ)
    usage, ran = run([large], tmp_path, 60)
    assert ran.code == 0
    assert usage.rss > 200_000_000
    assert usage.wall > 0.1
    # This process is larger than that by far.
    assert run([small], tmp_path, 60)[0].rss < 30_000_000


def test_one_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    endless = Command(("sleep", "60"), tmp_path, os.environ)
    usage, ran = run([endless], tmp_path, 0.1)
    assert ran.code is None
    assert usage.wall < 10


def test_each_case_is_explained(tmp_path: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert table.write(text, "") != text
    named = set(re.findall(r"`([a-z]+(?:-[\w*]+)?)`", text.partition(table.BEGIN)[0]))
    for case in all_cases(Bench.at(tmp_path, 0.01)):
        kind = case.name.rpartition("-")[0] + "-*"
        assert named & {case.name, kind}, case.name

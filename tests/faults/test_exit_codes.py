"""Every exit code with every kind of output: a scan counts or failed, and never looks clean."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from sarifix.execute import Surroundings, execute
from sarifix.git import LaidOut
from sarifix.model import Entry, Program, Scan, Scanner, Side
from sarifix.plan import Job

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the scanner is a shell script")

DOCUMENT = (
    '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":['
    '{"ruleId":"R","message":{"text":"m"},"locations":[{"physicalLocation":'
    '{"artifactLocation":{"uri":"a.txt"},"region":{"startLine":1}}}]}]}]}'
)
OUTPUTS = {"valid": f"printf %s '{DOCUMENT}' > \"$0\"; ", "empty": ': > "$0"; ', "none": ""}


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    private = tmp_path / "private"
    private.mkdir()
    deadline = time.monotonic() + 120
    return Surroundings(dict(os.environ), private, str(tmp_path), deadline, threading.Event())


def run(script: str, tmp_path: Path, around: Surroundings) -> Scan:
    scanner = Scanner("t", ("sh", "-c", script, "{out}"), output="{out}")
    entries = {"a.txt": Entry("100644", "0" * 40)}
    job = Job(scanner, Program("/bin/sh", "", None), Side.HEAD, "0" * 40, entries)
    tree = tmp_path / "tree"
    tree.mkdir(exist_ok=True)
    return execute(job, (), LaidOut(tree, ()), around)


@pytest.mark.parametrize(
    ("output", "codes"),
    [
        ("valid", range(256)),
        ("empty", range(0, 256, 51)),
        ("none", range(0, 256, 51)),
        pytest.param("empty", range(256), marks=pytest.mark.slow),
        pytest.param("none", range(256), marks=pytest.mark.slow),
    ],
)
def test_exit_codes(
    tmp_path: Path, around: Surroundings, output: str, codes: Sequence[int]
) -> None:
    """The figure of docs/security.md: ``pytest tests/faults/test_exit_codes.py --run-slow``."""
    for code in codes:
        scan = run(f"{OUTPUTS[output]}echo why >&2; exit {code}", tmp_path, around)
        if code:
            assert scan.failure == f"exit code {code}: why"
        elif output == "valid":
            assert scan.failure is None
            assert [finding.rule for finding in scan.log.findings] == ["R"]
        else:
            assert scan.failure == "wrote no SARIF: why"
        if scan.failure is not None:
            assert scan.log.findings == ()


@pytest.mark.parametrize("output", OUTPUTS)
def test_signals(tmp_path: Path, around: Surroundings, output: str) -> None:
    for number in (1, 2, 3, 6, 9, 11, 13, 15):
        scan = run(f"{OUTPUTS[output]}echo why >&2; kill -{number} $$", tmp_path, around)
        assert scan.failure == f"was ended by signal {number}: why"


def test_words_of_bytes_that_are_no_text(tmp_path: Path, around: Surroundings) -> None:
    scan = run(r"printf 'a\377b \n\n' >&2; exit 3", tmp_path, around)
    assert scan.failure == r"exit code 3: a\xffb"


def test_a_last_line_without_end(tmp_path: Path, around: Surroundings) -> None:
    scan = run("head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 3", tmp_path, around)
    assert scan.failure is not None
    assert len(scan.failure) < 10_000


def test_a_reason_in_sarif_with_half_a_character(tmp_path: Path, around: Surroundings) -> None:
    notification = '{"level":"error","message":{"text":"bad \\\\ud800 sign"}}'
    document = f'{{"runs":[{{"invocations":[{{"toolExecutionNotifications":[{notification}]}}]}}]}}'
    scan = run(f"printf '%b' '{document}' > \"$0\"; exit 4", tmp_path, around)
    assert scan.failure == "exit code 4: bad \ud800 sign"


def test_more_than_it_may_before_anybody_looked(tmp_path: Path, around: Surroundings) -> None:
    scan = run('truncate -s 65M "$0"', tmp_path, around)
    assert scan.failure == "wrote more than 64 MiB"


def test_a_warning_is_no_reason(tmp_path: Path, around: Surroundings) -> None:
    said = (
        '{"level":"warning","message":{"text":"slow"}},{"level":"error","message":{"text":"bad"}}'
    )
    document = f'{{"runs":[{{"invocations":[{{"toolExecutionNotifications":[{said}]}}]}}]}}'
    scan = run(f"printf %s '{document}' > \"$0\"; exit 4", tmp_path, around)
    assert scan.failure == "exit code 4: bad"

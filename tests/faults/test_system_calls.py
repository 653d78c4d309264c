"""A fault at the k-th system call: no wrong verdict, no traceback, the user's state as it was.

strace makes the call fail (``--inject``), in sarifix, in git and in the scanner alike. The
figures of docs/security.md: ``pytest tests/faults/test_system_calls.py --run-slow``.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.state import differences, state

STRACE = shutil.which("strace")
ERRORS = ("ENOSPC", "EIO", "EACCES", "EINTR")
CALLS = ("openat", "write", "rename", "fsync", "mkdir", "link", "unlink", "unlinkat", "symlink")
EXPECTED = ["a.txt:1 R"]
_DOCUMENT = '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[%s]}]}'
_RESULT = (
    '{"ruleId":"R","level":"error","message":{"text":"m"},"locations":[{"physicalLocation":'
    '{"artifactLocation":{"uri":"a.txt"},"region":{"startLine":1}}}]}'
)
# It sees to its own faults, as a sound scanner does.
_SCANNER = """set -e
text=$(cat a.txt)
case "$text" in *BAD*) name=bad;; *) name=good;; esac
cat "{there}/$name" > "$1"
"""
# Where Python and git look for parts of themselves, and our modules: before we can answer.
_LIBRARIES = re.compile(
    r"\.(py|pyc|so|pth|cfg|gz)\b|/lib/|/lib64/|/etc/|/dev/|/proc/|__pycache__|/usr/"
)


@cache
def can_trace() -> bool:
    if STRACE is None:
        return False
    done = subprocess.run([STRACE, "-o", "/dev/null", "true"], capture_output=True, check=False)
    return done.returncode == 0


pytestmark = pytest.mark.skipif(not can_trace(), reason="there is no strace, or it may not trace")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    (tmp_path / "bad").write_text(_DOCUMENT % _RESULT)
    (tmp_path / "good").write_text(_DOCUMENT % "")
    (tmp_path / "scanner").write_text(_SCANNER.format(there=tmp_path))
    config = (
        f"scanners:\n  t:\n    command: [/bin/sh, {tmp_path / 'scanner'}, '{{out}}']\njobs: 1\n"
    )
    made = Repo.init(tmp_path / "repo", {".sarifix.yaml": config, "a.txt": "ok\n"})
    made.write({"a.txt": "BAD\n", "b.txt": "new\n"})
    # Nothing of ours is synced: what a crash spoils is seen by its digest, and made again.
    # git syncs where it is told to.
    made.git("config", "core.fsync", "all")
    return made


def traced(repo: Repo, isolation: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Check with a cold cache under strace."""
    shutil.rmtree(isolation / "sarifix-cache", ignore_errors=True)
    shutil.rmtree(repo.path / ".git" / "sarifix", ignore_errors=True)
    argv = [str(STRACE), "-f", "-qq", *options, sys.executable, "-m", "sarifix", "check"]
    return subprocess.run(
        [*argv, "--format", "json"],
        cwd=repo.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def positions(repo: Repo, isolation: Path, tmp_path: Path, *calls: str) -> dict[str, list[int]]:
    """Return the k of which the k-th call of some process is about more than its libraries."""
    log = tmp_path / "trace"
    done = traced(repo, isolation, "-o", str(log), "-e", f"trace={','.join(calls)}")
    assert judge(done) == "right"
    count: Counter[tuple[str, str]] = Counter()
    found: dict[str, set[int]] = {call: set() for call in calls}
    for line in log.read_text(errors="replace").splitlines():
        called = re.match(r"(\d+) +(\w+)\(", line)
        if called is not None:
            pid, call = called.groups()
            count[pid, call] += 1
            if not _LIBRARIES.search(line.replace(str(tmp_path), "")):
                found[call].add(count[pid, call])
    return {call: sorted(places) for call, places in found.items()}


def judge(done: subprocess.CompletedProcess[str]) -> str:
    """Return "right", or "refused" for an error that is told; anything else fails.

    Where Python cannot find all of itself it complains, or never comes to our ``main``.
    """
    if re.search(r"^(ModuleNotFound|Import)Error: |No module named", done.stderr, re.MULTILINE):
        assert done.returncode not in {0, 3}
        return "not begun"
    assert not re.search(r'cli\.py", line \d+, in main\n', done.stderr), done.stderr
    assert "Exception in thread" not in done.stderr, done.stderr
    if "Fatal Python error" in done.stderr or ("Traceback" in done.stderr and not done.stdout):
        assert not done.stdout
        return "not begun"
    assert done.returncode in {1, 2, 3}, (done.returncode, done.stdout, done.stderr)
    if done.returncode != 1:
        assert done.stderr or '"undecided"' in done.stdout, "refused without a word"
        return "refused"
    report = json.loads(done.stdout)
    rules = sorted(f"{f['path']}:{f['line']} {f['rule']}" for f in report["introduced"])
    assert rules == EXPECTED
    return "right"


def inject(
    repo: Repo, tmp_path: Path, isolation: Path, call: str, faults: Iterable[tuple[int, str]]
) -> Counter[str]:
    """Run with each fault, ``(k, error)``; return how often which end was come to."""
    before = state(repo.path)
    counted: Counter[str] = Counter()
    for k, error in faults:
        fault = f"inject={call}:error={error}:when={k}"
        log = ["-o", str(tmp_path / "trace"), "-e", f"trace={call}"]
        done = traced(repo, isolation, *log, "-e", fault)
        try:
            counted[judge(done)] += 1
        except AssertionError as failure:
            raise AssertionError(f"{fault}: {failure}") from failure
        assert differences(before, state(repo.path)) == [], fault
    return counted


def test_a_few_faults(repo: Repo, tmp_path: Path, isolation: Path) -> None:
    """One place of each call, in the middle; each error in turn."""
    errors = itertools.cycle(ERRORS)
    for call, places in positions(repo, isolation, tmp_path, *CALLS).items():
        for k in places[len(places) // 2 :][:1]:
            inject(repo, tmp_path, isolation, call, [(k, next(errors))])


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_every_fault(repo: Repo, tmp_path: Path, isolation: Path, call: str) -> None:
    places = positions(repo, isolation, tmp_path, call)[call]
    counted = inject(repo, tmp_path, isolation, call, itertools.product(places, ERRORS))
    print(f"{call}: {len(places)} places, {dict(counted)}")

"""The reader: what it does not refuse is accounted for, and the same for every scratch tree."""

from __future__ import annotations

import contextlib
import json
import re
from random import Random

from sarifix import cache
from sarifix.model import Finding, Introduced, Log, Report, Side, Snapshot
from sarifix.output import FORMATS, Options, render
from sarifix.report import reported
from sarifix.sarif import Context
from tests.support.accounting import account
from tests.support.mutate import dumped, mutated
from tests.support.sarif import ROOT, SAMPLES, sample_files

SEEDS = tuple(path.read_bytes() for path in sorted(SAMPLES.glob("*.sarif")))
MAX_LENGTH = 70_000

_FILES = sample_files("ruff") | sample_files("scenario-s3-v1-trivy")
_OTHER = b"/var/lib/somewhere/else-7"
_ROOT = re.compile(rb"(?:(?<=[\" (`'])|(?<=file://))" + ROOT.encode() + rb"(?=[\"/ )`'])")
_LIKE_ROOT = re.compile(rb"repo(?![a-zA-Z])")
_SNAPSHOT = Snapshot("1" * 40, Side.BASE, "HEAD")


class _NoFiles:
    """A snapshot whose files are all binary."""

    def __contains__(self, path: object) -> bool:
        return path in _FILES

    def oid(self, path: str) -> str | None:
        return path if path in _FILES else None

    def text(self, path: str) -> str | None:
        return None


def check(raw: bytes) -> None:
    log = account(raw, Context("tool", _FILES.__contains__, (ROOT,)))
    if log is None:
        return
    assert cache.load(cache.dump(log)) == log
    moved, roots = _ROOT.subn(_OTHER, raw)
    if roots == len(_LIKE_ROOT.findall(raw)) and _OTHER not in raw:
        other = account(moved, Context("tool", _FILES.__contains__, (_OTHER.decode(),)))
        assert other == log or _is_in_a_name(other)
    _check_outputs(log.findings + log.suppressed)


def _is_in_a_name(log: Log | None) -> bool:
    """Whether the root stands where it is a name: in rule ids, fingerprints and links."""
    findings = (*log.findings, *log.suppressed) if log else ()
    names = (f"{one.rule} {one.help_uri} {one.fingerprints}" for one in findings)
    return any(_OTHER.decode() in name for name in names)


def _check_outputs(findings: tuple[Finding, ...]) -> None:
    """Every output can be written, and JSON and SARIF hold every finding."""
    shown = reported([Introduced(finding) for finding in findings], _NoFiles())
    made = Report(_SNAPSHOT, _SNAPSHOT, introduced=shown)
    written = {name: render(made, name, Options()) for name in FORMATS}
    for text in written.values():
        text.encode()
    assert len(json.loads(written["json"])["introduced"]) == len(findings)
    runs = json.loads(written["sarif"])["runs"]
    assert sum(len(run["results"]) for run in runs) == len(findings)


def mutate(raw: bytes, random: Random) -> bytes:
    """Change a document somewhere in its structure; bytes that are none become one."""
    document = None
    with contextlib.suppress(ValueError, RecursionError):
        document = json.loads(raw)
    if not isinstance(document, dict):
        document = json.loads(random.choice(SEEDS))
    for _ in range(random.randrange(1, 4)):
        document = mutated(document, random)
        if not isinstance(document, dict):
            break
    return dumped(document)

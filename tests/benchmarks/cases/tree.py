"""Scanners that see the whole tree, and that need not run where their inputs stayed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from sarifix.model import Scanner
from sarifix.scanners import PRESETS
from tests.benchmarks.bench import Bench, Ours, Report, expect
from tests.benchmarks.cases.turn import status
from tests.benchmarks.contest import Bar, Case, Contestant, WrongError
from tests.benchmarks.inputs import (
    PYTHON,
    TERRAFORM,
    Change,
    django,
    modules,
    python_comment,
    terraform_finding,
)
from tests.benchmarks.measure import Command, Ran
from tests.benchmarks.peers import installed

OURS = "sarifix check"
PLAIN, TWO = "one plain scan", "two plain scans, one after the other"
FILE = TERRAFORM.format(7)
# checkov takes minutes for Django: it looks for secrets in every file.
_WHERE = {"trivy": "Django and 100 Terraform modules", "checkov": "100 Terraform modules"}
RULES: Mapping[str, str] = {"trivy": "AWS-0086", "checkov": "CKV_AWS_18"}


def cases(bench: Bench) -> list[Case]:
    """Return the cases of trivy and checkov, and that of a change that is no input."""
    found = []
    for name in RULES:
        warm = Bar("sarifix / one plain scan", lambda of: of(OURS) / of(PLAIN), 1.1)
        cold = Bar("sarifix, both sides / two plain scans", lambda of: of(OURS) / of(TWO), 1.0)
        where = _WHERE[name]
        found += [
            Case(
                name,
                f"An input of {name} changed, {where}, warm",
                partial(_warm, bench, name),
                (warm,),
                times=0.5,
            ),
            Case(
                f"{name}-cold",
                f"An input of {name} changed, {where}, nothing cached",
                partial(_cold, bench, name),
                (cold,),
                times=0.5,
                warm=False,
            ),
        ]
    return [*found, _no_input(bench)]


def _warm(bench: Bench, name: str) -> Sequence[Contestant]:
    ours, change = _begin(bench, name)
    change()
    ours.prime()
    seen = expect(None, path=FILE, cached=(True, False), also=_has(RULES[name]))
    plain, verify, before = _plain(ours, name, change)
    return (
        Contestant(OURS, [ours.check()], seen, change),
        Contestant(PLAIN, [plain], verify, before, installed(name).absent),
    )


def _cold(bench: Bench, name: str) -> Sequence[Contestant]:
    ours, change = _begin(bench, name)

    def forget() -> None:
        ours.forget()
        change()

    seen = expect(None, path=FILE, cached=(False, False), also=_has(RULES[name]))
    plain, verify, before = _plain(ours, name, change)
    return (
        Contestant(OURS, [ours.check()], seen, forget),
        Contestant(TWO, [plain, plain], verify, before, installed(name).absent),
    )


def _begin(bench: Bench, name: str) -> tuple[Ours, Change]:
    repository = modules(bench.work) if name == "checkov" else django(bench.work)
    ours = Ours.of(bench, repository, name, f"scanners: {{{name}: {{}}}}\n")
    return ours, Change.of(repository, [FILE], terraform_finding)


def _has(rule: str) -> Callable[[Report], bool]:
    return lambda report: rule in {found["rule"] for found in report["introduced"]}


def _plain(
    ours: Ours, name: str, change: Callable[[], None]
) -> tuple[Command, Callable[[Ran], None], Callable[[], None]]:
    """Return the scan that the preset stands for, of the working tree."""
    preset: Scanner = PRESETS[name]
    directory = ours.bench.work / f"{name}-out"
    out = directory / "out.sarif"
    places = {"{out}": str(out), "{outdir}": str(directory)}

    def filled(text: str) -> str:
        for placeholder, place in places.items():
            text = text.replace(placeholder, place)
        return text

    command = Command(
        tuple(map(filled, preset.argv)), ours.repository, {**ours.env, **dict(preset.env)}
    )

    def before() -> None:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        change()

    def verify(ran: Ran) -> None:
        written = Path(filled(preset.output))
        if ran.code != 0 or RULES[name] not in written.read_text(encoding="utf-8"):
            raise WrongError(ran.told())

    return command, verify, before


def _no_input(bench: Bench) -> Case:
    """A change that is no input of trivy, which a wrapper in its place would see running."""
    log = bench.work / "wrapper" / "runs"

    def contestants() -> Sequence[Contestant]:
        ours, change_input = _begin(bench, "trivy")
        wrapper = log.with_name("trivy")
        wrapper.parent.mkdir(exist_ok=True)
        real = installed("trivy")
        script = f"#!/bin/sh\necho run >> '{log}'\nexec '{real.program}' \"$@\"\n"
        wrapper.write_text(script, encoding="utf-8")
        wrapper.chmod(0o755)
        ours = Ours(bench, ours.repository, ours.cache, ours.config, wrapper.parent)
        change = Change.of(ours.repository, [PYTHON], python_comment)
        if not real.absent:
            _prove(ours, change_input, log)
        skipped = expect(0, also=lambda report: report["scanners"][0]["status"] == "skipped")
        return (
            Contestant(OURS, [ours.check()], skipped, change, real.absent),
            status(ours),
        )

    def runs() -> int:
        return len(log.read_text(encoding="ascii").splitlines()) if log.exists() else 0

    bar = Bar("runs of the scanner", lambda of: runs() if of(OURS) else 0, 0, "")
    title = "No input of the scanner (trivy) changed, Django"
    return Case("no-input", title, contestants, (bar,))


def _prove(ours: Ours, change: Change, log: Path) -> None:
    """Let the wrapper see a run where an input has changed, and begin to count."""
    log.unlink(missing_ok=True)
    change()
    ours.prime()
    if not log.exists():
        raise WrongError("the wrapper does not see the scanner run")
    for file, text in change.originals.items():
        file.write_text(text, encoding="utf-8")
    log.unlink()

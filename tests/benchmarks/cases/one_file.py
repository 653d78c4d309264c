"""One file was changed, and a finding added to it; the scanner sees one file at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tests.benchmarks.bench import Bench, Ours, expect, says
from tests.benchmarks.cases.turn import Session, status
from tests.benchmarks.contest import Bar, Case, Contestant
from tests.benchmarks.inputs import PYTHON, Change, django, git, on_tmpfs, python_finding
from tests.benchmarks.peers import installed

OURS = "sarifix check"
RUFF, GRAYLINT, QUALITY = "ruff on that file alone", "graylint", "diff-quality"
SEMGREP, BASELINE = "semgrep on that file alone", "semgrep --baseline-commit"
_SEMGREP = (
    "semgrep", "scan", "--config", ".semgrep.yml", "--metrics", "off",
    "--disable-version-check", "--quiet", "--sarif",
)  # fmt: skip


def cases(bench: Bench) -> list[Case]:
    """Return the cases of ruff and semgrep."""
    ruff_bars = (
        Bar("sarifix - ruff on that file alone", lambda of: of(OURS) - of(RUFF), 0.150, "s"),
        Bar("graylint / sarifix", lambda of: of(GRAYLINT) / of(OURS), 10, at_least=True),
        Bar("diff-quality / sarifix", lambda of: of(QUALITY) / of(OURS), 1, at_least=True),
    )
    semgrep_bars = (
        Bar("sarifix / semgrep on that file alone", lambda of: of(OURS) / of(SEMGREP), 1.15),
        Bar(
            "semgrep --baseline-commit / sarifix",
            lambda of: of(BASELINE) / of(OURS),
            3,
            at_least=True,
        ),
    )
    return [
        Case("ruff", "One file changed, ruff, Django, warm", partial(_ruff, bench), ruff_bars),
        Case(
            "ruff-cold",
            "One file changed, ruff, Django, nothing cached",
            partial(_ruff_cold, bench),
            times=0.5,
            warm=False,
        ),
        Case(
            "semgrep",
            "One file changed, semgrep with 20 local rules, Django, warm",
            partial(_semgrep, bench),
            semgrep_bars,
        ),
        *_in_memory(bench),
        Case(
            "releases",
            "Django 5.1 to 5.2, ruff, nothing cached",
            partial(_releases, bench),
            times=0.5,
        ),
    ]


def _in_memory(bench: Bench) -> list[Case]:
    """The same on tmpfs, where peers that lay out whole repositories are at their best."""
    if not on_tmpfs():
        return []
    return [
        Case(
            "ruff-tmpfs",
            "One file changed, ruff, Django on tmpfs, warm",
            lambda: _ruff(bench.in_memory()),
        ),
        Case(
            "semgrep-tmpfs",
            "One file changed, semgrep with 20 local rules, Django on tmpfs, warm",
            lambda: _semgrep(bench.in_memory()),
            times=0.5,
        ),
    ]


def _ruff(bench: Bench) -> Sequence[Contestant]:
    repository = django(bench.work)
    ours = Ours.of(bench, repository, "ruff", "scanners: {ruff: {}}\n")
    change = Change.of(repository, [PYTHON], python_finding)
    session = Session(ours, "ruff")
    session.begin()
    change()
    ours.prime()
    # Of each round's change nobody has seen the head; sarifix has seen the base.
    seen = expect(1, each="S307", path=PYTHON, cached=(True, False))
    hook = [session.event("Stop")]
    return (
        Contestant(OURS, [ours.check()], seen, change),
        Contestant("sarifix check --hook", hook, says("S307", 0), change),
        _ruff_alone(ours, change),
        _graylint(ours, change),
        _diff_quality(ours, change),
        status(ours),
    )


def _ruff_alone(ours: Ours, change: Callable[[], None]) -> Contestant:
    command = ours.command("ruff", "check", "--output-format", "sarif", PYTHON)
    return Contestant(RUFF, [command], says("S307", 1), change, installed("ruff").absent)


def _graylint(
    ours: Ours, change: Callable[[], None], *options: str, path: str = PYTHON
) -> Contestant:
    """graylint, which takes what linters say line by line, and clones the repository."""
    linter = ("-L", "ruff check --output-format=concise")
    command = ours.command("graylint", *linter, *options, path)
    return Contestant(GRAYLINT, [command], says("S307", 1), change, installed(GRAYLINT).absent)


def _diff_quality(
    ours: Ours, change: Callable[[], None], base: str = "HEAD", found: str = "S307"
) -> Contestant:
    """diff-quality, which runs ruff on the changed files and keeps what is on changed lines."""
    options = ("--violations=ruff.check", f"--compare-branch={base}")
    command = ours.command("diff-quality", *options)
    return Contestant(QUALITY, [command], says(found, 0), change, installed(QUALITY).absent)


def _ruff_cold(bench: Bench) -> Sequence[Contestant]:
    repository = django(bench.work)
    ours = Ours.of(bench, repository, "ruff", "scanners: {ruff: {}}\n")
    change = Change.of(repository, [PYTHON], python_finding)

    def forget() -> None:
        ours.forget()
        change()

    seen = expect(1, each="S307", path=PYTHON, cached=(False, False))
    return (
        Contestant(OURS, [ours.check()], seen, forget),
        _ruff_alone(ours, change),
        _graylint(ours, change),
    )


def _semgrep(bench: Bench) -> Sequence[Contestant]:
    repository = django(bench.work)
    ours = Ours.of(bench, repository, "semgrep", "scanners: {semgrep: {}}\n")
    change = Change.of(repository, [PYTHON], python_finding)
    change()
    ours.prime()

    def unstaged() -> None:
        git(repository, "reset", "-q")
        change()

    def staged() -> None:  # it sees nothing else
        change()
        git(repository, "add", PYTHON)

    absent = installed("semgrep").absent
    alone = ours.command(*_SEMGREP, PYTHON)
    baseline = ours.command(*_SEMGREP, "--baseline-commit", "HEAD")
    seen = expect(1, each="eval-call", path=PYTHON, cached=(True, False))
    return (
        Contestant(OURS, [ours.check()], seen, unstaged),
        Contestant(SEMGREP, [alone], says("eval-call", 0), unstaged, absent),
        Contestant(BASELINE, [baseline], says("eval-call", 0), staged, absent),
    )


def _releases(bench: Bench) -> Sequence[Contestant]:
    """Everything that one release changed: a thousand files, 5.2 being checked out."""
    repository = django(bench.work)
    ours = Ours.of(bench, repository, "ruff", "scanners: {ruff: {}}\n")
    check = ours.check("--base", "5.1", "--head", "5.2", "--no-cache")
    many = expect(None, also=lambda report: report["unchanged"] > 100)

    def nothing() -> None:
        pass

    return (
        Contestant(OURS, [check], many),
        _graylint(ours, nothing, "-r", "5.1", path="."),
        _diff_quality(ours, nothing, "5.1", found="Violations"),
    )

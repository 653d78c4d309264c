"""How the cost grows with the change, and with the repository."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tests.benchmarks.bench import Bench, Ours, expect, says
from tests.benchmarks.cases.turn import status
from tests.benchmarks.contest import Case, Contestant
from tests.benchmarks.inputs import (
    Change,
    django,
    generated,
    git,
    module_path,
    python_finding,
)
from tests.benchmarks.peers import installed

OURS, RUFF = "sarifix check", "ruff on these files alone"
CHANGES = (1, 10, 100, 1000)
SIZES = (1000, 4000, 16_000, 50_000)


def cases(bench: Bench) -> list[Case]:
    """Return a case for each point of the plot."""
    changes = [
        Case(
            f"change-{number}",
            f"Of Django's files {number:,} changed, ruff, warm",
            partial(_changes, bench, number),
            plot=("files changed", number),
        )
        for number in CHANGES
    ]
    sizes = [
        Case(
            f"repository-{number}",
            f"One file of {bench.scaled(number):,} changed, ruff, warm",
            partial(_repository, bench, bench.scaled(number)),
            plot=("files in the repository", bench.scaled(number)),
        )
        for number in SIZES
    ]
    return [*changes, *sizes]


def _changes(bench: Bench, number: int) -> Sequence[Contestant]:
    repository = django(bench.work)
    ours = Ours.of(bench, repository, "ruff", "scanners: {ruff: {}}\n")
    files = sorted(git(repository, "ls-files", "django/*.py", "tests/*.py").split("\n"))
    # These do not parse, and that is what they are for.
    sound = [file for file in files if "syntax_error" not in file]
    return _contestants(ours, sound[:: len(sound) // number][:number])


def _repository(bench: Bench, number: int) -> Sequence[Contestant]:
    repository = generated(bench.memory, number)
    ours = Ours.of(bench, repository, "ruff", "scanners: {ruff: {}}\n")
    return _contestants(ours, [module_path(number // 2)])


def _contestants(ours: Ours, files: Sequence[str]) -> Sequence[Contestant]:
    change = Change.of(ours.repository, files, python_finding)
    change()
    ours.prime()
    seen = expect(len(files), each="S307", cached=(True, False))
    alone = ours.command("ruff", "check", "--output-format", "sarif", *files)
    return (
        Contestant(OURS, [ours.check()], seen, change),
        Contestant(RUFF, [alone], says("S307", 1), change, installed("ruff").absent),
        status(ours),
    )

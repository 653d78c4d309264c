"""Fifty thousand files: what sarifix itself costs, whatever the scanner does.

Its own part is the trees of both sides, what differs between them, which scanner must see
what, and the report; and, where a scanner runs at all, both trees laid out on disk for it.
So it is measured twice: with a scanner that has nothing to read, and with one that prints an
empty log (`cat`) and needs both trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tests.benchmarks.bench import Bench, Ours, expect
from tests.benchmarks.cases.turn import STATUS, status
from tests.benchmarks.contest import Bar, Case, Contestant, Medians
from tests.benchmarks.inputs import Change, generated, module_path, python_comment
from tests.benchmarks.logs import empty

NOTHING, BOTH = "sarifix, nothing to scan", "sarifix, both trees laid out"
FILES = 50_000


def cases(bench: Bench) -> list[Case]:
    """Return the cold case and the warm one."""
    number = bench.scaled(FILES)
    cold = tuple(Bar(name, partial(_cold, name), 2.0, "s") for name in (NOTHING, BOTH))
    warm = tuple(
        Bar(f"{name} - 2 x git status", partial(_warm, name), 0.3, "s") for name in (NOTHING, BOTH)
    )
    title = f"{number:,} files, sarifix's own part"
    return [
        Case(
            "files-cold",
            f"{title}, nothing cached",
            partial(_contestants, bench, number, cold=True),
            cold,
            times=0.5,
            warm=False,
        ),
        Case(
            "files-warm", f"{title}, warm", partial(_contestants, bench, number, cold=False), warm
        ),
    ]


def _cold(name: str, of: Medians) -> float:
    return of(name)


def _warm(name: str, of: Medians) -> float:
    return of(name) - 2 * of(STATUS)


def _contestants(bench: Bench, number: int, *, cold: bool) -> Sequence[Contestant]:
    repository = generated(bench.memory, number)
    log = empty(bench.work)
    command = f"command: [cat, {str(log)!r}]"
    nothing = Ours.of(
        bench, repository, "nothing", f"scanners: {{x: {{{command}, inputs: [nothing]}}}}\n"
    )
    both = Ours.of(bench, repository, "both", f"scanners: {{x: {{{command}}}}}\n")
    change = Change.of(repository, [module_path(number // 2)], python_comment)

    def before() -> None:
        if cold:
            both.forget()
        change()

    change()
    if not cold:
        both.prime()
    skipped = expect(0, also=lambda report: report["scanners"][0]["status"] == "skipped")
    return (
        Contestant(NOTHING, [nothing.check()], skipped, before),
        Contestant(BOTH, [both.check()], expect(0, cached=(not cold, False)), before),
        status(both),
    )

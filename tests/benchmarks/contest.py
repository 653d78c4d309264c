"""Contestants on the same work, in turns, so that whatever else the machine does hits all alike."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.measure import Command, Ran, Usage, run

LIMIT = 900.0  # seconds; a contestant that takes longer is stopped, and not asked again


class WrongError(Exception):
    """A run that did not do the work: a fast wrong answer is none."""


def nothing() -> None:
    """Change nothing before a run."""


@dataclass(frozen=True)
class Contestant:
    """Somebody who does the work of a case.

    ``before`` is not measured; ``verify`` raises ``WrongError``. ``absent`` says why it
    cannot take part.
    """

    name: str
    commands: Sequence[Command]
    verify: Callable[[Ran], None]
    before: Callable[[], None] = nothing
    absent: str = ""


@dataclass(frozen=True)
class Taken:
    """All measured runs of one contestant, or what kept it from running."""

    name: str
    runs: tuple[Usage, ...]
    problem: str = ""

    def median(self, of: str = "wall") -> float:
        """Return the median of ``wall``, ``cpu`` (seconds) or ``rss`` (bytes)."""
        return float(median(getattr(usage, of) for usage in self.runs))


class Medians:
    """The medians of a case, for its bars."""

    def __init__(self, taken: Sequence[Taken]) -> None:
        self._taken = {one.name: one for one in taken}

    def __call__(self, name: str, of: str = "wall") -> float:
        """Return one; raises ``KeyError`` where this contestant has no good run."""
        if self._taken[name].problem or not self._taken[name].runs:
            raise KeyError(name)
        return self._taken[name].median(of)


@dataclass(frozen=True)
class Bar:
    """What must hold of a value that is made of the medians of one run.

    It is at most, or ``at_least``, the limit.
    """

    text: str
    value: Callable[[Medians], float]
    limit: float
    unit: str = "x"
    at_least: bool = False


@dataclass(frozen=True)
class Judged:
    """A bar, and how it went; without a value somebody whom it is about did not run."""

    text: str
    unit: str
    limit: float
    at_least: bool
    value: float | None

    @property
    def met(self) -> bool | None:
        """Whether the bar was met; None where that cannot be said."""
        if self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit


@dataclass(frozen=True)
class Case:
    """Work, and who does it.

    ``contestants`` prepares the inputs and the state of the caches, and returns sarifix
    first: the others are shown in relation to it. ``times`` is how many of the asked-for
    rounds are run. ``warm`` cases have a round before, which does not count. ``plot`` is
    a chart and the place on its axis.
    """

    name: str
    title: str
    contestants: Callable[[], Sequence[Contestant]]
    bars: tuple[Bar, ...] = ()
    times: float = 1.0
    warm: bool = True
    plot: tuple[str, int] | None = None

    def rounds(self, repeat: int) -> int:
        """Return how many rounds are run where ``repeat`` are asked for."""
        return max(1, round(repeat * self.times))


@dataclass(frozen=True)
class Result:
    """What a case came to, and how busy the machine was before it (one minute's load)."""

    name: str
    title: str
    rounds: int
    load: float
    taken: tuple[Taken, ...]
    bars: tuple[Judged, ...]
    plot: tuple[str, int] | None = None


def hold(case: Case, repeat: int, scratch: Path) -> Result:
    """Run a case: every contestant once a round, each round beginning with another one."""
    load = os.getloadavg()[0]
    contestants = case.contestants()
    rounds = case.rounds(repeat)
    runs: dict[str, list[Usage]] = {one.name: [] for one in contestants}
    problems = {one.name: one.absent for one in contestants if one.absent}
    for number, contestant in _turns(contestants, rounds, warm=case.warm):
        if contestant.name in problems:
            continue
        _say(f"{case.name}: {max(number, 0)}/{rounds} {contestant.name}")
        try:
            usage = _once(contestant, scratch)
        except WrongError as error:
            problems[contestant.name] = str(error)
        else:
            if number > 0:
                runs[contestant.name].append(usage)
    taken = tuple(
        Taken(name, tuple(usages), problems.get(name, "")) for name, usages in runs.items()
    )
    bars = tuple(_judge(bar, Medians(taken)) for bar in case.bars)
    return Result(case.name, case.title, rounds, load, taken, bars, case.plot)


def _turns(
    contestants: Sequence[Contestant], rounds: int, *, warm: bool
) -> Iterator[tuple[int, Contestant]]:
    for number in range(0 if warm else 1, rounds + 1):
        first = number % len(contestants)
        for contestant in (*contestants[first:], *contestants[:first]):
            yield number, contestant


def _once(contestant: Contestant, scratch: Path) -> Usage:
    contestant.before()
    usage, ran = run(contestant.commands, scratch, LIMIT)
    if ran.code is None:
        raise WrongError(f"stopped after {LIMIT:.0f} s")
    contestant.verify(ran)
    return usage


def _judge(bar: Bar, medians: Medians) -> Judged:
    try:
        value = bar.value(medians)
    except KeyError:
        value = None
    return Judged(bar.text, bar.unit, bar.limit, bar.at_least, value)


def _say(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}\r")
        sys.stderr.flush()

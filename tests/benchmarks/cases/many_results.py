"""A hundred thousand results a side, and many that nothing tells apart.

The scanner is `cat`, so that all that takes time is ours: reading the logs, comparing them,
writing the report. Without the cache, so that both sides are read each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.benchmarks import logs
from tests.benchmarks.bench import Bench, Ours, expect
from tests.benchmarks.contest import Bar, Case, Contestant, Medians, WrongError
from tests.benchmarks.inputs import clean, commit_all, kept
from tests.benchmarks.measure import Ran
from tests.benchmarks.peers import multitool

OURS, MULTITOOL = "sarifix check", "Sarif.Multitool match-results-forward"
FILES = 1000  # with a hundred results each
MEGABYTE = 1_000_000
EQUAL = (1, 1000, 10_000, 100_000)
# In the tree of each side, and named by it: what the scanner there says.
SIDE = "side"
CONFIG = "scanners: {{x: {{command: [sh, -c, 'cat \"$0/$(cat side).sarif\"', {!r}]}}}}\n"


def cases(bench: Bench) -> list[Case]:
    """Return the cases of each shape."""
    count = bench.scaled(FILES)
    number = count * logs.PER_FILE
    bars = (
        Bar("sarifix", lambda of: of(OURS), 5.0, "s"),
        Bar("sarifix, peak memory", lambda of: of(OURS, "rss") / MEGABYTE, 600, "MB"),
        Bar("sarifix / Multitool", lambda of: of(OURS) / of(MULTITOOL), 1.0),
    )
    shapes = {"matched": "all matched", "moved": "all moved", "new": "all new"}
    found = [
        Case(
            f"results-{shape}",
            f"{number:,} results a side, {title}",
            partial(_shape, bench, shape, count),
            bars,
            times=0.5,
        )
        for shape, title in shapes.items()
    ]
    found.append(
        Case(
            "results-large",
            f"{number:,} results in 64 MiB a side, all matched",
            partial(_shape, bench, "large", count),
            times=0.5,
        )
    )
    for moved_to, title in (("below", "moved down"), ("file", "moved to another file")):
        found.append(
            Case(
                f"equal-{moved_to}",
                f"Equal lines with the same rule, {title}",
                partial(_equal, bench, moved_to),
                _growth_bars(bench),
                times=0.5,
            )
        )
    return found


# ---------------------------------------------------------------------------
# Shapes of 100,000


def _shape(bench: Bench, shape: str, count: int) -> Sequence[Contestant]:
    made = kept(bench.work / f"results-{shape}-{count}", lambda d: _make(d, shape, count))
    repository, found = made / "repository", made / "logs"
    ours = Ours.of(bench, repository, f"results-{shape}", CONFIG.format(str(found)))
    for name, text in _head(shape, count):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_bytes(text)
    if shape == "moved":
        for number in range(count):
            if logs.moved(number)[0] != logs.path(number):
                (repository / logs.path(number)).unlink()
    total = count * logs.PER_FILE
    introduced = total if shape == "new" else 0
    unchanged = total - introduced
    seen = expect(
        introduced, cached=(False, False), also=lambda report: report["unchanged"] == unchanged
    )
    peer = multitool(bench.work)
    out = bench.work / "matched.sarif"
    match = ours.command(
        peer.program or "-", "match-results-forward", str(found / "head.sarif"),
        "--previous", str(found / "base.sarif"), "--output-file-path", str(out),
        "--log", "ForceOverwrite",
    )  # fmt: skip
    return (
        Contestant(OURS, [ours.check("--no-cache")], seen),
        Contestant(
            MULTITOOL, [match], _wrote(out), lambda: out.unlink(missing_ok=True), peer.absent
        ),
    )


def _wrote(out: Path) -> Callable[[Ran], None]:
    def verify(ran: Ran) -> None:
        if ran.code != 0 or not out.exists():
            raise WrongError(ran.told())

    return verify


def _make(directory: Path, shape: str, count: int) -> None:
    """Make a repository with the base, and the logs of both sides."""
    for name in ("repository", "logs"):
        (directory / name).mkdir()
    base = [(SIDE, b"base\n"), *((logs.path(n), _bytes(logs.lines(n))) for n in range(count))]
    commit_all(directory / "repository", [("base", base)])
    before, after = directory / "logs" / "base.sarif", directory / "logs" / "head.sarif"
    size = logs.write(before, _sources(count))
    if shape == "large":
        padding = (logs.LARGEST - size) // (count * logs.PER_FILE)
        logs.write(before, _sources(count), padding)
        logs.write(after, _sources(count), padding)
    else:
        logs.write(after, map(logs.moved, range(count)) if shape == "moved" else _sources(count))
    if shape == "new":
        logs.write(before, ())


def _sources(count: int) -> Iterator[tuple[str, list[str]]]:
    return ((logs.path(number), logs.lines(number)) for number in range(count))


def _head(shape: str, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield what the working tree has and the base does not."""
    yield SIDE, b"head\n"
    if shape == "moved":
        for number in range(count):
            path, lines = logs.moved(number)
            yield path, _bytes(lines)


def _bytes(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


# ---------------------------------------------------------------------------
# Equal lines


def _growth_bars(bench: Bench) -> tuple[Bar, ...]:
    """Hold the growth of what sarifix takes, above a check of one finding, to n log n."""

    def bar(smaller: int, larger: int) -> Bar:
        few, many = bench.scaled(smaller), bench.scaled(larger)

        def value(of: Medians) -> float:
            start = of(_named(1))
            return (of(_named(many)) - start) / max(of(_named(few)) - start, 0.001)

        limit = many * math.log(max(many, 2)) / (few * math.log(max(few, 2)))
        return Bar(f"{many:,} / {few:,} lines, less what 1 line takes", value, limit)

    return (bar(10_000, 100_000),)


def _named(number: int) -> str:
    return f"sarifix, {number:,} equal lines"


def _equal(bench: Bench, moved_to: str) -> Sequence[Contestant]:
    counts = dict.fromkeys(map(bench.scaled, EQUAL))
    return [_one_equal(bench, count, moved_to) for count in counts]


def _one_equal(bench: Bench, count: int, moved_to: str) -> Contestant:
    base, head = logs.equal(count), logs.equal(count, moved_to=moved_to)
    made = kept(bench.work / f"equal-{moved_to}-{count}", lambda d: _make_equal(d, base, head))
    repository = made / "repository"
    config = CONFIG.format(str(made / "logs"))
    ours = Ours.of(bench, repository, f"equal-{moved_to}-{count}", config)
    clean(repository)
    (repository / SIDE).write_bytes(b"head\n")
    for name, lines in head.items():
        (repository / name).write_bytes(_bytes(lines))
    seen = expect(0, also=lambda report: report["unchanged"] == count)
    return Contestant(_named(count), [ours.check("--no-cache")], seen)


def _make_equal(
    directory: Path, base: Mapping[str, Sequence[str]], head: Mapping[str, Sequence[str]]
) -> None:
    for name in ("repository", "logs"):
        (directory / name).mkdir()
    files = [(SIDE, b"base\n"), *((name, _bytes(lines)) for name, lines in base.items())]
    commit_all(directory / "repository", [("base", files)])
    logs.write(directory / "logs" / "base.sarif", base.items())
    logs.write(directory / "logs" / "head.sarif", head.items())

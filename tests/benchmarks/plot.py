"""The growth of the cost as an SVG: one chart an axis, both axes logarithmic."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from tests.benchmarks.contest import Result, Taken

WIDTH, HEIGHT = 460, 340
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 66, 50  # the names stand above
COLOURS = ("#0b63b0", "#d1570b", "#6a6a6a", "#2a8a3e")

Point = tuple[int, Taken]


def render(results: Iterable[Result]) -> str:
    """Return the picture of all cases that have a place on an axis."""
    charts: dict[str, list[tuple[int, Result]]] = defaultdict(list)
    for result in results:
        if result.plot:
            charts[result.plot[0]].append((result.plot[1], result))
    drawn = [
        f'<g transform="translate({WIDTH * number},0)">{"".join(_chart(axis, points))}</g>'
        for number, (axis, points) in enumerate(charts.items())
    ]
    size = f'width="{WIDTH * len(drawn)}" height="{HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" '
        f'font-size="11"><rect width="100%" height="100%" fill="white"/>{"".join(drawn)}</svg>\n'
    )


class _Scale:
    """Values to places on one axis; logarithmic."""

    def __init__(self, values: Iterable[float], begin: float, end: float) -> None:
        found = [math.log10(value) for value in values]
        self.low, self.high = math.floor(min(found)), math.ceil(max(found))
        self.high = max(self.high, self.low + 1)
        self._begin, self._step = begin, (end - begin) / (self.high - self.low)

    def __call__(self, value: float) -> float:
        return self._begin + (math.log10(value) - self.low) * self._step

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


def _chart(axis: str, points: Sequence[tuple[int, Result]]) -> Iterator[str]:
    series: dict[str, list[Point]] = defaultdict(list)
    for x, result in sorted(points, key=lambda point: point[0]):
        for taken in result.taken:
            if taken.runs:
                series[taken.name].append((x, taken))
    usages = [usage for found in series.values() for _, taken in found for usage in taken.runs]
    across = _Scale([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = _Scale([usage.wall for usage in usages], HEIGHT - BOTTOM, TOP)
    yield from _axes(axis, across, up)
    for number, (name, found) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        yield from _line(found, across, up, colour)
        yield (f'<text x="{LEFT}" y="{18 + 15 * number}" fill="{colour}">{escape(name)}</text>')


def _axes(axis: str, across: _Scale, up: _Scale) -> Iterator[str]:
    for value in across.ticks():
        x = across(value)
        yield f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
        yield (
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:,.0f}</text>'
        )
    for value in up.ticks():
        y = up(value)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g} s</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">{escape(axis)}</text>'


def _line(points: Sequence[Point], across: _Scale, up: _Scale, colour: str) -> Iterator[str]:
    """Draw the medians, and a stroke from the fastest run to the slowest."""
    way = " ".join(f"{across(x):.1f},{up(taken.median()):.1f}" for x, taken in points)
    yield f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, taken in points:
        walls = [usage.wall for usage in taken.runs]
        yield (
            f'<path d="M{across(x):.1f} {up(min(walls)):.1f}V{up(max(walls)):.1f}" '
            f'stroke="{colour}"/><circle cx="{across(x):.1f}" cy="{up(taken.median()):.1f}" '
            f'r="3" fill="{colour}"/>'
        )

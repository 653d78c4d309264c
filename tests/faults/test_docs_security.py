"""What docs/security.md says of cleaning is what sanitize.py does."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from sarifix import execute, process, sanitize

TEXT = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `('.*')` \| `(\w+)` \| `('.*')` \|$", TEXT, re.MULTILINE)
SINKS = {name for name in vars(sanitize) if name.startswith("to_")}


@pytest.mark.parametrize(("text", "sink", "expected"), EXAMPLES)
def test_examples(text: str, sink: str, expected: str) -> None:
    given = ast.literal_eval(text)
    encode = getattr(sanitize, sink)
    got = encode(given, sanitize.MESSAGE_LIMIT) if sink == "clean" else encode(given)
    assert got == ast.literal_eval(expected)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 12


def test_limits() -> None:
    said = {
        name: int(number)
        for name, number in re.findall(r"^\| (\w+) \| (\d+) \|$", TEXT, re.MULTILINE)
    }
    ours = {name for name in vars(sanitize) if name.endswith("_LIMIT")}
    assert said == {name.removesuffix("_LIMIT").lower(): getattr(sanitize, name) for name in ours}


def test_every_sink_is_named() -> None:
    (table,) = re.findall(r"\| sink \| encoder \|.*?\n\n", TEXT, re.DOTALL)
    assert set(re.findall(r"`(to_\w+)`", table)) == SINKS


def test_the_numbers_of_the_runner() -> None:
    assert f"{process.GRACE:.0f} seconds later SIGKILL" in TEXT
    assert f"{execute.OUTPUT_LIMIT >> 20} MiB of SARIF" in TEXT


def test_the_commands_of_the_figures_name_tests() -> None:
    named = re.findall(r"`pytest (tests/[\w/.]+)", TEXT)
    assert named
    for name in named:
        assert (Path(__file__).parents[2] / name).exists()

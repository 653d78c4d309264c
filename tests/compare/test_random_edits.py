"""Random edits of random programs: moves introduce nothing, a copy exactly what it holds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compare.toy import compare_trees, git_renames, introduced, scan
from tests.support import edits
from tests.support.edits import Program

Edit = Callable[[Program, Random], Program]

randoms = st.randoms(use_true_random=False)


def renames(base: Program, head: Program) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as directory:
        return git_renames(Path(directory), base.tree(), head.tree())


def check_edits(random: Random, some: list[Edit], *, git: bool) -> None:
    base = edits.program(random)
    head = base
    for edit in some:
        head = edit(head, random)
    assert len(scan(base.tree())) == base.findings() == head.findings()
    moved = renames(base, head) if git else {}
    assert introduced(compare_trees(base.tree(), head.tree(), moved)) == []


def check_copy(random: Random, some: list[Edit], number: int) -> None:
    base = edits.program(random)
    head = base
    for edit in some:
        head = edit(head, random)
    head, copied = edits.COPIES[number](head, random)
    result = compare_trees(base.tree(), head.tree())
    assert len(result.introduced) == copied
    if not some and number:  # not within one file, where nobody can tell the two apart
        assert {new.finding.path for new in result.introduced} <= _changed(base, head)


def _changed(base: Program, head: Program) -> set[str]:
    return {path for path, blocks in head.files.items() if base.files.get(path) != blocks}


some_edits = st.lists(st.sampled_from(edits.HARMLESS), min_size=1, max_size=3)
few_edits = st.lists(st.sampled_from(edits.STAYING), max_size=1)
copies = st.integers(0, len(edits.COPIES) - 1)


@settings(max_examples=150, deadline=None)
@given(randoms, some_edits)
def test_moves_introduce_nothing(random: Random, some: list[Edit]) -> None:
    check_edits(random, some, git=False)


@settings(max_examples=15, deadline=None)
@given(randoms, some_edits)
def test_moves_that_git_sees_introduce_nothing(random: Random, some: list[Edit]) -> None:
    check_edits(random, some, git=True)


@settings(max_examples=150, deadline=None)
@given(randoms, few_edits, copies)
def test_a_copy_introduces_what_it_holds(random: Random, some: list[Edit], number: int) -> None:
    check_copy(random, some, number)


LIMIT = "what is equal is told apart by its line alone, or by what is unique on both sides"


@pytest.mark.xfail(reason=LIMIT)
def test_equal_lines_that_change_places_across_files() -> None:
    one, other = (f"def {name}(text):\n    return eval(text)\n\n\n" for name in ("one", "other"))
    middle = "def middle(left, right):\n    return left + right * 7\n\n\n"
    base = {"a.py": one + middle + other, "b.py": "import sys\n\n\n"}
    head = {"a.py": other + middle, "b.py": "import sys\n\n\n" + one}
    assert introduced(compare_trees(base, head)) == []


@pytest.mark.xfail(reason=LIMIT)
def test_a_function_that_is_moved_and_copied_at_once() -> None:
    one, other = (
        f"def {name}_load({name}_text):\n    {name}_value = eval({name}_text)\n\n\n"
        for name in ("one", "other")
    )
    head = {"a.py": other, "b.py": f"import sys\n\n\n{one}", "c.py": f"import os\n\n\n{one}"}
    assert len(compare_trees({"a.py": one + other}, head).introduced) == 1


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(randoms, some_edits)
def test_many_moves(random: Random, some: list[Edit]) -> None:
    check_edits(random, some, git=False)


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(randoms, few_edits, copies)
def test_many_copies(random: Random, some: list[Edit], number: int) -> None:
    check_copy(random, some, number)

"""What holds for every comparison."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sarifix.compare.align import align
from tests.compare.toy import compare_findings, compare_trees, introduced, scan

NAMES = (
    "apple", "birch", "cedar", "daisy", "elder", "fern", "grape", "hazel", "iris", "jasmine",
    "kiwi", "lemon", "maple", "nettle", "olive", "pear",
)  # fmt: skip
DANGERS = ("eval({0}_text)", "run({0}_text, shell=True)", "hashlib.md5({0}_text)")
LINES = ("x = eval(y)", "try:", "except:", "pass", "", "    return x", "call(a, shell=True)", "}")


def function(name: str, danger: int) -> str:
    return (
        f"def {name}({name}_path):\n"
        f"    {name}_text = read({name}_path)\n"
        f"    return {DANGERS[danger].format(name)}\n\n\n"
    )


@st.composite
def modules(draw: st.DrawFn) -> list[str]:
    """Draw the functions of a program, each with one finding."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=len(NAMES), unique=True))
    return [function(name, draw(st.integers(0, len(DANGERS) - 1))) for name in names]


texts = st.lists(st.sampled_from(LINES), max_size=25).map("\n".join)
trees = st.dictionaries(st.sampled_from(("a.py", "b.py", "c.py")), texts, max_size=3)


def split(functions: Sequence[str], cut: int) -> dict[str, str]:
    return {"a.py": "".join(functions[:cut]), "b.py": "".join(functions[cut:])}


@given(modules(), st.randoms(use_true_random=False), st.data())
def test_moving_functions_introduces_nothing(
    functions: list[str], source: random.Random, data: st.DataObject
) -> None:
    cuts = st.integers(0, len(functions))
    base = split(functions, data.draw(cuts))
    moved = list(functions)
    source.shuffle(moved)
    head = split(moved, data.draw(cuts))
    assert introduced(compare_trees(base, head)) == []


@given(modules(), st.sampled_from(["    ", "\t", "  "]))
def test_reindenting_and_renaming_introduce_nothing(functions: list[str], indent: str) -> None:
    base = {"a.py": "".join(functions)}
    head = {"b.py": "\r\n".join(f"{indent}{line}" for line in base["a.py"].split("\n"))}
    assert introduced(compare_trees(base, head, {"b.py": "a.py"})) == []
    assert introduced(compare_trees(base, head)) == []


@given(modules(), st.data())
def test_a_copy_introduces_exactly_what_it_holds(functions: list[str], data: st.DataObject) -> None:
    copied = data.draw(st.sampled_from(functions))
    at = data.draw(st.integers(0, len(functions)))
    base = {"a.py": "".join(functions)}
    within = {"a.py": "".join([*functions[:at], copied, *functions[at:]])}
    assert len(compare_trees(base, within).introduced) == 1
    result = compare_trees(base, {**base, "b.py": copied})
    assert [new.finding.path for new in result.introduced] == ["b.py"]
    assert "still stands" in (result.introduced[0].reason or "")


@given(modules(), st.data())
def test_a_fix_does_not_pay_for_what_is_new(functions: list[str], data: st.DataObject) -> None:
    fixed = data.draw(st.integers(0, len(functions) - 1))
    at = data.draw(st.integers(0, len(functions)))
    changed = list(functions)
    danger = next(n for n, text in enumerate(DANGERS) if text.split("(")[0] in functions[fixed])
    changed[fixed] = "\n".join(
        line.replace("eval(", "parse(").replace("shell=True", "check=True").replace("md5", "sha256")
        for line in functions[fixed].split("\n")
    )
    brand_new = function("zinnia", danger)
    head = {"a.py": "".join([*changed[:at], brand_new, *changed[at:]])}
    result = compare_trees({"a.py": "".join(functions)}, head)
    assert len(result.introduced) == len(result.fixed) == 1
    region = result.introduced[0].finding.region
    assert region
    assert "zinnia" in head["a.py"].split("\n")[region.line - 1]


@given(trees, trees, st.randoms(use_true_random=False))
def test_counts_add_up_in_any_order(
    base: dict[str, str], head: dict[str, str], source: random.Random
) -> None:
    old, new = scan(base), scan(head)
    expected = compare_findings(old, new, base, head)
    source.shuffle(old)
    source.shuffle(new)
    assert compare_findings(old, new, base, head) == expected


@given(trees)
def test_nothing_changes_without_a_change(tree: dict[str, str]) -> None:
    result = compare_trees(tree, dict(tree))
    assert not result.introduced
    assert not result.fixed


@given(trees, trees)
def test_each_finding_is_used_once(base: dict[str, str], head: dict[str, str]) -> None:
    result = compare_trees(base, head)
    rest = scan(base)
    for finding in [*result.fixed, *(pair.base for pair in result.unchanged)]:
        rest.remove(finding)
    assert rest == []
    rest = scan(head)
    for finding in [*(n.finding for n in result.introduced), *(p.head for p in result.unchanged)]:
        rest.remove(finding)
    assert rest == []


lines = st.lists(st.sampled_from("abcde}") | st.just(""), max_size=40)


@given(lines, lines)
def test_alignment_is_ordered_equal_and_mutual(base: list[str], head: list[str]) -> None:
    found = align(base, head)
    pairs = [(i, j) for i, j in enumerate(found.head_of) if j >= 0]
    assert all(base[i] == head[j] and found.base_of[j] == i for i, j in pairs)
    assert [j for _, j in pairs] == sorted({j for _, j in pairs})
    assert sum(i >= 0 for i in found.base_of) == len(pairs)


@given(lines, lines)
def test_every_changed_line_lies_in_one_block(base: list[str], head: list[str]) -> None:
    found = align(base, head)
    assert all(n >= 0 for n, j in zip(found.base_blocks, found.head_of, strict=True) if j < 0)
    assert all(n >= 0 for n, i in zip(found.head_blocks, found.base_of, strict=True) if i < 0)
    for number, (old, new) in enumerate(found.blocks):
        assert {found.base_blocks[i] for i in old} <= {number}
        assert {found.head_blocks[j] for j in new} <= {number}

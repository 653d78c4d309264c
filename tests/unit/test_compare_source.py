"""The files behind findings: which was which, what is read, where a finding stands."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sarifix.compare.source import Sources, Spot
from sarifix.model import Region, Side
from tests.compare.toy import Texts, finding

OLD = {"same.py": "x\n", "old.py": "a\nb\nc\n", "gone.py": "x\n", "binary": None, "was": None}
NEW = {"same.py": "x\n", "new.py": "a\nB\nc\n", "old.py": "y\n", "binary": "t", "was": None}
RENAMES = {"new.py": "old.py"}


def sources(
    old: Mapping[str, str | None] = OLD,
    new: Mapping[str, str | None] = NEW,
    renames: Mapping[str, str] = RENAMES,
) -> Sources:
    return Sources(Texts(old), Texts(new), renames)


def spot(side: Side, path: str | None, line: int = 1) -> Spot:
    return sources().spot(side, finding("r", path, Region(line)))


def test_what_a_file_is_called_on_the_other_side() -> None:
    """The file at the old path of one that was renamed is another file."""
    names = {path: sources().base_path(path) for path in ("new.py", "old.py", "same.py", "none")}
    assert names == {"new.py": "old.py", "old.py": None, "same.py": "same.py", "none": "none"}
    names = {path: sources().head_path(path) for path in ("new.py", "old.py", "same.py", "none")}
    assert names == {"new.py": None, "old.py": "new.py", "same.py": "same.py", "none": "none"}


def test_the_common_name_of_a_file() -> None:
    def common(side: Side, path: str | None, *, in_tree: bool = True) -> str | None:
        return sources().common_path(side, finding("r", path, None)._replace(in_tree=in_tree))

    assert common(Side.HEAD, "new.py") == common(Side.BASE, "old.py") == "old.py"
    assert common(Side.HEAD, "old.py") == "\0old.py"
    assert common(Side.HEAD, "old.py", in_tree=False) == "old.py"
    assert common(Side.HEAD, None) is common(Side.BASE, None) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [("same.py", True), ("was", True), ("new.py", False), ("old.py", False), ("none", False)],
)
def test_what_did_not_change(path: str, expected: bool) -> None:
    found = sources()
    assert [found.unchanged(path), found.unchanged(path)] == [expected, expected]


def test_a_file_that_was_only_renamed_did_not_change() -> None:
    assert sources({"a": "x"}, {"b": "x"}, {"b": "a"}).unchanged("b")


def test_a_text_is_read_once_and_only_one_of_two_that_are_the_same() -> None:
    asked: list[str] = []

    class Counted(Texts):
        def text(self, path: str) -> str | None:
            asked.append(path)
            return super().text(path)

    found = Sources(Counted({"a": "x", "b": "one"}), Counted({"a": "x", "b": "two"}), {})
    for _ in range(2):
        assert found.base("a") is found.head("a")
        assert found.base("b") is not found.head("b")
        assert found.base(None) is found.head(None) is found.base("none") is found.head("none")
    assert sorted(asked) == ["a", "b", "b", "none", "none"]


def test_where_a_finding_stands() -> None:
    assert spot(Side.BASE, "old.py", 1)[1:] == (0, 0, -1)
    assert spot(Side.HEAD, "new.py", 3)[1:] == (2, 2, -1)
    assert spot(Side.BASE, "old.py", 2)[1:] == spot(Side.HEAD, "new.py", 2)[1:] == (1, -1, 1)
    assert spot(Side.HEAD, "new.py", 2).source is not spot(Side.BASE, "old.py", 2).source


def test_a_line_is_never_outside_of_its_text() -> None:
    assert spot(Side.BASE, "old.py", 99).line == 3
    assert spot(Side.HEAD, "same.py", 2).line == 1


def test_without_a_counterpart_there_is_only_the_line() -> None:
    for found in (spot(Side.BASE, "gone.py"), spot(Side.HEAD, "old.py")):
        assert found.source is not None
        assert found[1:] == (0, -1, -1)


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("path", ["binary", "was", "none", None])
def test_without_a_text_or_with_one_of_two_there_is_nothing(side: Side, path: str | None) -> None:
    assert spot(side, path) == Spot()


def test_without_a_place_there_is_nothing() -> None:
    assert sources().spot(Side.HEAD, finding("r", "same.py", None)) == Spot()
    outside = finding("r", "same.py", Region(1))._replace(in_tree=False)
    assert sources().spot(Side.HEAD, outside) == Spot()


def test_two_texts_align_and_one_does_not() -> None:
    found = sources()
    aligned = found.alignment("old.py", "new.py")
    assert aligned is found.alignment("old.py", "new.py")
    assert aligned is not None
    assert [*aligned.head_of] == [0, -1, 2, 3]
    same = found.alignment("same.py", "same.py")
    assert same is not None
    assert [*same.head_of] == [0, 1]
    for pair in ((None, "new.py"), ("old.py", None), ("binary", "binary"), ("gone.py", "gone.py")):
        assert found.alignment(*pair) is None


def test_the_changed_blocks_of_a_file() -> None:
    found = sources({"a": "a\nx = one\nb\n"}, {"a": "a\nx = one + 1\nb\n"}, {})
    block = found.block("a", 1)
    assert block is not None
    assert block is found.block("a", 1) is found.block_at("a", 1)
    assert block.became(1, ())
    whole = found.block("a", None)
    assert whole is not None
    assert whole.became(1, ())
    assert found.block("a", -1) is found.block(None, 1) is found.block_at("a", 0) is None
    assert sources().block("gone.py", None) is sources().block("binary", None) is None
    assert sources().block_at("gone.py", 0) is None


def test_what_is_loose_is_what_has_no_partner() -> None:
    base, head, base_fixed, head_fixed = sources().loose(
        ["old.py", "gone.py", "was"], ["new.py", "old.py", "was"]
    )
    assert set(base) == {"old.py", "gone.py"}
    assert set(head) == {"new.py", "old.py"}
    assert base["old.py"].lines[:3] == ["a", "b", "c"]
    assert head["new.py"].lines[:3] == ["a", "B", "c"]
    assert base_fixed == {"old.py": {0, 2, 3}}
    assert head_fixed == {"new.py": {0, 2, 3}}

"""From introduced findings to what the report shows of them."""

from __future__ import annotations

from sarifix.model import Finding, Introduced, Level, Region
from sarifix.report import reported


class Counted:
    """The files of a tree, and how often each was read."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.read: list[str] = []

    def __contains__(self, path: object) -> bool:
        return path in self.texts

    def oid(self, path: str) -> str | None:
        return self.texts.get(path)

    def text(self, path: str) -> str | None:
        self.read.append(path)
        return self.texts.get(path)


def at(path: str, line: int, *, secret: bool = False) -> Introduced:
    return Introduced(Finding("ruff", "S1", Level.ERROR, "m", path, Region(line), secret=secret))


def test_each_file_is_read_once() -> None:
    files = Counted(a="one\ntwo\r\n", b="three\n")
    found = reported([at("b", 1), at("a", 2), at("a", 1), at("a", 1)], files)
    assert [new.line for new in found] == ["one", "one", "two", "three"]
    assert sorted(files.read) == ["a", "b"]


def test_equal_lines_have_fingerprints_of_their_own() -> None:
    one, other = reported([at("a", 1), at("a", 2)], Counted(a="x = 1\n  x  =  1\n"))
    assert one.fingerprint != other.fingerprint


def test_the_line_of_a_secret_and_one_past_the_end_are_not_shown() -> None:
    found = reported([at("a", 1, secret=True), at("a", 9)], Counted(a="one\n"))
    assert [new.line for new in found] == [None, None]

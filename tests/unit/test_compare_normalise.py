"""What of a message or a line counts."""

from __future__ import annotations

import pytest

from sarifix.compare import normalise
from sarifix.model import Finding, Level, Region


def found(message: str, path: str | None = "src/app.py", region: Region | None = None) -> Finding:
    return Finding("toy", "rule", Level.WARNING, message, path, region)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("in src/app.py: bad", "in lib/main.py: bad"),
        ("in app.py: bad", "in main.py: bad"),
        ("at line 3, column 7", "at line 12, column 9"),
        ("src/app.py:3:7: bad", "lib/main.py:12:9: bad"),
        ("id 0123456789abcdef01", "id fedcba98765432100f"),
        ("run 123e4567-e89b-12d3-a456-426614174000", "run 00000000-e89b-12d3-a456-426614174111"),
        ("seen 2026-01-02T03:04:05.678Z", "seen 2025-12-31T23:59:59Z"),
        ("seen 03:04:05", "seen 23:59:59"),
        ("two  spaces\nand a line", "two spaces and a line"),
    ],
)
def test_what_a_message_leaves_out(one: str, other: str) -> None:
    first = normalise.message_of(found(one, "src/app.py", Region(3, 7)))
    second = normalise.message_of(found(other, "lib/main.py", Region(12, 9)))
    assert first == second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("`os` is unused", "`re` is unused"),
        ("in app.pyc", "in main.pyc"),
        ("in my-app.py", "in my-main.py"),
        ("3 problems", "12 problems"),
        ("first used on line 9", "first used on line 8"),
    ],
)
def test_what_a_message_keeps(one: str, other: str) -> None:
    first = normalise.message_of(found(one, "src/app.py", Region(3, 7)))
    second = normalise.message_of(found(other, "lib/main.py", Region(12, 9)))
    assert first != second


def test_a_message_without_a_place() -> None:
    assert normalise.message_of(found("line 3 of 4", None)) == "line 3 of 4"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("too long (90 > 88)", "too long (# > #)"),
        ("requests 2.31.0rc1, fixed in v3", "requests #, fixed in #"),
        ("md5, utf8 and x1 stay", "md5, utf8 and x1 stay"),
    ],
)
def test_a_skeleton_has_no_numbers(message: str, expected: str) -> None:
    assert normalise.skeleton(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("see CVE-2020-1 and cve-2019-22", ("CVE-2019-22", "CVE-2020-1")),
        ("GHSA-ab12-cd34-ef56: bad", ("GHSA-AB12-CD34-EF56",)),
        ("RUSTSEC-2021-0001, PYSEC-2021-5", ("PYSEC-2021-5", "RUSTSEC-2021-0001")),
        ("a GO-live date, CWE-79", ()),
    ],
)
def test_advisories(message: str, expected: tuple[str, ...]) -> None:
    assert normalise.advisories(message) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("except:", False),
        ("    return None", False),
        ("}", False),
        ("return 17", False),
        (normalise.line_key("    return not None"), False),
        (normalise.line_key("else: return 17"), False),
        (normalise.line_key("return nothing"), True),
        ("return" * 6 + "else", False),  # 40 characters
        ("return" * 6 + "while", True),
        ("return" * 50, True),
        ("except ValueError:", True),
        ("x = 1", True),
    ],
)
def test_which_lines_tell_something(line: str, expected: bool) -> None:
    assert normalise.tells(line) is expected


def test_formatting_is_no_code() -> None:
    assert normalise.code_key("f(\n    'a',\n    b,\n)") == normalise.code_key('f("a", b)')
    assert normalise.code_key("f(a)") != normalise.code_key("f(b)")


def test_parts_of_names() -> None:
    assert list(normalise.subwords(["test_rich_cast", "HTTPServerName2", "__", "größe"])) == [
        *("test", "rich", "cast", "HTTP", "Server", "Name", "2", "__"),
        *normalise.subwords(["größe"]),
    ]


def test_words_that_occur_again_count() -> None:
    once, twice = normalise.bag(["a", "b"]), normalise.bag(["a", "a", "b"])
    assert normalise.alike(once, twice) == pytest.approx(0.8)
    assert normalise.alike(normalise.bag([]), normalise.bag([])) == 0


def test_what_occurs_again_is_numbered() -> None:
    assert normalise.bag(["a", "b", "a", "a"]) == {"a", "b", "a 2", "a 3"}


def test_words_are_masked_where_they_are_numbers() -> None:
    assert normalise.words("md5 v2.31, 0123456789abcdef: x1_y = 12") == [
        *("md5", "0", "0", "x1_y", "0")
    ]


def test_what_a_secret_is_made_of() -> None:
    assert normalise.tokens("key: a+b/c-d = 'e_f'") == ["key", "a+b/c-d", "e_f"]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(7, 9, (6, 13)), (6, 13, (6, 13)), (5, 14, (5, 14)), (2, 8, (0, 13)), (4, 5, (4, 5))],
)
def test_a_span_is_widened_to_whole_tokens(start: int, end: int, expected: tuple[int, int]) -> None:
    assert normalise.token("key = abc-def + more", start, end) == expected


def test_the_weight_of_a_text() -> None:
    assert normalise.weight("a-1 (b_2)") == 4

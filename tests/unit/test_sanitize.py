"""Untrusted text: nothing hidden or structural survives, nothing benign changes."""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sarifix.sanitize import (
    MESSAGE_LIMIT,
    PATH_LIMIT,
    clean,
    clean_path,
    is_plain_path,
    to_agent,
    to_command_data,
    to_command_property,
    to_json,
    to_markdown,
    to_markdown_code,
    to_terminal,
)

# ---------------------------------------------------------------------------
# Messages, by table

BENIGN = {
    "ascii": "`subprocess` call with `shell=True` identified, security issue",
    "comparison": "a < b and c > d, 100 % of #1 & @2 [x](y) \\n 'q' \"q\"",
    "hashes": "## heading, ###, a##b, x[0]##",
    "chinese": "\u672a\u4f7f\u7528\u7684\u53d8\u91cf\u201cx\u201d",
    "japanese": "\u672a\u4f7f\u7528\u306e\u5909\u6570\u3001\u30ab\u30bf\u30ab\u30ca",
    "korean": "\uc0ac\uc6a9\ub418\uc9c0 \uc54a\ub294 \ubcc0\uc218",
    "korean, decomposed": unicodedata.normalize("NFD", "\ud55c\uae00"),
    "accents composed": "caf\u00e9 na\u00efve \u00dcber \u0141\u00f3d\u017a",
    "accents decomposed": unicodedata.normalize("NFD", "caf\u00e9 na\u00efve \u1ec7"),
    "compatibility": "\ufb01 \u2460 \uff21 \u212b",  # what NFKC would change
    "russian": "\u043d\u0435\u0438\u0441\u043f\u043e\u043b\u044c\u0437\u0443\u0435\u043c",
    "arabic": "\u0645\u062a\u063a\u064a\u0631 \u063a\u064a\u0631",
    "hebrew": "\u05de\u05e9\u05ea\u05e0\u05d4 \u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
    "persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "hindi": "\u0915\u094d\u200d\u0937 \u0939\u093f\u0928\u094d\u0926\u0940",
    "bengali": "\u09b0\u200d\u09cd\u09af",
    "thai": "\u0e15\u0e31\u0e27\u0e41\u0e1b\u0e23\u0e17\u0e35\u0e48\u0e44\u0e21\u0e48",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 ok",
    "heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "pirate flag": "\U0001f3f4\u200d\u2620\ufe0f",
    "skin tone": "\U0001f44d\U0001f3fd",
    "flag": "\U0001f1ea\U0001f1fa\U0001f1e9\U0001f1ea",
    "keycap": "1\ufe0f\u20e3",
    "math": "\u2200x \u2208 \u211d: \U0001d4d0 \u2264 \u221e",
    "replacement": "\ufffd",
}


@pytest.mark.parametrize("text", BENIGN.values(), ids=BENIGN)
def test_benign_text_is_unchanged(text: str) -> None:
    assert clean(text, MESSAGE_LIMIT) == text
    assert clean(text.encode(), MESSAGE_LIMIT) == text


HOSTILE = {
    "colour": ("\x1b[31mred\x1b[0m", "red"),
    "colour, 8 bit": ("\x9b31mred\x9b0m", "red"),
    "charset": ("\x1b(Btext", "text"),
    "cursor up": ("safe\x1b[1A\x1b[2Kevil", "safeevil"),
    "nested": ("\x1b\x1b[31m[31mred", "red"),
    "nested twice": ("\x1b\x1b\x1b[m[m[mred", "red"),
    "nested in the parameters": ("\x1b[3\x1b[31m1mred", "red"),
    "nested, both widths": ("\x1b\x9b31m[31mred", "red"),
    "title": ("a\x1b]0;b\x07c", "ac [5 hidden characters removed]"),
    "title, ST": ("a\x1b]0;b\x1b\\c", "ac [5 hidden characters removed]"),
    "title, 8 bit": ("a\x9d0;b\x9cc", "ac [5 hidden characters removed]"),
    "title in a title": ("a\x1b]\x1b]x\x07y\x07c", "ac [6 hidden characters removed]"),
    "colour in a title": ("a\x1b]0;\x1b[31m\x07c", "ac [4 hidden characters removed]"),
    "title without an end": ("a\x1b]0;b", "a [4 hidden characters removed]"),
    "title to the end of the line": ("a\x1b]0;b\nc", "a c [4 hidden characters removed]"),
    "link": (
        "\x1b]8;;http://x\x1b\\click\x1b]8;;\x1b\\ me",
        "click me [18 hidden characters removed]",
    ),
    "DCS": ("a\x1bPq\x1b\\b", "ab [3 hidden characters removed]"),
    "APC": ("a\x1b_q\x1b\\b", "ab [3 hidden characters removed]"),
    "PM": ("a\x1b^q\x1b\\b", "ab [3 hidden characters removed]"),
    "SOS": ("a\x1bXq\x1b\\b", "ab [3 hidden characters removed]"),
    "SOS, 8 bit": ("a\x98q\x9cb", "ab [3 hidden characters removed]"),
    "ST alone": ("a\x1b\\b\x9cc", "abc"),
    "ESC alone": ("a\x1b", "a"),
    "ESC before a letter beyond ASCII": ("\x1b\u00e9", "\u00e9"),
    "CSI without an end": ("a\x1b[31", "a"),
    "CSI at the end of the line": ("a\x1b[31\nb", "a b"),
    "line breaks": ("a\nb\r\nc\td\ve\ff\x85g\u2028h\u2029i", "a b c d e f g h i"),
    "spaces in ASCII": ("a  b", "a b"),
    "spaces around ASCII": (" ab ", "ab"),
    "spaces": ("  a \u00a0\u2003 b\u3000c \n", "a b c"),
    "NUL and bell": ("a\x00b\x07c", "abc [2 hidden characters removed]"),
    "C1": ("a\x84b", "ab [1 hidden characters removed]"),
    "backspace": ("a\bb", "ab [1 hidden characters removed]"),
    "right to left override": ("a\u202eb\u202c", "ab [2 hidden characters removed]"),
    "isolates": ("\u2066a\u2069", "a [2 hidden characters removed]"),
    "zero width": ("a\u200bb\ufeffc\u2060d\u00ade", "abcde [4 hidden characters removed]"),
    "zero width between spaces": ("a \u200b b", "a b [1 hidden characters removed]"),
    "tags": (
        "a" + "".join(chr(0xE0000 + ord(c)) for c in "hi") + "b",
        "ab [2 hidden characters removed]",
    ),
    "subdivision flag": (
        "\U0001f3f4\U000e0067\U000e007f",
        "\U0001f3f4 [2 hidden characters removed]",
    ),
    "invisible letters": (
        "a\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u180bb",
        "ab [8 hidden characters removed]",
    ),
    "joiner after ASCII": ("a\u200d\u00e9", "a\u00e9 [1 hidden characters removed]"),
    "joiner before ASCII": ("\u00e9\u200da", "\u00e9a [1 hidden characters removed]"),
    "joiner at the end": ("\u00e9\u200c", "\u00e9 [1 hidden characters removed]"),
    "two joiners": ("\u00e9\u200d\u200c\u00e9", "\u00e9\u00e9 [2 hidden characters removed]"),
    "two joiners apart": (
        "\u00e9\u200d\u200b\u200d\u00e9",
        "\u00e9\u00e9 [3 hidden characters removed]",
    ),
    "joiner after a keycap": ("1\ufe0f\u200d\u00e9", "1\ufe0f\u00e9 [1 hidden characters removed]"),
    "selectors": ("\u2764\ufe0f\ufe0f\U000e0100", "\u2764\ufe0f [2 hidden characters removed]"),
    "selector without a base": (" \ufe0fa", "a [1 hidden characters removed]"),
    "selector first": ("\ufe0fa", "a [1 hidden characters removed]"),
    "selector after private use": ("\ue000\ufe0f", "\\ue000 [1 hidden characters removed]"),
    "marks after private use": (
        "\ue000" + "\u0301" * 9,
        "\\ue000" + "\u0301" * 8 + " [1 hidden characters removed]",
    ),
    "zalgo": ("a" + "\u0301" * 20 + "b", "a" + "\u0301" * 8 + "b [12 hidden characters removed]"),
    "enclosing marks": ("a" + "\u20dd" * 9, "a" + "\u20dd" * 8 + " [1 hidden characters removed]"),
    "surrogate": ("a\ud800b\udcff", "ab [2 hidden characters removed]"),
    "unassigned": ("a\U000effffb\uffff", "ab [2 hidden characters removed]"),
    "private use": ("a\ue000\U000f0000", "a\\ue000\\U000f0000"),
    "runner command": ("x ##[error]y", "x # #[error]y"),
    "azure command": ("##vso[task.complete]", "# #vso[task.complete]"),
    "teamcity command": ("##teamcity[x]", "# #teamcity[x]"),
    "three hashes": ("###[error]", "## #[error]"),
    "hidden in a command": ("##\u200b[error]", "# #[error] [1 hidden characters removed]"),
    "only hidden": ("\u200b\x00", "[2 hidden characters removed]"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_made_visible(text: str, expected: str) -> None:
    assert clean(text, MESSAGE_LIMIT) == expected


def test_bytes_that_are_not_utf8_are_shown() -> None:
    assert (
        clean(b"a\xff\xfeb \xe4\xbd\xa0 \xe4\xbd", MESSAGE_LIMIT)
        == "a\\xff\\xfeb \u4f60 \\xe4\\xbd"
    )


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("a" * 10, 10, "a" * 10),
        ("a" * 11, 10, "a" * 10 + "[... 1 more characters]"),
        ("\u4f60" * 10, 10, "\u4f60" * 10),
        ("\u4f60" * 12, 10, "\u4f60" * 10 + "[... 2 more characters]"),
        (b"\xff" * 100, 10, "\\xff\\xff\\x[... 330 more characters]"),  # 80 bytes as 320, 20 more
        ("a" * 1000, 10, "a" * 10 + "[... 990 more characters]"),
        ("\u200b" * 1000, 10, "[... 920 more characters] [80 hidden characters removed]"),
        ("abcdefgh##x", 10, "abcdefgh# #[... 1 more characters]"),
        ("abcde##fghij", 10, "abcde# #fgh[... 2 more characters]"),
        ("abcdefghie\u0301", 10, "abcdefghi[... 2 more characters]"),
        ("ab" + "\u0301" * 8, 4, "a[... 9 more characters]"),
        ("a" + "\u0301" * 8, 4, "a" + "\u0301" * 3 + "[... 5 more characters]"),
        ("\u4f60\u200d\u4f60\u4f60", 2, "\u4f60[... 3 more characters]"),
        ("abcdefgh\u2764\ufe0f\u200d\U0001f525", 10, "abcdefgh[... 4 more characters]"),
        ("abcdefghi\U0001f44d\U0001f3fb", 10, "abcdefghi[... 2 more characters]"),
        ("abcdefghi\U0001f44d\U0001f3ff", 10, "abcdefghi[... 2 more characters]"),
        (
            "\U0001f468\u200d" * 9 + "\U0001f468",
            4,
            "\U0001f468\u200d\U0001f468[... 16 more characters]",
        ),
    ],
)
def test_cut_is_visible_and_exact(text: str | bytes, limit: int, expected: str) -> None:
    assert clean(text, limit) == expected


# ---------------------------------------------------------------------------
# Messages, by property

_PIECES = [
    *("\x1b", "\x1b[", "\x1b]", "\x1b\\", "\x1bP", "\x9b", "\x9c", "\x9d", "\x07", "31m", "0;"),
    *("##", "[", "error", "]", "::", "\n", "\r", " ", "\u2028", "<", "</", "system", "%", ",", ":"),
    *("\u202e", "\u200b", "\u200c", "\u200d", "\ufe0f", "\U000e0100", "\u0301", "\u3164", "\ue000"),
    *(
        "\u00e9",
        "\u4f60",
        "\U0001f468",
        "a",
        "\ud800",
        "\udcff",
        "`",
        "|",
        "\\",
        '"',
        "&",
        "*",
        "_",
    ),
    *("http://", "www.", "@", "!", "~", "$", "\u3000", "\u00a0", "\U000e0041", "'"),
]
hostile = st.lists(st.sampled_from(_PIECES) | st.characters(), max_size=60).map("".join)

_FORBIDDEN = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
_OTHER = "[^\\x00-\\x7f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_KEPT_JOINER = re.compile(
    f"{_OTHER}[\ufe00-\ufe0f\U000e0100-\U000e01ef]?[\u200c\u200d](?={_OTHER})"
)


def assert_visible(text: str) -> None:
    """Nothing of the forbidden set is in the text, but for joiners where they belong."""
    without = _KEPT_JOINER.sub("", text)
    assert not [char for char in without if unicodedata.category(char) in _FORBIDDEN]
    assert not re.search(r"##\w*\[", text)
    assert not set(text) & set("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b")
    assert not re.search("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}", text)


@given(hostile)
def test_clean_leaves_nothing_hidden(text: str) -> None:
    cleaned = clean(text, MESSAGE_LIMIT)
    assert_visible(cleaned)
    assert not re.search(r"[^\S ]|  ", cleaned)


@given(hostile)
def test_clean_twice_is_clean_once(text: str) -> None:
    cleaned = clean(text, 10_000)
    assert clean(cleaned, 10_000) == cleaned


@given(hostile, st.integers(1, 50))
def test_clean_keeps_to_its_limit_and_counts_what_is_left(text: str, limit: int) -> None:
    cleaned = clean(text, limit)
    assert_visible(cleaned)
    body = re.sub(r" ?\[\d+ hidden characters removed\]$", "", cleaned)
    body = re.sub(r"\[\.\.\. \d+ more characters\]$", "", body)
    assert len(body.replace("# #", "##")) <= limit


@given(st.text(st.characters(categories=("L", "Nd", "P", "Sm", "Sc")), max_size=200))
def test_letters_and_signs_of_any_script_are_unchanged(text: str) -> None:
    if re.search(r"##\w*\[|[\u115f\u1160\u3164\uffa0]", text):
        return
    assert clean(text, MESSAGE_LIMIT) == text


@given(st.binary(max_size=200))
def test_bytes_become_visible_text(raw: bytes) -> None:
    assert_visible(clean(raw, MESSAGE_LIMIT))


# ---------------------------------------------------------------------------
# Paths

PATHS = {
    "plain": ("src/app.py", "src/app.py"),
    "spaces within": ("my  file.py", "my  file.py"),
    "backslash": ("a\\b.py", "a\\b.py"),
    "NFC": ("\u00e9t\u00e9.py", "\u00e9t\u00e9.py"),
    "NFD": ("e\u0301te\u0301.py", "e\u0301te\u0301.py"),
    "CJK": ("\u65e5\u672c\u3000\u8a9e.py", "\u65e5\u672c\u3000\u8a9e.py"),
    "emoji": ("\U0001f468\u200d\U0001f469.py", "\U0001f468\u200d\U0001f469.py"),
    "persian": ("\u0645\u06cc\u200c\u062e.py", "\u0645\u06cc\u200c\u062e.py"),
    "quote within": ('a"b.py', 'a"b.py'),
    "quote first": ('"a".py', r'"\"a\".py"'),
    "space first": (" a.py", '" a.py"'),
    "space last": ("a.py ", '"a.py "'),
    "line break": ("a\nb\rc\td", r'"a\nb\rc\td"'),
    "escape": ("a\x1b[31m.py", r'"a\x1b[31m.py"'),
    "C1, unlike a byte": ("a\x9bb\udc9b", r'"a\u009bb\x9b"'),
    "C1, the first": ("a\x80", r'"a\u0080"'),
    "bytes": ("a\udcff\udcfe\udc80.py", r'"a\xff\xfe\x80.py"'),
    "beside the bytes": ("a\udc7f\udd00", r'"a\udc7f\udd00"'),
    "last of the plane": ("a\uffff", r'"a\uffff"'),
    "surrogate": ("a\ud800", r'"a\ud800"'),
    "override": ("a\u202egnp.exe", r'"a\u202egnp.exe"'),
    "doubled backslash": ("a\\\u202e", r'"a\\\u202e"'),
    "tag": ("a\U000e0041", r'"a\U000e0041"'),
    "private use": ("a\ue000", r'"a\ue000"'),
    "odd space": ("9.41\u202fAM\u00a0.png", r'"9.41\u202fAM\u00a0.png"'),
    "joiner after ASCII": ("a\u200db", r'"a\u200db"'),
    "invisible letter": ("a\u3164", r'"a\u3164"'),
    "selectors": ("\u2764\ufe0f\ufe0f", '"\u2764\ufe0f\\ufe0f"'),
    "runner command": ("##[error]x", r'"#\x23[error]x"'),
    "hashes": ("a##b", "a##b"),
    "workflow command": ("::error::x", "::error::x"),  # for the encoder of the terminal
    "empty": ("", ""),
}


@pytest.mark.parametrize(("path", "shown"), PATHS.values(), ids=PATHS)
def test_path_is_shown_with_its_identity(path: str, shown: str) -> None:
    assert clean_path(path) == shown
    assert is_plain_path(path) == (path == shown)


def test_path_of_undecodable_bytes_shows_the_bytes() -> None:
    assert clean_path(os.fsdecode(b"caf\xe9.py")) == r'"caf\xe9.py"'


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a" * 300, "a" * 300),
        ("a" * 100 + "b" * 11 + "c" * 190, "a" * 100 + "[...]" + "c" * 190),
        ("a" * 100 + "b" * 10_000 + "c" * 190, "a" * 100 + "[...]" + "c" * 190),
        ("\u202e" * 60, '"' + r"\u202e" * 16 + "[...]" + r"\u202e" * 31 + '"'),
        ("a" * 98 + "##x" + "a" * 200, '"' + "a" * 98 + r"#\x23[...]" + "a" * 190 + '"'),
        ("a" * 98 + "##" + "b" * 201, '"' + "a" * 98 + r"#\x23[...]" + "b" * 190 + '"'),
        ("a" * 99 + "e\u0301" + "b" * 20 + "e\u0301" + "c" * 189, "a" * 99 + "[...]" + "c" * 189),
        ("a" * 100 + "\n" + "b" * 250, '"' + "a" * 100 + "[...]" + "b" * 190 + '"'),
        ("a" * 298 + "##", "a" * 298 + "##"),
        (
            "a" * 110 + "\u4f60\ufe0f\u200d" * 100 + "\u4f60zz",
            "a" * 100 + "[...]" + "\u4f60\ufe0f\u200d" * 62 + "\u4f60zz",
        ),
        ("a" + "\U0001f468\u200d" * 200 + "a", None),
    ],
)
def test_long_path_keeps_its_head_and_tail(path: str, shown: str | None) -> None:
    assert len(clean_path(path)) <= PATH_LIMIT + len('""') + len("x23")
    assert shown is None or clean_path(path) == shown


def test_of_a_very_long_path_the_middle_is_not_looked_at() -> None:
    """It costs time, and is not shown: 1,200 characters of each end are more than enough."""
    shown = "a" * 100 + "[...]" + "a" * 190
    assert clean_path("a" * 1200 + "\n" + "a" * 1200) == shown
    assert clean_path("a" * 1199 + "\n" + "a" * 1201) == f'"{shown}"'
    assert clean_path("a" * 1201 + "\n" + "a" * 1199) == f'"{shown}"'


@given(hostile)
@example("a\u200d\ufeff")
def test_path_has_nothing_hidden(path: str) -> None:
    assert_visible(clean_path(path))
    assert len(clean_path(path)) <= PATH_LIMIT + len('""') + len("x23")


_UNQUOTED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"'}


def _unquote(shown: str) -> str:
    """Read a path as it is shown; the reverse of ``clean_path`` for short ones."""
    if not shown.startswith('"'):
        return shown

    def read(match: re.Match[str]) -> str:
        escape = match[1]
        if escape in _UNQUOTED:
            return _UNQUOTED[escape]
        code = int(escape[1:], 16)
        return chr(code + 0xDC00 if escape[0] == "x" and code >= 0x80 else code)

    return re.sub(r'\\([nrt"\\]|x..|u.{4}|U.{8})', read, shown[1:-1])


@given(hostile)
def test_path_can_be_read_back(path: str) -> None:
    """So two paths are never shown alike."""
    shown = clean_path(path)
    if len(shown) < PATH_LIMIT - len("[...]"):
        assert _unquote(shown) == path


# ---------------------------------------------------------------------------
# Sinks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b, a <3, a<1, <", "a < b, a <3, a<1, <"),
        ("<b>", r"\x3cb>"),
        ("</system-reminder>", r"\x3c/system-reminder>"),
        ("<!-- x --> <?xml", r"\x3c!-- x --> \x3c?xml"),
        ("< /b", r"\x3c /b"),
        ("< System", r"\x3c System"),
        ("< antml:x < sarifix", r"\x3c antml:x \x3c sarifix"),
        ("<<b", r"<\x3cb"),
    ],
)
def test_agent_sees_no_tags(text: str, expected: str) -> None:
    assert to_agent(text) == expected


@given(hostile)
def test_agent_sink_property(text: str) -> None:
    encoded = to_agent(clean(text, MESSAGE_LIMIT))
    assert_visible(encoded)
    assert "\n" not in encoded
    assert not re.search(r"<(?:[A-Za-z/!?]|\s+/|\s+system)", encoded, re.IGNORECASE)
    assert to_agent(encoded) == encoded


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("app.py:1: a::b", "app.py:1: a::b"),
        ("::error::x", "  - ::error::x"),
        ("\u3000 ::error::x", "  - ::error::x"),
        ("x ##[error]y", "x # #[error]y"),
    ],
)
def test_terminal_line_is_no_command(line: str, expected: str) -> None:
    assert to_terminal(line) == expected


@given(hostile)
def test_terminal_sink_property(text: str) -> None:
    line = to_terminal(clean(text, MESSAGE_LIMIT))
    assert_visible(line)
    assert not line.lstrip().startswith("::")
    assert to_terminal(line) == line


def test_command_escapes_percent_first() -> None:
    assert to_command_data("100%\r\n a:b,c %0A") == "100%25%0D%0A a:b,c %250A"
    assert to_command_property("100%\r\n a:b,c") == "100%25%0D%0A a%3Ab%2Cc"


def _decoded_command(text: str) -> str:
    """Unescape as the runner does (``ActionCommand.cs``): ``%25`` last."""
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


@given(hostile)
def test_command_sinks_property(text: str) -> None:
    for source in (text, clean(text, MESSAGE_LIMIT)):
        assert not set(to_command_data(source)) & set("\r\n")
        assert not set(to_command_property(source)) & set("\r\n:,")
        assert _decoded_command(to_command_property(source)) == source
    assert_visible(to_command_data(clean(text, MESSAGE_LIMIT)))


_PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _rendered_text(source: str) -> str:
    """Return the text of a paragraph; fails if anything in it is more than text."""
    tokens = _PAGE.parseInline(source)
    children = tokens[0].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    return "".join(child.content for child in children)


@pytest.mark.parametrize(
    "text",
    [
        "![img](https://evil.example)",
        "[link](javascript:alert(1)) [ref][x] <https://auto.example>",
        "<img src=x onerror=alert(1)><!-- comment -->",
        "**bold** _em_ ~~gone~~ `code` ``",
        "# heading | cell | \\| \\",
        "&lt;b&gt; &#x202e; &amp;",
        "$\\color{red}{x}$",
    ],
)
def test_markdown_reads_as_the_text(text: str) -> None:
    assert _rendered_text(to_markdown(text)) == text


def test_markdown_escapes_every_sign_of_the_list() -> None:
    assert to_markdown("\\`*_[]<>!|#@~") == r"\\\`\*\_\[\]&lt;\>\!\|\#\@\~"
    assert to_markdown("see https://x and www.y") == r"see https\://x and www\.y"


@given(hostile)
def test_markdown_sink_property(text: str) -> None:
    cleaned = clean(text, MESSAGE_LIMIT)
    encoded = to_markdown(cleaned)
    assert_visible(encoded)
    assert _rendered_text(f"x{encoded}") == f"x{cleaned}"
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]>!|#@~]", encoded)
    assert not re.search(r"<|(?<!\\)://|www\.", encoded, re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a b", "`a b`"),
        ("a`b", "``a`b``"),
        ("a``b`c", "```a``b`c```"),
        ("`ab", "`` `ab ``"),
        ("ab`", "`` ab` ``"),
        (" ab", "`  ab `"),
        ("ab ", "` ab  `"),
    ],
)
def test_markdown_code_has_a_fence_just_long_enough(text: str, span: str) -> None:
    assert to_markdown_code(text) == span


@given(hostile)
@example("`")
@example("``` `")
@example(" ")
def test_markdown_code_is_one_code_span(text: str) -> None:
    for shown in (clean(text, MESSAGE_LIMIT), clean_path(text)):
        if not shown:
            continue
        (child,) = _PAGE.parseInline(to_markdown_code(shown))[0].children or []
        assert child.type == "code_inline"
        assert child.content.strip(" ") == shown.strip(" ")


@given(hostile)
@example("\\##[error]")
def test_json_sink_loses_nothing_and_says_nothing_to_a_log(text: str) -> None:
    document = to_json({"text": [text]})
    assert document.isascii()
    assert not re.search(r"##\w*\[", document)
    assert not any(line.lstrip().startswith("::") for line in document.splitlines())
    read = json.loads(document)["text"][0]
    read.encode()  # no lone surrogates
    if not re.search("[\ud800-\udfff]", text):
        assert read == text


def test_json_shows_what_is_no_character() -> None:
    value = {"a\udcff": ["b\ud800", 1, None, True, 0.5]}
    assert json.loads(to_json(value)) == {r"a\xff": [r"b\ud800", 1, None, True, 0.5]}


def test_json_can_be_read_by_a_person() -> None:
    assert to_json({"a": [1]}) == '{\n  "a": [\n    1\n  ]\n}'


def test_json_of_a_megabyte_is_in_one_line() -> None:
    value = {"a": ["x" * 1000] * 1100, "##[b]": "\U0001f600\ud800"}
    document = to_json(value)
    assert "\n" not in document
    assert "##[" not in document
    assert json.loads(document) == {**value, "##[b]": "\U0001f600\\ud800"}


def test_json_is_standard() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"seconds": float("nan")})


# ---------------------------------------------------------------------------
# Cost

_SIZE = 100_000
LONG = {
    "nested CSI": "\x1b[" * (_SIZE // 3) + "m" * (_SIZE // 3),
    "nested in parameters": "\x1b[3" * (_SIZE // 6) + "1m" * (_SIZE // 6),
    "nested titles": "\x1b]" * (_SIZE // 3) + "\x07" * (_SIZE // 3),
    "open titles": "\x1b]0;" * (_SIZE // 4),
    "escapes": "\x1b" * _SIZE,
    "joiners": "\u00e9\u200d" * (_SIZE // 2),
    "only joiners": "\u200d" * _SIZE,
    "marks": "a" + "\u0301" * _SIZE,
    "hashes": "##a" * (_SIZE // 3),
    "hashes and a word": "##" + "a" * _SIZE,
    "spaces": "< " * (_SIZE // 2),
    "backticks": "` " * (_SIZE // 2),
    "tags": "\U000e0041" * _SIZE,
}


def _seconds(text: str, limit: int) -> float:
    """Return the best of three runs through everything."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        cleaned = clean(text, limit)
        clean_path(text)
        for sink in (to_agent, to_terminal, to_command_property, to_markdown, to_markdown_code):
            sink(cleaned)
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_hostile_lines_are_cheap(text: str) -> None:
    # A few milliseconds; twenty times that is still far from what anything quadratic takes.
    assert _seconds(text, MESSAGE_LIMIT) < 0.2


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_cost_without_the_first_cut_is_linear(text: str) -> None:
    # Nothing is cut at this limit, so all of it goes the long way: about 0.1 s.
    assert _seconds(text, _SIZE) < 2


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 2000), st.sampled_from(["\x1b[31m", "\x1b]0;x\x07", "\x9b1m", "\x1b(B"]))
def test_escapes_nested_at_any_depth_leave_nothing(depth: int, sequence: str) -> None:
    head, tail = sequence[:1], sequence[1:]
    assert clean("x" + head * depth + tail * depth + "y", 20_000).startswith("xy")

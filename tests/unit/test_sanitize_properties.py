"""Any text through all five sinks: nothing forbidden comes out, and what is benign survives.

What is forbidden is written here (``tests/support/visible.py``) from Unicode's own data.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sarifix.sanitize import (
    MESSAGE_LIMIT,
    clean,
    clean_path,
    to_agent,
    to_command_data,
    to_command_property,
    to_json,
    to_markdown,
    to_markdown_code,
    to_terminal,
)
from tests.support.visible import commands_in, hidden_in

PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])

# One example of everything that hides, steers or ends something, and of what it may hide in.
PIECES = (
    *(
        "\x1b[31m",
        "\x1b]8;;http://x\x1b\\",
        "\x1bP",
        "\x1b",
        "[",
        "\x9b2J",
        "\x9d0;",
        "\x9c",
        "\x07",
    ),
    *("\n", "\r", "\t", "\v", "\x85", "\u2028", " ", "\u00a0", "\u3000", "\u180e", "\x00", "\x7f"),
    *("\u202e", "\u2066", "\u200e", "\u061c", "\u200b", "\u2060", "\ufeff", "\u00ad", "\u2064"),
    *("\u200c", "\u200d", "\ufe0f", "\U000e0100", "\U000e0041", "\U000e007f", "\u0301", "\u20dd"),
    *("\u115f", "\u1160", "\u3164", "\uffa0", "\u2800", "\u034f", "\u17b4", "\u180b", "\U0001d173"),
    *("\ue000", "\U0010fffd", "\ud800", "\udcff", "\uffff", "\U000effff", "\ufff9", "\U000110bd"),
    *("##[error]", "##", "[group]", "::error::", "::", "%0A", "%", ",", "<b", "</", "< system"),
    *(
        "`",
        "```",
        "*",
        "_",
        "|",
        "\\",
        "&#x202e;",
        "&lt;",
        "![x](y)",
        "http://",
        "www.",
        "@a",
        "#1",
    ),
    *("a", "word", "\u00e9", "\u4f60", "\u0645", "\u0915", "\U0001f468", "\u2764", "1", '"', "'"),
)
hostile = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=50).map("".join)


def check_sinks(text: str) -> None:
    for shown in (clean(text, MESSAGE_LIMIT), clean(text, 30), clean_path(text)):
        for sink in (str, to_agent, to_terminal, to_markdown, to_markdown_code):
            assert hidden_in(sink(shown)) == []
        for sink in (to_command_data, to_command_property):
            assert hidden_in(sink(shown)) == []
            assert commands_in(f"::error title=x::{sink(shown)}"[2:]) == []
        assert commands_in(to_terminal(shown)) == []
        assert commands_in(to_json([shown])) == []
        assert hidden_in("".join(to_json([shown]).split())) == []


@settings(max_examples=300, deadline=None)
@given(hostile)
@example("\u3000\ufe0f")
@example("\u00a0\ufe0f")
def test_nothing_forbidden_comes_out(text: str) -> None:
    check_sinks(text)


@pytest.mark.parametrize(
    "sign", ["\u00e9\u200d", "\U0001f468\u200d", "e\u0301", "\u2764\ufe0f\u200d"]
)
@pytest.mark.parametrize("size", [60, 100, 400])
def test_no_cut_of_a_long_path_leaves_a_joiner(sign: str, size: int) -> None:
    for before in range(200):
        path = "a" * before + sign * size + "b" * (before // 2)
        assert hidden_in(clean_path(path)) == [], before
        assert hidden_in(clean(path, 30 + before)) == [], before


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile)
def test_nothing_forbidden_comes_out_of_many(text: str) -> None:
    check_sinks(text)


SCRIPTS_AND_SIGNS = (
    *(range(0x3400), range(0xA000, 0xAC00), range(0xD7C0, 0xE040), range(0xF8C0, 0x10000)),
    *(range(0x11000, 0x11100), range(0x1BC80, 0x1BD00), range(0x1D100, 0x1D200)),
    *(range(0x1F3C0, 0x1F400), range(0xE0000, 0xE0200), range(0x10FFC0, 0x110000)),
)


@pytest.mark.parametrize(
    "codes", [*SCRIPTS_AND_SIGNS, pytest.param(range(0x110000), marks=pytest.mark.slow)], ids=repr
)
def test_every_character_between_others(codes: range) -> None:
    """Each stands between ASCII, and between what joins."""
    for first in codes[::64]:
        characters = [chr(code) for code in range(first, first + 64)]
        # No escapes: they would take the others with them.
        plain = [char for char in characters if char not in "\x1b\x90\x98\x9b\x9d\x9e\x9f"]
        text = "".join(f"a{char}b\u4f60{char}\u4f60" for char in plain)
        assert hidden_in(clean(text, 10_000)) == [], hex(first)
        assert hidden_in(clean_path(text)) == [], hex(first)


# ---------------------------------------------------------------------------
# What people write

SCRIPTS = (
    *("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW", "ARABIC", "SYRIAC", "THAANA", "NKO"),
    *("DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA"),
    *("MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "GEORGIAN", "ETHIOPIC"),
    *("CHEROKEE", "KHMER", "MONGOLIAN", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL SYLLABLE"),
    *("CJK UNIFIED IDEOGRAPH-4", "JAVANESE", "BALINESE", "TIFINAGH", "VAI", "ADLAM", "YI SYLLABLE"),
)
EMOJI = (
    *(
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u2764\ufe0f\u200d\U0001f525",
        "1\ufe0f\u20e3",
    ),
    *(
        "\U0001f3f4\u200d\u2620\ufe0f",
        "\U0001f1ea\U0001f1fa",
        "\U0001f44d\U0001f3fd",
        "\u2714\ufe0f",
    ),
)
SIGNS = (
    *".,:;!?-()'\"/+=",
    "...",
    "\u2013",
    "\u201c",
    "\u201d",
    "\u3002",
    "\u3001",
    "\u061f",
    "\u0964",
    "\u2192",
)


@cache
def letters(script: str) -> tuple[list[str], list[str]]:
    """Return the letters of a script that has words, and its marks."""
    named = [
        char
        for char in map(chr, range(0x20000))
        if unicodedata.name(char, "").startswith(script) and not hidden_in(f"x{char}")
    ]
    marks = [char for char in named if unicodedata.category(char)[0] == "M"]
    return [char for char in named if unicodedata.category(char)[0] == "L"], marks


@st.composite
def words(draw: st.DrawFn) -> str:
    """Draw a word of one script: letters with up to two marks, perhaps a joiner between."""
    plain, marks = letters(draw(st.sampled_from(SCRIPTS)))
    mark = st.lists(st.sampled_from(marks), max_size=2).map("".join) if marks else st.just("")
    syllables = draw(st.lists(st.tuples(st.sampled_from(plain), mark), min_size=1, max_size=6))
    joiner = draw(st.sampled_from(["", "", "", "\u200c", "\u200d"]))
    composed = draw(st.booleans())
    parts = [
        unicodedata.normalize("NFC" if composed else "NFD", letter + more)
        for letter, more in syllables
    ]
    return "".join(parts) if any(part[0].isascii() for part in parts) else joiner.join(parts)


sentences = st.lists(
    st.tuples(words() | st.sampled_from(EMOJI), st.sampled_from(("", "", *SIGNS))),
    min_size=1,
    max_size=12,
).map(lambda parts: " ".join(word + sign for word, sign in parts))


def check_survival(text: str) -> None:
    assert clean(text, MESSAGE_LIMIT) == text
    assert clean(text.encode(), MESSAGE_LIMIT) == text
    assert to_agent(text) == text
    assert to_terminal(text) == text
    assert to_command_data(text) == text
    assert to_command_property(text).replace("%3A", ":").replace("%2C", ",") == text
    assert json.loads(to_json({"message": text}))["message"] == text
    children = PAGE.parseInline(f"x{to_markdown(text)}")[0].children or []
    assert "".join(child.content for child in children) == f"x{text}"
    (code,) = PAGE.parseInline(to_markdown_code(text))[0].children or []
    assert code.content == text


@settings(max_examples=200, deadline=None)
@given(sentences)
def test_what_people_write_survives(text: str) -> None:
    check_survival(text)


@settings(max_examples=200, deadline=None)
@given(words())
def test_names_that_people_give_to_files_survive(name: str) -> None:
    assert clean_path(f"src/{name}.py") == f"src/{name}.py"


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(sentences)
def test_much_of_what_people_write_survives(text: str) -> None:
    check_survival(text)

"""What must not be in text that is shown: written from Unicode's data, not from our own rules."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_JOINERS = "\u200c\u200d"
_FORBIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
# What Unicode calls ignorable though it is a letter, a mark or a sign, by its names.
_NO_GLYPH = re.compile(
    r"HANGUL (.* )?FILLER$|^BRAILLE PATTERN BLANK$|GRAPHEME JOINER$"
    r"|VOWEL INHERENT A[AQ]$|FREE VARIATION SELECTOR"
)
_MOST_MARKS = 8


def hidden_in(text: str) -> list[str]:
    """Return every character that a reader would not see, or that steers what is around it.

    A joiner between two visible characters beyond ASCII, one variation selector after a
    visible character, and up to eight marks on one are what languages and emoji need.
    """
    if text.isascii() and text.isprintable():
        return []
    found = []
    marks = 0
    for index, char in enumerate(text):
        marks = marks + 1 if _is_mark(char) else 0
        if char in _JOINERS:
            wrong = not (_joins(text[:index]) and _is_beyond_ascii(text[index + 1 : index + 2]))
        elif _is_selector(char):
            before = text[index - 1 : index] if index else ""
            wrong = not before or before.isspace() or _is_mark(before) or not _is_visible(before)
        else:
            wrong = not _is_visible(char) or marks > _MOST_MARKS
        if wrong:
            found.append(f"{index}: U+{ord(char):04X}")
    return found


def commands_in(text: str) -> list[str]:
    """Return what a CI runner would read as a command: ``##[x]`` anywhere, ``::`` at a start."""
    lines = re.split("[\r\n]", text)
    anywhere = [match[0] for line in lines for match in re.finditer(r"##\w*\[", line)]
    return anywhere + [line for line in lines if line.lstrip().startswith("::")]


def _joins(before: str) -> bool:
    """Whether a joiner may follow: a visible sign beyond ASCII, perhaps with its selector."""
    if before and _is_selector(before[-1]):
        before = before[:-1]
    return _is_beyond_ascii(before[-1:])


def _is_beyond_ascii(char: str) -> bool:
    return bool(char) and not char.isascii() and _is_visible(char) and not _is_selector(char)


@cache
def _is_visible(char: str) -> bool:
    if unicodedata.category(char) in _FORBIDDEN:
        return False
    return not _NO_GLYPH.search(unicodedata.name(char, ""))


@cache
def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Me"}


@cache
def _is_selector(char: str) -> bool:
    return unicodedata.name(char, "").startswith("VARIATION SELECTOR-")

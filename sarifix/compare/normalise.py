"""What of a message, a line or a matched text is compared, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from sarifix.model import Finding, Region

Bag = frozenset[str]  # words without their order; see ``bag``

_BLANK = "\0"
_ADVISORY = re.compile(
    r"\b(?:CVE|GHSA|RUSTSEC|PYSEC|GO|OSV|MAL|SNYK|DSA|DLA|USN|RHSA|ELSA|ALAS2?|GMS|JVN)"
    r"-(?=[\w-]*\d)[\w-]*\w",
    re.IGNORECASE,
)
_VOLATILE = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"  # a UUID
    r"|\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{10,}\b"  # a hash
    r"|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"  # a date
    r"|\b\d\d:\d\d:\d\d(?:\.\d+)?\b",
    re.IGNORECASE,
)
# A number or a version, but not the digit of a name (md5, utf8, x1).
_NUMBER = re.compile(r"(?<![A-Za-z_0-9])v?\d+(?:[.+-]?[0-9A-Za-z]+)*")
_PLACE = re.compile(
    r"(?P<lead>\b(?:lines?|ln|columns?|cols?|characters?)[ :=#]*|:|\bL)(?P<number>\d{1,9})\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_HEX = re.compile(r"\b(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{7,}\b")
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[\w+/-]+")  # what a secret is made of
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_TRAILING_COMMA = re.compile(r",([)\]}])")
# Words that say how a program flows and nothing about which program it is.
_KEYWORDS = frozenset(
    _WORD.findall(
        """
        and as assert async await begin break case catch class const continue def default defer
        do done elif else elseif end endif except false fi finally fn for foreach from func
        function if import in is lambda let loop match new nil none not null or pass private
        protected public raise return self static super switch then this throw true try undefined
        unless until var void when while with yield
        """
    )
)
_JOINED = re.compile(rf"(?:{'|'.join(sorted(_KEYWORDS))}|\d)+", re.IGNORECASE)
_MAX_JOINED = 40  # characters of keywords without spaces; bounds what the search can cost


def message_of(finding: Finding) -> str:
    """Return the message without the path, place, hashes, ids and times of this run."""
    text = finding.message
    if finding.path:
        text = _without_path(text, finding.path)
    if _DIGIT.search(text):
        text = _VOLATILE.sub(_BLANK, text)
        text = _without_place(text, finding.region)
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def skeleton(message: str) -> str:
    """Return a normalised message with its numbers and versions masked."""
    return _NUMBER.sub("#", message)


@lru_cache(maxsize=4096)
def advisories(message: str) -> tuple[str, ...]:
    """Return the advisory ids (CVE, GHSA, ...) that a message names, sorted."""
    return tuple(sorted({found.upper() for found in _ADVISORY.findall(message)}))


def line_key(line: str) -> str:
    """Return the identity of a line: its text without whitespace."""
    return "".join(line.split())


def code_key(text: str) -> str:
    """Return the identity of a piece of code for which formatting does not matter.

    Whitespace, the kind of quotes and trailing commas are a formatter's choice.
    """
    return _TRAILING_COMMA.sub(r"\1", line_key(text).replace("'", '"'))


def token(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of a line widened to the whole of the tokens at its ends.

    Some scanners are off by one in the columns of a secret, or end before its last
    character (gitleaks does both, by line).
    """
    for found in _TOKEN.finditer(text):
        if found.start() < start < found.end():
            start = found.start()
        if found.start() < end < found.end():
            return start, found.end()
    return start, end


def tokens(text: str) -> list[str]:
    """Return the pieces of a text that can be a secret, as they are."""
    return _TOKEN.findall(text)


def words(text: str) -> list[str]:
    """Return the words of a text in order; numbers, versions and hashes are masked."""
    return _WORD.findall(_NUMBER.sub("0", _HEX.sub("0", text)))


def subwords(found: Iterable[str]) -> Iterator[str]:
    """Yield the parts of names: ``test_rich_cast`` and ``testRichCast`` have three."""
    for word in found:
        yield from _PART.findall(word) or [word]


def bag(found: Iterable[str]) -> Bag:
    """Return words without their order; what occurs again is numbered, so that it counts."""
    seen: dict[str, int] = {}
    numbered = []
    for word in found:
        seen[word] = number = seen.get(word, 0) + 1
        numbered.append(word if number == 1 else f"{word} {number}")
    return frozenset(numbered)


def alike(one: Bag, other: Bag) -> float:
    """Return how much two bags of words share, from 0 to 1."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0


def weight(text: str) -> int:
    """Return how many letters and digits a text has."""
    return sum(map(str.isalnum, text))


@lru_cache(maxsize=4096)
def tells(line: str) -> bool:
    """Whether a line holds a word that is no keyword, so that it can be recognised.

    In the key of a line the keywords stand without spaces: ``returnNone``.
    """
    return not all(map(_flows, _WORD.findall(line)))


def _flows(word: str) -> bool:
    return len(word) <= _MAX_JOINED and _JOINED.fullmatch(word) is not None


def _without_path(text: str, path: str) -> str:
    name = path.rpartition("/")[2]
    if name not in text:
        return text
    text = text.replace(path, _BLANK)
    return text if name not in text else _whole(name).sub(_BLANK, text)


@lru_cache(maxsize=1024)
def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./\\-]){re.escape(name)}(?![\w/\\-])")


def _without_place(text: str, region: Region | None) -> str:
    """Blank the finding's own line and column where they are written as such."""
    if region is None:
        return text
    own = {region.line, region.column, region.end_line, region.end_column}

    def blank(found: re.Match[str]) -> str:
        return found["lead"] + _BLANK if int(found["number"]) in own else found[0]

    return _PLACE.sub(blank, text)

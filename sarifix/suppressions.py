"""Ignore comments and suppressed findings that a change added: findings of our own."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from sarifix.compare import compare
from sarifix.markers import MARKERS, NEEDLES, Marker
from sarifix.model import Comparison, Files, Finding, Introduced, Level, Region
from sarifix.named import NamedTuple
from sarifix.policy import OWN

RULE = "new-suppression"
_ADDED = "this change adds an ignore comment: "

_PROSE = frozenset({".rst", ".txt", ".adoc", ".asciidoc"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})  # only its HTML comments are comments
_TRACKED = 2_000  # characters: in longer (minified) lines nobody can tell strings apart

_SIGN = r"(?:\#|//|/\*{1,3}|<!--|--|;|%|\{\#|^\s*\*)"
_APOSTROPHE = r"(?:(?<!\w)|(?<=\b[bfru])|(?<=\b[bfru]{2}))'"  # of a string, not of "don't"
_QUOTED = rf"``[^`]*``|`[^`]*`|\"(?:\\.|[^\"\\])*\"|{_APOSTROPHE}(?:\\.|[^'\\])*'"
_COMMENT = re.compile(rf"(?P<quoted>{_QUOTED})|{_SIGN}")
_CODE = re.compile(r"\*(?!/)|[\w@][\w@./:+=-]*(?:\*(?!/))?")
_SEPARATOR = re.compile(r"\s*,\s*|\s+")
_REASON = re.compile(r"(?<!:):(?!:)")  # `CKV_AWS_20:it is public`, not `clippy::unwrap_used`
_PREFIXES = ("rule:", "java:", "squid:")  # of rules of yamllint and Sonar
_WIDE = re.compile(
    r"^(?:ruff|flake8):|-errors|[-: ]disable$|-(?:file|all|start|begin)$|nocheck|global|begin$|off$"
)


def _alternatives(markers: Iterable[tuple[int, Marker]]) -> str:
    return "|".join(f"(?P<m{index}>{marker.words})" for index, marker in markers)


@functools.cache  # of a size that takes milliseconds, and mostly no line needs it
def _in_comments() -> re.Pattern[str]:
    """Build the one expression for all comments; a quote before a sign makes it a mention."""
    numbered = [(i, m) for i, m in enumerate(MARKERS) if not m.syntax_of]
    starts = _alternatives((i, m) for i, m in numbered if not m.anywhere)
    anywhere = _alternatives((i, m) for i, m in numbered if m.anywhere)
    return re.compile(
        rf"(?<![\"'`:]){_SIGN}[\s!]{{0,8}}(?:{starts})|(?<![\"'`\w-])(?:{anywhere})",
        re.IGNORECASE,
    )


@functools.cache
def _in_syntax(kind: str) -> re.Pattern[str] | None:
    """Build the expression for what is syntax in files of a kind, the end of their names."""
    markers = [(i, m) for i, m in enumerate(MARKERS) if kind in m.syntax_of]
    return re.compile(_alternatives(markers)) if markers else None


def find(path: str, text: str) -> list[Finding]:
    """Return the ignore comments of a text, one finding for each rule that they name.

    ``rule`` is the comment's normal form (``noqa: S602``), so that another rule is another
    finding while a moved comment is not; the region is the named rule, or the words.
    Lines are looked at one by one: a comment needs its sign in its own line. Prose
    (``.rst``, ``.txt``) has none; in Markdown only HTML comments count.
    """
    kind = _kind(path)
    if kind in _PROSE:
        return []
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    numbers = _candidates(text.lower())
    if not numbers:
        return []
    lines = text.split("\n")
    return [
        Finding(OWN, rule, Level.NOTE, "ignore comment", path, Region(n + 1, start, n + 1, end))
        for n in numbers
        for rule, start, end in _in_line(kind, lines[n])
    ]


def _kind(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _candidates(lowered: str) -> list[int]:
    """Return the numbers, from 0, of the lines that hold a needle. This is the fast part."""
    ends = set()
    for needle in NEEDLES:
        at = lowered.find(needle)
        while at >= 0:
            end = lowered.find("\n", at)
            ends.add(end if end >= 0 else len(lowered))
            at = lowered.find(needle, end) if end >= 0 else -1
    numbers, number, last = [], 0, 0
    for end in sorted(ends):
        number += lowered.count("\n", last, end)
        last = end
        numbers.append(number)
    return numbers


def _in_line(kind: str, line: str) -> Iterator[tuple[str, int, int]]:
    """Yield the rule, the first column and the column after it, of each suppression."""
    if kind == ".ipynb":  # source lines are JSON strings: what opens one is no quote
        line = re.sub(r'^(\s*)"', r"\1 ", line, count=1)
    start = _comment_start(line, kind)
    found = [] if start is None else list(_in_comments().finditer(line, start))
    syntax = _in_syntax(kind)
    if syntax is not None:
        found.extend(syntax.finditer(line))
    for match in found:
        marker = MARKERS[int(str(match.lastgroup)[1:])]
        words = match[str(match.lastgroup)]
        name = _normal(words)
        codes = list(_codes(marker, line, match.end()))
        if not codes:
            yield name, match.end() - len(words) + 1, match.end() + 1
        for code, at in codes:
            yield f"{name}: {code}", at + 1, at + 1 + len(code)


def _comment_start(line: str, kind: str) -> int | None:
    """Return where the first comment of a line starts: at a sign that is in no string."""
    if kind in _MARKDOWN:
        at = line.find("<!--")
        return None if at < 0 or "`" in line[:at] else at
    if len(line) > _TRACKED:
        return 0
    tokens = _COMMENT.finditer(line)
    return next((token.start() for token in tokens if token["quoted"] is None), None)


@functools.lru_cache(maxsize=1024)
def _normal(words: str) -> str:
    """``Type : Ignore`` and ``type:ignore`` are the same; ``: `` is kept for what follows."""
    name = re.sub(r"\s*([:.])\s*", r"\1", " ".join(words.lower().split()))
    return name.strip("#![(@")


def _codes(marker: Marker, line: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the rules that a marker names, with their offsets.

    After a comma comes another rule; after a space only one with a digit in it (or any,
    for tools that separate them so), since what else comes there is the reason.
    """
    opened = re.compile(marker.opener).match(line, at) if marker.opener else None
    if opened is None:
        return
    at, certain = opened.end(), True
    while token := _CODE.match(line, at):
        text = token[0].rstrip(".:-")
        code = text if text.startswith(_PREFIXES) else _REASON.split(text)[0]
        if not (certain or marker.spaced or re.search(r"\d", code)):
            return
        yield code, at
        separator = _SEPARATOR.match(line, token.end())
        if separator is None or code != text or token[0].endswith(":"):
            return
        at, certain = separator.end(), "," in separator[0]


class Sides(NamedTuple):
    """Both sides' files; ``renames`` gives a head path's base path, as ``compare`` takes it."""

    base: Files
    head: Files
    renames: Mapping[str, str]

    def compare(self, base: Sequence[Finding], head: Sequence[Finding]) -> Comparison:
        """Compare findings of the two sides."""
        return compare(base, head, base_files=self.base, head_files=self.head, renames=self.renames)


def introduced(
    base: Iterable[str], head: Iterable[str], files: Sides, *, agent: bool
) -> tuple[Introduced, ...]:
    """Return the ignore comments that a change added, one finding a comment.

    ``base`` and ``head`` are the paths that differ, on each side. For an ``agent`` the
    findings are warnings, for a person notes. A comment that moved is not new, one that
    names a further rule is.
    """
    head = tuple(head)
    origins = Counter(files.renames.get(path, path) for path in head)
    copied = {path for path, times in origins.items() if times > 1}
    if not any(_may_be_new(path, files, copied) for path in head):
        return ()
    new = _find_all(head, files.head)
    compared = files.compare(_find_all(base, files.base), new)
    level = Level.WARNING if agent else Level.NOTE
    ordered = sorted(compared.introduced, key=_comment)
    groups = (list(group) for _, group in itertools.groupby(ordered, key=_comment))
    return tuple(_one(group, level) for group in groups)


def _may_be_new(path: str, files: Sides, copied: Container[str]) -> bool:
    """Whether a line with a needle was added or changed: mostly none was.

    A comment at an end that both versions of a file have in common is on the same line.
    Of what was ``copied``, only one is the file that it was.
    """
    text = files.head.text(path)
    if text is None or _kind(path) in _PROSE:
        return False
    was = files.renames.get(path, path)
    # What is a comment depends on the kind of the file.
    same = _kind(was) == _kind(path) and was not in copied
    old = (files.base.text(was) or "") if same else ""
    return bool(_candidates(_without_common_ends(old, text).lower()))


def _without_common_ends(old: str, new: str) -> str:
    """Return the lines of ``new`` from the first to the last that differ from those of ``old``."""
    start = _common(old, new, lambda text, count: text[:count])
    start = new.rfind("\n", 0, start) + 1
    most = min(len(old), len(new)) - start
    end = _common(old, new, lambda text, count: text[len(text) - count :], most)
    end = new.find("\n", len(new) - end)
    return new[start:] if end < 0 else new[start:end]


def _common(one: str, other: str, end: Callable[[str, int], str], most: int | None = None) -> int:
    """Return how many characters two texts have in common at an end."""
    low, high = 0, min(len(one), len(other)) if most is None else most
    while low < high:
        middle = (low + high + 1) // 2
        if end(one, middle) == end(other, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _find_all(paths: Iterable[str], files: Files) -> list[Finding]:
    return [f for path in paths for f in find(path, files.text(path) or "")]


def _comment(new: Introduced) -> tuple[str, int, str]:
    """Identify the comment that names a rule: several rules are one comment."""
    finding = new.finding
    return finding.path or "", _line(finding), finding.rule.partition(": ")[0]


def _line(finding: Finding) -> int:
    return finding.region.line if finding.region else 0


def _one(group: Sequence[Introduced], level: Level) -> Introduced:
    first = group[0].finding
    name, _, code = first.rule.partition(": ")
    codes = [new.finding.rule.partition(": ")[2] for new in group] if code else []
    text = f"{name}: {', '.join(codes)}" if codes else name
    reason = next((new.reason for new in group if new.reason), None)
    found = Finding(OWN, RULE, level, f"{_ADDED}{text}", first.path, first.region)
    return Introduced(found, reason)


def suppressed(
    base: Sequence[Finding],
    head: Sequence[Finding],
    files: Sides,
    *,
    agent: bool,
    comments: Sequence[Introduced] = (),
) -> tuple[Introduced, ...]:
    """Return the findings whose SARIF suppression a change added.

    ``base`` and ``head`` are the suppressed findings of each side. One whose place a
    comment of ``comments`` (from ``introduced``) already accounts for is left out.
    """
    if not head:
        return ()
    compared = files.compare(base, head)
    level = Level.WARNING if agent else Level.NOTE
    return tuple(
        Introduced(_suppression(new.finding, level), new.reason)
        for new in compared.introduced
        if not any(_accounts_for(comment.finding, new.finding) for comment in comments)
    )


def _accounts_for(comment: Finding, finding: Finding) -> bool:
    """A comment stands in the finding's lines or just before them, or speaks for its file."""
    if comment.path != finding.path or finding.path is None:
        return False
    if _WIDE.search(comment.message.removeprefix(_ADDED).partition(": ")[0]):
        return True
    if finding.region is None:
        return False
    last = max(finding.region.line, finding.region.end_line or 0)
    return finding.region.line - 1 <= _line(comment) <= last


def _suppression(finding: Finding, level: Level) -> Finding:
    return Finding(
        OWN,
        RULE,
        level,
        f"this change suppresses a finding of {finding.scanner}, {finding.rule}: {finding.message}",
        finding.path,
        finding.region,
        in_tree=finding.in_tree,
        secret=finding.secret,
        help_uri=finding.help_uri,
    )

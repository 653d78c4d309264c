"""Untrusted text made visible, and one encoder for each place it is written to. Pure.

Whatever comes from a scanner or a repository goes through ``clean`` or ``clean_path``
first and through the encoder of its sink second. Nothing here normalises, transliterates
or decodes entities: text in any script stays as it was written.
"""

from __future__ import annotations

import bisect
import itertools
import json
import re
import unicodedata
from collections.abc import Sequence

MESSAGE_LIMIT = 500
RULE_LIMIT = 120
TOOL_LIMIT = 80
PATH_LIMIT = 300
REASON_LIMIT = 300

_PATH_HEAD, _PATH_TAIL = 100, 190  # with the mark between them within PATH_LIMIT
_MARKS_KEPT = 8  # combining marks after one base: enough for every living script
_CLUSTER = 32  # how far a cut may move back to spare an emoji or an accent

_ESCAPE = "\x1b"
# ESC and its 8-bit forms: DCS, SOS, CSI, ST, OSC, PM, APC.
_INTRODUCER = re.compile("([\x1b\x90\x98\x9b-\x9f])")
_STRING_KINDS = frozenset("]PX^_")  # OSC, DCS, SOS, PM, APC: a string follows
_STRING_END = _ESCAPE + "\\"  # ST, as one item of the list that stands for the text
_PARAMETERS = frozenset(map(chr, range(0x30, 0x40)))
_INTERMEDIATES = frozenset(map(chr, range(0x20, 0x30)))
_CSI_FINALS = frozenset(map(chr, range(0x40, 0x7F)))
_ESC_FINALS = frozenset(map(chr, range(0x30, 0x7F)))

_LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_SPACES = " \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # category Zs
_BLANK_RUN = re.compile(f"[{_LINE_BREAKS}\t{_SPACES}]+")

# Zl and Zp, Cc, Cf (bidirectional controls and tag characters too), Cs and Cn.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Cs", "Zl", "Zp"})
# Letters, marks and symbols without a glyph of their own.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SELECTOR = re.compile(f"[{_SELECTORS}]")
_VISIBLE_OTHER = f"[^\\x00-\\x7f\u3000{_JOINERS}{_SELECTORS}]"
# A joiner that is alone between two visible characters beyond ASCII (the first perhaps
# with its variation selector) is kept as group 1; any other is what the pattern finds.
_JOINER = re.compile(
    f"((?:(?<={_VISIBLE_OTHER})|(?<={_VISIBLE_OTHER}[{_SELECTORS}]))"
    f"[{_JOINERS}](?={_VISIBLE_OTHER}))|[{_JOINERS}]"
)

# ``##[error]``, ``##vso[...]``, ``##teamcity[...]``: read anywhere in a line of a CI log.
_LOG_COMMAND = re.compile(r"##(?=\w*\[)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INDENTED = 1 << 20  # characters of JSON that are indented
_PATH_TOKEN = re.compile(r'\\(?:[\\"nrt]|x..|u.{4}|U.{8})|.', re.DOTALL)
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# What only looks like a space, but for the ideographic one of CJK names.
_ODD_SPACE = re.compile(f"[{_SPACES[1:-1]}]")


# ---------------------------------------------------------------------------
# Messages


def clean(text: str | bytes, limit: int) -> str:
    """Return ``text`` as one line in which everything is visible.

    For messages, rule ids, tool names, reasons and lines of stderr. ``limit`` counts
    code points; what was cut and what was hidden is said behind the text, so the answer
    may be up to about 80 longer.
    """
    if isinstance(text, str) and len(text) <= limit and _is_plain_ascii(text):
        return text
    head, beyond = _decoded(text, 8 * limit)
    visible, hidden = (head, 0) if _is_plain_ascii(head) else _visible(head)
    end = boundary(visible, limit)
    left = len(visible) - end + beyond
    parts = [visible[:end]]
    if left:
        parts.append(f"[... {left} more characters]")
    if hidden:
        parts.append(f" [{hidden} hidden characters removed]")
    # Once more: ``##`` may have come to stand before the bracket of the cut.
    return _LOG_COMMAND.sub("# #", "".join(parts).lstrip())


def _is_plain_ascii(text: str) -> bool:
    return (
        text.isascii()
        and text.isprintable()
        and "  " not in text
        and "##" not in text
        and text == text.strip()
    )


def _decoded(text: str | bytes, most: int) -> tuple[str, int]:
    """Return the first ``most`` characters, undecodable bytes shown, and how many follow."""
    if isinstance(text, str):
        return text[:most], max(0, len(text) - most)
    # By way of surrogates: decoding with backslashreplace is slow, so it comes after the cut.
    whole = text.decode("utf-8", "surrogateescape")
    head = whole[:most].encode("utf-8", "surrogateescape")
    return head.decode("utf-8", "backslashreplace"), max(0, len(whole) - most)


def _visible(text: str) -> tuple[str, int]:
    """Return the text without what cannot be seen, and the number of characters removed."""
    text, in_strings = _without_escapes(text)
    text, hidden = _hide(_BLANK_RUN.sub(" ", text))
    joined = _JOINER.sub(lambda match: match[1] or "", text)
    hidden += len(text) - len(joined)
    # Again, because what was removed may have stood between two spaces.
    return _LOG_COMMAND.sub("# #", _BLANK_RUN.sub(" ", joined).strip()), in_strings + hidden


def boundary(text: Sequence[str], limit: int) -> int:
    """Return where to cut clean text: at ``limit``, or a little before to spare a sequence."""
    if len(text) <= limit:
        return len(text)
    for end in range(limit, max(limit - _CLUSTER, 0), -1):
        if not _continues(text, end):
            return end
    return limit - 1 if limit and text[limit - 1] in _JOINERS else limit


def _continues(text: Sequence[str], index: int) -> bool:
    """Whether a cut before ``index`` would part what is drawn as one."""
    before, after = text[index - 1], text[index]
    if len(after) > 1:  # an escape
        return False
    return (
        before in _JOINERS
        or after in _JOINERS
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or unicodedata.category(after)[0] == "M"
    )


# ---------------------------------------------------------------------------
# Escape sequences (ECMA-48)


def _without_escapes(text: str) -> tuple[str, int]:
    """Remove every escape sequence, those that form when another one is removed as well.

    From the last introducer to the first: what follows each is already free of them, so
    one pass is enough however deep they are nested, and each character is looked at once.
    Colours and cursor movements carry no text and are not counted; the strings of OSC,
    DCS and the like do, so their characters are.
    """
    *pairs, last = _INTRODUCER.split(text)
    if not pairs:
        return text, 0
    rest = list(reversed(last))  # what follows, its first character at the end
    hidden = 0
    for index in range(len(pairs) - 2, -1, -2):
        if pairs[index + 1] != _ESCAPE:
            rest.append(chr(ord(pairs[index + 1]) - 0x40))  # as ESC and this letter
        hidden += _drop_sequence(rest)
        rest.extend(reversed(pairs[index]))
    return "".join(item for item in reversed(rest) if item != _STRING_END), hidden


def _drop_sequence(rest: list[str]) -> int:
    """Drop from ``rest`` what belongs to the ESC before it; return the characters to count."""
    kind = rest[-1] if rest else ""
    if kind == "[":
        rest.pop()
        _drop_while(rest, _PARAMETERS)
        _drop_final(rest, _CSI_FINALS)
    elif kind in _STRING_KINDS:
        return _drop_string(rest)
    elif kind == "\\":
        rest[-1] = _STRING_END
    else:
        _drop_final(rest, _ESC_FINALS)
    return 0


def _drop_final(rest: list[str], finals: frozenset[str]) -> None:
    _drop_while(rest, _INTERMEDIATES)
    if rest and rest[-1] in finals:
        rest.pop()


def _drop_while(rest: list[str], characters: frozenset[str]) -> None:
    while rest and rest[-1] in characters:
        rest.pop()


def _drop_string(rest: list[str]) -> int:
    """Drop a string with its terminator, or up to the end of the line if there is none."""
    before = len(rest)
    while rest and rest[-1] not in _LINE_BREAKS:
        if rest.pop() in {"\a", _STRING_END}:
            break
    return before - len(rest)


# ---------------------------------------------------------------------------
# Characters


def _hide(text: str, *, shown: bool = False) -> tuple[str, int]:
    """Remove what is hidden (``shown``: write it as an escape); return how many there were.

    Private-use characters are always written as escapes. Joiners are left to ``_JOINER``.
    """
    out = []
    hidden = marks = 0
    selectable = False  # the last character may be followed by a variation selector
    for char in text:
        category = unicodedata.category(char)
        if char in _JOINERS:
            out.append(char)
        elif category == "Co":
            out.append(_escape(char))
            marks, selectable = 0, False
        elif _is_hidden(char, category, marks, selectable=selectable):
            hidden += 1
            out.append(_escape(char) if shown else "")
        else:
            out.append(char)
            is_mark = category in {"Mn", "Me"}
            marks = marks + 1 if is_mark else 0
            selectable = not is_mark and category != "Zs"
    return "".join(out), hidden


def _is_hidden(char: str, category: str, marks: int, *, selectable: bool) -> bool:
    if category in _HIDDEN_CATEGORIES or char in _INVISIBLE:
        return True
    if category not in {"Mn", "Me"}:
        return False
    return not selectable if _SELECTOR.match(char) else marks >= _MARKS_KEPT


def _escape(char: str) -> str:
    r"""Return ``\x1b``, ``\u202e`` and so on; ``\xff`` for a byte that is not UTF-8."""
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that os.fsdecode could not read
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:  # above, \xNN means a byte
        return _SHORT_ESCAPES.get(char) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


# ---------------------------------------------------------------------------
# Paths


def clean_path(path: str) -> str:
    """Return a path as it can be shown, with nothing lost that tells it from another.

    ``path`` is as ``os.fsdecode`` gives it. What ``clean`` would remove is written as an
    escape; the whole then stands in double quotes, as git does it. A path over 300
    characters keeps its first 100 and its last 190.
    """
    if len(path) > 8 * PATH_LIMIT:
        path = path[: 4 * PATH_LIMIT] + path[-4 * PATH_LIMIT :]  # more than is shown
    if is_plain_path(path):
        return _shortened(path, path)
    shown = _with_escapes(path.replace("\\", "\\\\").replace('"', '\\"'))
    shown = _shortened(shown, _PATH_TOKEN.findall(shown))
    return '"' + _LOG_COMMAND.sub(r"#\\x23", shown) + '"'


def is_plain_path(path: str) -> bool:
    """Whether a path is shown as it is, but for its length."""
    # The mark of a cut begins with a bracket, too.
    if _LOG_COMMAND.search(path) or (len(path) > PATH_LIMIT and "##" in path):
        return False
    if path != path.strip() or path.startswith('"'):
        return False
    return (path.isascii() and path.isprintable()) or _with_escapes(path) == path


def _with_escapes(path: str) -> str:
    """Write what is hidden in a path as escapes, odd spaces too."""
    shown, _ = _hide(path, shown=True)
    shown = _ODD_SPACE.sub(lambda match: _escape(match[0]), shown)
    return _JOINER.sub(lambda match: match[1] or _escape(match[0]), shown)


def _shortened(shown: str, tokens: Sequence[str]) -> str:
    """Keep the head and the tail, without parting an escape or what is drawn as one."""
    if len(shown) <= PATH_LIMIT:
        return shown
    sizes = list(itertools.accumulate(map(len, tokens), initial=0))  # up to each token
    head = bisect.bisect_right(sizes, _PATH_HEAD) - 1
    tail = bisect.bisect_left(sizes, sizes[-1] - _PATH_TAIL)
    head = boundary(tokens, head)
    starts = range(tail, min(tail + _CLUSTER, len(tokens)))
    while tokens[tail] in _JOINERS or _SELECTOR.match(tokens[tail]):  # of a sign that is cut off
        tail += 1
    tail = next((start for start in starts if not _continues(tokens, start)), tail)
    return "".join(tokens[:head]) + "[...]" + "".join(tokens[tail:])


# ---------------------------------------------------------------------------
# Sinks: each takes text that is clean


# A tag, or what a model may take for one.
_TAG = re.compile(
    r"<(?=[A-Za-z/!?]|\s+/|\s+(?:system|function|invoke|tool|user|assistant|human|sarifix|antml))",
    re.IGNORECASE,
)
_MARKDOWN = str.maketrans(
    {char: f"\\{char}" for char in "\\`*_[]>!|#@~$"}
    # & as well: ``&#x202e;`` would be a control character again in the page.
    | {"<": "&lt;", "&": "&amp;"}
)
# What GitHub turns into a link without being asked.
_AUTOLINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)


def to_agent(text: str) -> str:
    """Return ``text`` for a language model: nothing in it opens or closes a tag."""
    return _TAG.sub(r"\\x3c", text)


def to_terminal(line: str) -> str:
    """Return one line of output that no CI runner takes for a command."""
    line = _LOG_COMMAND.sub("# #", line)
    # Runners trim white space of every kind before they look.
    return f"  - {line.lstrip()}" if line.lstrip().startswith("::") else line


def to_command_data(text: str) -> str:
    """Return ``text`` as the message of a GitHub workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def to_command_property(text: str) -> str:
    """Return ``text`` as the value of a property of a GitHub workflow command."""
    return to_command_data(text).replace(":", "%3A").replace(",", "%2C")


def to_markdown(text: str) -> str:
    """Return ``text`` as Markdown that reads as the text: no markup, links or HTML."""
    return _AUTOLINK.sub(r"\\\g<0>", text.translate(_MARKDOWN))


def to_markdown_code(text: str) -> str:
    """Return ``text`` as a code span, with a fence longer than any in it.

    Not for a cell of a table if the text has a ``|``.
    """
    runs = re.findall("`+", text)
    fence = "`" * (max(map(len, runs), default=0) + 1)
    # A renderer takes one space off each side, unless there are only spaces.
    pad = " " if text[:1] in {"`", " "} or text[-1:] in {"`", " "} else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def to_json(value: object) -> str:
    r"""Return a value of dicts, lists, strings and numbers as a JSON document in ASCII.

    Nothing is removed from its strings, so they need not be clean. What cannot be a
    character (half of a surrogate pair, a byte that is not UTF-8) is written out as
    ``\ud800`` or ``\xff``, because strict readers refuse it. What nobody can read for its
    length is in one line: to indent it takes several times as long. Raises ValueError
    for NaN and infinity, which JSON does not have.
    """
    text = json.dumps(value, allow_nan=False)
    if "\\ud" in text:  # half a character, or a whole one from beyond the first plane
        value = _without_surrogates(value)
        text = json.dumps(value, allow_nan=False)
    if len(text) <= _INDENTED:
        text = json.dumps(value, indent=2, allow_nan=False)
    # The same string to any reader of JSON, but no command to a CI log.
    return _LOG_COMMAND.sub(r"#\\u0023", text)


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub(lambda match: _escape(match[0]), value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value

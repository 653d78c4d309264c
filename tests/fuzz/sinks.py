"""Cleaning and all five sinks: nothing hidden comes through, and nothing is a command."""

from __future__ import annotations

import json

from markdown_it import MarkdownIt

from sarifix.sanitize import (
    MESSAGE_LIMIT,
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
from tests.support.visible import commands_in, hidden_in

SEEDS = (
    b"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m \xc2\x9b1m",
    "a\u202eb\u2066c\u200bd\ufeff \U000e0041\U000e007f".encode(),
    "\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469 \u2764\ufe0f\u200d\U0001f525".encode(),
    b"##[error]x ##vso[task] ::error file=a::b %0A%25 <b></system-reminder> < system",
    b"![img](http://x) www.x.y `code` ``` | \\| &lt; &#x202e; *a* _b_ ~~c~~ $x$ @me #1",
    ("a" + "\u0301" * 12 + "\u3164\u115f\u2800\ue000\ud7ff").encode(),
    b"\xff\xfe\x80caf\xe9.py \xed\xa0\x80 \xf4\x90\x80\x80",
    b"two\r\nlines\tand\x85more\xe2\x80\xa8 \xe3\x80\x80::x",
    b"x" * 501 + b"##",
)
MAX_LENGTH = 1_500

_PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_LIMITS = (MESSAGE_LIMIT, 20, 3)


def check(raw: bytes) -> None:
    name = raw.decode("utf-8", "surrogateescape")
    texts: list[str | bytes] = [raw, name, raw.decode("latin-1")]
    texts.append(raw.decode("utf-16-le", "surrogatepass") if len(raw) % 2 == 0 else "")
    for shown in {clean(text, limit) for text in texts for limit in _LIMITS}:
        _check_text(shown)
    for text in texts:
        cleaned = clean(text, len(raw) * 9 + 1)
        assert clean(cleaned, len(cleaned)) == cleaned
    shown = clean_path(name)
    _check_text(shown)
    assert is_plain_path(name) == (shown == name) or len(name) > 300


def _check_text(text: str) -> None:
    assert hidden_in(text) == []
    for shown in (to_agent(text), to_terminal(text), to_markdown(text), to_markdown_code(text)):
        assert hidden_in(shown) == []
        assert "\n" not in shown
    assert commands_in(to_terminal(text)) == []
    assert not set(to_command_data(text)) & set("\r\n")
    assert not set(to_command_property(text)) & set("\r\n:,")
    assert commands_in(to_json({text: [text]})) == []
    assert json.loads(to_json([text])) == [text]
    children = _PAGE.parseInline(f"x{to_markdown(text)}")[0].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    assert "".join(child.content for child in children) == f"x{text.rstrip(' ')}"

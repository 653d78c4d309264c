"""Markdown, read by a renderer: a table of text and code, whatever the text says."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sarifix.errors import ConfigError
from sarifix.model import Finding, Level, Region, Report, Reported
from sarifix.output import Options, render, render_error
from tests.support.golden import assert_golden
from tests.support.report import everything, failed, report, reported

PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])
BLOCKS = {"heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td"}


def markdown(made: Report) -> str:
    return render(made, "markdown", Options())


def tokens(source: str) -> list[Token]:
    """Return every token of a page, those within lines as well."""
    found = []
    for token in PAGE.parse(source):
        found += [token, *(token.children or [])]
    return found


def kinds(source: str) -> set[str]:
    return {re.sub("_(open|close)$", "", token.type) for token in tokens(source)}


def cells(source: str) -> list[str]:
    """Return the text of every cell of the table's body."""
    return re.findall(r"<td>(.*?)</td>", PAGE.render(source))


def test_everything() -> None:
    assert_golden("everything.md", markdown(everything()))


def test_page_has_a_heading_a_table_and_the_totals() -> None:
    finding = Finding("ruff", "S602", Level.ERROR, "`shell` is *bad*", "app.py", Region(3, 5))
    shown = markdown(report(Reported(finding, "00", "copied"), fixed=2))
    assert shown.startswith("### sarifix: 1 finding introduced (1 error)\n\n")
    assert cells(shown) == [
        "<code>app.py:3:5</code>",
        "error",
        "<code>ruff/S602</code>",
        "`shell` is *bad* (copied)",
    ]
    assert shown.endswith(
        "\n\n1 introduced, 2 fixed, 0 unchanged, 0 suppressed, 0 hidden\n\n"
        "base HEAD 1a2b3c4, head working tree\n"
    )


def test_clean_has_no_table() -> None:
    assert kinds(markdown(report())) == {"heading", "paragraph", "inline", "text"}


def test_failures_and_notes_are_listed() -> None:
    shown = PAGE.render(markdown(report(scanners=(failed(),), notes=("look here",))))
    assert "<h3>sarifix: Undecided: semgrep failed" in shown
    assert "<li>semgrep failed: exit 2</li>" in shown
    assert "<li>note: look here</li>" in shown


@pytest.mark.parametrize(
    "forged",
    [
        "![img](https://evil.example/x.png)",
        "[link](https://evil.example) <https://evil.example>",
        "<img src=x onerror=alert(1)> </td></table> <!--",
        "| cell | cell |\n| --- | --- |",
        "`code` ``` ~~~ **bold** _em_ ~~gone~~",
        "\n\n# heading\n\n- item\n\n> quote\n\n---\n",
        "a\\|b `c|d` \\",
        "&lt;script&gt; &#x202e;",
        "@octocat #12 $x$",
    ],
)
def test_text_forges_no_markup(forged: str) -> None:
    finding = Finding(forged, forged, Level.WARNING, forged, forged, Region(1))
    made = report(
        Reported(finding, "00", forged, forged),
        scanners=(failed(forged, reason=forged),),
        notes=(forged,),
    )
    shown = markdown(made)
    allowed = BLOCKS | {"bullet_list", "list_item", "inline", "text", "text_special", "code_inline"}
    assert kinds(shown) <= allowed
    assert len(cells(shown)) == 4
    assert [token.tag for token in tokens(shown) if token.type == "heading_open"] == ["h3"]
    refusal = render_error(ConfigError(forged, forged), "markdown")
    assert kinds(refusal) <= {"heading", "paragraph", "inline", "text", "text_special"}


def test_text_reads_as_it_is() -> None:
    message = "a < b && `c` | d \\ [e](f) *g* #h"
    *_, text = cells(markdown(report(reported(message))))
    assert text == "a &lt; b &amp;&amp; `c` | d \\ [e](f) *g* #h"


@pytest.mark.parametrize("path", ["a`b``.md", "a|b.md", "a\\|b.md", "`", "a b\\"])
def test_path_reads_as_it_is(path: str) -> None:
    place, *_ = cells(markdown(report(reported("m", path, 1))))
    assert re.sub("</?code>", "", place) == f"{path}:1"


def test_no_more_than_fifty_rows_and_an_exact_rest() -> None:
    made = report(*(reported(f"m{number}", f"{number:03}.py") for number in range(60)))
    shown = markdown(made)
    assert len(cells(shown)) == 50 * 4
    assert "\n\nand 10 more findings\n" in shown
    assert "60 findings introduced" in shown


def test_page_stays_under_the_limit_of_a_comment() -> None:
    long = [
        reported("<" * 900, f"{'`' * 250}{number}", reason="|" * 900, rule="#" * 200)
        for number in range(60)
    ]
    shown = markdown(report(*long, notes=("&" * 900,) * 30, scanners=(failed(),)))
    rows = len(cells(shown)) // 4
    assert f"and {60 - rows} more findings" in shown
    assert rows > 10
    items = [line for line in shown.splitlines() if line.startswith("- ")]
    assert items[-1] == f"- and {32 - len(items)} more"  # a failure and thirty notes in all
    assert len(shown) < 65_536


def test_error_is_a_section() -> None:
    assert render_error(ConfigError("f:1: bad_key", "use `x`"), "markdown") == (
        "### sarifix: undecided\n\nError: f:1: bad\\_key\n\nHint: use \\`x\\`\n"
    )
    assert "Hint" not in render_error(ConfigError("bad"), "markdown")

"""Ignore comments in any bytes: found in their place, moved with it, and new only once."""

from __future__ import annotations

from sarifix.model import Finding, Region
from sarifix.suppressions import Sides, find, introduced
from tests.compare.toy import Texts
from tests.fuzz.data import Data

SEEDS = tuple(
    bytes([kind, 3]) + text
    for kind, text in enumerate(
        (
            b"x = 1  # noqa: S602, E501\n# type: ignore[arg-type]  # nosec B602\n",
            b"// eslint-disable-next-line no-eval -- why\n/* stylelint-disable */ // NOSONAR\n",
            b"# checkov:skip=CKV_AWS_20:public\n# tfsec:ignore:AWS017 #trivy:ignore:AVD-1\n",
            b"<!-- markdownlint-disable MD013 --> `# noqa`\n",
            b'"# noqa"\n@SuppressWarnings("java:S1")\n#[allow(clippy::unwrap_used)]\n',
            b"# pylint: disable=C0114,C0115 \r# yamllint disable rule:x\x00\n",
            b"s = 'a # nosec' # NoQA\xff\n" + b"x" * 2100 + b"# noqa\n",
        )
    )
)
MAX_LENGTH = 3_000

_NAMES = (
    "a.py",
    "a.js",
    "main.tf",
    "README.md",
    "A.java",
    "a.yaml",
    "lib.rs",
    "n.ipynb",
    "x",
    "t.txt",
)


def check(raw: bytes) -> None:
    data = Data(raw)
    path = data.choice(_NAMES)
    above = data.number(9)
    text = data.rest().decode("utf-8", "replace")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = find(path, text)
    for finding in found:
        _check_place(finding, lines)
    lower = find(path, "\n" * above + text.removeprefix("\ufeff"))
    assert lower == [_below(finding, above) for finding in found]
    alone = [new for number, line in enumerate(lines) for new in _in_line(path, line, number)]
    assert sorted(alone, key=repr) == sorted(found, key=repr)
    same = Sides(Texts({path: text}), Texts({path: text}), {})
    assert introduced([path], [path], same, agent=True) == ()
    new = introduced([], [path], Sides(Texts({}), Texts({path: text}), {}), agent=True)
    assert len(new) <= len(found)
    assert bool(new) == bool(found)
    assert {one.finding.region.line for one in new if one.finding.region} == {
        one.region.line for one in found if one.region
    }


def _in_line(path: str, line: str, number: int) -> list[Finding]:
    return [_below(finding, number) for finding in find(path, line)]


def _below(finding: Finding, lines: int) -> Finding:
    region = finding.region
    assert region
    moved = Region(
        region.line + lines, region.column, (region.end_line or 0) + lines, region.end_column
    )
    return finding._replace(region=moved)


def _check_place(finding: Finding, lines: list[str]) -> None:
    region = finding.region
    assert region
    assert region.column
    assert region.end_column
    assert region.line == region.end_line
    words = lines[region.line - 1][region.column - 1 : region.end_column - 1]
    assert words
    name, _, code = finding.rule.partition(": ")
    assert name
    assert not code or words == code

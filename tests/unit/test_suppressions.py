"""Ignore comments: what is one, what is only talk of one, and which of them a change added."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sarifix.markers import MARKERS, NEEDLES, Marker
from sarifix.model import Finding, Introduced, Level, Region
from sarifix.suppressions import Sides, find, introduced, suppressed

# A line for each marker, and the rules that are found in it.
COMMENTS = {
    "a.py": {
        "x = 1  # noqa": ["noqa"],
        "x = 1  #NOQA": ["noqa"],
        "x = 1  # noqa: S602": ["noqa: S602"],
        "x = 1  # noqa:S602,E501 because of 3 things": ["noqa: S602", "noqa: E501"],
        "x = 1  # noqa : F401 F403": ["noqa: F401", "noqa: F403"],
        "x = 1  # noqa because E501 is wrong here": ["noqa"],
        "# ruff: noqa": ["ruff:noqa"],
        "# flake8: noqa: E501": ["flake8:noqa: E501"],
        "# ruff: ignore[F401]": ["ruff:ignore: F401"],
        "x  # nosec": ["nosec"],
        "x  # nosec B101, B102": ["nosec: B101", "nosec: B102"],
        "x  # nosec: assert_used why": ["nosec: assert_used"],
        "x  # nosec as it is safe": ["nosec"],
        "x  # type: ignore": ["type:ignore"],
        "x  # type:ignore[arg-type, misc]": ["type:ignore: arg-type", "type:ignore: misc"],
        "x  # type: ignore[a]  # noqa: E1": ["type:ignore: a", "noqa: E1"],
        "x  # pyright: ignore[reportFoo]": ["pyright:ignore: reportFoo"],
        "# mypy: ignore-errors": ["mypy:ignore-errors"],
        "x  # pyre-ignore[16]": ["pyre-ignore: 16"],
        "x  # pylint: disable=a,b": ["pylint:disable: a", "pylint:disable: b"],
        "x  # we know; pylint: disable=a": ["pylint:disable: a"],
        "# pylint: skip-file": ["pylint:skip-file"],
        "x  # pyre-fixme[6]": ["pyre-fixme: 6"],
        "key = 1  # pragma: whitelist secret": ["pragma:whitelist secret"],
        "x  # nosemgrep": ["nosemgrep"],
        "x  # nosemgrep: a.b.c, d": ["nosemgrep: a.b.c", "nosemgrep: d"],
        "key = 1  # pragma: allowlist secret": ["pragma:allowlist secret"],
        "print('it\\'s')  # noqa": ["noqa"],
        "x = \"it's\"  # don't  # noqa: A1": ["noqa: A1"],
        "x = r'#'  # noqa": ["noqa"],
        "u = 'http://x'  # NOSONAR": ["nosonar"],
        "x  # codeql[py/sql-injection]": ["codeql: py/sql-injection"],
        "x  # lgtm [py/x]": ["lgtm: py/x"],
        "key = 1  # gitleaks:allow": ["gitleaks:allow"],
        "# ast-grep-ignore: no-eval": ["ast-grep-ignore: no-eval"],
    },
    "a.ts": {
        "// eslint-disable-next-line no-console, no-alert -- because": [
            "eslint-disable-next-line: no-console",
            "eslint-disable-next-line: no-alert",
        ],
        "/* eslint-disable */": ["eslint-disable"],
        "/* eslint-disable -- for now */": ["eslint-disable"],
        "/* eslint-disable a*/": ["eslint-disable: a"],
        "{/* eslint-disable-next-line react/x */}": ["eslint-disable-next-line: react/x"],
        "f(); // eslint-disable-line": ["eslint-disable-line"],
        " * eslint-disable a": ["eslint-disable: a"],
        "// oxlint-disable no-x": ["oxlint-disable: no-x"],
        "// tslint:disable-next-line:no-any": ["tslint:disable-next-line: no-any"],
        "// @ts-ignore": ["ts-ignore"],
        "/** @ts-expect-error later */": ["ts-expect-error"],
        "// @ts-nocheck": ["ts-nocheck"],
        "// biome-ignore lint/suspicious/noAny: 2 reasons": [
            "biome-ignore: lint/suspicious/noAny"
        ],
        "// deno-lint-ignore a b": ["deno-lint-ignore: a", "deno-lint-ignore: b"],
        "// secretlint-disable": ["secretlint-disable"],
        "x // lgtm[js/x]": ["lgtm: js/x"],
    },
    "a.css": {"/* stylelint-disable-next-line a, b */": [
        "stylelint-disable-next-line: a", "stylelint-disable-next-line: b"]},
    "a.tf": {
        "#trivy:ignore:AVD-GCP-0051": ["trivy:ignore: AVD-GCP-0051"],
        "# tfsec:ignore:aws-s3-x tfsec:ignore:b": ["tfsec:ignore: aws-s3-x", "tfsec:ignore: b"],
        "//tfsec:ignore:*": ["tfsec:ignore: *"],
        "#checkov:skip=CKV_AWS_20:It is public": ["checkov:skip: CKV_AWS_20"],
        "# bridgecrew:skip=X1": ["bridgecrew:skip: X1"],
        "#ts:skip=AC_AWS_1": ["ts:skip: AC_AWS_1"],
        "# kics-scan ignore-line": ["kics-scan ignore-line"],
        "# tflint-ignore: aws_x, b": ["tflint-ignore: aws_x", "tflint-ignore: b"],
    },
    ".github/workflows/a.yml": {
        "- uses: a/b@v1 # zizmor: ignore[unpinned-uses]": ["zizmor:ignore: unpinned-uses"],
        "# yamllint disable rule:a rule:b": [
            "yamllint disable: rule:a", "yamllint disable: rule:b"],
        "  tags: [skip_ansible_lint]": ["skip_ansible_lint"],
        "- shell: x  # noqa: no-changed-when": ["noqa: no-changed-when"],
        "name: don't  # noqa: E1 isn't": ["noqa: E1"],
    },
    "Dockerfile": {
        "# hadolint ignore=DL3006,DL3008": ["hadolint ignore: DL3006", "hadolint ignore: DL3008"],
        "# hadolint global ignore=DL3006": ["hadolint global ignore: DL3006"],
    },
    "a.sh": {
        "# shellcheck disable=SC2086": ["shellcheck disable: SC2086"],
        "# shellcheck shell=sh disable=SC1": ["shellcheck shell=sh disable: SC1"],
    },
    "a.go": {
        "f() //nolint:errcheck,gosec // why": ["nolint: errcheck", "nolint: gosec"],
        "//nolint": ["nolint"],
        "f() // #nosec G101": ["nosec: G101"],
        "//lint:ignore SA1000 why": ["lint:ignore: SA1000"],
    },
    "a.cc": {
        "int x; // NOLINT(a-b, c)": ["nolint: a-b", "nolint: c"],
        "int x; // we know NOLINT": ["nolint"],
        "// NOLINTNEXTLINE(google-*)": ["nolintnextline: google-*"],
        "// cppcheck-suppress unusedVar": ["cppcheck-suppress: unusedVar"],
        "// Flawfinder: ignore": ["flawfinder:ignore"],
    },
    "b.rb": {"# rubocop:todo all": ["rubocop:todo: all"]},
    "a.rb": {"x # rubocop:disable Style/X, Metrics/Y": [
        "rubocop:disable: Style/X", "rubocop:disable: Metrics/Y"]},
    "a.swift": {"// swiftlint:disable:next a b": [
        "swiftlint:disable:next: a", "swiftlint:disable:next: b"]},
    "a.kt": {"f() // ktlint-disable no-x": ["ktlint-disable: no-x"]},
    "a.php": {
        "// phpcs:ignore A.B": ["phpcs:ignore: A.B"],
        "/** @phpstan-ignore-next-line */": ["phpstan-ignore-next-line"],
        "/** @psalm-suppress X */": ["psalm-suppress: X"],
    },
    "A.java": {
        "f(); // NOPMD - why": ["nopmd"],
        "// CHECKSTYLE:OFF": ["checkstyle:off"],
        '@SuppressFBWarnings("X")': ["suppressfbwarnings"],
        '@SuppressWarnings({"unchecked", "java:S106"})': ["suppresswarnings: java:S106"],
    },
    "a.rs": {
        "#[expect(clippy::x)]": ["expect: clippy::x"],
        "#[allow(dead_code, clippy::x)]": ["allow: clippy::x"],
        "#![allow(clippy::all, clippy::x_y)]": ["allow: clippy::all", "allow: clippy::x_y"],
    },
    "a.sql": {"select 1 -- noqa: LT01": ["noqa: LT01"], "-- noqa: disable=all": [
        "noqa: disable=all"]},
    "a.md": {
        "<!-- markdownlint-disable MD033 MD041 -->": [
            "markdownlint-disable: MD033", "markdownlint-disable: MD041"],
        "key: x <!-- gitleaks:allow -->": ["gitleaks:allow"],
    },
    "a.html": {"<!-- nosemgrep -->": ["nosemgrep"]},
    "a.ini": {"; gitleaks:allow": ["gitleaks:allow"]},
    "a.ipynb": {
        '    "import os  # noqa: F401\\n",': ["noqa: F401"],
        '    "# nosec\\n",': ["nosec"],
    },
}  # fmt: skip
CASES = [(path, line, rules) for path, lines in COMMENTS.items() for line, rules in lines.items()]


@pytest.mark.parametrize(("path", "line", "rules"), CASES)
def test_an_ignore_comment_is_found(path: str, line: str, rules: list[str]) -> None:
    assert [f.rule for f in find(path, f"first\n{line}\nlast\n")] == rules


@pytest.mark.parametrize(("path", "line", "rules"), CASES)
def test_its_region_is_what_it_names(path: str, line: str, rules: list[str]) -> None:
    for finding in find(path, f"first\n{line}\nlast\n"):
        region = finding.region
        assert region is not None
        assert (region.line, region.end_line) == (2, 2)
        assert region.column is not None
        assert region.end_column is not None
        text = line[region.column - 1 : region.end_column - 1]
        code = finding.rule.partition(": ")[2]
        assert text == code if code else text.lower().strip("@#").replace(": ", ":") == finding.rule
        assert (finding.scanner, finding.path, finding.level) == ("sarifix", path, Level.NOTE)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "s = '# noqa'"),
        ("a.py", 's = "x  # nosec B101"  # ordinary'),
        ("a.py", 'r"""use ``# noqa: X`` here"""'),
        ("a.py", "# see `# noqa` for more"),
        ("a.py", "# the noqa comments, and what type: ignore does"),
        ("a.py", "# write '# noqa: S1' to ignore it"),
        ("a.py", "re.compile(r'#\\s*noqa')"),
        ("a.py", "# disable this, skip that, ignore it, allow all"),
        ("a.py", "noqa = ignore(disable, skip)"),
        ("a.py", "# eslint-disabled, nosecurity, nolinting, semnosem"),
        ("a.ts", "const s = '// eslint-disable';"),
        ("a.ts", "const s = `// @ts-ignore`;"),
        ("a.ts", "see https://nolint.example.org"),
        ("a.ts", "/* eslint-enable */"),
        ("a.ts", "// ts-ignore without the at sign"),
        ("a.ts", "// biome-ignore-end lint/x"),
        ("a.cc", 'char *s = "// NOLINT";'),
        ("a.cc", "// NOLINTEND"),
        ("a.cc", "// nothing NOLINTED"),
        ("a.java", '@SuppressWarnings("unchecked")'),
        ("a.rs", "#[allow(dead_code)]"),
        ("a.py", 'MARKER = "skip_ansible_lint"'),
        ("a.py", "# #[allow(clippy::x)] is Rust"),
        ("a.md", "# noqa"),
        ("a.md", "    x = 1  # noqa: S602"),
        ("a.md", "write `<!-- gitleaks:allow -->`"),
        ("a.rst", "x = 1  # noqa: S602"),
        ("NOTES.TXT", "x = 1  # noqa: S602"),
        ("a.py", ""),
        ("a.py", "x // lgtm"),
    ],
)
def test_what_is_only_talk_of_one_is_not(path: str, line: str) -> None:
    assert find(path, line) == []


@pytest.mark.parametrize("marker", MARKERS, ids=[m.words[:30] for m in MARKERS])
def test_every_marker_has_a_case(marker: Marker) -> None:
    assert any(re.search(marker.words, line, re.IGNORECASE) for _, line, _ in CASES)


@pytest.mark.parametrize("needle", NEEDLES)
def test_every_needle_is_needed(needle: str) -> None:
    with_it = [line.lower() for _, line, _ in CASES if needle in line.lower()]
    assert any(not any(n in line for n in NEEDLES if n != needle) for line in with_it)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_the_comparison_counts_them(end: str) -> None:
    text = end.join(["\ufeffa  # noqa", "\u0130\u2028\x0b\x0c", "b  # noqa", ""])
    assert [f.region.line for f in find("a.py", text) if f.region] == [1, 3]


def test_the_byte_order_mark_is_no_column() -> None:
    region = find("a.py", "\ufeff# noqa\n")[0].region
    assert region == Region(1, 3, 1, 7)


def test_in_a_very_long_line_a_sign_is_enough() -> None:
    assert [f.rule for f in find("a.js", "x;" * 2_000 + "// eslint-disable")] == ["eslint-disable"]


@given(st.text("#/*'\"` \\nqosec:ignr[],S12\n\r-<!", max_size=80))
def test_any_text_is_read(text: str) -> None:
    for finding in find("a.py", text):
        assert finding.region is not None


def test_a_hundred_thousand_lines_take_a_moment() -> None:
    text = "\n".join(f"    value_{i} = compute(a, {i})  # ordinary, {i}" for i in range(100_000))
    times = []
    for _ in range(3):
        before = time.process_time()
        assert find("a.py", f"{text}\nx  # noqa\n")
        times.append(time.process_time() - before)
    assert min(times) < 1.0  # 0.1 s on an idle machine


# ---------------------------------------------------------------------------
# Which of them are new


@dataclass(frozen=True)
class Texts:
    """Files in memory."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, path: object) -> bool:
        return path in self.texts

    def oid(self, path: str) -> str | None:
        text = self.texts.get(path)
        return None if text is None else str(hash(text))

    def text(self, path: str) -> str | None:
        return self.texts.get(path)


def added(
    base: Mapping[str, str],
    head: Mapping[str, str],
    renames: Mapping[str, str] | None = None,
    agent: bool = True,
) -> list[Introduced]:
    sides = Sides(Texts(base), Texts(head), renames or {})
    return list(introduced(base, head, sides, agent=agent))


def said(found: list[Introduced]) -> list[tuple[str | None, int, str]]:
    prefix = "this change adds an ignore comment: "
    return [
        (new.finding.path, new.finding.region.line, new.finding.message.removeprefix(prefix))
        for new in found
        if new.finding.region
    ]


CODE = """\
import subprocess


def run(command):
    prepare(command)
    return subprocess.run(command, shell=True)  # noqa: S602


def other(value):
    total = compute_everything(value)
    return total
"""


def test_a_comment_that_the_change_added_is_a_finding_of_our_own() -> None:
    found = added({"a.py": CODE.replace("  # noqa: S602", "")}, {"a.py": CODE})
    column = CODE.splitlines()[5].index("S602") + 1
    assert [new.finding for new in found] == [
        Finding(
            "sarifix",
            "new-suppression",
            Level.WARNING,
            "this change adds an ignore comment: noqa: S602",
            "a.py",
            Region(6, column, 6, column + len("S602")),
        )
    ]


def test_for_a_person_it_is_a_note() -> None:
    found = added({}, {"a.py": CODE}, agent=False)
    assert [new.finding.level for new in found] == [Level.NOTE]


def test_an_old_comment_is_not_new() -> None:
    assert added({"a.py": CODE}, {"a.py": CODE.replace("prepare", "ready")}) == []


PIECES = st.lists(
    st.sampled_from(
        ["a()", "b()", "a()  # noqa", "# nosec", "# noqa: S1", "x = 'ignore'", "", "b"]
    ),
    max_size=7,
).map("\n".join)
NAMES = st.sampled_from(["a.py", "b.py", "a.txt", "a.md"])


@given(
    st.dictionaries(NAMES, PIECES, max_size=3),
    st.dictionaries(NAMES, PIECES, max_size=3),
    st.dictionaries(NAMES, NAMES, max_size=2),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
@settings(max_examples=1500)
def test_what_is_not_looked_at_is_what_the_comparison_pairs(
    base: dict[str, str], head: dict[str, str], renames: dict[str, str], end: str
) -> None:
    """Whether there is something new is not decided by what the texts have in common."""
    base, head = ({n: t.replace("\n", end) for n, t in of.items()} for of in (base, head))
    renames = {new: old for new, old in renames.items() if new in head and old in base}
    sides = Sides(Texts(base), Texts(head), renames)
    old, new = ([f for name in of for f in find(name, of[name])] for of in (base, head))
    assert bool(introduced(base, head, sides, agent=True)) == bool(
        sides.compare(old, new).introduced
    )


def test_a_comment_in_prose_that_becomes_code_is_new() -> None:
    assert said(added({"a.txt": CODE}, {"a.py": CODE}, {"a.py": "a.txt"})) == [
        ("a.py", 6, "noqa: S602")
    ]


def test_a_comment_that_moved_with_its_code_is_not_new() -> None:
    moved = CODE.replace("import subprocess\n", "import os\nimport subprocess\n\nX = 1\n")
    assert added({"a.py": CODE}, {"a.py": moved}) == []
    head, body = CODE.split("\n\n\ndef run")
    run, other = body.split("\n\n\ndef other")
    swapped = f"{head}\n\n\ndef other{other}\n\ndef run{run}\n"
    assert added({"a.py": CODE}, {"a.py": swapped}) == []


def test_a_comment_that_was_indented_is_not_new() -> None:
    indented = CODE.replace("    return subp", "    if command:\n        return subp")
    assert added({"a.py": CODE}, {"a.py": indented}) == []


def test_a_comment_in_a_renamed_file_is_not_new() -> None:
    assert added({"a.py": CODE}, {"b.py": CODE}, {"b.py": "a.py"}) == []


def test_a_comment_that_moved_to_another_file_is_not_new() -> None:
    function = CODE.partition("\n\n\n")[2].partition("\n\n\n")[0]
    rest = CODE.replace(function, "")
    assert (
        added({"a.py": CODE, "b.py": "x = 1\n"}, {"a.py": rest, "b.py": f"x = 1\n\n\n{function}\n"})
        == []
    )


def test_a_copied_comment_is_new() -> None:
    found = added({"a.py": CODE}, {"a.py": CODE, "b.py": CODE})
    assert said(found) == [("b.py", 6, "noqa: S602")]
    assert found[0].reason is not None


def test_another_rule_is_new() -> None:
    assert said(added({"a.py": CODE}, {"a.py": CODE.replace("S602", "S603")})) == [
        ("a.py", 6, "noqa: S603")
    ]


def test_of_several_rules_only_the_new_ones_are_named_in_one_finding() -> None:
    more = CODE.replace("noqa: S602", "noqa: E501, S602, S603")
    assert said(added({"a.py": CODE}, {"a.py": more})) == [("a.py", 6, "noqa: E501, S603")]


def test_fewer_rules_or_another_order_are_not_new() -> None:
    many = CODE.replace("S602", "S602, S603")
    assert added({"a.py": many}, {"a.py": CODE}) == []
    assert added({"a.py": many}, {"a.py": CODE.replace("S602", "S603, S602")}) == []


def test_another_reason_is_not_new() -> None:
    reasoned = CODE.replace("S602", "S602 -- the command is ours")
    assert added({"a.py": CODE}, {"a.py": reasoned}) == []


def test_a_blanket_comment_in_the_place_of_a_rule_is_new() -> None:
    assert said(added({"a.py": CODE}, {"a.py": CODE.replace(": S602", "")})) == [
        ("a.py", 6, "noqa")
    ]


def test_two_comments_in_a_line_are_two_findings() -> None:
    both = CODE.replace("noqa: S602", "nosec B602  # noqa: S602")
    assert said(added({"a.py": CODE}, {"a.py": both})) == [("a.py", 6, "nosec: B602")]
    assert len(added({}, {"a.py": both})) == 2


def test_a_removed_comment_is_nothing() -> None:
    assert added({"a.py": CODE}, {"a.py": CODE.replace("  # noqa: S602", "")}) == []


def test_a_file_without_a_text_has_no_comments() -> None:
    sides = Sides(Texts(), Texts(), {})
    assert introduced(["gone.py"], ["binary.py"], sides, agent=True) == ()


# ---------------------------------------------------------------------------
# SARIF suppressions


def result(line: int | None = 6, rule: str = "S602", end: int | None = None) -> Finding:
    region = None if line is None else Region(line, 1, end)
    return Finding("ruff", rule, Level.ERROR, "shell=True", "a.py", region, secret=True)


def newly(
    base: list[Finding],
    head: list[Finding],
    comments: list[Introduced] | None = None,
    agent: bool = True,
) -> list[Introduced]:
    sides = Sides(Texts({"a.py": CODE}), Texts({"a.py": CODE}), {})
    return list(suppressed(base, head, sides, agent=agent, comments=comments or []))


def test_a_finding_that_is_newly_suppressed_is_a_finding_of_our_own() -> None:
    found = newly([], [result()])
    assert [new.finding for new in found] == [
        Finding(
            "sarifix",
            "new-suppression",
            Level.WARNING,
            "this change suppresses a finding of ruff, S602: shell=True",
            "a.py",
            Region(6, 1),
            secret=True,
        )
    ]
    assert newly([], [result()], agent=False)[0].finding.level is Level.NOTE


def test_a_finding_that_was_suppressed_before_is_not_new() -> None:
    assert newly([result()], [result()]) == []
    assert newly([result()], []) == []
    assert len(newly([result()], [result(), result(rule="S603")])) == 1


def comment(line: int, name: str = "noqa: S602", path: str = "a.py") -> Introduced:
    message = f"this change adds an ignore comment: {name}"
    return Introduced(
        Finding("sarifix", "new-suppression", Level.WARNING, message, path, Region(line))
    )


@pytest.mark.parametrize(
    ("finding", "by", "left"),
    [
        (result(), comment(6), 0),
        (result(), comment(5), 0),  # the comment before the line
        (result(), comment(4), 1),
        (result(), comment(7), 1),
        (result(4, end=6), comment(6), 0),  # within the statement
        (result(), comment(6, path="b.py"), 1),
        (result(None), comment(6), 1),
        (result(), comment(1, "ruff:noqa"), 0),
        (result(None), comment(1, "mypy:ignore-errors"), 0),
        (result(), comment(1, "eslint-disable: no-eval"), 0),
        (result(), comment(1, "eslint-disable-next-line: no-eval"), 1),
        (result(), comment(1, "hadolint global ignore: DL1"), 0),
        (result(), comment(1, "pylint:skip-file"), 0),
    ],
)
def test_a_place_is_not_reported_twice(finding: Finding, by: Introduced, left: int) -> None:
    assert len(newly([], [finding], [by])) == left

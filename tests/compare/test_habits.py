"""Habits of scanners: messages, regions and fingerprints that change for no reason."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

from sarifix.model import Finding, Region, Tier
from tests.compare.toy import compare_findings, compare_trees, finding, introduced, scan

Tree = Mapping[str, str]

BASE = {
    "src/a.py": "def one(text):\n    return eval(text)\n\n\n"
    "def two(data):\n    return run(data, shell=True)\n",
    "src/b.py": "def three(name):\n    value = eval(name)\n    return value\n",
}
MOVED = {path: f"import os\n\nLIMIT = 3\n{text}" for path, text in BASE.items()}
MOVED_AND_ONE = {**MOVED, "src/b.py": MOVED["src/b.py"] + "\nother = eval(LIMIT)\n"}


def at(found: Finding) -> Region:
    assert found.region
    return found.region


MESSAGES: dict[str, Callable[[Finding, int], str]] = {
    "line number": lambda f, _: f"eval used at line {at(f).line}",
    "line and column": lambda f, _: f"{f.path}:{at(f).line}:{at(f).column}: eval used",
    "path": lambda f, _: f"eval used in {f.path}",
    "base name": lambda f, _: f"eval used in {(f.path or '').rpartition('/')[2]}",
    "hash": lambda f, n: f"eval used (id {n * 7919:040x}a1)",
    "uuid": lambda f, n: f"eval used (123e4567-e89b-12d3-a456-{n:012x})",
    "time": lambda f, n: f"eval used, seen 2026-01-{n % 28 + 1:02d}T10:00:00Z",
    "counter": lambda f, n: f"finding {n} of 17: eval used",
    "another line": lambda f, _: f"eval used; first seen on line {at(f).line - 1}",
}

FINGERPRINTS: dict[str, Callable[[int, int], str]] = {
    "constant": lambda n, run: "requires login",
    "empty": lambda n, run: "",
    "of the run": lambda n, run: f"{run}-{n}",
    "colliding": lambda n, run: f"{n % 2}",
    "a counter": lambda n, run: f"abc_{n}",
    "shifted": lambda n, run: f"{n + run}",
}


@pytest.mark.parametrize("habit", MESSAGES)
def test_messages_that_change_make_nothing_new(habit: str) -> None:
    numbers = iter(range(1, 100))

    def scanner(tree: Tree) -> list[Finding]:
        return [f._replace(message=MESSAGES[habit](f, next(numbers))) for f in scan(tree)]

    assert introduced(compare_trees(BASE, MOVED, scanner=scanner)) == []
    assert introduced(compare_trees(BASE, MOVED_AND_ONE, scanner=scanner)) == ["eval src/b.py:8"]


@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize("habit", FINGERPRINTS)
def test_fingerprints_that_mean_nothing_change_nothing(habit: str, columns: bool) -> None:
    runs = iter((1, 2, 3, 4))

    def scanner(tree: Tree) -> list[Finding]:
        run = next(runs)
        return [
            f._replace(
                fingerprints=(("toy/v1", FINGERPRINTS[habit](n, run)),),
                region=f.region if columns or f.region is None else Region(f.region.line),
            )
            for n, f in enumerate(scan(tree))
        ]

    assert introduced(compare_trees(BASE, MOVED, scanner=scanner)) == []
    assert introduced(compare_trees(BASE, MOVED_AND_ONE, scanner=scanner)) == ["eval src/b.py:8"]


REGIONS: dict[str, Callable[[Region], Region]] = {
    "line only": lambda r: Region(r.line),
    "column only": lambda r: Region(r.line, r.column),
    "columns 1 to 1": lambda r: Region(r.line, 1, r.line, 1),
    "column 0": lambda r: Region(r.line, 0),
    "one column too far": lambda r: Region(r.line, (r.column or 0) + 1, r.line, r.end_column),
    "end before start": lambda r: Region(r.line, r.column, max(1, r.line - 1), 1),
    "end column before start": lambda r: Region(r.line, 9, r.line, 3),
    "past the end of the line": lambda r: Region(r.line, 500, r.line, 900),
    "past the end of the file": lambda r: Region(r.line, r.column, 5000, 1),
    "whole lines": lambda r: Region(r.line, None, r.line + 1),
    "into the next line": lambda r: Region(r.line, r.column, r.line + 1, 4),
}


@pytest.mark.parametrize("habit", REGIONS)
def test_odd_regions(habit: str) -> None:
    def scanner(tree: Tree) -> list[Finding]:
        return [f._replace(region=REGIONS[habit](f.region)) for f in scan(tree) if f.region]

    assert introduced(compare_trees(BASE, MOVED, scanner=scanner)) == []
    assert introduced(compare_trees(BASE, MOVED_AND_ONE, scanner=scanner)) == ["eval src/b.py:8"]


def test_lines_past_the_end_of_the_file() -> None:
    text = {"a.py": "x = 1\ny = 2"}
    past = [finding("eof", "a.py", Region(7, 1, 7, 1))]
    result = compare_findings(past, past, text, {"a.py": "x = 1\ny = 3\nz = 4"})
    assert [pair.tier for pair in result.unchanged] == [Tier.FILE]


def test_repeated_results_are_counted() -> None:
    once = scan(BASE)
    result = compare_findings(once, once * 2, BASE, BASE)
    assert len(result.introduced) == len(once)
    assert compare_findings(once * 2, once * 2, BASE, BASE).introduced == ()
    assert len(compare_findings(once * 2, once, BASE, BASE).fixed) == len(once)


def test_scanners_do_not_pay_for_each_other() -> None:
    base = scan(BASE)
    head = [f._replace(scanner="other") for f in base]
    result = compare_findings(base, head, BASE, BASE)
    assert len(result.introduced) == len(result.fixed) == len(base)


def test_the_order_of_results_does_not_matter() -> None:
    base, head = scan(BASE) * 2, scan(MOVED_AND_ONE) * 2
    expected = compare_findings(base, head, BASE, MOVED_AND_ONE)
    for seed in range(5):
        random.Random(seed).shuffle(base)
        random.Random(seed + 1).shuffle(head)
        assert compare_findings(base, head, BASE, MOVED_AND_ONE) == expected


# Findings of a file as a whole


def whole(rule: str, path: str | None, message: str) -> Finding:
    return finding(rule, path, None, message)


def test_results_without_a_region() -> None:
    base = [
        whole("no-user", "Dockerfile", "no USER in Dockerfile"),
        whole("size", "a.py", "12 lines"),
    ]
    head = [
        whole("no-user", "b/Dockerfile", "no USER in b/Dockerfile"),
        whole("size", "a.py", "15 lines"),
    ]
    texts = (
        {"Dockerfile": "FROM x\n", "a.py": "x = 1\n"},
        {"b/Dockerfile": "FROM y\n", "a.py": "y = 2\n"},
    )
    result = compare_findings(base, head, *texts, {"b/Dockerfile": "Dockerfile"})
    assert [pair.tier for pair in result.unchanged] == [Tier.FILE, Tier.FILE]
    result = compare_findings(base, head, *texts)
    assert introduced(result) == ["no-user b/Dockerfile:-"]


def test_near_equal_files_each_have_their_own() -> None:
    texts = {f"{n}/Dockerfile": f"FROM python:3.{n}\nCMD run\n" for n in range(20)}
    base = [
        finding("no-user", path, Region(1, 1, 1, 1)) for path in texts if path != "7/Dockerfile"
    ]
    fixed = {**texts, "3/Dockerfile": "FROM python:3.3\nUSER me\nCMD run\n"}
    head = [
        finding("no-user", path, Region(1, 1, 1, 1)) for path in texts if path != "3/Dockerfile"
    ]
    result = compare_findings(base, head, texts, fixed)
    assert introduced(result) == ["no-user 7/Dockerfile:1"]
    assert [f.path for f in result.fixed] == ["3/Dockerfile"]


def test_a_file_that_grows_past_a_limit() -> None:
    short, long = {"a.py": "x = 1\n" * 9}, {"a.py": "x = 1\n" * 1200}
    longer = {"a.py": "import os\n" + "x = 1\n" * 1300}

    def too_long(count: int) -> list[Finding]:
        return [finding("too-long", "a.py", Region(1), f"{count} lines of 1000")]

    result = compare_findings([], too_long(1200), short, long)
    assert [new.reason for new in result.introduced] == [
        "on an unchanged line; a change elsewhere caused it"
    ]
    assert introduced(compare_findings(too_long(1200), too_long(1301), long, longer)) == []


def test_the_end_of_a_file() -> None:
    base, head = {"a.py": "x = 1\ny = 2"}, {"a.py": "x = 1\ny = 2\nz = 3"}
    result = compare_findings(
        [finding("no-newline", "a.py", Region(2, 6, 2, 6))],
        [finding("no-newline", "a.py", Region(3, 6, 3, 6))],
        base,
        head,
    )
    assert introduced(result) == []


def test_another_header_is_not_the_same_finding() -> None:
    """The first line is a line like any other where it says something."""
    base, head = {"a.py": "import pickle\n"}, {"a.py": "from xml import sax\n"}
    result = compare_findings(
        [finding("unsafe-import", "a.py", Region(1, 8, 1, 14))],
        [finding("unsafe-import", "a.py", Region(1, 17, 1, 20))],
        base,
        head,
    )
    assert introduced(result) == ["unsafe-import a.py:1"]


# Nothing to go by


def test_fewer_results_without_a_location() -> None:
    three = [whole("project", None, f"{n} packages have no license") for n in (3, 4, 5)]
    one = [whole("project", None, "4 packages have no license")]
    assert [pair.base for pair in compare_findings(three, one, {}, {}).unchanged] == one
    seven = [whole("project", None, "7 packages have no license")]
    assert len(compare_findings(three, seven, {}, {}).fixed) == 2


def test_results_without_a_location() -> None:
    base = [
        whole("project", None, "no license in 3 packages"),
        whole("project", None, "no lock file"),
    ]
    head = [whole("project", None, "no license in 4 packages"), whole("project", None, "no readme")]
    result = compare_findings(base, head, {}, {})
    assert [pair.tier for pair in result.unchanged] == [Tier.MESSAGE]
    assert [new.finding.message for new in result.introduced] == ["no readme"]


def test_binary_files() -> None:
    binary: dict[str, str | None] = {"lib.jar": None}
    base = [finding("vulnerable", "lib.jar", Region(1), "CVE-2020-1 in lib 1.0")]
    head = [
        finding("vulnerable", "lib.jar", Region(1), "CVE-2020-1 in lib 1.1"),
        finding("vulnerable", "lib.jar", Region(1), "CVE-2020-2 in lib 1.1"),
    ]
    changed = compare_findings(base, head, {**binary, "x": "1"}, {"lib.jar": "now text\n"})
    assert [new.finding.message for new in changed.introduced] == ["CVE-2020-2 in lib 1.1"]
    assert len(compare_findings(base, head, binary, binary).introduced) == 1


def test_paths_outside_the_tree() -> None:
    outside = finding("eval", "/etc/x.py", Region(3, 1, 3, 4))._replace(in_tree=False)
    other = outside._replace(message="something else")
    result = compare_findings([outside], [outside, other], {}, {})
    assert [new.finding for new in result.introduced] == [other]


# Dependencies


LOCK = {"requirements.txt": "flask==1.0\nrequests==2.0.1\nurllib3==1.2\n"}


def advisory(line: int, name: str, message: str, rule: str = "vulnerable") -> Finding:
    return finding(rule, "requirements.txt", Region(line), f"{name}: {message}")


@pytest.mark.parametrize("rule", ["vulnerable", "CVE-2020-1"])
def test_an_advisory_that_stays_through_a_version_bump(rule: str) -> None:
    bumped = {"requirements.txt": "flask==1.0\nrequests==2.1.0rc1\nurllib3==1.2\n"}
    result = compare_findings(
        [advisory(2, "CVE-2020-1", "requests 2.0.1, fixed in 3.0", rule)],
        [advisory(2, "CVE-2020-1", "requests 2.1.0rc1, fixed in 3.0", rule)],
        LOCK,
        bumped,
    )
    assert [pair.tier for pair in result.unchanged] == [Tier.EDITED]


@pytest.mark.parametrize(
    "name", ["CVE-2021-7", "GHSA-ab12-cd34-ef56", "RUSTSEC-2021-0001", "PYSEC-2021-5"]
)
@pytest.mark.parametrize("version", ["2.0.1", "2.1.0"])
def test_one_advisory_fixed_and_another_added(name: str, version: str) -> None:
    head = {"requirements.txt": LOCK["requirements.txt"].replace("2.0.1", version)}
    result = compare_findings(
        [advisory(2, "CVE-2020-1", "requests is vulnerable")],
        [advisory(2, name, "requests is vulnerable")],
        LOCK,
        head,
    )
    assert introduced(result) == ["vulnerable requirements.txt:2"]


def test_a_lock_file_sorted_anew() -> None:
    lines = [f"package-{n}=={n}.0" for n in range(30)]
    found = [advisory(n + 1, f"CVE-2020-{n}", "vulnerable") for n in range(30)]
    head = [advisory(30 - n, f"CVE-2020-{n}", "vulnerable") for n in range(30)]
    base_text, head_text = "\n".join(lines), "\n".join(reversed(lines))
    result = compare_findings(
        found, head, {"requirements.txt": base_text}, {"requirements.txt": head_text}
    )
    assert introduced(result) == []


# Causes elsewhere


def test_on_an_unchanged_line_of_a_changed_file() -> None:
    base = {"a.py": "import os\nprint(os.name)\n"}
    head = {"a.py": "import os\n"}
    result = compare_findings([], [finding("unused", "a.py", Region(1, 8, 1, 10))], base, head)
    assert [new.reason for new in result.introduced] == [
        "on an unchanged line; a change elsewhere caused it"
    ]


def test_in_an_unchanged_file() -> None:
    base = {"a.py": "import b\nb.gone()\n", "b.py": "def gone(): ...\n"}
    head = {"a.py": base["a.py"], "b.py": ""}
    result = compare_findings([], [finding("unknown", "a.py", Region(2, 3, 2, 7))], base, head)
    assert introduced(result) == ["unknown a.py:2"]
    assert [new.reason for new in result.introduced] == [
        "on an unchanged line; a change elsewhere caused it"
    ]


def test_one_more_of_the_rule_on_an_unchanged_line() -> None:
    text = {"a.py": "import os, sys\n"}
    base = [finding("unused", "a.py", Region(1, 8, 1, 10), "os is unused")]
    head = [*base, finding("unused", "a.py", Region(1, 12, 1, 15), "sys is unused")]
    result = compare_findings(base, head, text, text)
    assert [new.finding.message for new in result.introduced] == ["sys is unused"]


def test_another_finding_on_the_same_line_is_not_the_same() -> None:
    text = {"a.py": "one, other = 1, 2\n"}
    result = compare_findings(
        [finding("unused", "a.py", Region(1, 1, 1, 4), "`one` is never used")],
        [finding("unused", "a.py", Region(1, 6, 1, 11), "`other` is never used")],
        text,
        text,
    )
    assert introduced(result) == ["unused a.py:1"]


# Reasons


def test_a_copy_names_its_original() -> None:
    base = {"lib.py": "import os\n\n\ndef f(x):\n    return eval(x)\n"}
    head = {**base, "copy.py": "def f(x):\n    return eval(x)\n"}
    result = compare_trees(base, head)
    assert [new.reason for new in result.introduced] == ["copy of lib.py:5, which still stands"]


def test_a_reason_never_shows_a_secret() -> None:
    base = {"a.py": 'password = "correct horse"\n'}
    head = {"a.py": 'password = "battery staple"\n'}
    result = compare_trees(base, head)
    assert [new.reason for new in result.introduced] == [
        "another secret than the one that stood there"
    ]


def test_fingerprints_never_pair_secrets_nor_other_scanners() -> None:
    lines = [f"value_{n} = eval(text_{n})" for n in range(4)]
    base, head = "\n".join(lines), "\n".join(["import os", *lines[:3], "completely = different()"])

    def found(offset: int, **last: object) -> list[Finding]:
        every = [
            finding("eval", "a.py", Region(n + offset), "eval", (("toy/v2", str(n)),))
            for n in range(1, 5)
        ]
        return [*every[:3], every[3]._replace(**last)]  # type: ignore[arg-type]

    trees = {"a.py": base}, {"a.py": head}
    secret = compare_findings(found(0, secret=True), found(1, secret=True), *trees)
    other = compare_findings(found(0, scanner="other"), found(1, scanner="other"), *trees)
    assert introduced(secret) == introduced(other) == ["eval a.py:5"]


# Fingerprints, where they are good


def test_good_fingerprints_rescue_what_content_cannot_tell() -> None:
    """Three moved findings prove them; the fourth was rewritten beyond recognition."""
    lines = [f"value_{n} = eval(text_{n})" for n in range(4)]
    base = {"a.py": "\n".join(lines)}
    head = {"a.py": "\n".join(["import os", *lines[:3], "completely = different(eval)"])}

    def found(offset: int, fingerprints: list[str]) -> list[Finding]:
        return [
            finding("eval", "a.py", Region(n + offset), "eval", (("toy/v2", value),))
            for n, value in enumerate(fingerprints, 1)
        ]

    result = compare_findings(
        found(0, ["a", "b", "c", "d"]), found(1, ["a", "b", "c", "d"]), base, head
    )
    assert result.unchanged[-1].tier is Tier.FINGERPRINT
    result = compare_findings(
        found(0, ["a", "b", "c", "d"]), found(1, ["a", "x", "c", "d"]), base, head
    )
    assert introduced(result) == ["eval a.py:5"]

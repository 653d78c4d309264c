"""gitignore patterns: the fast forms mean what pathspec and git say they mean."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from sarifix.patterns import Patterns, problem
from tests.support.repo import Repo

NAMES = st.sampled_from(
    ["a", "b", "a.py", "b.py", "a.pyc", "x y", "Dockerfile", ".py", "py", "aa", "ab"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
SIMPLE = st.sampled_from(
    ["*", "*.py", "a", "a.py", "Dockerfile", "x y", "a/", "*.py/", "/a", "/a/", "a/b", "/a/b",
     "a/b/", "a/**", "a/*", "/a/**", "a/b/**", "a*", "a*.py", "a*b", "**/a", "**/*.py", "**/a/",
     "*a/", ".py"]
)  # fmt: skip
COMPLEX = st.sampled_from(
    ["a/*.py", "a/**/b", "**/a/b", "?", "[ab]", "a?", "*.p*", "\\a", "**", "a/*/b", "*/b", "/*.py",
     "a/?/", "*.py[co]", "x\\ y", "a ", "**/a/*", "/**/a", "a//b", "*a*"]
)  # fmt: skip
NEGATED = st.sampled_from(["!a", "!a.py", "!*.py", "!/a/b", "!a/*.py", "!b/"])


def by_pathspec(patterns: tuple[str, ...], path: str) -> bool:
    return GitIgnoreSpec.from_lines(list(patterns)).match_file(path)


@given(st.lists(st.one_of(SIMPLE, COMPLEX), min_size=1, max_size=4).map(tuple), PATHS)
def test_says_what_pathspec_says(patterns: tuple[str, ...], path: str) -> None:
    assert Patterns(patterns).matches(path) == by_pathspec(patterns, path)


@given(st.lists(SIMPLE, max_size=3).map(tuple), st.lists(PATHS, max_size=6))
def test_many_paths_are_filtered_as_each_one(patterns: tuple[str, ...], paths: list[str]) -> None:
    """Where no directory can match, by their ends alone; where one can, in another way."""
    matched = [path for path in paths if patterns and by_pathspec(patterns, path)]
    assert Patterns(patterns).filter(paths) == matched


@given(st.lists(st.one_of(SIMPLE, COMPLEX, NEGATED), min_size=1, max_size=5).map(tuple), PATHS)
def test_negation_counts_in_the_order_of_the_patterns(patterns: tuple[str, ...], path: str) -> None:
    assert Patterns(patterns).matches(path) == by_pathspec(patterns, path)


@given(st.text("ab.*/ ?[]!#\\", min_size=1, max_size=6), PATHS)
def test_any_readable_pattern_says_what_pathspec_says(pattern: str, path: str) -> None:
    if problem(pattern) is None:
        assert Patterns((pattern,)).matches(path) == by_pathspec((pattern,), path)


TREE = [
    "a", "Dockerfile", "x.py", "src/a", "src/x.py", "src/x.pyc", "src/vendor/x.js", "vendor/x.js",
    "vendor/lib/y.js", "pkg.py/data", "tests/fixtures/one.tf", "tests/fixtures/deep/two.tf",
    "tests/one.tf", ".github/workflows/ci.yml", "requirements.txt", "requirements-dev.txt",
    "src/requirements.txt", "requirements.d/x", "my file", "docs/[a].md", "docs/a.md",
]  # fmt: skip


@pytest.mark.parametrize(
    "patterns",
    [
        "*", "*.py", "a", "src/a", "/a", "vendor/", "/vendor/", "src/vendor", "tests/fixtures/**",
        "tests/*", "tests/*.tf", "**/fixtures", "requirements*.txt", "/requirements*", "*.py/",
        "src/*", "src/**/x.js", "[ad]*", "?", ".github/", ".github/workflows/*.yml", "my file",
        "docs/\\[a\\].md", "docs/[a].md", "*.js|!vendor/lib/y.js", "*.tf|!one.tf|/tests/one.tf",
        "!a|a",
    ],
)  # fmt: skip
def test_says_what_git_says(patterns: str, make_repo: Callable[..., Repo]) -> None:
    repo = make_repo(dict.fromkeys(TREE, ""))
    rules = tuple(patterns.split("|"))
    excludes = repo.path / ".git" / "excludes"
    excludes.write_text("\n".join(rules), encoding="utf-8")
    ignored = repo.git(
        "-c", f"core.excludesFile={excludes}", "ls-files", "-z", "-i", "-c", "--exclude-standard"
    )
    assert Patterns(rules).filter(sorted(TREE)) == sorted(ignored.split("\0")[:-1])


def test_unlike_in_git_a_file_below_a_matched_directory_can_be_taken_back() -> None:
    assert Patterns(("vendor/", "!vendor/ours.js")).filter(["vendor/x.js", "vendor/ours.js"]) == [
        "vendor/x.js"
    ]
    assert Patterns(("*", "!*.py")).filter(["src/a.py", "src/a.js"]) == ["src/a.js"]


ODD = [
    os.fsdecode(b"dir\xff/caf\xe9.py"),
    "line\nbreak/x.py",
    "x.py\n",
    "caf\u00e9.py",
    "\U0001f600.py",
]


@pytest.mark.parametrize("path", ODD)
@pytest.mark.parametrize("patterns", [("*.py",), ("*.p[y]",), ("*", "!*.js"), ("**/*.p?",)])
def test_paths_may_hold_any_byte(path: str, patterns: tuple[str, ...]) -> None:
    # A line break at the end is a part of the name: "x.py\n" does not end in ".py".
    assert Patterns(patterns).matches(path) is (not path.endswith("\n") or "*" in patterns)


def test_a_pattern_may_hold_any_byte() -> None:
    name = os.fsdecode(b"\xff?")
    assert Patterns((name,)).matches(os.fsdecode(b"\xffx"))
    assert not Patterns((name,)).matches(os.fsdecode(b"\xfex"))


def test_filter_keeps_the_order_and_any_stops_at_the_first() -> None:
    patterns = Patterns(("*.py", "/docs/"))
    assert patterns.filter(["z.py", "b.js", "docs/x", "a.py"]) == ["z.py", "docs/x", "a.py"]
    assert patterns.any(["b.js", "a.py"])
    assert not patterns.any(["b.js"])
    assert not patterns.any([])


def test_no_pattern_matches_nothing() -> None:
    assert Patterns(()).filter(["a", "b/c"]) == []


def test_many_paths_take_a_moment() -> None:
    paths = [f"src/a{i % 50}/b{i % 1_000}/file{i}.{i % 9}" for i in range(50_000)]
    usual = Patterns((*(f"*.{i}" for i in range(3, 13)), "Dockerfile*", "a/", "/b", "c/**", "d"))
    times = []
    for _ in range(3):
        before = time.process_time()
        found = usual.filter(paths)
        times.append(time.process_time() - before)
        assert len(found) == sum(path[-1] in "345678" for path in paths)
    assert min(times) < 2  # 0.02 s on an idle machine


def test_a_deep_path_is_no_recursion() -> None:
    assert not Patterns(("*.py", "vendor/")).matches("d/" * 5_000 + "x.js")
    assert Patterns(("vendor/",)).matches("d/" * 5_000 + "vendor/x.js")


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("# x", "comment"),
        (" #x", "comment"),
        ("!", "matches nothing"),
        ("/", "matches nothing"),
        ("a\nb*", "more than one line"),
        ("a\0?", "more than one line"),
        ("\\", "cannot be read"),
        ("[[:alpha:]]", "cannot be read"),
        ("[/]", "never closed"),
        ("/ ", "matches nothing"),
        ("a[", "never closed"),
        ("a[]", "never closed"),
        ("\\\\[!]x", "never closed"),
    ],
)
def test_what_is_wrong_with_a_pattern(pattern: str, said: str) -> None:
    assert said in str(problem(pattern))


@pytest.mark.parametrize(
    "pattern", ["*", "*.py", "/a/b", "a/", "!a", "\\#x", "\\[x", "[]]?", "[ab]?", "**/x/*"]
)
def test_nothing_is_wrong_with_a_pattern(pattern: str) -> None:
    assert problem(pattern) is None


@pytest.mark.parametrize(
    ("patterns", "loaded"), [(("*.py", "a/", "/b/c", "d/**"), False), (("a/*.py",), True)]
)
def test_pathspec_is_imported_for_complex_patterns_alone(
    patterns: tuple[str, ...], loaded: bool
) -> None:
    program = (
        "import sys; from sarifix.patterns import Patterns, problem;"
        f"[problem(p) for p in {patterns}]; Patterns({patterns}).matches('x');"
        "print('pathspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == str(loaded)

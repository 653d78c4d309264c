"""Six forms of URI, and which file of the snapshot each stands for."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from sarifix.sarif import Context, read
from sarifix.uris import Roots
from tests.support.sarif import document, location, read_document, result, run

ROOT = "/scratch/a b/head"
LINK = "/private/scratch/a b/head"
ODD = "a%20b.py", "c#d.py", "q?r.py", "s t.py", "e+f.py", "g:h.py", "[id].py", "ü.py", 'new"q.py'


def place(
    uri: Any, files: tuple[str, ...], bases: Any = None, artifacts: Any = None, **artifact: Any
) -> tuple[str | None, bool]:
    """Read one result at ``uri``; return its path and whether the tree has it."""
    fields = {"originalUriBaseIds": bases, "artifacts": artifacts}
    made = document(run(result(locations=[location(uri, 3, **artifact)]), **fields))
    (finding,) = read_document(made, files, (ROOT, LINK)).findings
    return finding.path, finding.in_tree


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        pytest.param("file:///scratch/a%20b/head/my%20dir/%C3%BC.py", "my dir/ü.py", id="encoded"),
        pytest.param("file:///private/scratch/a%20b/head/app.py", "app.py", id="link form"),
        pytest.param("file:///scratch/a b/head/app.py", "app.py", id="file, not encoded"),
        pytest.param("FILE:///scratch/a%20b/head/app.py", "app.py", id="scheme in capitals"),
        pytest.param("file:/scratch/a%20b/head/app.py", "app.py", id="one slash"),
        pytest.param("file://host/scratch/a%20b/head/app.py", "app.py", id="with a host"),
        pytest.param("file://localhost/scratch/a%20b/head/app.py", "app.py", id="localhost"),
        pytest.param("file://src/x.py", "src/x.py", id="relative behind file://"),
        pytest.param("file:src/x.py", "src/x.py", id="relative behind file:"),
        pytest.param("/scratch/a b/head/my dir/ü.py", "my dir/ü.py", id="bare absolute"),
        pytest.param("//scratch//a b/head/app.py", "app.py", id="doubled slashes"),
        pytest.param("/scratch/a%20b/head/app.py", "app.py", id="bare absolute, encoded"),
        pytest.param("/scratch/a b/head/../head/app.py", "app.py", id="out and in again"),
        pytest.param("my%20dir/%C3%BC.py", "my dir/ü.py", id="relative, encoded"),
        pytest.param("my dir/ü.py", "my dir/ü.py", id="relative, raw"),
        pytest.param("./app.py", "app.py", id="dot slash"),
        pytest.param("src/../app.py", "app.py", id="dot dot"),
        pytest.param("src\\x.py", "src/x.py", id="backslash"),
        pytest.param(".\\src\\x.py", "src/x.py", id="dot backslash"),
        pytest.param("src%5Cx.py", "src/x.py", id="encoded backslash"),
        pytest.param("link/x.py", "link/x.py", id="through a link"),
        pytest.param("caf%E9.py", "caf\udce9.py", id="a byte that is not UTF-8"),
        pytest.param("caf\udce9.py", "caf\udce9.py", id="the same, raw"),
    ],
)
def test_a_file_of_the_tree(uri: str, path: str) -> None:
    files = ("app.py", "src/x.py", "my dir/ü.py", "link/x.py", "caf\udce9.py")
    assert place(uri, files) == (path, True)


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_raw(name: str) -> None:
    """semgrep, opengrep, gitleaks, hadolint, oxlint and biome write names as they are."""
    assert place(name, ODD) == (name, True)
    assert place(f"{ROOT}/{name}", ODD) == (name, True)


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_encoded(name: str) -> None:
    """ruff, eslint, bandit, checkov and ast-grep encode, the first two behind ``file://``."""
    assert place(quote(name), ODD) == (name, True)
    assert place(f"file://{quote(ROOT)}/{quote(name, safe='+:[]/')}", ODD) == (name, True)


def test_the_raw_text_comes_first_but_not_behind_file() -> None:
    files = ("a b.py", "a%20b.py")
    assert place("a%20b.py", files) == ("a%20b.py", True)
    assert place(f"file://{ROOT}/a%20b.py", files) == ("a b.py", True)
    assert place(f"file://{ROOT}/a%2520b.py", files) == ("a%20b.py", True)


def test_a_name_with_a_backslash_comes_before_a_separator() -> None:
    assert place("src\\x.py", ("src/x.py", "src\\x.py")) == ("src\\x.py", True)


@pytest.mark.parametrize(
    "uri",
    [
        "C:/code/head/src/x.py",
        "file:///C:/code/head/src/x.py",
        "C:\\code\\head\\src\\x.py",
        "file://C:/code/head/src/x.py",
    ],
)
def test_a_windows_drive_is_no_scheme(uri: str) -> None:
    made = document(run(result(uri)))
    (finding,) = read_document(made, ("src/x.py",), ("C:\\code\\head",)).findings
    assert (finding.path, finding.in_tree) == ("src/x.py", True)


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.py",
        "src/../../secret.py",
        "%2e%2e/secret.py",
        "/etc/passwd",
        "//etc/passwd",
        "file:///etc/passwd",
        "file://localhost/etc/passwd",
        "file:///dev/zero",
        "file:///scratch/a%20b/head/../../secret.py",
        "/scratch/a b/head2/app.py",
        "https://example.com/app.py",
        "C:/Users/me/app.py",
        "file:",
        "file://",
    ],
)
def test_outside_the_tree_it_is_shown_as_it_came_and_never_looked_up(uri: str) -> None:
    files = ("app.py", "secret.py", "etc/passwd", "dev/zero", "head2/app.py")
    assert place(uri, files) == (uri, False)


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("nope.py", "nope.py"),
        ("./nope.py", "nope.py"),
        ("file:///scratch/a%20b/head/no%20pe.py", "no pe.py"),
        ("/private/scratch/a b/head/nope.py", "nope.py"),
        ("a\0b", "a\0b"),
        ("src", "src"),
        ("src/", "src"),
        (".", "."),
        ("./", "."),
        ("file:///scratch/a%20b/head", "."),
        ("file:///scratch/a%20b/head/", "."),
        ("git::https:/host/x.tf", "git::https:/host/x.tf"),
        ("\ud800.py", "\ud800.py"),
    ],
)
def test_what_the_tree_has_not_is_shown_relative_to_it(uri: str, shown: str) -> None:
    assert place(uri, ("app.py", "src/x.py", ".")) == (shown, False)


def test_only_sound_relative_paths_are_looked_up() -> None:
    asked: list[str] = []
    uris = ["../x", "/etc/passwd", "a\0b", ".", "src/../../x", "ok.py", "C:/x", "%2e%2e%2fx", ""]
    made = json.dumps(document(run(*(result(uri) for uri in uris)))).encode()

    def exists(path: str) -> bool:
        asked.append(path)
        return False

    read(made, Context("tool", exists, roots=(ROOT,)))
    assert "ok.py" in asked
    for path in asked:
        assert not path.startswith(("/", "../"))
        assert "\0" not in path
        assert path not in {".", ".."}


@pytest.mark.parametrize(
    ("bases", "uri", "path"),
    [
        pytest.param(None, "app.py", "app.py", id="undeclared"),
        pytest.param({"B": {}}, "app.py", "app.py", id="without a uri"),
        pytest.param({"B": {"description": {"text": "x"}}}, "src/x.py", "src/x.py", id="described"),
        pytest.param({"B": "src/"}, "app.py", "app.py", id="no object"),
        pytest.param({"B": {"uri": 5}}, "app.py", "app.py", id="no string"),
        pytest.param({"B": {"uri": "file:///scratch/a%20b/head/"}}, "app.py", "app.py", id="root"),
        pytest.param(
            {"B": {"uri": "file:///scratch/a%20b/head/src/"}}, "x.py", "src/x.py", id="below"
        ),
        pytest.param(
            {"B": {"uri": "file:///scratch/a%20b/head/src"}}, "x.py", "src/x.py", id="no slash"
        ),
        pytest.param(
            {"B": {"uri": "file:///scratch/a%20b/head/src/"}}, "app.py", "src/app.py", id="both"
        ),
        pytest.param(
            {"B": {"uri": "file:///scratch/a%20b/head/src/"}}, "../app.py", "app.py", id="up"
        ),
        pytest.param(
            {"B": {"uri": "file:///scratch/a%20b/head/src/"}}, "src/y.py", "src/y.py", id="ignored"
        ),
        pytest.param({"B": {"uri": "file:///"}}, "app.py", "app.py", id="trivy in a repository"),
        pytest.param({"B": {"uri": "file:///other/place/"}}, "app.py", "app.py", id="elsewhere"),
        pytest.param(
            {"B": {"uri": "https://example.com/repo/"}}, "app.py", "app.py", id="on the web"
        ),
        pytest.param({"B": {"uri": "src/"}}, "x.py", "src/x.py", id="relative"),
        pytest.param({"B": {"uri": "my%20dir/"}}, "z.py", "my dir/z.py", id="relative, encoded"),
        pytest.param(
            {"B": {"uri": "src/", "uriBaseId": "R"}, "R": {"uri": f"file://{ROOT}/"}},
            "x.py",
            "src/x.py",
            id="nested",
        ),
        pytest.param(
            {"B": {"uriBaseId": "R"}, "R": {"uri": "src/"}}, "x.py", "src/x.py", id="passed on"
        ),
        pytest.param({"B": {"uri": "src/", "uriBaseId": "B"}}, "x.py", "src/x.py", id="of itself"),
        pytest.param(
            {"B": {"uriBaseId": "C"}, "C": {"uriBaseId": "B"}}, "app.py", "app.py", id="cyclic"
        ),
        pytest.param(
            {"B": {"uri": f"file://{ROOT}/src/y.py/"}}, "y.py", "src/y.py", id="trivy's target"
        ),
        pytest.param(
            {"B": {"uri": f"file://{ROOT}/src/y.py/"}}, "app.py", "src/app.py", id="beside it"
        ),
        pytest.param(
            {"B": {"uri": "file:///scratch/a%20b/head/src/"}},
            f"file://{ROOT}/app.py",
            "app.py",
            id="absolute needs no base",
        ),
    ],
)
def test_a_base(bases: Any, uri: str, path: str) -> None:
    files = ("app.py", "src/app.py", "src/x.py", "src/y.py", "my dir/z.py")
    assert place(uri, files, bases, uriBaseId="B") == (path, True)


def test_below_a_base_what_is_missing_is_shown_below_it() -> None:
    bases = {"B": {"uri": f"file://{ROOT}/src/"}, "O": {"uri": "file:///other/"}}
    assert place("no.py", (), bases, uriBaseId="B") == ("src/no.py", False)
    assert place("no.py", (), bases, uriBaseId="O") == ("no.py", False)
    assert place("no.py", (), bases, uriBaseId=["B"]) == ("no.py", False)


def test_a_long_chain_of_bases_ends() -> None:
    chain = {str(i): {"uri": "d/", "uriBaseId": str(i + 1)} for i in range(100_000)}
    path, in_tree = place("x.py", (), chain, uriBaseId="0")
    assert not in_tree
    assert path is not None
    assert path.endswith("d/x.py")


ARTIFACTS = [{"location": {"uri": "app.py"}}, {"location": "x"}, "x", {}]


@pytest.mark.parametrize(
    ("index", "expected"),
    [(0, ("app.py", True)), *[(i, (None, True)) for i in (1, 2, 3, 4, -1, "0", None, True)]],
)
@pytest.mark.parametrize("uri", [None, ""])
def test_an_index_into_the_artifacts(index: Any, uri: Any, expected: Any) -> None:
    assert place(uri, ("app.py",), artifacts=ARTIFACTS, index=index) == expected


def test_the_uri_counts_before_the_index() -> None:
    assert place("x.py", ("app.py", "x.py"), artifacts=ARTIFACTS, index=0) == ("x.py", True)


@pytest.mark.parametrize("bases", ["x", [], 5, {"B": None}])
def test_bases_of_a_wrong_type_are_none(bases: Any) -> None:
    assert place("app.py", ("app.py",), bases, "x", uriBaseId="B") == ("app.py", True)


@pytest.mark.parametrize(
    ("message", "clear"),
    [
        ("in /s/t/app.py", "in app.py"),
        ("in /private/s/t/app.py:3", "in app.py:3"),
        ("see file:///s/t/a%20b", "see a%20b"),
        ("ran in /s/t", "ran in ."),
        ("ran in /s/t.", "ran in .."),
        ("'/s/t'", "'.'"),
        ("(/s/t/a) and (/s/t/b)", "(a) and (b)"),
        ("/s/t2/app.py", "/s/t2/app.py"),
        ("/s/t.old/app.py", "/s/t.old/app.py"),
        ("x/s/t/app.py", "x/s/t/app.py"),
        ("nothing", "nothing"),
        ("", ""),
    ],
)
def test_the_root_is_removed_from_messages(message: str, clear: str) -> None:
    assert Roots(("/s/t/", "/private/s/t", "")).remove_from(message) == clear


def test_an_encoded_root_is_removed_from_messages() -> None:
    assert Roots((ROOT,)).remove_from("at file:///scratch/a%20b/head/x.py") == "at x.py"


def test_the_root_of_the_file_system_is_never_removed() -> None:
    roots = Roots(("/",))
    assert roots.remove_from("a / b /c") == "a / b /c"
    assert roots.relative("/c") == "c"
    assert Roots(()).relative("/c") is None


def test_of_nested_roots_the_inner_one_counts() -> None:
    assert Roots(("/s", "/s/t")).relative("/s/t/x") == "x"

"""Where programs come from, what makes one another one, and which version one says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.model import Scanner
from sarifix.scanners.find import (
    SearchPath,
    contents,
    find,
    home_files,
    identity,
    parse_version,
    search_path,
    variables,
)

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
TOOL = Scanner("tool", ("tool",))


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def ignoring(*names: str) -> Callable[[list[str]], set[str]]:
    """Answer as git would: a path is ignored with the directory above it."""
    return lambda paths: {p for p in paths if any(f"{p}/".startswith(f"{n}/") for n in names)}


def searching(*directories: Path, top: Path = Path("/")) -> SearchPath:
    return SearchPath("", tuple(map(str, directories)), str(top))


def test_path_then_our_own_scripts_then_the_repositorys_environments(tmp_path: Path) -> None:
    top, out, own = tmp_path / "repo", tmp_path / "bin", tmp_path / "own"
    ignored = ignoring(".venv", "node_modules")
    scripts = "Scripts" if os.name == "nt" else "bin"
    for name in (f".venv/{scripts}", f"venv/{scripts}", "node_modules/.bin"):
        (top / name).mkdir(parents=True)
    search = search_path(str(out), str(top), ignored, str(own))
    assert search.environ_path == str(out)
    assert search.directories == (
        str(out),
        str(own),
        os.path.join(str(top), f".venv/{scripts}"),
        os.path.join(str(top), "node_modules/.bin"),
    )


def test_our_own_scripts_are_where_python_has_them() -> None:
    """With a virtual environment that is known without asking all of sysconfig."""
    said = "from sarifix.scanners.find import own_scripts as o; import sysconfig as s; "
    said += "import sys; sys.exit(o() != s.get_path('scripts'))"
    base = getattr(sys, "_base_executable", sys.executable)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for python in (sys.executable, base):
        subprocess.run([python, "-c", said], check=True, env=env)


def test_relative_and_empty_entries_are_dropped(tmp_path: Path) -> None:
    path = os.pathsep.join(["", ".", "bin", str(tmp_path / "bin"), "../x"])
    search = search_path(path, str(tmp_path / "repo"), ignoring(), "")
    assert search.environ_path == str(tmp_path / "bin")


def test_entries_in_the_repository_stay_only_where_git_ignores_them(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    entries = [top / "tools", top / ".venv" / "bin", top, top / "x" / ".." / "tools"]
    path = os.pathsep.join(map(str, entries))
    search = search_path(path, str(top), ignoring(".venv"), "")
    assert search.environ_path == str(top / ".venv" / "bin")


def test_a_neighbour_whose_name_begins_alike_is_outside(tmp_path: Path) -> None:
    beside = str(tmp_path / "repo-tools")
    assert search_path(beside, str(tmp_path / "repo"), ignoring(), "").environ_path == beside


@posix
def test_a_link_into_the_repository_is_in_it(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    (top / "tools").mkdir(parents=True)
    (tmp_path / "link").symlink_to(top / "tools")
    assert search_path(str(tmp_path / "link"), str(top), ignoring(), "").environ_path == ""


@posix
def test_the_repository_through_a_link_is_the_repository(tmp_path: Path) -> None:
    (tmp_path / "real" / "tools").mkdir(parents=True)
    (tmp_path / "repo").symlink_to(tmp_path / "real")
    tools = str(tmp_path / "real" / "tools")
    assert search_path(tools, str(tmp_path / "repo"), ignoring(), "").environ_path == ""


@posix
def test_git_is_never_asked_about_a_path_through_a_link(tmp_path: Path) -> None:
    """``git check-ignore`` ends with 128 there: "beyond a symbolic link"."""
    top = tmp_path / "repo"
    (tmp_path / "shared" / ".bin").mkdir(parents=True)
    top.mkdir()
    (top / "node_modules").symlink_to(tmp_path / "shared")
    asked: list[str] = []

    def ignored(paths: list[str]) -> set[str]:
        asked.extend(paths)
        return {"node_modules"}

    path = str(top / "node_modules" / ".bin")
    search = search_path(path, str(top), ignored, "")
    assert "node_modules" in asked
    assert "node_modules/.bin" not in asked
    assert search.environ_path == path
    assert path in search.directories


@posix
def test_the_first_directory_wins(tmp_path: Path) -> None:
    first, second = program(tmp_path / "a" / "tool"), program(tmp_path / "b" / "tool")
    assert find(TOOL, searching(first.parent, second.parent)) == str(first)
    assert find(TOOL, searching(second.parent, first.parent)) == str(second)


@posix
def test_only_what_can_be_run_is_found(tmp_path: Path) -> None:
    program(tmp_path / "a" / "tool").chmod(0o644)
    (tmp_path / "b" / "tool").mkdir(parents=True)
    right = program(tmp_path / "c" / "tool")
    directories = [tmp_path / name for name in "abc"]
    assert find(TOOL, searching(*directories)) == str(right)
    assert find(TOOL, searching(*directories[:2])) is None


@posix
def test_a_directory_with_a_colon_is_one_directory(tmp_path: Path) -> None:
    right = program(tmp_path / "a:b" / "tool")
    assert find(TOOL, searching(right.parent)) == str(right)


@posix
def test_the_current_directory_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "tool")
    monkeypatch.chdir(tmp_path)
    assert find(TOOL, searching(tmp_path / "other")) is None


@posix
def test_a_program_given_as_a_path_is_looked_up_from_the_top(tmp_path: Path) -> None:
    right = program(tmp_path / "tools" / "lint")
    search = searching(top=tmp_path)
    assert find(Scanner("x", ("tools/lint",)), search) == str(right)
    assert find(Scanner("x", ("./tools/lint",)), search) == f"{tmp_path}/./tools/lint"
    assert find(Scanner("x", (str(right),)), search) == str(right)
    assert find(Scanner("x", ("tools/gone",)), search) is None


@pytest.mark.skipif(os.name != "nt", reason="Windows finds programs by their suffix")
def test_suffixes_of_windows(tmp_path: Path) -> None:
    right = program(tmp_path / "tool.cmd", "@echo off\r\n")
    found = find(TOOL, searching(tmp_path))
    assert found is not None
    assert found.lower() == str(right).lower()


def test_an_interpreter_is_found_where_it_is() -> None:
    here = Path(sys.executable)
    assert find(Scanner("python", (here.name,)), searching(here.parent)) == str(here)


def test_identity_is_stable_and_changes_with_the_program(tmp_path: Path) -> None:
    path = program(tmp_path / "tool")
    before = identity(str(path))
    assert identity(str(path)) == before
    program(path, "#!/bin/sh\necho 2\n")
    assert identity(str(path)) != before


def test_identity_changes_when_only_the_time_does(tmp_path: Path) -> None:
    path = program(tmp_path / "tool")
    before = identity(str(path))
    os.utime(path, ns=(1, 1))
    assert identity(str(path)) != before


@posix
def test_identity_is_of_what_a_link_leads_to(tmp_path: Path) -> None:
    real = program(tmp_path / "real")
    link = tmp_path / "link"
    link.symlink_to(real)
    assert identity(str(link)) == identity(str(real))


def test_identity_of_a_program_that_is_gone(tmp_path: Path) -> None:
    path = program(tmp_path / "tool")
    before = identity(str(path))
    path.unlink()
    assert identity(str(path)) != before


@posix
def test_identity_changes_when_a_package_is_installed_beside(tmp_path: Path) -> None:
    """A plugin changes what bandit finds, and not the script that starts it."""
    path = program(tmp_path / "venv" / "bin" / "tool")
    packages = tmp_path / "venv" / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    before = identity(str(path))
    (packages / "plugin").mkdir()
    os.utime(packages, ns=(1, 1))
    assert identity(str(path)) != before


def test_contents_are_the_same_wherever_and_whenever_it_was_installed(tmp_path: Path) -> None:
    first, second = (tmp_path / name / "bin" / "tool" for name in ("one", "two"))
    for path in (first, second):
        program(path)
        packages = path.parent.parent / "lib" / "python3.12" / "site-packages"
        (packages / "bandit-1.9.4.dist-info").mkdir(parents=True)
    (packages / "__pycache__").mkdir()
    os.utime(second, ns=(1, 1))
    assert contents(str(first)) == contents(str(second))
    (packages / "plugin-1.0.dist-info").mkdir()
    assert contents(str(first)) != contents(str(second))


def test_contents_change_with_what_is_installed_under_the_same_version(tmp_path: Path) -> None:
    path = program(tmp_path / "bin" / "tool")
    record = tmp_path / "lib" / "python3.12" / "site-packages" / "plugin-0.1.dist-info" / "RECORD"
    record.parent.mkdir(parents=True)
    seen = set()
    for one, script, compiled in (("1", "s", "c"), ("1", "other", "d"), ("2", "s", "c")):
        record.write_text(
            f"../../../bin/plugin,sha256={script},9\nplugin.py,sha256={one},7\n"
            f"__pycache__/plugin.{compiled}.pyc,,\n",
        )
        seen.add(contents(str(path)))
    assert len(seen) == 2


def test_a_script_that_starts_something_else_is_known_on_this_machine_only(tmp_path: Path) -> None:
    text = "#!/bin/sh\nexec docker run lint:latest\n"
    first, second = program(tmp_path / "one", text), program(tmp_path / "two", text)
    assert contents(str(first)) == identity(str(first))
    assert contents(str(first)) != contents(str(second))


def test_contents_of_another_program_of_the_same_size_and_time(tmp_path: Path) -> None:
    first, second = program(tmp_path / "one", "ELF1"), program(tmp_path / "two", "ELF2")
    assert contents(str(first)) != contents(str(second))
    with pytest.raises(FileNotFoundError):
        contents(str(tmp_path / "gone"))


@posix
def test_contents_change_when_npm_installs(tmp_path: Path) -> None:
    path = program(tmp_path / "node_modules" / "eslint" / "bin" / "eslint.js")
    record = tmp_path / "node_modules" / ".package-lock.json"
    record.write_text("{}", encoding="utf-8")
    before = contents(str(path))
    record.write_text("[]", encoding="utf-8")
    assert contents(str(path)) != before


@posix
@pytest.mark.parametrize("record", [".package-lock.json", ".modules.yaml", ".yarn-integrity"])
def test_identity_changes_when_npm_installs(tmp_path: Path, record: str) -> None:
    modules = tmp_path / "node_modules"
    real = program(modules / "eslint" / "bin" / "eslint.js")
    link = modules / ".bin" / "eslint"
    link.parent.mkdir()
    link.symlink_to(real)
    before = identity(str(link))
    (modules / record).write_text("{}", encoding="utf-8")
    assert identity(str(link)) != before


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("ruff 0.17.6\n", "0.17.6"),
        ("bandit 1.9.4\n  python version = 3.11.7 (main, May  9 2026) [GCC 12.2.0]\n", "1.9.4"),
        ("1.185.0\n", "1.185.0"),
        ("Version: 0.76.0\n", "0.76.0"),
        ("v10.15.0\n", "10.15.0"),
        ("Haskell Dockerfile Linter 2.15.1\n", "2.15.1"),
        ("ansible-lint \x1b[1;36m26.10.1\x1b[0m using\x1b[2m ansible-core:2.19.14\n", "26.10.1"),
        ("golangci-lint has version 2.1.6 built with go1.24.2 from eabc on 2026-05-01\n", "2.1.6"),
        ("Application:         grype\nVersion:             0.91.0\n", "0.91.0"),
        ("tool 1.2.3.post3, built today", "1.2.3.post3"),
        ("tool 1.2.0-rc.1+abc.5", "1.2.0-rc.1+abc.5"),
        ("tool 2.0b1.", "2.0b1"),
        ("tool 1.2.3.", "1.2.3"),
        ("/usr/lib/python3.11/x: no such format\n", None),
        ("tool, version seven\n", None),
        ("", None),
    ],
)
def test_parse_version(output: str, version: str | None) -> None:
    assert parse_version(output) == version


def test_the_variables_that_a_scanner_heeds() -> None:
    environ = {"TOOL_B": "2", "TOOL_A": "1", "TOOLS": "x", "OTHER_A": "3", "PATH": "/bin"}
    assert variables(TOOL, environ) == ("TOOL_A=1", "TOOL_B=2")
    dashed = Scanner("x", ("/opt/bin/tool-lint",), variables=("OTHER_",))
    assert variables(dashed, environ) == ("OTHER_A=3", "TOOL_A=1", "TOOL_B=2")


def test_the_files_in_the_home_count_by_their_content(tmp_path: Path) -> None:
    scanner = Scanner("tool", ("tool",), home=("~/.tool/settings", "~config/tool"))
    environ = {"HOME": str(tmp_path)}
    absent = home_files(scanner, environ)
    settings = program(tmp_path / ".tool" / "settings", "a: 1\n")
    before = home_files(scanner, environ)
    settings.unlink()
    settings.write_text("a: 1\n", encoding="utf-8")
    os.utime(settings, (0, 0))
    assert home_files(scanner, environ) == before != absent
    settings.write_text("a: 2\n", encoding="utf-8")
    os.utime(settings, (0, 0))
    assert home_files(scanner, environ) != before

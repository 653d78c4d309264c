"""What can drift: layers, doors, what a start loads, and what the documents say."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sarifix
from sarifix.config import loads
from sarifix.errors import ExitCode
from sarifix.options import parser
from sarifix.scanners import PRESETS
from tests.support import program

TOP = Path(__file__).parent.parent
PACKAGE = TOP / "sarifix"
README = TOP / "README.md"
UPDATE = os.environ.get("SARIFIX_UPDATE_GOLDEN") == "1"


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# -- the code ---------------------------------------------------------------


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(TOP).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()
EACH_MODULE = pytest.mark.parametrize("name", MODULES)


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(read(MODULES[name]))


def imports(name: str) -> Iterator[str]:
    """Yield the modules that a module imports, at its top or late, with dots."""
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else str(node.module)


def room(name: str) -> str:
    """Return what the table of rooms calls a module's place: a file or a package."""
    parts = name.split(".")
    if len(parts) == 1:
        return "__init__.py"
    path = PACKAGE / parts[1]
    return f"{parts[1]}/" if path.is_dir() else f"{parts[1]}.py"


@cache
def layers() -> dict[str, int]:
    """Return the layer of each room, as the architecture's table has it."""
    text = read(TOP / "docs" / "architecture.md")
    rows = re.findall(r"^\| (\d+) \| `([\w./]+)` \|", text, re.MULTILINE)
    found = {place: int(layer) for layer, place in rows}
    assert len(found) == len(rows), "a room is named twice"
    return found


@EACH_MODULE
def test_a_module_imports_from_lower_layers_only(name: str) -> None:
    here = room(name)
    for other in imports(name):
        if other in MODULES and room(other) != here:
            there = layers()[room(other)]
            assert there < layers()[here], f"{name} imports {other}, of layer {there}"


def test_the_table_of_rooms_is_complete_and_has_no_ghosts() -> None:
    assert set(layers()) == {room(name) for name in MODULES}
    assert list(layers().values()) == sorted(layers().values())


@EACH_MODULE
def test_a_module_says_what_it_is_for(name: str) -> None:
    text = ast.get_docstring(tree(name))
    assert text
    assert len(text.splitlines()) <= 6


# Who may import what is slow to load, or a door that must be one.
DOORS = {
    "subprocess": {"process.py"},
    "asyncio": set(),
    "multiprocessing": set(),
    "rich": {"output/"},
    "ruamel": {"config/", "hooks/"},  # to read ours; to write .pre-commit-config.yaml
    "pathspec": {"patterns.py"},
    "platformdirs": {"store.py"},
    "fcntl": {"locks.py"},
    "msvcrt": {"locks.py"},
}


@EACH_MODULE
def test_each_outside_thing_has_one_door(name: str) -> None:
    for other in imports(name):
        top = other.partition(".")[0]
        assert top not in DOORS or room(name) in DOORS[top], f"{name} imports {other}"
        known = {*sys.stdlib_module_names, "_sha2", "sarifix", *DOORS}  # Python 3.12 has it
        assert top in known, f"{name} imports {other}, which is no dependency"


@EACH_MODULE
def test_only_the_package_git_starts_git(name: str) -> None:
    if room(name) == "git/":
        return
    argvs = [node for node in ast.walk(tree(name)) if isinstance(node, ast.List | ast.Tuple)]
    for argv in argvs:
        first = argv.elts[0] if argv.elts else None
        assert not (isinstance(first, ast.Constant) and first.value == "git"), name


# -- what a start loads -----------------------------------------------------

HEAVY = {"rich", "ruamel", "pathspec", "platformdirs", "subprocess", "dataclasses", "asyncio"}
LOADED = """
import contextlib, io, json, sys
before = set(sys.modules)
from sarifix.__main__ import run
sys.argv = ["sarifix", *{args!r}]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    with contextlib.suppress(SystemExit):
        run()
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.mark.parametrize(
    "args", [("--version",), ("--help",), ("check", "--help"), ("--nonsense",)]
)
def test_a_start_loads_nothing_heavy(args: tuple[str, ...]) -> None:
    # -S: what site-packages load at every start (coverage, for one) is not ours.
    code = f"import sys; sys.path.insert(0, {str(TOP)!r})\n{LOADED.format(args=args)}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout))
    assert {name.partition(".")[0] for name in loaded} & HEAVY == set()
    assert loaded & {"sarifix.engine", "sarifix.model", "sarifix.git"} == set()
    assert "sarifix.options" in loaded


# -- the documents ----------------------------------------------------------


def block(opening: str) -> str:
    """Return the one fenced block of the README that begins so, without what it begins with."""
    pattern = rf"^```\w+\n{re.escape(opening)}\n(.*?)^```"
    (found,) = re.findall(pattern, read(README), re.MULTILINE | re.DOTALL)
    return str(found)


def commands() -> list[str]:
    """Return the commands of the README's console blocks, without comments."""
    blocks = re.findall(r"^```console\n(.*?)^```", read(README), re.MULTILINE | re.DOTALL)
    lines = [line.partition("  #")[0].strip() for text in blocks for line in text.splitlines()]
    return [part.strip() for line in lines for part in line.split("&&")]


def test_the_help_in_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    (check,) = [a.choices["check"] for a in parser()._actions if isinstance(a.choices, dict)]
    shown = block("$ sarifix check --help")
    if UPDATE:
        README.write_text(read(README).replace(shown, check.format_help()), encoding="utf-8")
        shown = check.format_help()
    # Versions of Python break lines and name options in other ways.
    assert shown.split() == check.format_help().split()


def test_the_commands_in_the_readme_are_commands() -> None:
    ours = [shlex.split(command)[1:] for command in commands() if command.startswith("sarifix ")]
    assert len(ours) > 4
    for args in ours:
        assert parser().parse_args(args).command == args[0]


def test_the_two_commands_of_the_readme_are_those_of_ci() -> None:
    script = read(TOP / ".ci" / "run")
    assert 'python -m pip install -e ".[test]"' in commands()
    assert "python -m pytest" in commands()
    assert "python -m pip install --quiet -e '.[test]'" in script
    assert "\npython -m pytest " in script
    assert os.access(TOP / ".ci" / "run", os.X_OK) or os.name != "posix"


def test_the_exit_codes_in_the_readme() -> None:
    rows = re.findall(r"^\| (\d+) \| (\w+)", read(README), re.MULTILINE)
    assert {int(code): name for code, name in rows} == {c.value: c.name.lower() for c in ExitCode}


def test_the_configuration_in_the_readme() -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", read(README), re.MULTILINE | re.DOTALL)
    config = loads(text, "README.md", PRESETS)
    assert [entry.name for entry in config.scanners or ()] == ["ruff", "bandit", "mytool"]
    assert config.policy.deny == ("ruff/E501",)


def test_the_version_is_one() -> None:
    pyproject = read(TOP / "pyproject.toml")
    (version,) = re.findall(r'^version = "([^"]+)"', pyproject, re.MULTILINE)
    assert version == sarifix.__version__
    assert f"## {version} - " in read(TOP / "CHANGELOG.md")
    assert program.run("--version", cwd=TOP).stdout == f"sarifix {version}\n"


def files(*patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in TOP.glob(pattern))


DOCUMENTS = files("*.md", "docs/*.md", "tests/samples/README.md")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]*)(?:#[^)]*)?\)", read(path)):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_a_document_names_exist(path: Path) -> None:
    named = re.findall(r"`((?:sarifix|tests|docs|\.ci|\.github)/[\w./*-]*)`", read(path))
    plain = (name.rstrip("/") for name in named if "**" not in name)  # that is a pattern of users
    rules = {"sarifix/new-suppression", "sarifix/not-scanned"}  # our own, named alike
    missing = [name for name in plain if name not in rules and not list(TOP.glob(name))]
    assert missing == []


TEXTS = [
    path
    for path in files(
        "*.*", ".ci/*", ".github/**/*", "docs/*", "sarifix/**/*.py", "tests/**/*.py",
        "tests/samples/*", "tests/samples/inputs/**/*",
    )
    if path.is_file() and path.suffix in {".py", ".md", ".toml", ".yml", ".yaml", ".sarif", ".json"}
]  # fmt: skip

# Put together here, so that this file does not hold what it looks for.
OF_A_MACHINE = (
    r"/(?:home|Users)/(?!runner\b|me\b|you\b|user\b|alice\b|bob\b|somebody\b)\w+/",
    "/ro" + "ot/",
    "/wo" + "rk/",
    "pypi" + r"\.org",
    "registry" + r"\.npmjs",
    "pythonhosted" + r"\.org",
)


def test_nothing_tells_of_the_machine_it_was_made_on() -> None:
    assert len(TEXTS) > 100
    pattern = re.compile("|".join(OF_A_MACHINE))
    found = {
        f"{path.relative_to(TOP)}: {match[0]}"
        for path in TEXTS
        for match in pattern.finditer(read(path))
    }
    assert found == set()

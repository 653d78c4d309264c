"""Real scanners for tests: where they are, or made once in a cache and kept."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

from sarifix.locks import Lock

# Taken when this is imported: the harness gives every test another home, and no CI.
ENVIRONMENT = dict(os.environ)
CACHE = Path(
    ENVIRONMENT.get("SARIFIX_TEST_TOOLS") or platformdirs.user_cache_dir("sarifix-tests")
).absolute()
IN_CI = bool(ENVIRONMENT.get("CI"))

NPM_PINS = (
    "eslint@10.15.0",
    "@microsoft/eslint-formatter-sarif@3.1.0",
    "@biomejs/biome@2.6.8",
    "oxlint@1.94.0",
    "@ast-grep/cli@0.51.1",
)
ANSIBLE_LINT = ("ansible-lint==26.10.1", "ansible-core")
CFN_LINT = ("cfn-lint[sarif]==1.58.0",)

_WAIT = 600  # seconds for another process that makes the same tools
_SCRIPTS = "Scripts" if os.name == "nt" else "bin"


def python_tools() -> str:
    """Return what to put on ``PATH`` for the scanners of the extra ``test``."""
    places = [str(Path(sys.executable).parent)]
    # The wheel holds the program and declares no script for it.
    found = importlib.util.find_spec("tackbox_opengrep")
    if found is not None and found.submodule_search_locations:
        places += [os.path.join(place, "bin") for place in found.submodule_search_locations]
    return os.pathsep.join(places)


def _npm() -> str:
    npm = shutil.which("npm", path=ENVIRONMENT.get("PATH"))
    if npm is None:
        if IN_CI:
            raise AssertionError("npm is absent, and in CI nothing goes untested")
        pytest.skip("npm is absent")
    return npm


def npm_tools(*pins: str) -> Path:
    """Return a directory with these npm packages (none: the scanners); skip without npm."""
    pins = pins or NPM_PINS
    npm = _npm()

    def install(directory: Path) -> None:
        (directory / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        # ast-grep's platform package holds the program; its script copies it into place.
        options = ["--no-audit", "--no-fund", "--save-exact", "--foreground-scripts"]
        _run([npm, "install", *options, *pins], directory)

    return _made("npm", pins, install)


def claude_client(version: str) -> Path:
    """Return the program of a pinned Claude Code client; skip where npm is absent."""
    package = f"@anthropic-ai/claude-code@{version}"

    def install(directory: Path) -> None:
        (directory / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        # A postinstall script links the native program of the platform's package.
        options = ["--no-audit", "--no-fund", "--save-exact", "--foreground-scripts"]
        _run([_npm(), "install", *options, package], directory)

    _npm()
    return _made("claude", (package,), install) / "node_modules" / ".bin" / "claude"


def venv_tool(*requirements: str) -> Path:
    """Return the directory of the scripts of an environment that holds ``requirements``."""

    def install(directory: Path) -> None:
        venv.create(directory, with_pip=True, symlinks=os.name != "nt")
        python = directory / _SCRIPTS / "python"
        _run([python, "-m", "pip", "install", "--quiet", *requirements], directory)

    return _made("venv", requirements, install) / _SCRIPTS


def _made(kind: str, pins: tuple[str, ...], install: Callable[[Path], None]) -> Path:
    """Return the directory for ``pins``, made by ``install`` the first time.

    It is installed where it stays, as environments cannot be moved; a mark says that it
    is complete.
    """
    told = "\n".join((sys.version, *pins))
    directory = CACHE / f"{kind}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    mark = directory.with_suffix(".complete")
    CACHE.mkdir(parents=True, exist_ok=True)
    with _locked(directory.with_suffix(".lock")):
        if not mark.exists():
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            install(directory)
            mark.touch()
    return directory


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    end = time.monotonic() + _WAIT
    while (lock := Lock.attempt(path)) is None:
        if time.monotonic() > end:
            raise AssertionError(f"{path} stays locked")
        time.sleep(0.2)
    try:
        yield
    finally:
        lock.release()


def _run(argv: list[str | Path], cwd: Path) -> None:
    done = subprocess.run(
        argv, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AssertionError(f"{argv}: exit code {done.returncode}\n{done.stdout}{done.stderr}")

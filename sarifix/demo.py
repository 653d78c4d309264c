"""``sarifix demo``: a change that introduces findings, and its fix, in a throw-away repository."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sarifix.engine import Request, check
from sarifix.errors import ExitCode, SarifixError
from sarifix.git import throwaway
from sarifix.model import Outcome
from sarifix.output import Options, render
from sarifix.scanners import PRESETS
from sarifix.scanners.find import find
from sarifix.workspace import CONFIG_NAME, Edge, open_workspace

_SCANNERS = ("ruff", "bandit", "zizmor")
_CONFIG = """\
scanners:
  ruff:
    args: [--select, "F,S"]
  bandit: {}
  zizmor: {}
"""

_APP = """\
import subprocess


def disk_usage():
    return subprocess.call("du -sh /srv", shell=True)
"""

_CHANGED_APP = '''\
"""Reports for the operations team."""

import subprocess


def is_up(host):
    return subprocess.call("ping -c 1 " + host, shell=True) == 0


def disk_usage():
    return subprocess.call("du -sh /srv", shell=True)
'''

_FIXED_APP = '''\
"""Reports for the operations team."""

import socket
import subprocess


def is_up(host):
    return bool(socket.gethostbyname(host))


def disk_usage():
    return subprocess.call("du -sh /srv", shell=True)
'''

_WORKFLOW = """\
name: test
on: push
permissions: {}
jobs:
  test:
    name: test
    runs-on: ubuntu-24.04
    steps:
"""
_UNPINNED = "      - uses: example/setup-tool@main\n"
_PINNED = "      - uses: example/setup-tool@4f1c9a2b7d3e8056a1b2c3d4e5f60718293a4b5c # v1.4.0\n"
_TEST = "      - run: make test\n"

_WORKFLOW_PATH = ".github/workflows/test.yml"

_STORY: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "A repository with an old finding: app.py calls a shell. Nobody has changed anything yet.",
        {},
    ),
    (
        "Somebody adds a shell call with a parameter above the old one, and an unpinned action.",
        {"app.py": _CHANGED_APP, _WORKFLOW_PATH: _WORKFLOW + _UNPINNED + _TEST},
    ),
    (
        "They fix both. The old finding still stands, has moved, and is still not reported.",
        {"app.py": _FIXED_APP, _WORKFLOW_PATH: _WORKFLOW + _PINNED + _TEST},
    ),
)
_EXPECTED = (Outcome.CLEAN, Outcome.INTRODUCED, Outcome.CLEAN)


def demo(edge: Edge, shown: Options) -> ExitCode:
    """Play the story and print what ``sarifix check`` says at each step.

    Raises ``SarifixError`` where a scanner of the story is missing, or tells another story.
    """
    with tempfile.TemporaryDirectory(prefix="sarifix-demo-") as directory:
        top = Path(directory, "demo")
        top.mkdir()
        base = {CONFIG_NAME: _CONFIG, "app.py": _APP, _WORKFLOW_PATH: _WORKFLOW + _TEST}
        env = throwaway.make(top, base, edge.environ)
        env["SARIFIX_CACHE"] = str(Path(directory, "cache"))
        there = edge._replace(cwd=str(top), environ=env)
        _require_scanners(there)
        for number, ((text, files), expected) in enumerate(zip(_STORY, _EXPECTED, strict=True), 1):
            throwaway.write(top, files)
            report = check(Request(), there)
            print(f"{number}. {text}\n\n$ sarifix check\n{render(report, 'text', shown)}")
            if report.outcome is not expected:
                raise SarifixError(
                    f"the demo expected {expected.value} and got {report.outcome.value}",
                    "look at the versions of ruff, bandit and zizmor: `sarifix doctor`",
                )
    print("Now try it on a change of your own: `sarifix check` in your repository.")
    return ExitCode.CLEAN


def _require_scanners(edge: Edge) -> None:
    with open_workspace(edge) as space:
        missing = [name for name in _SCANNERS if find(PRESETS[name], space.search) is None]
    if missing:
        raise SarifixError(
            f"the demo runs {', '.join(_SCANNERS)}; not found: {', '.join(missing)}",
            "install them beside sarifix: python -m pip install '.[scanners]' in a clone of it",
        )

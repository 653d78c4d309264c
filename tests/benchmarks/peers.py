"""The peers: where their programs are, how each is called, and why one is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from tests.benchmarks.bench import scripts

MULTITOOL = "5.7.0"
EXTRA = "python -m pip install -e '.[test,bench]'"

# The native programs, as the one that npm puts on PATH starts node before it.
_MULTITOOLS = {"linux": "linux", "darwin": "darwin"}


@dataclass(frozen=True)
class Peer:
    """A program, or why it cannot take part."""

    program: str = ""
    absent: str = ""


@cache
def installed(name: str) -> Peer:
    """Find a program of the extras `test` and `bench`, or git."""
    path = os.pathsep.join((scripts(), os.environ.get("PATH", os.defpath)))
    found = shutil.which(name, path=path)
    return Peer(found) if found else Peer(absent=f"not installed: {EXTRA}")


@cache
def multitool(work: Path) -> Peer:
    """Find Sarif.Multitool, installed by npm the first time."""
    kind = _MULTITOOLS.get(sys.platform)
    npm = shutil.which("npm")
    if kind is None or npm is None:
        return Peer(absent="not installed: npm is absent, or there is no package for this system")
    place = work / "npm"
    package = f"@microsoft/sarif-multitool-{kind}"
    program = place / "node_modules" / package / "Sarif.Multitool"
    if not program.exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        argv = [npm, "install", "--no-audit", "--no-fund", f"{package}@{MULTITOOL}"]
        done = subprocess.run(argv, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            return Peer(absent=f"not installed: npm says {done.stderr.strip()[-200:]}")
    program.chmod(0o755)  # a script of the package does this, which npm may not run
    return Peer(str(program))


_DISTRIBUTIONS = ("ruff", "semgrep", "checkov", "graylint", "diff-cover")
_PROGRAMS = ("git", "trivy")


def versions() -> dict[str, str]:
    """Return which version of each program there is, or why there is none."""
    found = {name: _version(name) for name in _PROGRAMS}
    found |= {name: _distribution(name) for name in _DISTRIBUTIONS}
    return {**found, "Sarif.Multitool": MULTITOOL}


def _distribution(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _version(name: str) -> str:
    peer = installed(name)
    if peer.absent:
        return peer.absent
    done = subprocess.run([peer.program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[0].rpartition(" ")[2]

"""Results as JSON: written after each case, so that a run that was ended can be gone on with."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks import peers
from tests.benchmarks.contest import Judged, Result, Taken
from tests.benchmarks.measure import Usage


def load(file: Path) -> dict[str, Result]:
    """Return the results that a file holds, by the name of the case; without it, none."""
    if not file.exists():
        return {}
    document = json.loads(file.read_text(encoding="utf-8"))
    return {name: _result(given) for name, given in document["cases"].items()}


def save(file: Path, results: Iterable[Result], machine: dict[str, Any]) -> None:
    """Write results, and where they were measured; the old file stays until then."""
    cases = {}
    for result in results:
        cases[result.name] = asdict(result)
        for bar, judged in zip(cases[result.name]["bars"], result.bars, strict=True):
            bar["met"] = judged.met
        for told, taken in zip(cases[result.name]["taken"], result.taken, strict=True):
            told["median"] = taken.median() if taken.runs else None
    document = {"version": 1, "machine": machine, "cases": cases}
    temporary = file.with_name(f"{file.name}.new")
    temporary.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    temporary.replace(file)


def _result(given: dict[str, Any]) -> Result:
    taken = tuple(
        Taken(one["name"], tuple(Usage(**usage) for usage in one["runs"]), one["problem"])
        for one in given["taken"]
    )
    bars = tuple(
        Judged(**{key: value for key, value in bar.items() if key != "met"})
        for bar in given["bars"]
    )
    plot = tuple(given["plot"]) if given["plot"] else None
    return Result(**{**given, "taken": taken, "bars": bars, "plot": plot})


def machine() -> dict[str, Any]:
    """Return what the figures depend on: the machine and the versions."""
    return {
        "date": dt.datetime.now(dt.timezone.utc).date().isoformat(),
        "system": platform.platform(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "sarifix": _sarifix(),
        **peers.versions(),
    }


def _sarifix() -> str:
    """Return the version that is installed, which is the one that runs, and its commit."""
    # Not from here: this directory has a sarifix of its own.
    code = "import sarifix as s; print(s.__version__, s.__path__[0])"
    said = _output([sys.executable, "-c", code], Path(sys.prefix))
    version, _, place = said.partition(" ")
    commit = _output(["git", "describe", "--always", "--dirty"], Path(place))
    return f"{version} ({commit or 'installed'})"


def _output(argv: Sequence[str], cwd: Path) -> str:
    return subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False).stdout.strip()


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"

"""SARIF for tests: the samples, and small documents built by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from sarifix.model import Log
from sarifix.sarif import Context, read

SAMPLES = Path(__file__).parent.parent / "samples"
INPUTS = SAMPLES / "inputs"
UNKEPT = "my dir/naïve ✓.py"  # was there when the samples were made
ROOT = "/repo"  # what the samples call the folder that was scanned
UNSUCCESSFUL_OK = frozenset({"njsscan", "eslint-parse-error"})


@cache
def sample_files(sample: str) -> frozenset[str]:
    """Return the paths of the tree that a sample is about."""
    top = INPUTS
    if sample.startswith("scenario-s3-"):
        top = INPUTS / "scenario-s3" / sample.split("-")[2]
    return frozenset(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file()) | {
        UNKEPT
    }


def sample_context(sample: str) -> Context:
    """Return what the reader must know of a sample's scan."""
    return Context(
        scanner=sample,
        exists=sample_files(sample).__contains__,
        roots=(ROOT,),
        unsuccessful_ok=sample in UNSUCCESSFUL_OK,
    )


def sample_log(sample: str) -> Log:
    """Read one sample by its name (``ruff``)."""
    return read((SAMPLES / f"{sample}.sarif").read_bytes(), sample_context(sample))


def result(uri: str | None = "app.py", line: int | None = 3, **fields: Any) -> dict[str, Any]:
    """Return one result, with columns; ``fields`` add to it and replace its parts."""
    made: dict[str, Any] = {"ruleId": "R1", "message": {"text": "Something is wrong"}}
    if uri is not None:
        made["locations"] = [location(uri, line)]
    return {**made, **fields}


def location(uri: str, line: int | None = None, **artifact: Any) -> dict[str, Any]:
    """Return a location; ``artifact`` adds to its ``artifactLocation``."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri, **artifact}}
    if line is not None:
        physical["region"] = {"startLine": line, "startColumn": 1, "endColumn": 5}
    return {"physicalLocation": physical}


def run(
    *results: Any, rules: Iterable[Any] = (), driver: Any = None, **fields: Any
) -> dict[str, Any]:
    """Return one run; ``fields`` add to it and replace its parts."""
    tool = {"driver": {"name": "tool", "rules": list(rules), **(driver or {})}}
    return {"tool": tool, "results": list(results), **fields}


def document(*runs: Any, **fields: Any) -> dict[str, Any]:
    """Return a document of runs; ``fields`` add to it and replace its parts."""
    return {"version": "2.1.0", "runs": list(runs), **fields}


def read_document(
    made: object, files: Iterable[str] = ("app.py",), roots: Iterable[str] = (ROOT,), **flags: bool
) -> Log:
    """Read a document as scanner ``tool`` on a tree that has ``files``."""
    context = Context(
        scanner="tool", exists=frozenset(files).__contains__, roots=tuple(roots), **flags
    )
    return read(json.dumps(made).encode(), context)


def read_results(*results: Any, files: Iterable[str] = ("app.py",), **fields: Any) -> Log:
    """Read results of one run; ``fields`` are those of ``run``."""
    return read_document(document(run(*results, **fields)), files)

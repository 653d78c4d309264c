"""Run one fuzz target with atheris (``pip install -e '.[test,fuzz]'``), from the top level.

    python -m tests.fuzz sarif --runs 1000000
    python -m tests.fuzz sinks --seconds 300 --corpus DIRECTORY

What makes a target fail is written to the corpus's parent, and is to become a line of
``KNOWN`` in ``tests/fuzz/test_targets.py``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

TARGETS = ("comments", "comparison", "config", "sarif", "sinks", "strictjson", "uris")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--runs", type=int, default=-1, help="executions (default: no end)")
    parser.add_argument("--seconds", type=int, default=0, help="time (default: no end)")
    parser.add_argument("--corpus", type=Path, help="where inputs that are new are kept")
    asked = parser.parse_args()
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["sarifix"]):
        target: Any = importlib.import_module(f"tests.fuzz.{asked.target}")
    corpus = asked.corpus or Path(tempfile.mkdtemp(prefix="fuzz-")) / asked.target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.SEEDS):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [
        f"-runs={asked.runs}",
        f"-max_total_time={asked.seconds}",
        f"-max_len={target.MAX_LENGTH}",
        f"-artifact_prefix={corpus.parent}/{asked.target}-",
        "-print_final_stats=1",
    ]

    def mutate(raw: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if random.randrange(4) == 0:
            return bytes(atheris.Mutate(raw, most))
        return bytes(target.mutate(raw, random)[:most])

    more = {"custom_mutator": mutate} if hasattr(target, "mutate") else {}
    atheris.Setup([sys.argv[0], *options, str(corpus)], target.check, **more)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

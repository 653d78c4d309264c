"""sarifix and its peers on the same work, in one run.

Inputs are made once, in --work, and kept. Each case is written to the JSON file when it is
done, and the tables are made of all that this file holds.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import shutil
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from tests.benchmarks import plot, results, table
from tests.benchmarks.bench import Bench
from tests.benchmarks.cases import all_cases
from tests.benchmarks.contest import Case, Result, hold


def main(argv: Sequence[str] | None = None) -> int:
    """Run the cases that are asked for; 1 if a bar is missed or sarifix did wrong work."""
    asked = _parser().parse_args(argv)
    work = asked.work.resolve()
    bench = Bench.at(work, asked.scale)
    cases = all_cases(bench)
    chosen = [case for case in cases if _is_chosen(case, asked.only)]
    if asked.list or not chosen:
        print("\n".join(f"{case.name:18} {case.title}" for case in cases))
        return 0 if chosen else 2
    file: Path = asked.json or work / "results.json"
    known = results.load(file)
    machine = results.machine()
    for case in chosen:
        if asked.resume and case.name in known and _is_done(known[case.name], case, asked.repeat):
            continue
        done = _hold(case, bench, asked.repeat)
        known = {**known, case.name: done} if done else _without(known, case.name)
        results.save(file, _in_order(cases, known), machine)
    found = _in_order(cases, known)
    _show(found, table.render(found, machine), asked)
    return 0 if all(case.name in known and _is_good(known[case.name]) for case in chosen) else 1


def _hold(case: Case, bench: Bench, repeat: int) -> Result | None:
    """Run a case; None if it could not even be prepared, and then the others still are."""
    began = time.monotonic()
    try:
        result = hold(case, repeat, bench.scratch)
    except Exception:  # noqa: BLE001
        print(f"{case.name}: could not be run\n{traceback.format_exc()}", file=sys.stderr)
        return None
    finally:
        shutil.rmtree(bench.temporary, ignore_errors=True)
        bench.temporary.mkdir()
    print(f"{case.name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return result


def _is_done(result: Result, case: Case, repeat: int) -> bool:
    return not result.taken[0].problem and result.rounds >= case.rounds(repeat)


def _without(known: dict[str, Result], name: str) -> dict[str, Result]:
    return {other: result for other, result in known.items() if other != name}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the cases, and run none")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", default=["*"], help="these cases (`results-*` works)"
    )
    parser.add_argument(
        "--repeat", type=int, default=10, help="rounds; of long cases half, of short ones more"
    )
    parser.add_argument("--resume", action="store_true", help="leave out what the JSON file holds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="default: results.json in --work")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the growth as an SVG")
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="put the tables into this document"
    )
    default = Path(platformdirs.user_cache_dir("sarifix-benchmarks"))
    parser.add_argument("--work", type=Path, metavar="DIR", default=default, help="for the inputs")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="make the generated inputs smaller (a trial)"
    )
    return parser


def _is_chosen(case: Case, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(case.name, pattern) for pattern in patterns)


def _in_order(cases: Sequence[Case], known: dict[str, Result]) -> list[Result]:
    return [known[case.name] for case in cases if case.name in known]


def _show(found: Sequence[Result], text: str, asked: argparse.Namespace) -> None:
    print(text)
    if asked.plot:
        asked.plot.write_text(plot.render(found), encoding="utf-8")
    if asked.write:
        if asked.plot:
            place = os.path.relpath(asked.plot, asked.write.parent)
            text = f"![Cost by files changed, and by files in the repository]({place})\n\n{text}"
        document = asked.write.read_text(encoding="utf-8")
        asked.write.write_text(table.write(document, text), encoding="utf-8")


def _is_good(result: Result) -> bool:
    return not result.taken[0].problem and all(bar.met is not False for bar in result.bars)


if __name__ == "__main__":
    sys.exit(main())

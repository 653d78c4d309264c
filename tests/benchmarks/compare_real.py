"""Compare what ruff finds before and after real commits of any repository, by tier.

    python -m tests.benchmarks.compare_real PATH_OF_A_REPOSITORY [COMMITS]

Beside our answer stand two plain ways of deciding what is new.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from sarifix.compare import compare
from sarifix.model import Finding, Level, Region

RULES = "A,ANN,ARG,B,C4,D,E,EM,ERA,F,N,PERF,PL,PT,PTH,Q,RET,RUF,S,SIM,TRY,UP,W"


class Blobs:
    """The changed files of one side."""

    def __init__(self, repository: Path, blobs: dict[str, str]) -> None:
        self._blobs = blobs
        self._bytes = {
            path: git(repository, "cat-file", "blob", oid) for path, oid in blobs.items()
        }

    def __contains__(self, path: object) -> bool:
        return path in self._blobs

    def oid(self, path: str) -> str | None:
        return self._blobs.get(path)

    def text(self, path: str) -> str | None:
        found = self._bytes.get(path)
        return None if found is None else found.decode(errors="replace")

    def scan(self) -> list[Finding]:
        """Run ruff on the files, in a directory of their own."""
        with tempfile.TemporaryDirectory() as name:
            root = Path(name).resolve()
            for path, content in self._bytes.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(content)
            done = subprocess.run(
                [
                    *("ruff", "check", "--isolated", "--no-cache", "--exit-zero", "--quiet"),
                    *("--select", RULES, "--output-format", "json", str(root)),
                ],
                capture_output=True,
                check=True,
            )
            return [finding(result, root) for result in json.loads(done.stdout)]


def finding(result: dict[str, dict[str, int]], root: Path) -> Finding:
    start, end = result["location"], result["end_location"]
    return Finding(
        scanner="ruff",
        rule=str(result["code"]),
        level=Level.WARNING,
        message=str(result["message"]).replace(f"{root}/", ""),
        path=Path(str(result["filename"])).relative_to(root).as_posix(),
        region=Region(start["row"], start["column"], end["row"], end["column"]),
    )


def git(repository: Path, *args: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(repository), *args], capture_output=True, check=True
    ).stdout


def sides(repository: Path, commit: str) -> tuple[Blobs, Blobs, dict[str, str]]:
    """Return the Python files that a commit changed, before and after, and its renames."""
    raw = git(repository, "diff", "-M", "--raw", "-z", "--no-abbrev", f"{commit}^", commit)
    fields = iter(raw.decode(errors="surrogateescape").split("\0"))
    base, head, renames = {}, {}, {}
    for entry in fields:
        if not entry:
            break
        _, _, old_id, new_id, status = entry.split(" ")
        old = new = next(fields)
        if status.startswith("R"):
            new = next(fields)
            renames[new] = old
        if old.endswith(".py") and status != "A":
            base[old] = old_id
        if new.endswith(".py") and status != "D":
            head[new] = new_id
    return Blobs(repository, base), Blobs(repository, head), renames


def plain(old: list[Finding], new: list[Finding], head: Blobs, base: Blobs) -> tuple[int, int]:
    """Return what is new by line numbers, and by the text of the line, counted."""

    def text(found: Finding, files: Blobs) -> str:
        lines = (files.text(found.path or "") or "").split("\n")
        return "".join(lines[found.region.line - 1].split()) if found.region else ""

    by_line = Counter((f.rule, f.path, f.region) for f in new)
    by_line -= Counter((f.rule, f.path, f.region) for f in old)
    by_text = Counter((f.rule, f.path, text(f, head)) for f in new)
    by_text -= Counter((f.rule, f.path, text(f, base)) for f in old)
    return by_line.total(), by_text.total()


def main(repository: Path, count: int) -> None:
    log = git(repository, "log", "--no-merges", "--format=%H", "HEAD", "--", "*.py")
    commits = log.decode().split()[:-1]
    total: Counter[str] = Counter()
    seconds = 0.0
    for commit in commits[:: max(1, len(commits) // count)][:count]:
        base, head, renames = sides(repository, commit)
        old, new = base.scan(), head.scan()
        started = time.perf_counter()
        result = compare(old, new, base_files=base, head_files=head, renames=renames)
        seconds += time.perf_counter() - started
        by_line, by_text = plain(old, new, head, base)
        total += Counter(f"unchanged: {pair.tier.value}" for pair in result.unchanged)
        total["introduced"] += len(result.introduced)
        total["fixed"] += len(result.fixed)
        total["(introduced, by line numbers)"] += by_line
        total["(introduced, by path and text of the line)"] += by_text
    for name, number in sorted(total.items()):
        print(f"{number:9,}  {name}")
    print(f"{seconds:9.2f}  seconds to compare")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50)

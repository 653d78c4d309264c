"""A scanner for tests that count runs or need faults; it finds ``BAD(rule)`` in files.

Usage: fakescan.py MODE LOG OUT [FILE...]   (no FILE: every file below the directory)

LOG gets a line of JSON for each run: the mode and the files it looked at. OUT is where the
SARIF goes ("-": standard output).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

BAD = re.compile(r"BAD\((?P<rule>[\w-]+)\)")


def results(names: list[str]) -> list[dict[str, object]]:
    found = []
    for name in names:
        text = Path(name).read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            found += [
                {
                    "ruleId": match["rule"],
                    "level": "error",
                    "message": {"text": f"{match['rule']} is bad"},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": name},
                                "region": {
                                    "startLine": number,
                                    "startColumn": match.start() + 1,
                                    "endColumn": match.end() + 1,
                                },
                            }
                        }
                    ],
                }
                for match in BAD.finditer(line)
            ]
    return found


def document(found: object, *, successful: bool = True) -> str:
    run = {
        "tool": {"driver": {"name": "fakescan"}},
        "invocations": [{"executionSuccessful": successful}],
        "results": found,
    }
    return json.dumps({"version": "2.1.0", "runs": [run]})


def walk() -> list[str]:
    names = (p.relative_to(".").as_posix() for p in sorted(Path().rglob("*")) if p.is_file())
    return [name for name in names if not name.startswith(".git/")]


def main(mode: str, log: str, out: str, names: list[str]) -> int:
    names = names or walk()
    with Path(log).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"mode": mode, "files": names}) + "\n")
    text = document(results(names))
    code = 0
    on_head = any("HEAD-ONLY" in Path(n).read_text(errors="replace") for n in names)
    if (mode == "fails-on-base" and not on_head) or (mode == "fails-on-head" and on_head):
        mode = "exit"
    if mode == "exit":
        print("first line", "the reason at the end", sep="\n", file=sys.stderr)
        code = 9
    elif mode == "nothing":
        text = ""
    elif mode == "garbage":
        text = "this is no SARIF"
    elif mode == "truncated":
        text = text[: len(text) // 2]
    elif mode == "null":
        text = document(None)
    elif mode == "unsuccessful":
        text = document([], successful=False)
    elif mode == "hang":
        time.sleep(600)
    elif mode == "grandchild":
        # In a session of its own, with our output held open, longer than any test waits.
        with Path(log + ".pid").open("a") as pids:
            child = subprocess.Popen(["sleep", "600"], start_new_session=True)
            pids.write(f"{child.pid}\n")
    elif mode == "flood":
        for _ in range(200):
            os.write(1, b"x" * (1 << 20))
    if out == "-":
        print(text)
    elif mode != "nothing":
        Path(out).write_text(text, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))

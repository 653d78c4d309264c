"""Running sarifix as a user does, in this process, and looking at what it said."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sarifix.cli import main

FAKESCAN = Path(__file__).with_name("fakescan.py")


@dataclass(frozen=True)
class Ran:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The JSON report; standard output must hold exactly one document."""
        return json.loads(self.out)  # type: ignore[no-any-return]

    def rules(self) -> list[str]:
        """Return ``path:line rule`` of every introduced finding."""
        return [f"{f['path']}:{f['line']} {f['rule']}" for f in self.json["introduced"]]

    def scanner(self, name: str) -> dict[str, Any]:
        """Return the report on one scanner."""
        (found,) = [s for s in self.json["scanners"] if s["name"] == name]
        return found  # type: ignore[no-any-return]


@contextlib.contextmanager
def _inside(directory: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def sarifix(*args: str, cwd: Path) -> Ran:
    """Run one command in ``cwd``."""
    out, err = io.StringIO(), io.StringIO()
    with _inside(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(args)
    return Ran(int(code), out.getvalue(), err.getvalue())


def check(cwd: Path, *args: str) -> Ran:
    """Run ``sarifix check --format json``."""
    return sarifix("check", "--format", "json", *args, cwd=cwd)


class Fake:
    """A fake scanner with a log of its runs, to be named in ``.sarifix.yaml``."""

    def __init__(self, log: Path, name: str = "fake") -> None:
        self.log = log
        self.name = name

    def entry(self, mode: str = "ok", *, grain: str = "file", more: str = "") -> str:
        """Return the entry for ``scanners:``, indented by two."""
        files = ', "{files}"' if grain == "file" else ""
        command = f'["{sys.executable}", "{FAKESCAN}", "{mode}", "{self.log}", "{{out}}"{files}]'
        lines = [
            f"{self.name}:",
            f"  command: {command}",
            f"  grain: {grain}",
            '  inputs: ["*.txt"]',
            *(f"  {line}" for line in more.splitlines()),
        ]
        return "".join(f"  {line}\n" for line in lines)

    def config(self, mode: str = "ok", *, grain: str = "file", more: str = "") -> str:
        """Return a whole ``.sarifix.yaml`` with this scanner alone."""
        return "scanners:\n" + self.entry(mode, grain=grain, more=more)

    def runs(self) -> list[list[str]]:
        """Return the files of each run so far."""
        if not self.log.exists():
            return []
        return [json.loads(line)["files"] for line in self.log.read_text().splitlines()]

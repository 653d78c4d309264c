"""Running a command without root's way around permissions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.run import Ran

_CAPABILITIES = "-dac_override,-dac_read_search,-fowner"


def lowly(*args: str, cwd: Path, given: bytes = b"") -> Ran:
    """Run ``sarifix ARGS`` in a process for which permissions count; skip where that cannot be.

    ``given`` is its standard input.
    """
    return _run([sys.executable, "-m", "sarifix", *args], cwd, given)


def lowly_python(code: str, *args: str) -> None:
    """Run Python code, which must succeed, in such a process."""
    ran = _run([sys.executable, "-c", code, *args], Path(__file__).parents[2])
    assert ran.code == 0, ran.err


def _run(argv: list[str], cwd: Path, given: bytes = b"") -> Ran:
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("permissions do not bind root, and there is no setpriv")
        argv = [setpriv, f"--bounding-set={_CAPABILITIES}", *argv]
    done = subprocess.run(argv, cwd=cwd, input=given, capture_output=True, check=False)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

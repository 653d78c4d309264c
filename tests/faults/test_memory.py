"""What a scanner floods us with does not fill the memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.support.repo import Repo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")

MakeRepo = Callable[..., Repo]
# In a process of its own: the peak is that of the whole life of one.
_MEASURE = """import contextlib, io, json, resource
from sarifix.cli import main
out = io.StringIO()
with contextlib.redirect_stdout(out):
    code = main(["check", "--format", "json"])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([code, peak, [s["reason"] for s in json.loads(out.getvalue())["scanners"]]]))
"""


@pytest.mark.parametrize("where", ["1", "2"])
def test_a_flood(make_repo: MakeRepo, where: str) -> None:
    script = f"head -c 1073741824 /dev/zero | tr '\\\\0' '\\\\377' >&{where}"
    config = f'scanners:\n  flood:\n    command: [/bin/sh, -c, "{script}"]\n'
    repo = make_repo({".sarifix.yaml": config, "a.txt": "a\n"})
    repo.write({"a.txt": "b\n"})
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE], cwd=repo.path, capture_output=True, check=True
    )
    code, peak, reasons = json.loads(done.stdout)
    assert code == 3
    assert "wrote more than 64 MiB" in reasons[0]
    assert len(reasons[0]) < 20_000
    assert peak < 600 * 1024

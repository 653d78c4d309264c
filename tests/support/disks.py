"""A command on a small disk of its own that is full, or can only be read. Linux alone.

Run as a program, in a mount namespace of its own, this makes the disk, runs the command and
looks at what it left; the disk is gone with the namespace.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.support.repo import Repo
from tests.support.state import differences, state

SIZE = 4 << 20  # bytes
READ_ONLY = "read-only"


@dataclass(frozen=True)
class Seen:
    """How a command ended on such a disk, what was changed, and the same without the fault."""

    code: int
    out: str
    err: str
    changed: list[str]
    later: str  # what the next check says, once there is room again


@functools.cache
def _namespace() -> list[str] | None:
    """Return how to get a mount namespace: as root, else as root of a user namespace."""
    for options in ("-m", "-rm"):
        argv = ["unshare", options]
        with tempfile.TemporaryDirectory() as place:
            mount = [*argv, "mount", "-t", "tmpfs", "none", place]
            if (
                shutil.which("unshare")
                and not subprocess.run(mount, capture_output=True, check=False).returncode
            ):
                return argv
    return None


def on_a_disk(disk: Path, left: str, argv: Sequence[str], repo: Path, given: bytes = b"") -> Seen:
    """Run a command in ``repo`` with ``disk`` on a disk of its own, that has its files already.

    ``left`` is how many bytes can still be written there, or READ_ONLY. Skips where no disk
    can be made.
    """
    namespace = _namespace()
    if namespace is None:
        import pytest

        pytest.skip("no mount namespace can be made here (unshare -m, or -rm)")
    done = subprocess.run(
        [*namespace, sys.executable, "-m", __name__, str(disk), left, str(repo), *argv],
        cwd=Path(__file__).parents[2],
        input=given,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    return Seen(**json.loads(done.stdout))


def _main(disk: Path, left: str, repo: Path, argv: Sequence[str]) -> None:
    _mount(disk)
    filler = disk / "filler"
    if left == READ_ONLY:
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    else:
        _fill(filler, int(left))
    before = state(repo)
    done = subprocess.run(argv, cwd=repo, stdin=sys.stdin, capture_output=True, check=False)
    changed = differences(before, state(repo))
    if left == READ_ONLY:
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    else:
        filler.unlink()
    (Repo(repo).path / ".git" / "index.lock").unlink(missing_ok=True)
    check = [sys.executable, "-m", "sarifix", "check", "--format", "json"]
    later = subprocess.run(check, cwd=repo, capture_output=True, text=True, check=False)
    assert not later.stderr, later.stderr
    out, err = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
    print(json.dumps(asdict(Seen(done.returncode, out, err, changed, later.stdout))))


def _mount(disk: Path) -> None:
    """Put a disk in the place of a directory, with all that is in it."""
    disk.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=disk.parent) as aside:
        subprocess.run(["cp", "-a", f"{disk}/.", aside], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", disk], check=True)
        subprocess.run(["cp", "-a", f"{aside}/.", disk], check=True)


def _fill(filler: Path, left: int) -> None:
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(1 << 12)):
                pass
        except OSError:  # not one byte more
            os.truncate(filler, filler.stat().st_size - left)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4:])

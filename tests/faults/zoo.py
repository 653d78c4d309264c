"""A scanner that behaves badly in one way, for tests: ``zoo.py MODE LOG OUT``.

LOG gets the id of every process that it starts, itself included. What it writes to OUT, if
it comes to that, is SARIF with one finding of rule ``zoo`` in line 2 of ``a.txt``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

LONG = 60  # seconds: longer than any test waits
GB = 1 << 30

log, out = Path(sys.argv[2]), Path(sys.argv[3])
private = out.parent


def note() -> None:
    with log.open("a") as file:
        file.write(f"{os.getpid()}\n")


def result() -> None:
    place = {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 2}}
    found = {
        "ruleId": "zoo",
        "level": "error",
        "message": {"text": "seen"},
        "locations": [{"physicalLocation": place}],
    }
    run = {"tool": {"driver": {"name": "zoo"}}, "results": [found]}
    out.write_text(json.dumps({"version": "2.1.0", "runs": [run]}))


def sleep() -> None:
    time.sleep(LONG)


def ignore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(LONG)


def apart(work: Callable[[], None]) -> None:
    """Do some work in a process whose parent is gone, in a session of its own."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            note()
            work()
        os._exit(0)
    os.wait()


def forget() -> None:
    """Go on as a program that has nothing of the environment it came with."""
    os.execve("/bin/sleep", ["sleep", str(LONG)], {})


def hydra() -> None:
    """Be somebody else every moment, each with a session of its own."""
    for _ in range(LONG * 200):
        if os.fork():
            os._exit(0)
        os.setsid()
        time.sleep(0.005)


def hydra_that_forgot() -> None:
    again = " os.fork() and os._exit(0)\n os.setsid()\n time.sleep(0.005)\n"
    code = f"import os, time\nfor _ in range({LONG * 200}):\n{again}"
    os.execve(sys.executable, [sys.executable, "-ISc", code], {})


def grandchild_that_holds_stdout() -> None:
    child = subprocess.Popen(["/bin/sleep", str(LONG)], start_new_session=True)
    with log.open("a") as file:
        file.write(f"{child.pid}\n")


def flood(fd: int) -> None:
    block = b"\xff\n" * (1 << 19)
    for _ in range(GB // len(block)):
        os.write(fd, block)


def flood_out_of_sight() -> None:
    (private / "stdout").unlink()
    flood(1)


def hold_sigterm_and_flood() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        os.write(1, b"x" * (1 << 16))


def close_everything() -> None:
    os.closerange(0, 256)


def want_input() -> None:
    assert sys.stdin.read() == ""
    assert not sys.stdin.isatty()


def change_the_tree() -> None:
    Path("a.txt").write_text("BAD(changed)\n" * 9)
    Path("b.txt").write_text("BAD(changed)\n")


def delete_from_the_tree() -> None:
    for path in Path().iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def delete_its_directory() -> None:
    shutil.rmtree(Path.cwd())


def lock_the_tree() -> None:
    Path().chmod(0)


def write_beside_the_tree() -> None:
    Path("../beside").write_text("x" * 100)
    Path("../state").write_text("x" * 100)


def delete_its_private_directory() -> None:
    shutil.rmtree(private)


def plant(name: str, how: str) -> None:
    place = private / name
    place.unlink(missing_ok=True)
    if how == "link":
        secret = log.parent / "secret"
        secret.write_text(json.dumps({"version": "2.1.0", "runs": []}))
        place.symlink_to(secret)
    elif how == "pipe":
        os.mkfifo(place)
    elif how == "directory":
        place.mkdir()
    elif how == "device":
        place.symlink_to("/dev/zero")
    elif how == "node":
        os.mknod(place, 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero


BEFORE: dict[str, Callable[[], None]] = {
    "hang": sleep,
    "ignore SIGTERM": ignore_sigterm,
    "hold SIGTERM and flood": hold_sigterm_and_flood,
    "1 GB on stdout": lambda: flood(1),
    "1 GB on stderr": lambda: flood(2),
    "1 GB out of sight": flood_out_of_sight,
    "wants input": want_input,
    "changes the tree": change_the_tree,
    "deletes from the tree": delete_from_the_tree,
    "deletes its directory": delete_its_directory,
    "locks the tree": lock_the_tree,
    "writes beside the tree": write_beside_the_tree,
    "grandchild that holds stdout": grandchild_that_holds_stdout,
    "grandchild apart": lambda: apart(sleep),
    "grandchild that forgot": lambda: apart(forget),
    "grandchild that forgot, then hangs": lambda: (apart(forget), sleep())[1],
    "hydra": lambda: apart(hydra),
    "hydra that forgot": lambda: apart(hydra_that_forgot),
    "nothing": lambda: None,
}
AFTER: dict[str, Callable[[], None]] = {
    "closes everything": close_everything,
    "deletes its private directory": delete_its_private_directory,
    **{
        f"{how} as {name}": (lambda name=name, how=how: plant(name, how))  # type: ignore[misc]
        for how in ("link", "pipe", "directory", "device", "node")
        for name in ("out.sarif", "stderr", "stdout")
    },
}


if __name__ == "__main__":
    note()
    mode = sys.argv[1]
    BEFORE.get(mode, BEFORE["nothing"])()
    result()
    AFTER.get(mode, BEFORE["nothing"])()

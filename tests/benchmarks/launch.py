"""Start one program and print what it took: seconds, processor seconds, peak KiB, exit code.

A script of its own, with few imports: on Linux the peak memory of a process is at least
that of the process which started it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

_GRACE = 5.0  # seconds
# Linux counts in KiB, macOS in bytes.
_UNIT = 1024 if sys.platform == "darwin" else 1


def main(limit: str, given: str, out: str, err: str, *argv: str) -> None:
    """Run ``argv`` with these files as its standard ones, for at most ``limit`` seconds."""
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = (os.open(given, os.O_RDONLY), os.open(out, write, 0o600), os.open(err, write, 0o600))
    actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(files)]
    began = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions, setpgroup=0)

    ways = iter((signal.SIGTERM, *[signal.SIGKILL] * 9))

    def stop(*_: object) -> None:
        # Gently first, so that what it has started ends with it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, next(ways))
        signal.setitimer(signal.ITIMER_REAL, _GRACE)

    # The limit; or whoever measures was ended.
    for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    signal.setitimer(signal.ITIMER_REAL, float(limit))
    _, status, taken = os.wait4(pid, 0)
    wall = time.perf_counter() - began
    code = os.waitstatus_to_exitcode(status)
    print(wall, taken.ru_utime + taken.ru_stime, taken.ru_maxrss // _UNIT, code)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Looking at other processes, on Linux."""

from __future__ import annotations

import time
from pathlib import Path


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def is_gone(pid: int, within: float = 2.0) -> bool:
    """Return whether a process ends within some seconds (a signal takes its time)."""
    end = time.monotonic() + within
    while _is_alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True

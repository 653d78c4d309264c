"""What is needed later, imported while something else is waited for."""

from __future__ import annotations

import contextlib
import importlib
import threading


def begin(name: str) -> None:
    """Import a module in another thread; whoever needs it waits for it.

    No daemon: a thread that imports while the interpreter ends can crash it.
    """
    with contextlib.suppress(RuntimeError):  # no more threads: loaded where it is needed
        threading.Thread(target=_load, args=(name,)).start()


def _load(name: str) -> None:
    # What cannot be imported is imported again by whoever needs it, and told there.
    with contextlib.suppress(Exception):
        importlib.import_module(name)

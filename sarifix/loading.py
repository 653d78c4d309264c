"""Modules that are needed later, imported while something else is waited for."""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Sequence


def begin(*names: str) -> None:
    """Import modules, in this order, in another thread; whoever needs one waits for it.

    No daemon: a thread that imports while the interpreter ends can crash it.
    """
    with contextlib.suppress(RuntimeError):  # no more threads: loaded where it is needed
        threading.Thread(target=_load, args=(names,)).start()


def _load(names: Sequence[str]) -> None:
    # What cannot be imported is imported again by whoever needs it, and told there.
    with contextlib.suppress(Exception):
        for name in names:
            importlib.import_module(name)

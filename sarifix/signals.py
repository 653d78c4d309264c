"""What signals do to us, whatever whoever started us made of them. Nothing heavy is imported.

At the start they end us on the spot, and git with us: an exception in the middle of an
import can get lost. Later they unwind the stack, so that scanners end and locks are freed.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself takes long to import
import os
import sys

TYPE_CHECKING = False  # that of typing costs half of what git does
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

_ENDING = ("SIGTERM", "SIGHUP")
children: set[int] = set()  # processes that end with us, as long as nothing is unwound


def at_start() -> None:
    """Let signals end us on the spot, and hear how children end. For the main thread."""
    for name in ("SIGINT", *_ENDING):
        _set(name, _leave)
    if hasattr(_signal, "SIGCHLD"):
        # Ignored, it loses every exit code: a scanner that crashed looks as if it were well.
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)


def unwind() -> None:
    """Let signals unwind the stack. A caller in another thread than the main one keeps its own."""
    try:
        for name in _ENDING:
            _set(name, _exit)
        if _signal.getsignal(_signal.SIGINT) is _leave:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    except ValueError:
        pass


def _set(name: str, handler: Callable[[int, Any], object]) -> None:
    number = getattr(_signal, name, None)
    # Under `nohup` it stays ignored.
    if number is not None and _signal.getsignal(number) != _signal.SIG_IGN:
        _signal.signal(number, handler)


def _leave(number: int, _: object) -> NoReturn:
    for pid in children:
        os.kill(pid, 15)
    os._exit(128 + number)


def _exit(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)

"""An end to everything the hook does: past its own timeout Claude Code says nothing at all.

Scanners have their deadline; this is for the rest, such as a filter of git that hangs.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself takes long to import

DEADLINE = 240.0  # seconds for the scanners, if `hooks.deadline` does not say otherwise


class TooLateError(BaseException):
    """It took too long. No ``Exception``, so that nothing on the way takes it for its own."""


def within(deadline: float, passed: float = 0.0) -> None:
    """Raise ``TooLateError`` in the main thread some time after the deadline of the scanners.

    ``passed`` are the seconds since the hook began. An earlier call is overruled.
    """
    allowed = deadline + min(30.0, 5 + deadline / 10)

    def ring(*_: object) -> None:
        raise TooLateError(f"it did not finish within {allowed:.0f} s")

    if hasattr(_signal, "setitimer"):
        try:
            _signal.signal(_signal.SIGALRM, ring)
        except ValueError:  # only the main thread may do this
            return
        _signal.setitimer(_signal.ITIMER_REAL, max(0.01, allowed - passed))


def off() -> None:
    """Let the time pass."""
    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, 0)

"""The way in for Claude Code: an unchanged turn is left before anything heavy is imported."""

from __future__ import annotations

import os
import sys

from sarifix.hooks import alarm
from sarifix.hooks.marks import Mark
from sarifix.look import Look

TYPE_CHECKING = False  # that of typing costs half of what git does
if TYPE_CHECKING:
    from collections.abc import Sequence

HOOK = "--hook"


def asked(argv: Sequence[str]) -> bool:
    """Whether a command line is that of the hook, whatever else is wrong with it."""
    return any(argument.partition("=")[0] == HOOK for argument in argv)


def run(argv: Sequence[str]) -> int:
    """Answer one event of Claude Code: print one JSON object or nothing, and return 0."""
    try:
        alarm.within(alarm.DEADLINE)
        text = _answer(argv)
        alarm.off()
    except BaseException as error:  # noqa: BLE001  whatever it is, the client must be told
        alarm.off()
        from sarifix.hooks.trouble import confess

        text = confess(error)
    _print(text)
    return 0


def _answer(argv: Sequence[str]) -> str:
    look = Look.begin()
    try:
        return _answered(argv, look)
    finally:
        if look is not None:
            look.close()


def _answered(argv: Sequence[str], look: Look | None) -> str:
    data = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
    mark = Mark(look, argv, data) if look is not None else None
    if mark is not None and mark.holds():
        return ""
    from sarifix.hooks.claude import respond

    return respond(argv, data, os.environ, mark)


def _print(text: str) -> None:
    """Write the answer, and see to it that nothing can follow it or change the exit code."""
    try:
        if hasattr(sys.stdout, "reconfigure"):
            # PYTHONIOENCODING may ask for what the client does not read.
            sys.stdout.reconfigure(encoding="ascii")
        if sys.stdout is not None:
            sys.stdout.write(text)
            sys.stdout.flush()
    except (OSError, ValueError):  # the client hung up
        sys.stdout = None

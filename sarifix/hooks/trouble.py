"""What the hook says when it cannot do what it is for. It ends with 0 all the same."""

from __future__ import annotations

import contextlib
import platform
import sys
import traceback

from sarifix import __version__
from sarifix.errors import SarifixError
from sarifix.hooks.alarm import TooLateError
from sarifix.hooks.answer import CONTEXT, document, for_user
from sarifix.sanitize import REASON_LIMIT, clean


def confess(error: BaseException) -> str:
    """Return the answer that tells the user why nothing was checked."""
    return document("", CONTEXT, None, for_user(["sarifix could not check: " + _reason(error)]))


def _reason(error: BaseException) -> str:
    if isinstance(error, SarifixError):
        hint = f" ({clean(error.hint, REASON_LIMIT)})" if error.hint else ""
        return clean(error.message, 2000) + hint
    if isinstance(error, TooLateError):
        return f"{error} (a filter of git may hang; sarifix check shows what does)"
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted"
    if isinstance(error, SystemExit):
        return f"it was ended (exit code {error.code}) before it was done"
    if sys.stderr is not None:  # else it would go to standard output
        with contextlib.suppress(OSError):
            traceback.print_exception(error)
    return (
        f"{clean(f'{type(error).__name__}: {error}', REASON_LIMIT)}. This is a bug of sarifix "
        f"{__version__} (Python {platform.python_version()}, {platform.system()}); "
        "`sarifix check` shows where"
    )

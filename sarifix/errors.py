"""The failures sarifix expects: each has a message, a hint and an exit code.

Raise deep, catch once (``cli.main``). A message says what happened and where, a
hint says what to do next. Anything else that is raised is a bug of ours.
"""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    """What the process answers with; the table in README.md is tested against this."""

    CLEAN = 0
    INTRODUCED = 1
    USAGE = 2
    UNDECIDED = 3
    BUG = 4
    INTERRUPTED = 130


class SarifixError(Exception):
    """A failure that the user can do something about."""

    exit_code = ExitCode.UNDECIDED

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SarifixError):
    """The command line asks for something that makes no sense."""

    exit_code = ExitCode.USAGE


class ConfigError(SarifixError):
    """``.sarifix.yaml`` cannot be used; the message begins with ``file:line:column``."""

    exit_code = ExitCode.USAGE


class NoRepositoryError(SarifixError):
    """There is no working tree to check here, or git refuses to open it."""

    exit_code = ExitCode.USAGE


class GitError(SarifixError):
    """git itself failed. Never read as "absent": another verdict could follow."""


class MissingRevisionError(SarifixError):
    """The base, or a merge base with it, is not in this repository."""


class UnmergedIndexError(SarifixError):
    """The index has conflicts, so there is no staged tree to check."""


class NoScannerError(SarifixError):
    """No scanner is here that could check these files.

    ``installs`` are the commands that install those which would apply.
    """

    def __init__(self, message: str, hint: str, installs: tuple[str, ...]) -> None:
        super().__init__(message, hint)
        self.installs = installs


class SarifError(SarifixError):
    """A document is not a SARIF 2.1.0 log that can be trusted to be complete."""

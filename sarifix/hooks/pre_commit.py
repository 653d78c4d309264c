"""``sarifix pre-commit``: the check that a commit, a push or a job in CI has to pass."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sarifix import engine, output
from sarifix.engine import Request
from sarifix.errors import ExitCode, NoScannerError, SarifixError, UsageError
from sarifix.hooks.base import Choice, Situation, choose
from sarifix.model import Report, Scanner
from sarifix.output import Options, compact, summary
from sarifix.workspace import Edge, Workspace, load_config, open_workspace

WIDTH = 80
Write = Callable[[str, str | None], None]  # a document, and the file it is for (None: stdout)


@dataclass(frozen=True, slots=True)
class Form:
    """In which form the report is written, and where it goes (None: standard output)."""

    format: str
    output: str | None
    shown: Options


def pre_commit(request: Request, edge: Edge, form: Form, write: Write) -> ExitCode:
    """Check what is about to be committed or pushed, or what CI checked out; say what is new.

    Raises ``SarifixError`` where nothing can be decided, when GitHub has been told.
    """
    try:
        return _checked(request, edge, form, write)
    except SarifixError as raised:
        error = _for_this_environment(raised, edge)
        if _in_github(edge) and form.format != "github":
            _write_screen(output.render_error(error, "github"), form, write)
        _summarise(output.render_error(error, "markdown"), edge, write)
        raise error from raised

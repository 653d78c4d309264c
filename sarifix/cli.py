"""The command line: one thin function a command, the only place that catches and exits."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sarifix import __version__, signals, streams
from sarifix.errors import ExitCode, SarifixError, UsageError
from sarifix.hooks import unchanged
from sarifix.options import parse, salvage

if TYPE_CHECKING:
    from sarifix.look import Look
    from sarifix.model import Report
    from sarifix.output.progress import Progress
    from sarifix.workspace import Edge

Command = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str], look: Look | None = None) -> int:
    """Run one command and return the exit code (the table in README.md).

    ``look`` is what git was asked of the working tree before this was imported.
    """
    if unchanged.asked(argv):
        return unchanged.run(argv)
    with streams.opened():
        signals.unwind()
        try:
            return _answer(argv, look)
        except KeyboardInterrupt:
            print("sarifix: interrupted", file=sys.stderr)
            return ExitCode.INTERRUPTED
        except BrokenPipeError:
            streams.give_up()  # the reader went away (`| head`)
            return ExitCode.INTERRUPTED
        except Exception:  # noqa: BLE001  the edge: a bug is told as one
            return _confess()


def _answer(argv: Sequence[str], look: Look | None) -> int:
    options = None
    try:
        options = parse(argv)
        options.look = look  # begun before there were options
        code = COMMANDS[options.command](options)
        sys.stdout.flush()  # here, not at python's end: the reader may have gone away
    except SarifixError as error:
        code = _refuse(error, options or salvage(argv))
    except BrokenPipeError:
        raise
    except OSError as error:
        code = _refuse(_fault(error), options or salvage(argv))
    with contextlib.suppress(SarifixError):  # what came before a refusal
        sys.stdout.flush()
    return code


def _fault(error: OSError) -> SarifixError:
    """Return what the system refused us (a full disk, a closed directory) as a failure."""
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
    return SarifixError(f"{where}{error.strerror or error}", "see to it, and run it again")


def _refuse(error: SarifixError, options: argparse.Namespace) -> int:
    """Say on stderr what happened and what to do, and on stdout in the form asked for."""
    said = _complaint(error)
    _tell(said)
    if getattr(options, "format", None):
        from sarifix.output import render_error

        document = render_error(error, options.format)
        try:
            # Of text, nothing is for standard output; a file must not look like a clean report.
            _write(document or (said if options.output else ""), options.output)
        except SarifixError as unwritable:
            if unwritable.message != error.message:
                _tell(_complaint(unwritable))
            if options.output:
                with contextlib.suppress(SarifixError):  # neither: the exit code says it
                    _write(document, None)
    return error.exit_code


def _tell(said: str) -> None:
    # On a full disk, say, nobody can be told: then the exit code alone says it.
    with contextlib.suppress(OSError):
        sys.stderr.write(said)


def _complaint(error: SarifixError) -> str:
    from sarifix.sanitize import clean

    hint = f"  hint: {clean(error.hint, 2000)}\n" if error.hint else ""
    return f"sarifix: error: {clean(error.message, 2000)}\n{hint}"


def _confess() -> int:
    import platform
    import traceback

    traceback.print_exc()
    print(
        f"sarifix: this is a bug of sarifix {__version__} (Python {platform.python_version()}, "
        f"{platform.system()}). Please report it with the lines above.",
        file=sys.stderr,
    )
    return ExitCode.BUG


# ---------------------------------------------------------------------------
# Commands


def _check(options: argparse.Namespace) -> int:
    from sarifix.engine import Request, check
    from sarifix.output.progress import progress

    enabled = sys.stderr.isatty() and options.verbosity >= 0 and not os.environ.get("CI")
    with progress(sys.stderr, enabled=enabled) as shown:
        report = check(
            Request(
                head=options.head,
                base=options.base,
                exact_base=options.exact_base,
                scanners=tuple(options.scanner),
                allowed_only=options.allowed_only,
                config_file=options.config,
                use_cache=options.cache,
            ),
            edge(shown, options.look),
        )
    return publish(report, options)


def _pre_commit(options: argparse.Namespace) -> int:
    from sarifix.engine import Request
    from sarifix.hooks.pre_commit import Form, pre_commit, pre_push
    from sarifix.output.progress import Silent

    request = Request(
        base=options.base,
        exact_base=options.exact_base,
        config_file=options.config,
        use_cache=options.cache,
    )
    form = Form(options.format, options.output, _colored(), options.verbosity)
    if options.pre_push is None:
        return pre_commit(request, edge(Silent()), form, _write)
    lines = sys.stdin.read()
    return pre_push(options.pre_push, lines, request, edge(Silent()), form, _write)


def edge(shown: Progress, look: Look | None = None) -> Edge:
    """Take from the process what the engine must not read by itself."""
    from sarifix.scanners.find import own_scripts
    from sarifix.workspace import Edge

    return Edge(os.getcwd(), os.environ, own_scripts(), shown, look)  # noqa: PTH109


def publish(report: Report, options: argparse.Namespace) -> int:
    """Write the report in the form asked for and return the exit code of its outcome."""
    from sarifix.output import Options, render
    from sarifix.output.summary import exit_code

    shown = Options(
        color=options.output is None and _colored(),
        width=_width(),
        verbosity=options.verbosity,
    )
    _write(render(report, options.format, shown), options.output)
    return exit_code(report)


def _colored() -> bool:
    """Whether standard output gets colours (https://no-color.org, https://force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((100, 24)).columns


def _write(text: str, output: str | None) -> None:
    """Write a document to the file, or to standard output; raises ``SarifixError``."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(
            f"--output {output}: cannot be written: {error.strerror}", "name another file"
        ) from error


def _doctor(options: argparse.Namespace) -> int:
    from sarifix.doctor import doctor
    from sarifix.output.progress import Silent

    return doctor(edge(Silent()), options.config)


def _cache(options: argparse.Namespace) -> int:
    from sarifix.doctor import cache_clear, cache_show
    from sarifix.output.progress import Silent

    return (cache_clear if options.action == "clear" else cache_show)(edge(Silent()))


def _init(options: argparse.Namespace) -> int:
    from sarifix.output.progress import Silent

    if not (options.pre_commit or options.claude):
        raise UsageError("nothing to set up", "say what: --pre-commit, --claude")
    if options.pre_commit:
        from sarifix.hooks.init_pre_commit import init_pre_commit

        if init_pre_commit(edge(Silent()), yes=options.yes):
            print("next: pre-commit install")
    if options.claude:
        from sarifix.hooks.init_claude import init_claude

        if init_claude(edge(Silent()), options.scope, yes=options.yes):
            print("next: start a new session of Claude Code")
    return ExitCode.CLEAN


def _demo(_: argparse.Namespace) -> int:
    from sarifix.demo import demo
    from sarifix.output import Options
    from sarifix.output.progress import Silent

    return demo(edge(Silent()), Options(color=_colored(), width=_width()))


COMMANDS: dict[str, Command] = {
    "check": _check,
    "pre-commit": _pre_commit,
    "init": _init,
    "doctor": _doctor,
    "cache": _cache,
    "demo": _demo,
}

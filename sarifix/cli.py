"""The command line: one thin function a command, the only place that catches and exits."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from sarifix import __version__
from sarifix.errors import ExitCode, SarifixError, UsageError

if TYPE_CHECKING:
    from sarifix.model import Report
    from sarifix.output.progress import Progress
    from sarifix.workspace import Edge

FORMAT_NAMES = ("text", "json", "sarif", "github", "markdown")
Command = Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are ours, so that each output form can say them."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}", f"see `{self.prog} --help`")


def main(argv: Sequence[str]) -> int:
    """Run one command and return the exit code of docs and README."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    _end_on_signals()
    try:
        options = parser().parse_args(argv)
    except UsageError as error:
        return _refuse(error, None)
    try:
        command: Command = options.run
        return command(options)
    except SarifixError as error:
        return _refuse(error, options)
    except KeyboardInterrupt:
        print("sarifix: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`); python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.INTERRUPTED
    except Exception:  # noqa: BLE001  the edge: a bug is told as one
        return _confess()


def _end_on_signals() -> None:
    """Let SIGTERM and SIGHUP unwind the stack, so that scanners end and locks are freed."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        # Only the main thread may do this; a caller that runs us in another keeps its own.
        with contextlib.suppress(ValueError):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), end)


def _refuse(error: SarifixError, options: argparse.Namespace | None) -> int:
    """Say on stderr what happened and what to do, and on stdout in the form asked for."""
    from sarifix.sanitize import clean

    print(f"sarifix: error: {clean(error.message, 2000)}", file=sys.stderr)
    if error.hint:
        print(f"  hint: {clean(error.hint, 2000)}", file=sys.stderr)
    if options is not None and getattr(options, "format", None):
        from sarifix.output import render_error

        _write(render_error(error, options.format), options.output)
    return error.exit_code


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
            edge(shown),
        )
    return publish(report, options)


def edge(shown: Progress) -> Edge:
    """Take from the process what the engine must not read by itself."""
    from sarifix.workspace import Edge

    return Edge(os.getcwd(), os.environ, sysconfig.get_path("scripts"), shown)  # noqa: PTH109


def publish(report: Report, options: argparse.Namespace) -> int:
    """Write the report in the form asked for and return the exit code of its outcome."""
    from sarifix.output import Options, render
    from sarifix.output.summary import exit_code

    to_screen = options.output is None
    shown = Options(
        color=to_screen and _colored(sys.stdout.isatty()),
        width=_width(),
        verbosity=options.verbosity,
    )
    _write(render(report, options.format, shown), options.output)
    return exit_code(report)


def _colored(is_terminal: bool) -> bool:  # noqa: FBT001  a fact about the stream
    if os.environ.get("NO_COLOR"):
        return False
    return is_terminal or bool(os.environ.get("FORCE_COLOR"))


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((100, 24)).columns


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace")
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


def _demo(_: argparse.Namespace) -> int:
    from sarifix.demo import demo

    return demo(color=_colored(sys.stdout.isatty()), width=_width())


# ---------------------------------------------------------------------------
# The parser


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = _Parser(
        prog="sarifix",
        description="Report the findings that a change introduced, and nothing else.",
    )
    top.add_argument("--version", action="version", version=f"sarifix {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_check(commands)
    _add(commands, "doctor", _doctor, "show which scanners are found and which apply here")
    commands.choices["doctor"].add_argument("--config", metavar="FILE", help=_CONFIG_HELP)
    shown = _add(commands, "cache", _cache, "show or clear the stored results of this repository")
    shown.add_argument("action", nargs="?", choices=("show", "clear"), default="show")
    _add(commands, "demo", _demo, "play a change and its fix in a throw-away repository")
    return top


_CONFIG_HELP = "use FILE instead of the .sarifix.yaml of the head"


def _add(
    commands: argparse._SubParsersAction[_Parser], name: str, run: Command, text: str
) -> argparse.ArgumentParser:
    made = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    made.set_defaults(run=run)
    return made


def _add_check(commands: argparse._SubParsersAction[_Parser]) -> None:
    check = _add(commands, "check", _check, "report the findings that a change introduced")
    check.add_argument(
        "--base",
        metavar="REV",
        help="what to compare with (default: SARIFIX_BASE, `base:` of the configuration, HEAD); "
        "for a branch, its merge base with the head",
    )
    check.add_argument("--exact-base", action="store_true", help="take a branch as it is")
    check.add_argument(
        "--head",
        metavar="worktree|staged|REV",
        default="worktree",
        help="what to check (default: worktree)",
    )
    check.add_argument(
        "--scanner", metavar="NAME", action="append", default=[], help="run this scanner only"
    )
    check.add_argument(
        "--allowed-only", action="store_true", help="report only what `rules.allow` allows"
    )
    add_output(check)


def add_output(command: argparse.ArgumentParser) -> None:
    """Add the options that say what the report looks like and where it goes."""
    command.add_argument(
        "--format", choices=FORMAT_NAMES, default="text", help="form of the report (default: text)"
    )
    command.add_argument("--output", metavar="FILE", help="write the report to FILE")
    command.add_argument("--config", metavar="FILE", help=_CONFIG_HELP)
    command.add_argument(
        "--no-cache", dest="cache", action="store_false", help="neither read nor store results"
    )
    volume = command.add_mutually_exclusive_group()
    volume.add_argument(
        "-q", "--quiet", dest="verbosity", action="store_const", const=-1, default=0,
        help="only the findings, one line each",
    )  # fmt: skip
    volume.add_argument(
        "-v", "--verbose", dest="verbosity", action="store_const", const=1,
        help="also versions, times and all notes",
    )  # fmt: skip

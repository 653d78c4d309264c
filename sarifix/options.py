"""What the command line takes: its commands, their options, and how it refuses the rest."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

from sarifix import __version__
from sarifix.errors import UsageError

_Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
FORMAT_NAMES = ("text", "json", "sarif", "github", "markdown")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours, so that each output form can say them."""

    def error(self, message: str) -> NoReturn:
        """Raise ``UsageError`` where argparse would print and exit."""
        raise UsageError(message, f"see `{self.prog} --help`")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after ``--help`` or ``--version``, which must have come to their reader."""
        sys.stdout.flush()
        super().exit(status, message)

    def unexpected(self, argument: str) -> UsageError:
        """Return the refusal of an argument that means nothing here."""
        import difflib

        kind = "option" if argument.startswith("-") else "argument"
        name = argument.partition("=")[0]
        near = difflib.get_close_matches(name, re.findall(r"--[\w-]+", self.format_usage()), n=1)
        help_ = f"see `{self.prog} --help`"
        hint = f"did you mean {near[0]}? {help_}" if near else help_
        return UsageError(f"unexpected {kind} {name}", hint)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the options given, with ``command`` the command's name; raises ``UsageError``."""
    top = parser(argv[0] if argv else None)
    options, unknown = top.parse_known_args(argv)
    if unknown:
        chosen: Parser = getattr(options, "parser", top)
        raise chosen.unexpected(unknown[0])
    if not hasattr(options, "command"):
        top.error("no command given")
    return options


def salvage(argv: Sequence[str]) -> argparse.Namespace:
    """Find the form and the place of the report in a command line that makes no sense."""
    output = Parser(add_help=False, allow_abbrev=False)
    output.add_argument("--format", choices=FORMAT_NAMES)
    output.add_argument("--output")
    try:
        return output.parse_known_args(argv)[0]
    except UsageError:
        return argparse.Namespace()


def _revision(text: str) -> str:
    if not text.strip():
        # A variable that is not set must not turn into "compare with HEAD", and so clean.
        raise argparse.ArgumentTypeError("is empty")
    return text


def parser(command: str | None = None) -> Parser:
    """Return the parser of the whole command line; that of one ``command``, if it is one."""
    top = Parser(
        prog="sarifix",
        description="Report the findings that a change introduced, and nothing else.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"sarifix {__version__}")
    # Not required: of `sarifix --nonsense`, the option is the better thing to complain of.
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    # To make them all takes longer than most else before git is asked.
    for add in (_COMMANDS[command],) if command in _COMMANDS else _COMMANDS.values():
        add(commands)
    return top


_CONFIG_HELP = "use FILE instead of the .sarifix.yaml of the head"


def _add(commands: _Commands, name: str, text: str) -> argparse.ArgumentParser:
    description = f"{text[0].upper()}{text[1:]}."
    made = commands.add_parser(name, help=text, description=description, allow_abbrev=False)
    made.set_defaults(command=name, parser=made)
    return made


def _add_check(commands: _Commands) -> None:
    check = _add(commands, "check", "report the findings that a change introduced")
    check.add_argument(
        "--base",
        metavar="REV",
        type=_revision,
        help="what to compare with (default: SARIFIX_BASE, `base:` of the configuration, HEAD); "
        "for a branch, its merge base with the head",
    )
    check.add_argument("--exact-base", action="store_true", help="take a branch as it is")
    check.add_argument(
        "--head",
        metavar="worktree|staged|REV",
        type=_revision,
        default="worktree",
        help="what to check (default: worktree)",
    )
    check.add_argument(
        "--scanner", metavar="NAME", action="append", default=[], help="run this scanner only"
    )
    check.add_argument(
        "--allowed-only", action="store_true", help="report only what `rules.allow` allows"
    )
    check.add_argument(
        "--hook",
        action="store_true",
        help="answer an event of Claude Code on standard input (docs/claude-code.md); "
        "`--base session` compares with the beginning of its session",
    )
    check.add_argument(
        "--hook-answer",
        choices=("context", "block"),
        help="the form of the answer (default: by the version of Claude Code)",
    )
    add_output(check)


def _add_pre_commit(commands: _Commands) -> None:
    hook = _add(commands, "pre-commit", "check what a commit, a push or a job of CI brings")
    hook.add_argument(
        "--base",
        metavar="REV",
        type=_revision,
        help="what to compare with (default: SARIFIX_BASE, else what git, the framework and CI "
        "say); for a branch, its merge base with the head",
    )
    hook.add_argument("--exact-base", action="store_true", help="take a branch as it is")
    hook.add_argument(
        "--pre-push",
        metavar="REMOTE",
        help="read on standard input what git gives to a pre-push hook (without a framework)",
    )
    add_output(hook)


def _add_init(commands: _Commands) -> None:
    init = _add(commands, "init", "write what is missing to run sarifix as a hook here")
    init.add_argument(
        "--pre-commit", action="store_true", help="the hook in .pre-commit-config.yaml"
    )
    init.add_argument(
        "--claude", action="store_true", help="the hook in the settings of Claude Code"
    )
    scope = init.add_mutually_exclusive_group()
    for name, text in (
        ("user", "with --claude: your own settings, for every project (default)"),
        ("project", "with --claude: .claude/settings.json of this repository, for all who use it"),
        ("local", "with --claude: .claude/settings.local.json of this repository, for you alone"),
    ):
        scope.add_argument(
            f"--{name}", dest="scope", action="store_const", const=name, default="user", help=text
        )
    init.add_argument("-y", "--yes", action="store_true", help="do not ask")


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


def _add_doctor(commands: _Commands) -> None:
    doctor = _add(commands, "doctor", "show which scanners are found and which apply here")
    doctor.add_argument("--config", metavar="FILE", help=_CONFIG_HELP)


def _add_cache(commands: _Commands) -> None:
    cache = _add(commands, "cache", "show or clear the stored results of this repository")
    cache.add_argument(
        "action",
        nargs="?",
        choices=("show", "clear"),
        default="show",
        help="show where they are and their size (default), or clear them",
    )


def _add_demo(commands: _Commands) -> None:
    _add(commands, "demo", "play a change and its fix in a throw-away repository")


_COMMANDS: dict[str | None, Callable[[_Commands], None]] = {
    "check": _add_check,
    "pre-commit": _add_pre_commit,
    "init": _add_init,
    "doctor": _add_doctor,
    "cache": _add_cache,
    "demo": _add_demo,
}

"""From an entry of ``.sarifix.yaml`` to a scanner; what of its command line is configuration."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Any

from sarifix.errors import ConfigError
from sarifix.model import Grain, Scanner, ScannerEntry
from sarifix.scanners import PRESETS

# Options whose value says how to scan, not what. Few and sure: a path taken for
# configuration is held equal on both sides, so a directory to scan would never show
# anything new. --no-config and --ignore-config take no value, so what follows is a target.
_CONFIGURES = re.compile(
    r"-c|--?(?:(?!(?:no|ignore|skip|disable|without)-)\w+-)*"
    r"(?:config|conf|configuration|rules?|rulesdir|polic(?:y|ies)|baseline|settings|ini|profile"
    r"|(?:ignore|exclude)-?(?:file|path|policy)|ignorefile)"
    r"(?:-?(?:file|path|paths|dir|directory|data|check))?"
)
_INTERPRETERS = re.compile(r"python[\d.]*w?|node|bun|deno|ruby|perl|php|bash|sh|zsh")


def resolve(entry: ScannerEntry) -> Scanner:
    """Return the scanner that an entry describes: a preset as it changes it, or its own.

    Raises ``ConfigError`` for an entry without a command whose preset is unknown.
    """
    scanner = _own(entry) if entry.command is not None else _preset(entry)
    given: dict[str, Any] = {
        "ok_exit_codes": entry.ok_exit_codes,
        "empty_output": entry.empty_output,
        "inputs": entry.inputs,
        "config_files": entry.config_files,
        "grain": entry.grain,
        "version_argv": entry.version_command,
        "timeout": entry.timeout,
        "required": entry.required,
        "link": entry.link,
        "secrets": entry.secrets,
    }
    return scanner._replace(
        name=entry.name,
        named=True,
        env=tuple({**dict(scanner.env), **dict(entry.env or ())}.items()),
        **{field: value for field, value in given.items() if value is not None},
    )


def _own(entry: ScannerEntry) -> Scanner:
    """Make a scanner of a command. Naming ``{files}`` says that it takes them."""
    assert entry.command is not None
    takes_file = any("{out}" in argument for argument in entry.command)
    return Scanner(
        name=entry.name,
        argv=entry.command,
        output=entry.output or ("{out}" if takes_file else "stdout"),
        grain=Grain.FILE if "{files}" in entry.command else Grain.TREE,
    )


def _preset(entry: ScannerEntry) -> Scanner:
    name = entry.preset or entry.name
    if name not in PRESETS:
        raise ConfigError(
            f"{entry.place}: there is no preset {name!r}",
            f"known are {', '.join(sorted(PRESETS))}; any other tool needs a `command`",
        )
    preset = PRESETS[name]
    return preset._replace(
        preset=name,
        argv=_with_args(preset, entry.args),
        output=entry.output or preset.output,
    )


def _with_args(preset: Scanner, args: tuple[str, ...]) -> tuple[str, ...]:
    """Put the user's arguments before the files, else at the end.

    The repository's own configuration is not named to a scanner that is given another.
    """
    argv = list(preset.argv)
    at = argv.index("{files}") if "{files}" in argv else len(argv)
    argv[at:at] = args
    if _names_config(preset, args):
        argv.remove("{config}")
    return tuple(argv)


def _names_config(preset: Scanner, args: tuple[str, ...]) -> bool:
    flags = (preset.config_flag, *preset.config_aliases)
    return bool(preset.local_config) and any(
        arg == flag or arg.startswith(f"{flag}=") for arg in args for flag in flags
    )


def config_paths_in_argv(scanner: Scanner, exists: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the paths of the tree that the command line names as configuration, sorted.

    These are the values of options such as ``--config FILE`` and ``--rules-dir=DIR``
    (several with commas between them), and the script that an interpreter is to run.
    What is to be scanned is never among them. ``exists`` tells whether the tree has a
    file or directory of this path.
    """
    named = {_normal(path) for path in _candidates(scanner)}
    return tuple(sorted(path for path in named if path != "." and exists(path)))


def _candidates(scanner: Scanner) -> Iterator[str]:
    flags = (scanner.config_flag, *scanner.config_aliases)
    before = ""
    for number, argument in enumerate(scanner.argv):
        flag, equals, value = argument.partition("=")
        if equals and _is_config(flag, flags):
            yield from value.split(",")
        elif _is_config(before, flags):
            yield from argument.split(",")
        elif number == 1 and _INTERPRETERS.fullmatch(posixpath.basename(scanner.argv[0])):
            yield argument
        before = argument


def _is_config(flag: str, flags: tuple[str, ...]) -> bool:
    return flag in flags or _CONFIGURES.fullmatch(flag) is not None


def _normal(path: str) -> str:
    """Return a path as trees have it: ``./rules/`` is ``rules``."""
    return posixpath.normpath(path)

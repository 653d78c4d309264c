"""What the keys of one scanner's entry have to do with one another."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from sarifix.config.document import Node, Place, Wrong
from sarifix.model import Grain
from sarifix.named import NamedTuple

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED = "sarifix"  # the scanner of new-suppression and the like


class Given(NamedTuple):
    """A key's value, as it stands in the file and as it was read."""

    node: Node
    value: Any


def check_name(name: str, place: Place) -> None:
    """Raise ``Wrong`` for a name that cannot stand in reports, patterns and file names."""
    expects = "a name of letters, digits, dots, underscores and hyphens"
    if not _NAME.fullmatch(name):
        raise Wrong(place, "this name cannot be used", expects)
    if name == _RESERVED:
        what = "this name is reserved for sarifix's own findings"
        raise Wrong(place, what, "another name", "Rename the entry.")


def check(name: str, place: Place, given: Mapping[str, Given], presets: Collection[str]) -> None:
    """Raise ``Wrong`` where the keys of an entry do not fit together."""
    if "command" in given:
        _check_command(given)
    else:
        _check_preset(name, place, given, presets)
    _check_output(given)


def _check_command(given: Mapping[str, Given]) -> None:
    command = given["command"]
    for other in ("preset", "args"):
        if other in given:
            raise Wrong(
                given[other].node.place,
                f"{other} and command are both given",
                "one of the two",
                "A command is complete as it stands; args are added to a preset's.",
                at=f".{other}",
            )
    grain = given.get("grain")
    if grain and grain.value is Grain.FILE and "{files}" not in command.value:
        raise Wrong(
            command.node.place,
            "{files} is missing, and the grain is file",
            "{files} where the changed files go",
            "Add {files} to the command, or remove `grain: file` if results of one file"
            " depend on others.",
            at=".command",
        )


def _check_preset(
    name: str, place: Place, given: Mapping[str, Given], presets: Collection[str]
) -> None:
    preset = given.get("preset")
    wanted = preset.value if preset else name
    if wanted in presets:
        return
    import difflib  # for a message alone

    near = difflib.get_close_matches(wanted[:60], sorted(presets), n=1)
    hint = f"Did you mean {near[0]}?" if near else "A tool without a preset needs a command."
    known = ", ".join(sorted(presets))
    if preset:
        what = f"there is no preset {wanted[:60]!r}"
        raise Wrong(preset.node.place, what, f"one of {known}", hint, at=".preset")
    what = "no preset has this name, and the entry has no preset and no command"
    raise Wrong(place, what, f"a command, or one of {known}", hint)


def _check_output(given: Mapping[str, Given]) -> None:
    where = "command" if "command" in given else "args"
    arguments = " ".join(given[where].value) if where in given else ""
    output = given.get("output")
    if output and "{outdir}" not in arguments:
        raise Wrong(
            output.node.place,
            f"there is no {{outdir}} in {where}",
            f"{{outdir}} in {where} as well",
            "Without {out} or {outdir} the SARIF is read from standard output.",
            at=".output",
        )
    if not output and where == "command" and "{outdir}" in arguments and "{out}" not in arguments:
        raise Wrong(
            given[where].node.place,
            "{outdir} is given, but not which file in it is the SARIF",
            'output: "{outdir}/NAME"',
            at=".command",
        )

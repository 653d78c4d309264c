"""What a person does next: the command that shows more, the line that brings a scanner."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path

from sarifix.hooks.base import Choice, Situation
from sarifix.model import Report, Snapshot
from sarifix.output.compact import WIDTH
from sarifix.snapshot import NO_COMMIT
from sarifix.workspace import Edge

_ABBREVIATED = 12  # digits of a tree id
# What a framework told us, and what has to be told again.
_TOLD = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "PRE_COMMIT_LOCAL_BRANCH",
         "PRE_COMMIT_REMOTE_NAME")  # fmt: skip


def more(choice: Choice, edge: Edge, *, own_index: bool, empty_tree: str) -> str:
    """Return the command that shows the same check in full, as one line or two.

    ``own_index`` says that the user's own index was looked at: that of a ``commit -a`` is
    gone afterwards, and the tree that it made is named instead.
    """
    program = _program(edge)
    if len(choice.bases) > 1:
        told = [f"{n}={shlex.quote(edge.environ[n])}" for n in _TOLD if edge.environ.get(n)]
        return _fitted(" ".join((*told, program)), "pre-commit -v")
    base = _base(choice.bases[0].snapshot, empty_tree)
    return _fitted(program, f"check --base {base} {_head(choice, own_index=own_index)}-v")


def _base(base: Snapshot, empty_tree: str) -> str:
    if base.origin.startswith("HEAD ") or base.origin == NO_COMMIT:
        return "HEAD"
    # git knows the empty tree without having it, but by its whole id only.
    return base.tree if base.tree == empty_tree else base.tree[:_ABBREVIATED]


def _head(choice: Choice, *, own_index: bool) -> str:
    if choice.situation is Situation.BY_HAND:
        return ""
    staged = choice.head.snapshot.origin == "index" and own_index
    return f"--head {'staged' if staged else choice.head.snapshot.tree[:_ABBREVIATED]} "


def _fitted(program: str, rest: str) -> str:
    line = f"More: {program} {rest}"
    return line if len(line) <= WIDTH else f"More: {program} \\\n  {rest}"


def _program(edge: Edge) -> str:
    """Return what to type for sarifix: its path, where a framework put it on PATH for us."""
    own = os.path.realpath(edge.own_scripts)
    script = Path(edge.own_scripts, "sarifix")
    if not edge.environ.get("PRE_COMMIT") or not script.exists():
        return "sarifix"
    entries = edge.environ.get("PATH", os.defpath).split(os.pathsep)
    elsewhere = os.pathsep.join(entry for entry in entries if os.path.realpath(entry) != own)
    if elsewhere and shutil.which("sarifix", path=elsewhere):
        return "sarifix"
    quoted = shlex.quote(str(script))
    home = os.path.join(edge.environ.get("HOME", ""), "")
    return f"~/{quoted[len(home) :]}" if home != "/" and quoted.startswith(home) else quoted


def dependencies(report: Report) -> str:
    """Return the line that brings the scanners that are missing, or nothing."""
    missing = (scanner.missing for scanner in report.scanners)
    return additional(scanner.install for scanner in missing if scanner is not None)


def additional(installs: Iterable[str]) -> str:
    """Return the line of ``.pre-commit-config.yaml`` for what ``pip install`` installs."""
    packages = [package for install in installs for package in requirements(install)]
    if not packages:
        return ""
    listed = ", ".join(f'"{name}"' if "[" in name else name for name in sorted(packages))
    return f"additional_dependencies: [{listed}]"


def requirements(install: str) -> list[str]:
    """Return the packages of a ``pip install`` command; none of any other command."""
    words = shlex.split(install)
    return words[2:] if words[:2] == ["pip", "install"] else []

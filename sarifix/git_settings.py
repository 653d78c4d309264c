"""What every git call of ours begins with. Apart, so that an unchanged turn need import no more."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # that of typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable

# What could run a program, write behind our back, or hide a part of the tree.
SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "index.sparse=false",
    "submodule.recurse=false",
    "core.safecrlf=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.addEmbeddedRepo=false",
    # An edit that keeps size and time is still an edit.
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
)
STATUS = (
    "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames",
    "--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty",
)  # fmt: skip
ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    # git refuses to run where one of these is on besides (`git --icase-pathspecs commit`).
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


def flags(settings: Iterable[str] = ()) -> list[str]:
    """Return the options of git that every call of ours begins with."""
    return ["--no-pager", *(f for s in (*SETTINGS, *settings) for f in ("-c", s))]

"""The unchanged turn: Claude stops, and nothing has changed since it last did."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from functools import partial

from tests.benchmarks import inputs
from tests.benchmarks.bench import Bench, Ours, says, scripts
from tests.benchmarks.contest import Bar, Case, Contestant, WrongError
from tests.benchmarks.inputs import Change, django, python_comment, python_finding
from tests.benchmarks.measure import Command, Ran, run

OURS, PYTHON, STATUS = "sarifix check --hook", "python -c pass", "git status"


def cases(bench: Bench) -> list[Case]:
    """Return the case."""
    bar = Bar(
        "sarifix / (a bare interpreter + one git status)",
        lambda of: of(OURS) / (of(PYTHON) + of(STATUS)),
        1.2,
    )
    title = "An unchanged turn of Claude Code, Django"
    return [Case("turn", title, partial(_contestants, bench), (bar,), times=3)]


class Session:
    """A session of Claude Code in a repository, whose events are written by hand."""

    def __init__(self, ours: Ours, name: str) -> None:
        self._ours, self._name = ours, name

    def event(self, name: str) -> Command:
        """Return the hook, with an event on its standard input."""
        given = {
            "session_id": self._name,
            "transcript_path": "/nowhere/transcript.jsonl",
            "cwd": str(self._ours.repository),
            "permission_mode": "acceptEdits",
            "hook_event_name": name,
            "stop_hook_active": False,
        }
        line = json.dumps(given, separators=(",", ":")) + "\n"
        argv = (os.path.join(scripts(), "sarifix"), "check", "--hook", "--base", "session")
        return self._ours.command(*argv, stdin=line.encode())

    def begin(self) -> None:
        """Let the session begin here and now."""
        self.say("SessionStart")

    def say(self, name: str) -> str:
        """Return what the hook answers to an event, unmeasured."""
        _, ran = run([self.event(name)], self._ours.bench.scratch, 600)
        if ran.code != 0:
            raise WrongError(f"sarifix: {ran.told()}")
        return ran.text()


def _contestants(bench: Bench) -> Sequence[Contestant]:
    repository = django(bench.work)
    # The configuration that is committed there counts: ruff.
    ours = Ours.of(bench, repository, "turn", "")
    session = Session(ours, "turn")
    session.begin()
    edited = Change.of(repository, [inputs.PYTHON, "django/apps/config.py"], python_comment)
    with_finding = Change(edited.originals, python_finding)
    with_finding()
    if "S307" not in session.say("Stop"):
        raise WrongError("the hook does not see a finding, so its silence says nothing")
    edited()
    if session.say("Stop"):
        raise WrongError("the hook has something to say of a change without findings")
    return (
        Contestant(OURS, [session.event("Stop")], _silent),
        Contestant(PYTHON, [ours.command(sys.executable, "-c", "pass")], says("", 0)),
        status(ours),
    )


def _silent(ran: Ran) -> None:
    if ran.code != 0 or ran.text():
        raise WrongError(f"sarifix: {ran.told()}")


def status(ours: Ours) -> Contestant:
    """Return what nobody is without who asks whether something has changed."""
    return Contestant(STATUS, [ours.command("git", "status", "--porcelain")], says("", 0))

"""What was said in a session, and what is to be said at a stop: to Claude and the user. Pure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sarifix.errors import NoRepositoryError, NoScannerError, SarifixError
from sarifix.hooks import answer
from sarifix.hooks.checking import Checked
from sarifix.hooks.session import Session
from sarifix.hooks.traces import Notice, identify
from sarifix.model import Reported, ScannerReport, Status
from sarifix.named import NamedTuple
from sarifix.output import summary
from sarifix.sanitize import REASON_LIMIT, RULE_LIMIT, TOOL_LIMIT, clean, clean_path

_NOTICES = 20  # lines of what is named to the user
Given = Mapping[str, Any]


class Unchecked(NamedTuple):
    """A directory that could not be checked, and why.

    ``expected``: there was a repository here, earlier in the session. ``there``: at least
    the directory still is, so that what is in it goes unseen.
    """

    top: str
    error: SarifixError
    expected: bool = True
    there: bool = True


class Said(NamedTuple):
    """What to tell Claude, and what to tell the user."""

    context: str | None = None
    message: str | None = None


class Conversation:
    """What was said in a session, and what is to be said now."""

    def __init__(self, given: Given, session: Session) -> None:
        self._session = session
        self._may_tell = may_tell(given)
        self._plans = _plans(given)
        self._agent = str(given.get("agent_id") or "")
        self._running = _running(given)
        self._named = set(session.named)

    def say(self, done: Sequence[Checked | Unchecked]) -> tuple[Said, Session]:
        """Return what to say of what was found out, and the session with that said."""
        checked = [one for one in done if isinstance(one, Checked)]
        for_user = [*self._unchecked(done), *self._failures(checked)]
        for_user += self._name(checked)
        found = [pair for one in checked for pair in _found(one, alone=len(checked) == 1)]
        told = self._session.told.get(self._agent, frozenset())
        new = [reported for token, reported in found if token not in told]
        old = [reported for token, reported in found if token in told]
        context = self._for_claude(new, len(old), checked)
        for_user += self._standing(new, old)
        if context is not None:
            told |= {token for token, _ in found}
        session = self._after(checked, told, {token for token, _ in found})
        return Said(context, answer.for_user(for_user)), session

    def _for_claude(
        self, new: Sequence[Reported], old: int, checked: Sequence[Checked]
    ) -> str | None:
        if not self._may_tell:
            return None
        unseen = [text for text, key in _unseen(checked) if self._first(f"claude {key}")]
        if not new and not unseen:
            return None
        origin = (
            clean(checked[0].report.base.origin, RULE_LIMIT) if len(checked) == 1 else "their bases"
        )
        return answer.for_claude(new, origin, unseen, told=old, running=self._running)

    def _standing(self, new: Sequence[Reported], old: Sequence[Reported]) -> Iterator[str]:
        if self._may_tell:
            left, why = old, "Claude was told of them before in this session and left them."
        elif self._plans:
            left, why = [*new, *old], "Claude is in plan mode and cannot fix them now."
        else:
            left, why = [*new, *old], "Claude was asked to fix what it introduced, and stopped."
        if left:
            yield from answer.standing(left, why)

    def _first(self, key: str) -> bool:
        """Whether this was not said yet in the session; from now on it was."""
        first = key not in self._named
        self._named.add(key)
        return first

    def _name(self, checked: Sequence[Checked]) -> Iterator[str]:
        many = len(checked) > 1
        lines = [
            f"sarifix: {notice.user}{f' (in {clean_path(one.top)})' if many else ''}"
            for one in checked
            for notice in one.notices
            if self._first(f"user {_key(one, notice)}")
        ]
        yield from lines[:_NOTICES]
        if len(lines) > _NOTICES:
            yield f"sarifix: and {len(lines) - _NOTICES} more like these"

    def _unchecked(self, done: Sequence[Checked | Unchecked]) -> Iterator[str]:
        """Yield why a directory was not checked; that there is nothing to check, once."""
        some = any(isinstance(one, Checked) for one in done)
        for one in done:
            if isinstance(one, Unchecked):
                error = one.error
                hint = f" ({clean(error.hint, REASON_LIMIT)})" if error.hint else ""
                text = f"sarifix could not check: {clean(error.message, 500)}{hint}"
                gone = isinstance(error, NoRepositoryError)
                once = isinstance(error, NoScannerError) or (
                    gone and not (one.expected and one.there)
                )
                key = identify("unchecked", one.top, error.message)
                if gone and some and not one.expected:
                    continue
                if not once or self._first(f"user {key}"):
                    yield text

    def _failures(self, checked: Sequence[Checked]) -> Iterator[str]:
        for one in checked:
            for scanner in one.report.scanners:
                if scanner.status is Status.FAILED and (
                    scanner.required or self._first(f"user {identify('failed', scanner.name)}")
                ):
                    yield f"sarifix: {_failure(scanner)}, so what it would find is not known"

    def _after(self, checked: Sequence[Checked], told: frozenset[str], found: set[str]) -> Session:
        """Return the session; a finding that was fixed is new when it comes back."""
        sound = {one.git_dir for one in checked if not any(one.report.failed)}
        kept = {t for t in told if t in found or t.rpartition(":")[0] not in sound}
        starts = {one.git_dir: one.start for one in checked}
        return self._session._replace(
            starts={**starts, **self._session.starts},
            told={**self._session.told, self._agent: frozenset(kept)},
            named=frozenset(self._named),
        )


def may_tell(given: Given) -> bool:
    """Whether Claude may be told: once a turn, and not where it cannot fix anything."""
    return given.get("stop_hook_active") is not True and not _plans(given)


def _plans(given: Given) -> bool:
    return given.get("permission_mode") == "plan"


def _found(one: Checked, *, alone: bool) -> Iterator[tuple[str, Reported]]:
    """Yield the findings with what they are remembered by; of several repositories, with theirs."""
    for reported in one.report.introduced:
        token = f"{one.git_dir}:{reported.fingerprint}"
        path = reported.finding.path
        if not alone and path is not None:
            placed = reported.finding._replace(path=os.path.join(one.top, path))
            reported = reported._replace(finding=placed)  # noqa: PLW2901
        yield token, reported


def _unseen(checked: Sequence[Checked]) -> Iterator[tuple[str, str]]:
    """Yield what Claude is to know of code that went unseen, each with its key."""
    for one in checked:
        for notice in one.notices:
            if notice.claude is not None:
                yield notice.claude, _key(one, notice)
        for scanner in one.report.scanners:
            if scanner.status is Status.FAILED and scanner.head_alone:
                yield _failure(scanner), identify("failed", one.git_dir, scanner.name)


def _key(one: Checked, notice: Notice) -> str:
    return identify(one.git_dir, notice.identity)


def _failure(scanner: ScannerReport) -> str:
    return f"{clean(scanner.name, TOOL_LIMIT)} failed: {summary.reason(scanner)}"


def _running(given: Given) -> int:
    tasks = given.get("background_tasks")
    listed = tasks if isinstance(tasks, list) else []
    return sum(isinstance(t, dict) and t.get("status") == "running" for t in listed)

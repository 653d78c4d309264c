"""``sarifix check --hook``: one event of Claude Code in, one JSON object or nothing out."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from sarifix import store
from sarifix.engine import Request
from sarifix.errors import NoRepositoryError, NoScannerError, SarifixError, UsageError
from sarifix.hooks import answer, checking
from sarifix.hooks.checking import Checked
from sarifix.hooks.session import Session, Sessions
from sarifix.hooks.traces import Notice, identify
from sarifix.hooks.unchanged import Look, stamps
from sarifix.model import Reported, ScannerReport, Status
from sarifix.options import parse
from sarifix.output import summary
from sarifix.output.progress import Silent
from sarifix.sanitize import REASON_LIMIT, RULE_LIMIT, TOOL_LIMIT, clean, clean_path
from sarifix.workspace import Edge, open_workspace

if TYPE_CHECKING:
    from sarifix.hooks.unchanged import Stamps

_BEGINS = "SessionStart"
Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A directory that could not be checked, and why."""

    top: str
    error: SarifixError


def respond(argv: Sequence[str], data: bytes, environ: Mapping[str, str], seen: Look | None) -> str:
    """Return what to print for one event; raises ``SarifixError``.

    ``data`` is the hook's input, ``seen`` what git said before anything was looked at.
    ``SessionStart`` is recorded and answered with nothing.
    """
    _end_on_signals()
    asked = _options(argv)
    request = _request(asked)
    try:
        given = _event(data)
    except ValueError as error:
        _mention(f"nothing to do: standard input holds no event of Claude Code: {error}")
        return ""
    event = given.get("hook_event_name")
    if event == _BEGINS:
        _record(given, environ)
    elif event in answer.EVENTS:
        said, watched = _stop(given, request, environ)
        if said == Said() and seen is not None and watched is not None:
            seen.mark(data, watched)
        form = answer.form(asked.hook_answer, environ, given)
        return answer.document(event, form, said.context, said.message)
    else:
        _mention(f"nothing to do for the event {event}")
    return ""


def _options(argv: Sequence[str]) -> argparse.Namespace:
    """Return the options; what argparse would print (``--help``) goes nowhere."""
    with contextlib.redirect_stdout(io.StringIO()):
        return parse(argv)


def _event(data: bytes) -> Given:
    """Return the event as the client gave it; raises ``ValueError`` if it is none."""
    try:
        given = json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(given, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004
    return given


def _mention(text: str) -> None:
    """Say something where only the client's debug log shows it: a hook must not be loud."""
    if sys.stderr is not None:
        sys.stderr.write(f"sarifix: {clean(text, REASON_LIMIT)}\n")


def _end_on_signals() -> None:
    """Let signals unwind the stack, so that scanners end, and the user is told why."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            with contextlib.suppress(ValueError):  # only the main thread may do this
                signal.signal(getattr(signal, name), end)


def _request(asked: Any) -> Request:
    if asked.command != "check":
        raise UsageError("--hook is an option of `sarifix check`", "see `sarifix check --help`")
    if asked.head != "worktree" or asked.output or asked.format != "text":
        raise UsageError(
            "--hook goes with neither --head nor --format nor --output",
            "it checks the working tree and answers Claude Code with its own JSON",
        )
    file = asked.config and os.path.abspath(asked.config)
    return Request(
        base=asked.base,
        exact_base=asked.exact_base,
        scanners=tuple(asked.scanner),
        allowed_only=asked.allowed_only,
        config_file=file,
        use_cache=asked.cache,
        agent=True,
    )


def _edge(cwd: str, environ: Mapping[str, str]) -> Edge:
    return Edge(cwd, environ, sysconfig.get_path("scripts"), Silent())


def _cwd(given: Given) -> str:
    cwd = given.get("cwd")
    return cwd if isinstance(cwd, str) and Path(cwd).is_dir() else os.getcwd()  # noqa: PTH109


def _id(given: Given) -> str | None:
    told = given.get("session_id")
    return told if isinstance(told, str) and told else None


# ---------------------------------------------------------------------------
# SessionStart


def _record(given: Given, environ: Mapping[str, str]) -> None:
    """Record the beginning; the first record of a session stays (resume, compaction).

    ``/clear`` gives the session another id: it goes on from where the last one began.
    """
    session_id = _id(given)
    if session_id is None:
        return
    sessions = Sessions(store.cache_root(environ))
    sessions.sweep()
    client = environ.get("CLAUDE_PID", "")
    before = sessions.of_client(client) if given.get("source") == "clear" else None
    with sessions.changing(session_id) as draft:
        if not draft.session.client:
            starts = before.starts if before is not None else {}
            draft.change(client=client or "unknown", starts={**starts, **draft.session.starts})
        for cwd in _places(given, environ, Session()):
            with contextlib.suppress(NoRepositoryError), open_workspace(_edge(cwd, environ)) as it:
                if it.repository.git_dir not in draft.session.starts:
                    start = checking.begin(it, _edge(cwd, environ))
                    starts = {**draft.session.starts, it.repository.git_dir: start}
                    draft.change(starts=starts)


def _places(given: Given, environ: Mapping[str, str], session: Session) -> list[str]:
    """Return the directories whose repositories are Claude's: it can change where it works."""
    project = environ.get("CLAUDE_PROJECT_DIR")
    started = [start.top for start in session.starts.values()]
    places = [_cwd(given), *([project] if project and Path(project).is_dir() else []), *started]
    return list(dict.fromkeys(places))


# ---------------------------------------------------------------------------
# Stop and SubagentStop


@dataclass(frozen=True, slots=True)
class Said:
    """What to tell Claude, and what to tell the user."""

    context: str | None = None
    message: str | None = None


def _stop(given: Given, request: Request, environ: Mapping[str, str]) -> tuple[Said, Stamps | None]:
    """Return what to say, and for one repository the files that the answer depends on."""
    session_id = _id(given)
    sessions = Sessions(store.cache_root(environ))
    session = Session() if session_id is None else sessions.read(session_id)
    done = list(_check_all(given, request, environ, session))
    if session_id is None:
        return _Conversation(given, session).say(done)[0], None
    try:
        with sessions.changing(session_id) as draft:
            said, after = _Conversation(given, draft.session).say(done)
            draft.session = after
    except SarifixError as error:
        said, _ = _Conversation(given, session).say([*done, Unchecked(_cwd(given), error)])
    only = done[0] if len(done) == 1 else None
    if not isinstance(only, Checked) or only.watched is None:
        return said, None
    return said, {**only.watched, **stamps([str(sessions.path(session_id))])}


def _check_all(
    given: Given, request: Request, environ: Mapping[str, str], session: Session
) -> Iterator[Checked | Unchecked]:
    """Check each repository once; one that cannot be checked does not spare the others."""
    seen: set[str] = set()
    for place in _places(given, environ, session):
        edge = _edge(place, environ)
        try:
            with open_workspace(edge, use_cache=request.use_cache) as space:
                git_dir = space.repository.git_dir
                if git_dir not in seen:
                    seen.add(git_dir)
                    yield checking.check(space, request, edge, session.starts.get(git_dir))
        except SarifixError as error:
            yield Unchecked(place, error)


class _Conversation:
    """What was said in a session, and what is to be said now."""

    def __init__(self, given: Given, session: Session) -> None:
        self._session = session
        self._again = given.get("stop_hook_active") is True
        self._plans = given.get("permission_mode") == "plan"
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

    @property
    def _may_tell(self) -> bool:
        """Whether Claude may be told: once a turn, and not where it cannot fix anything."""
        return not (self._again or self._plans)

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
        for one in checked:
            for notice in one.notices:
                if self._first(f"user {_key(one, notice)}"):
                    place = "" if len(checked) == 1 else f" (in {clean_path(one.top)})"
                    yield f"sarifix: {notice.user}{place}"

    def _unchecked(self, done: Sequence[Checked | Unchecked]) -> Iterator[str]:
        """Yield why a directory was not checked; that there is nothing to check, once."""
        some = any(isinstance(one, Checked) for one in done)
        for one in done:
            if isinstance(one, Unchecked):
                error = one.error
                hint = f" ({clean(error.hint, REASON_LIMIT)})" if error.hint else ""
                text = f"sarifix could not check: {clean(error.message, 500)}{hint}"
                once = isinstance(error, NoRepositoryError | NoScannerError)
                key = identify("unchecked", one.top, error.message)
                if isinstance(error, NoRepositoryError) and some:
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
        return replace(
            self._session,
            starts={**starts, **self._session.starts},
            told={**self._session.told, self._agent: frozenset(kept)},
            named=frozenset(self._named),
        )


def _found(one: Checked, *, alone: bool) -> Iterator[tuple[str, Reported]]:
    """Yield the findings with what they are remembered by; of several repositories, with theirs."""
    for reported in one.report.introduced:
        token = f"{one.git_dir}:{reported.fingerprint}"
        path = reported.finding.path
        if not alone and path is not None:
            placed = replace(reported.finding, path=os.path.join(one.top, path))
            reported = replace(reported, finding=placed)  # noqa: PLW2901
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

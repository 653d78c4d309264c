"""``sarifix check --hook``: one event of Claude Code in, one JSON object or nothing out."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sarifix import engine, signals, store
from sarifix.engine import Request
from sarifix.errors import NoRepositoryError, SarifixError, UsageError
from sarifix.hooks import answer, checking
from sarifix.hooks.checking import Checked
from sarifix.hooks.conversation import Conversation, Given, Said, Unchecked, may_tell
from sarifix.hooks.marks import Mark
from sarifix.hooks.session import Session, Sessions
from sarifix.look import Look, stamps
from sarifix.options import parse
from sarifix.output.progress import Silent
from sarifix.sanitize import REASON_LIMIT, clean
from sarifix.scanners.find import own_scripts
from sarifix.workspace import Edge, open_workspace

_BEGINS = "SessionStart"


def respond(
    argv: Sequence[str], data: bytes, environ: Mapping[str, str], mark: Mark | None = None
) -> str:
    """Return what to print for one event; raises ``SarifixError``.

    ``data`` is the hook's input, ``mark`` the session's, which did not hold.
    ``SessionStart`` is recorded and answered with nothing.
    """
    signals.unwind()
    if _BEGINS.encode() not in data:
        engine.load_ahead()
    look = None if mark is None else mark.look
    asked = _options(argv)
    request = _request(asked)
    try:
        given = _event(data)
    except ValueError as error:
        _mention(f"nothing to do: standard input holds no event of Claude Code: {error}")
        return ""
    event = given.get("hook_event_name")
    if event == _BEGINS:
        try:
            _record(given, environ, look)
        except SarifixError as error:  # the first stop says that the beginning is not known
            _mention(f"the session is not recorded: {error.message}")
    elif event in answer.EVENTS:
        said, only = _stop(given, request, environ, look)
        if said == Said() and mark is not None and only is not None and only.watched is not None:
            mark.set(only.top, only.watched)
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
        with contextlib.suppress(OSError):  # nobody listens
            sys.stderr.write(f"sarifix: {clean(text, REASON_LIMIT)}\n")


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


def _edge(cwd: str, environ: Mapping[str, str], look: Look | None) -> Edge:
    return Edge(cwd, environ, own_scripts(), Silent(), look)


def _cwd(given: Given) -> str:
    """Return the directory of the event, else ours, else what is left of the way to it."""
    told = given.get("cwd")
    cwd = told if isinstance(told, str) else ""
    # By os.path: pathlib raises for a name that is too long.
    if os.path.isdir(cwd):  # noqa: PTH112
        return cwd
    try:
        return os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        while cwd and not os.path.isdir(cwd):  # noqa: PTH112
            cwd = os.path.dirname(cwd)
        return cwd or os.sep


def _id(given: Given) -> str | None:
    told = given.get("session_id")
    return told if isinstance(told, str) and told else None


# ---------------------------------------------------------------------------
# SessionStart


def _record(given: Given, environ: Mapping[str, str], look: Look | None) -> None:
    """Record the beginning; the first record of a session stays (resume, compaction).

    ``/clear`` gives the session another id: it goes on from where the last one began.
    """
    session_id = _id(given)
    if session_id is None:
        return
    sessions = Sessions(store.cache_root(environ))
    sessions.sweep()
    client = environ.get("CLAUDE_PID", "")
    known = sessions.read(session_id)
    before = sessions.of_client(client) if given.get("source") == "clear" else None
    starts = {} if before is None or known.starts else dict(before.starts)
    starts |= known.starts
    for cwd in _places(given, environ, Session()):
        edge = _edge(cwd, environ, look)
        with contextlib.suppress(NoRepositoryError), open_workspace(edge) as space:
            if space.repository.git_dir not in starts:
                starts[space.repository.git_dir] = checking.begin(space, edge)
    with sessions.changing(session_id) as draft:
        starts |= draft.session.starts
        draft.change(client=draft.session.client or client, starts=starts)


def _places(given: Given, environ: Mapping[str, str], session: Session) -> list[str]:
    """Return the directories whose repositories are Claude's: it can change where it works."""
    project = environ.get("CLAUDE_PROJECT_DIR")
    started = [start.top for start in session.starts.values()]
    if project and os.path.isdir(project):  # noqa: PTH112
        started.insert(0, project)
    places = [_cwd(given), *started]
    return list(dict.fromkeys(places))


# ---------------------------------------------------------------------------
# Stop and SubagentStop


def _stop(
    given: Given, request: Request, environ: Mapping[str, str], look: Look | None
) -> tuple[Said, Checked | None]:
    """Return what to say, and the only repository if nothing more need be said of it as it is."""
    session_id = _id(given)
    sessions = Sessions(store.cache_root(environ))
    session = Session() if session_id is None else sessions.read(session_id)
    done = list(_check_all(given, request, environ, session, look))
    if session_id is None:
        return Conversation(given, session).say(done)[0], None
    try:
        with sessions.changing(session_id) as draft:
            said, after = Conversation(given, draft.session).say(done)
            draft.session = after
    except SarifixError as error:
        said, _ = Conversation(given, session).say([*done, Unchecked(_cwd(given), error)])
    only = done[0] if len(done) == 1 else None
    # What Claude could not be told now, it is told in another turn.
    if not isinstance(only, Checked) or only.watched is None or not may_tell(given):
        return said, None
    record = stamps([str(sessions.path(session_id))])
    return said, only._replace(watched={**only.watched, **record})


def _check_all(
    given: Given,
    request: Request,
    environ: Mapping[str, str],
    session: Session,
    look: Look | None,
) -> Iterator[Checked | Unchecked]:
    """Check each repository once; one that cannot be checked does not spare the others."""
    began = time.monotonic()
    expected = {start.top for start in session.starts.values()}
    seen: set[str] = set()
    for place in _places(given, environ, session):
        edge = _edge(place, environ, look)
        try:
            with open_workspace(edge, use_cache=request.use_cache) as space:
                git_dir = space.repository.git_dir
                if git_dir not in seen:
                    seen.add(git_dir)
                    known = session.starts.get(git_dir)
                    yield checking.check(space, request, edge, known, began)
        except SarifixError as error:
            there = os.path.isdir(place)  # noqa: PTH112
            yield Unchecked(place, error, place in expected, there)

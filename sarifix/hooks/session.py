"""What is remembered of a session of Claude Code: where it began and what was said in it.

One JSON file a session, in the user's cache directory. A record that is lost, or that
cannot be read, is a session whose beginning is not known: the user is told so.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from sarifix.digests import sha256
from sarifix.errors import SarifixError
from sarifix.locks import Lock
from sarifix.named import NamedTuple
from sarifix.store import make_private

VERSION = 1
MAX_AGE = 30 * 86400  # seconds since a session was last heard of; its objects live as long
_PATIENCE = 5.0  # seconds to wait for another hook of the same session

State = Mapping[str, str]


class Start(NamedTuple):
    """How a repository was when the session began, or when it was first seen in it.

    ``tree`` is the working tree as a tree id (for ``known`` False: that of HEAD), and
    ``config`` the text of ``.sarifix.yaml``. ``state`` is what leaves no trace in a tree.
    """

    top: str
    tree: str
    origin: str
    known: bool
    config: str | None
    state: State


class Session(NamedTuple):
    """Repositories by git directory; what each agent was told (fingerprints); what was named.

    ``client`` is the process of Claude Code, by which ``/clear`` is recognised.
    """

    client: str = ""
    starts: Mapping[str, Start] = MappingProxyType({})
    told: Mapping[str, frozenset[str]] = MappingProxyType({})
    named: frozenset[str] = frozenset()


class Sessions:
    """The records, below ``root``."""

    def __init__(self, root: Path) -> None:
        self._directory = root / "sessions"

    def path(self, session_id: str) -> Path:
        """Return where a session's record is."""
        digest = sha256(session_id.encode("utf-8", "surrogatepass"))
        return self._directory / f"{digest[:32]}.json"

    def read(self, session_id: str) -> Session:
        """Return a session's record; an empty one if it is unknown."""
        return _load(self.path(session_id)) or Session()

    @contextlib.contextmanager
    def changing(self, session_id: str) -> Iterator[_Draft]:
        """Yield the record to change; it is written at the end, no other hook in between.

        Raises ``SarifixError`` if it cannot be written.
        """
        path = self.path(session_id)
        try:
            make_private(path.parent)
            with _locked(path.with_suffix(".lock")):
                draft = _Draft(_load(path) or Session())
                yield draft
                _write(path, _dump(draft.session))
        except OSError as error:
            raise SarifixError(
                f"the record of this session cannot be written: {error}",
                "set SARIFIX_CACHE to a directory that can be written",
            ) from error

    def of_client(self, client: str) -> Session | None:
        """Return the newest record that this process of Claude Code has, if there is one."""
        if not client:
            return None
        records = sorted(self._directory.glob("*.json"), key=_age)
        loaded = (_load(path) for path in records)
        return next((record for record in loaded if record and record.client == client), None)

    def sweep(self, now: float | None = None) -> None:
        """Forget the sessions that were not heard of for long."""
        limit = (time.time() if now is None else now) - MAX_AGE
        for path in self._directory.glob("*"):
            with contextlib.suppress(OSError):
                # A lock is never written to: it goes after the record has gone.
                held = path.suffix == ".lock" and path.with_suffix(".json").exists()
                if path.lstat().st_mtime < limit and not held:
                    path.unlink()


class _Draft:
    """A record that is being changed."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def change(self, **fields: object) -> None:
        """Give the record other values for some of its fields."""
        self.session = self.session._replace(**fields)  # type: ignore[arg-type]


def _age(path: Path) -> float:
    try:
        return -path.lstat().st_mtime
    except OSError:
        return 0.0


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    end = time.monotonic() + _PATIENCE
    while (lock := Lock.attempt(path)) is None:
        if time.monotonic() > end:
            raise TimeoutError(f"{path} stays locked")
        time.sleep(0.02)
    try:
        yield
    finally:
        lock.release()


def _write(path: Path, text: str) -> None:
    fd, temporary = tempfile.mkstemp(dir=path.parent, prefix="tmp-")
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(text)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _dump(session: Session) -> str:
    starts = {
        git_dir: {
            "top": start.top,
            "tree": start.tree,
            "origin": start.origin,
            "known": start.known,
            "config": start.config,
            "state": dict(start.state),
        }
        for git_dir, start in session.starts.items()
    }
    return json.dumps(
        {
            "version": VERSION,
            "client": session.client,
            "starts": starts,
            "told": {agent: sorted(prints) for agent, prints in session.told.items()},
            "named": sorted(session.named),
        }
    )


def _load(path: Path) -> Session | None:
    """Read a record; None for one that is absent or not as we write it."""
    try:
        stored = json.loads(path.read_bytes())
        if stored["version"] != VERSION:
            return None
        return Session(
            client=stored["client"],
            starts={name: Start(**start) for name, start in stored["starts"].items()},
            told={agent: frozenset(prints) for agent, prints in stored["told"].items()},
            named=frozenset(stored["named"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None

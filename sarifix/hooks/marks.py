"""The mark of a turn that was answered with nothing.

It is of all that the answer depends on: when the next stop has the same one, there is
nothing to say again. Any doubt is the full check. Nothing heavy is imported here.
"""

from __future__ import annotations

import os
import sys

from sarifix import __version__
from sarifix.look import Look, stamps

TYPE_CHECKING = False  # that of typing costs half of what git does
if TYPE_CHECKING:
    from collections.abc import Sequence
    from hashlib import blake2b

    from sarifix.look import Stamps
else:
    try:
        from _blake2 import blake2b  # hashlib loads OpenSSL before it
    except ImportError:
        from hashlib import blake2b


class Mark:
    """The mark of one session: ``event`` is what the client gave for this turn."""

    def __init__(self, look: Look, argv: Sequence[str], event: bytes) -> None:
        self.look = look
        self._argv = argv
        self._file = _file(event, look.cwd)

    def is_there(self) -> bool:
        """Whether the last turn of this session was answered with nothing."""
        return self._file is not None and os.path.exists(self._file)  # noqa: PTH110

    def holds(self) -> bool:
        """Whether this turn is as the last one that was answered with nothing.

        If it is not, the mark is of no more use.
        """
        if self._file is None or not self.is_there() or not self.look.end():
            return False
        try:
            with open(self._file, "rb") as file:  # noqa: PTH123
                digest, *watched = file.read().split(b"\0")
            if digest == self._digest(self.look, stamps(map(os.fsdecode, watched))):
                return True
            os.unlink(self._file)  # noqa: PTH108
        except OSError:
            pass
        return False

    def set(self, top: str, watched: Stamps) -> None:
        """Mark this turn as answered with nothing, if nothing has changed meanwhile.

        ``top`` is the working tree that was checked: ``core.worktree`` and ``GIT_WORK_TREE``
        can make it another one than that which encloses us, whose files were looked at.
        ``watched`` are the stamps of the files that git does not tell of, taken before
        they were used. A turn that cannot be marked costs the next one a full check.
        """
        mark = self._file
        if mark is None or os.path.realpath(top) != self.look.top or not self.look.end():
            return
        now = Look.begin()
        digest = self._digest(self.look, watched)
        if now is None or not now.end() or self._digest(now, stamps(watched)) != digest:
            return
        try:
            os.makedirs(os.path.dirname(mark), mode=0o700, exist_ok=True)  # noqa: PTH103
            temporary = f"{mark}.{os.getpid()}"
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(fd, "wb") as file:  # noqa: PTH123
                file.write(b"\0".join((digest, *map(os.fsencode, watched))))
            os.replace(temporary, mark)  # noqa: PTH105
        except OSError:
            return

    def _digest(self, look: Look, watched: Stamps) -> bytes:
        """Return what stands for all that was seen, and for the files in ``watched``."""
        # All of them: which ones a scanner heeds is not known here. In a session they stay.
        variables = (f"{k}={v}" for k, v in sorted(os.environ.items()))
        files = (f"{k} {v}" for group in (look.files, watched) for k, v in sorted(group.items()))
        texts = (__version__, sys.version, look.cwd, look.top, *self._argv, *variables, *files)
        digest = blake2b()
        for part in (look.status, look.complaints, *map(os.fsencode, texts)):
            digest.update(b"%d:" % len(part))
            digest.update(part)
        return digest.hexdigest().encode()


def _file(event: bytes, cwd: str) -> str | None:
    """Return where the mark of a session is; None for an event that is not a plain stop.

    The event is not parsed: json takes as long to import as git runs. A quote within a
    string is escaped, so what is looked for is found only where it is a member.
    """
    begin = event.find(b'"session_id":"') + 14
    session = event[begin : event.find(b'"', begin)].decode("ascii", "replace")
    here = b'"cwd":"' + os.fsencode(cwd) + b'"'
    stop = b'"hook_event_name":"Stop"'
    if begin < 14 or not session.replace("-", "").isalnum() or len(session) > 64:
        return None
    if stop not in event or here not in event:
        return None
    root = os.environ.get("SARIFIX_CACHE") or _users_cache()
    return os.path.join(root, "turns", session)


def _users_cache() -> str:
    # Not by platformdirs, which takes as long to import as all of this.
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/sarifix")  # noqa: PTH111
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return os.path.join(home, "sarifix")

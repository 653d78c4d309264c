"""One look at the working tree, and the mark of a turn that was answered with nothing.

The mark is of all that the answer depends on: when the next stop has the same one, there is
nothing to say again. Any doubt is the full check. Nothing heavy is imported here.
"""

from __future__ import annotations

import os
import sys

from sarifix import __version__
from sarifix.git_settings import ENVIRONMENT, STATUS, flags

TYPE_CHECKING = False  # that of typing costs half of what git does
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from hashlib import blake2b

    Stamps = Mapping[str, str]
else:
    try:
        from _blake2 import blake2b  # hashlib loads OpenSSL before it
    except ImportError:
        from hashlib import blake2b

_FIELDS = {b"1": 8, b"u": 10, b"?": 1, b"!": 1}  # before the path, in a record of STATUS


class Look:
    """What git says of the working tree, asked for while Python is still starting.

    ``status`` is what it said of the one at ``top``, ``complaints`` what it wrote to
    standard error, and ``index`` the stamp of the index from before it was asked.
    """

    def __init__(self, argv: Sequence[str], cwd: str) -> None:
        self._argv, self._cwd = argv, cwd
        self.top = _enclosing(cwd) or ""
        self.index = stamps([_index(self.top)])
        self.status = self.complaints = b""
        self._files: Stamps = {}
        self._pid, self._pipes = 0, list[int]()
        self._told: bool | None = None

    @classmethod
    def begin(cls, argv: Sequence[str]) -> Look | None:
        """Start git in the current directory; None where that is not possible.

        With ``GIT_DIR``, git may take the current directory for the top level, wherever in
        the working tree that is, and say nothing of the rest.
        """
        if "GIT_DIR" in os.environ:
            return None
        try:
            cwd = os.getcwd()  # noqa: PTH109  pathlib is not imported here
            program = _git(os.environ.get("PATH", os.defpath), cwd)
            if program is None or not hasattr(os, "posix_spawn"):
                return None
            return cls(argv, cwd)._started([program, *flags(), *STATUS])
        except OSError:  # the full check says what is wrong
            return None

    def _started(self, command: Sequence[str]) -> Look:
        self._pid, *self._pipes = _spawn(command)
        return self

    def end(self) -> bool:
        """Wait for git; whether it could answer (there may be no repository, for example)."""
        if self._told is None:
            self.status, self.complaints = _drain(self._pipes)
            self._told = os.waitpid(self._pid, 0)[1] == 0 and bool(self.top)
            names = map(os.fsdecode, _names(self.status))
            self._files = stamps(os.path.join(self.top, name) for name in names)
        return self._told

    def has_mark(self, event: bytes) -> bool:
        """Whether the last turn of this session was answered with nothing."""
        mark = self._mark(event)
        return mark is not None and os.path.exists(mark)  # noqa: PTH110

    def is_marked(self, event: bytes) -> bool:
        """Whether this turn is as the last one that was answered with nothing.

        If it is not, the mark is of no more use.
        """
        mark = self._mark(event)
        if mark is None:
            return False
        try:
            with open(mark, "rb") as file:  # noqa: PTH123
                digest, *watched = file.read().split(b"\0")
            if digest == self._digest(stamps(map(os.fsdecode, watched))):
                return True
            os.unlink(mark)  # noqa: PTH108
        except OSError:
            pass
        return False

    def mark(self, event: bytes, top: str, watched: Stamps) -> None:
        """Mark this turn as answered with nothing, if nothing has changed meanwhile.

        ``top`` is the working tree that was checked: ``core.worktree`` and ``GIT_WORK_TREE``
        can make it another one than that which encloses us, whose files were looked at.
        ``watched`` are the stamps of the files that git does not tell of, taken before
        they were used. A turn that cannot be marked costs the next one a full check.
        """
        if os.path.realpath(top) != self.top or not self.end():
            return
        mark = self._mark(event)
        now = Look.begin(self._argv)
        if mark is None or now is None or not now.end():
            return
        digest = self._digest(watched)
        if now._digest(stamps(watched)) != digest:
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

    def _mark(self, event: bytes) -> str | None:
        """Return where the mark of a session is; None for an event that is not a plain stop.

        The event is not parsed: json takes as long to import as git runs. A quote within a
        string is escaped, so what is looked for is found only where it is a member.
        """
        begin = event.find(b'"session_id":"') + 14
        session = event[begin : event.find(b'"', begin)].decode("ascii", "replace")
        here = b'"cwd":"' + os.fsencode(self._cwd) + b'"'
        stop = b'"hook_event_name":"Stop"'
        if begin < 14 or not session.replace("-", "").isalnum() or len(session) > 64:
            return None
        if stop not in event or here not in event:
            return None
        root = os.environ.get("SARIFIX_CACHE") or _users_cache()
        return os.path.join(root, "turns", session)

    def _digest(self, watched: Stamps) -> bytes:
        """Return what stands for all that was seen, and for the files in ``watched``."""
        # All of them: which ones a scanner heeds is not known here. In a session they stay.
        variables = (f"{k}={v}" for k, v in sorted(os.environ.items()))
        files = (f"{k} {v}" for group in (self._files, watched) for k, v in sorted(group.items()))
        texts = (__version__, sys.version, self._cwd, self.top, *self._argv, *variables, *files)
        digest = blake2b()
        for part in (self.status, self.complaints, *map(os.fsencode, texts)):
            digest.update(b"%d:" % len(part))
            digest.update(part)
        return digest.hexdigest().encode()


def _git(path: str, cwd: str) -> str | None:
    """Return git's program, from ``PATH`` without what is relative or in the repository."""
    inside = _enclosing(cwd)
    for directory in path.split(os.pathsep):
        program = os.path.join(directory, "git")
        absolute = os.path.isabs(directory)  # noqa: PTH117
        if absolute and os.path.isfile(program) and os.access(program, os.X_OK):  # noqa: PTH113
            real = os.path.realpath(directory)
            return None if inside and f"{real}/".startswith(f"{inside}/") else program
    return None


def _enclosing(directory: str) -> str | None:
    here = os.path.realpath(directory)
    while not os.path.lexists(os.path.join(here, ".git")):
        here, below = os.path.dirname(here), here
        if here == below:
            return None
    return here


def _index(top: str) -> str:
    """Return where the index of a working tree is, if it is a plain or a linked one."""
    git_dir = os.path.join(top, ".git")
    if os.path.isfile(git_dir):  # noqa: PTH113
        with open(git_dir, "rb") as file:  # noqa: PTH123
            told = os.fsdecode(file.read().rstrip(b"\n")).removeprefix("gitdir: ")
        git_dir = os.path.normpath(os.path.join(top, told))
    return os.path.join(git_dir, "index")


def _spawn(argv: Sequence[str]) -> tuple[int, int, int]:
    """Start git; return its id and the pipes of its output and of its complaints.

    subprocess would take as long to import.
    """
    null = os.open(os.devnull, os.O_RDONLY)
    out, their_out = os.pipe()
    err, their_err = os.pipe()
    try:
        files = ((null, 0), (their_out, 1), (their_err, 2))
        pid = os.posix_spawn(
            argv[0], [*argv], {**os.environ, **ENVIRONMENT},
            file_actions=[(os.POSIX_SPAWN_DUP2, *pair) for pair in files],
        )  # fmt: skip
    finally:
        for fd in (null, their_out, their_err):
            os.close(fd)
    return pid, out, err


def _drain(pipes: Sequence[int]) -> tuple[bytes, ...]:
    """Read pipes to their ends, all at once: git must not wait for us at one of them."""
    from select import select

    read: dict[int, list[bytes]] = {pipe: [] for pipe in pipes}
    left = set(pipes)
    while left:
        for pipe in select([*left], [], [])[0]:
            data = os.read(pipe, 1 << 20)
            read[pipe].append(data)
            if not data:
                left.remove(pipe)
                os.close(pipe)
    return tuple(b"".join(read[pipe]) for pipe in pipes)


def _names(status: bytes) -> Iterator[bytes]:
    """Yield the files of whose content `git status` tells nothing, ignore files among them."""
    for record in status.split(b"\0"):
        fields = _FIELDS.get(record[:1])
        if fields:
            name = record.split(b" ", fields)[-1]
            if record[:1] != b"!" or name.rpartition(b"/")[2] == b".gitignore":
                yield name


def stamps(paths: Iterable[str]) -> dict[str, str]:
    """Return what tells a file from another one at its path, through links as well."""
    return {path: f"{_stamp(path, link=True)} {_stamp(path, link=False)}" for path in paths}


def _stamp(path: str, *, link: bool) -> str:
    try:
        s = os.stat(path, follow_symlinks=not link)  # noqa: PTH116
    except (OSError, ValueError):
        return "-"
    return f"{s.st_mode} {s.st_size} {s.st_mtime_ns} {s.st_ctime_ns} {s.st_ino}"


def _users_cache() -> str:
    # Not by platformdirs, which takes as long to import as all of this.
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/sarifix")  # noqa: PTH111
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return os.path.join(home, "sarifix")

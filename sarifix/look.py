"""One look at the working tree: git is asked while Python is still importing.

Nothing heavy is imported here: an unchanged turn of the hook needs no more than this.
"""

from __future__ import annotations

import os

from sarifix import signals
from sarifix.git_settings import ENVIRONMENT, STATUS, flags

TYPE_CHECKING = False  # that of typing costs half of what git does
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Stamps = Mapping[str, str]

_FIELDS = {b"1": 8, b"u": 10, b"?": 1, b"!": 1}  # before the path, in a record of STATUS


class Look:
    """What git says of the working tree.

    ``status`` is what it said of the one at ``top``, ``complaints`` what it wrote to
    standard error, ``files`` the stamps of those of whose content it tells nothing, and
    ``index`` the stamp of the index from before it was asked.
    """

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.top = _enclosing(cwd) or ""
        self.index = stamps([_index(self.top)])
        self.status = self.complaints = b""
        self.files: Stamps = {}
        self._pid, self._pipes = 0, list[int]()
        self._told: bool | None = None

    @classmethod
    def begin(cls) -> Look | None:
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
            return cls(cwd)._started([program, *flags(), *STATUS])
        except OSError:  # the full check says what is wrong
            return None

    def _started(self, command: Sequence[str]) -> Look:
        self._pid, *self._pipes = _spawn(command)
        signals.children.add(self._pid)
        return self

    def end(self) -> bool:
        """Wait for git; whether it could answer (there may be no repository, for example)."""
        if self._told is None:
            self.status, self.complaints = _drain(self._pipes)
            self._told = self._waited() == 0 and bool(self.top)
            names = map(os.fsdecode, _names(self.status))
            self.files = stamps(os.path.join(self.top, name) for name in names)
        return self._told

    def close(self) -> None:
        """End git, if nobody has waited for it."""
        if self._told is None:
            self._told = False
            for pipe in self._pipes:
                os.close(pipe)
            os.kill(self._pid, 15)  # signal takes long to import
            self._waited()

    def _waited(self) -> int:
        status = os.waitpid(self._pid, 0)[1]
        signals.children.discard(self._pid)
        return status


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


def _drain(pipes: list[int]) -> tuple[bytes, ...]:
    """Read pipes to their ends, all at once: git must not wait for us at one of them.

    One that is at its end is closed, and taken from the list.
    """
    from select import select

    read: dict[int, list[bytes]] = {pipe: [] for pipe in pipes}
    while pipes:
        for pipe in select(pipes, [], [])[0]:
            data = os.read(pipe, 1 << 20)
            read[pipe].append(data)
            if not data:
                pipes.remove(pipe)
                os.close(pipe)
    return tuple(b"".join(parts) for parts in read.values())


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

"""Trees on disk for the scanners, outside of every repository, kept and updated in place."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from sarifix import process
from sarifix.digests import sha256
from sarifix.errors import GitError
from sarifix.git.calls import alternates_line
from sarifix.git.indexes import copy_with_time
from sarifix.git.repository import one_line
from sarifix.git.trees import Git
from sarifix.git_settings import ENVIRONMENT, flags
from sarifix.locks import Lock
from sarifix.model import Side
from sarifix.named import NamedTuple

# Each file is laid out with the bytes of its blob, whatever .gitattributes or the user's
# configuration say: both sides alike, and a result depends on the blob alone.
_ATTRIBUTES = "* -text !eol -ident -filter !working-tree-encoding\n"
# What of a slot's own repository says how files are laid out, or which of them tools see.
_SETTINGS = ("config", "info/attributes", "info/exclude", "objects/info/alternates")
# All slots have names of one length, since the path of the tree can be in a message.
_LENGTH = 11
_TEMPORARY = "tmp"  # and the eight letters of mkdtemp
_STALE = 3600  # seconds; a slot that was just made is not locked yet


def slot_of(side: Side, number: int = 0) -> str:
    """Return the slot of a side's tree; a further number is for another configuration."""
    return f"{side.value}-{number}"


HEAD_SLOT = slot_of(Side.HEAD)


class LaidOut(NamedTuple):
    """A tree on disk, and the descriptors that keep its slot locked.

    A child that works in the tree inherits them: should we be killed, no other run takes
    the slot while it still writes there.
    """

    top: Path
    held: tuple[int, ...]


class _Taken(NamedTuple):
    """A slot that is ours until ``stack`` is closed.

    It is ``tidy`` where its tree is as it was laid out; ``tree`` is which, if that is known.
    """

    stack: contextlib.ExitStack
    directory: Path
    lock: Lock | None
    tidy: bool = False
    tree: str | None = None


class Scratch:
    """Slots that hold one tree each. A busy slot is left alone: a fresh one takes its place."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._ahead: dict[str, Future[_Taken]] = {}
        self._pool = ThreadPoolExecutor(max_workers=1)  # starts its thread with its first work
        self._root = git.store / "slots"
        try:
            self._root.mkdir(exist_ok=True)
        except OSError as error:
            raise _failure(self._root, str(error)) from error
        self._sweep(time.time() - _STALE)

    def ready(self, slot: str) -> None:
        """Take a slot and bring what is in it in order, while something else is done.

        It is then laid out sooner. ``close`` lets go of one that nobody asked for.
        """
        with contextlib.suppress(RuntimeError):  # no more threads: done when it is asked for
            self._ahead[slot] = self._pool.submit(self._tidied, slot)

    def expect(self, slot: str, tree: str) -> None:
        """Lay a tree out in a slot that was made ready, while something else is done."""
        if slot in self._ahead:
            self._ahead[slot] = self._pool.submit(self._laid_out_ahead, self._ahead[slot], tree)

    def close(self) -> None:
        """Let go of the slots that were made ready and not asked for."""
        while self._ahead:
            with contextlib.suppress(OSError):  # it was never taken
                self._ahead.popitem()[1].result().stack.close()
        self._pool.shutdown()

    @contextlib.contextmanager
    def checkout(self, tree: str, slot: str) -> Iterator[LaidOut]:
        """Lay ``tree`` out in ``slot`` and yield where, locked until the end.

        Raises ``GitError`` if it cannot be written (a full disk, a missing object).
        """
        ahead = self._ahead.pop(slot, None)
        with contextlib.ExitStack() as stack:
            try:
                taken = ahead.result() if ahead is not None else self._take(slot)
                stack.enter_context(taken.stack)
                held = _held(taken.lock)
                if taken.tree != tree:
                    self._lay_out(taken.directory, tree, held, tidy=taken.tidy)
            except OSError as error:
                raise _failure(self._root, str(error)) from error
            yield LaidOut(taken.directory / "tree", held)

    def _take(self, slot: str) -> _Taken:
        with contextlib.ExitStack() as stack:
            directory, lock = stack.enter_context(self._slot(slot))
            return _Taken(stack.pop_all(), directory, lock)

    def _tidied(self, slot: str) -> _Taken:
        """Take a slot, and remove whatever was added to the tree that it holds."""
        taken = self._take(slot)
        there = LaidOut(taken.directory / "tree", _held(taken.lock))
        try:
            if self._is_sound(taken.directory) and self.stands(there):
                self._clean(*there)
                return taken._replace(tidy=True)
        except (GitError, OSError):
            pass  # brought in order when it is laid out
        return taken

    def stands(self, laid_out: LaidOut) -> bool:
        """Whether no file of the tree was changed or removed since it was laid out."""
        try:
            self._run(laid_out.top, laid_out.held, "diff-files", "--quiet")
        except (GitError, OSError):
            return False
        return True

    def renew(self, laid_out: LaidOut, tree: str) -> None:
        """Lay ``tree`` out again where it is; raises ``GitError`` as ``checkout`` does."""
        try:
            self._lay_out(laid_out.top.parent, tree, laid_out.held)
        except OSError as error:
            raise _failure(self._root, str(error)) from error

    def clear(self) -> None:
        """Empty every slot that no other run is using."""
        for directory in sorted(self._root.iterdir()):
            with _locked(directory) as lock:
                if lock is not None:
                    _empty(directory)
        self._sweep(time.time())

    def _sweep(self, limit: float) -> None:
        """Remove the temporary slots of killed runs that are older than ``limit``."""
        for directory in self._root.glob(f"{_TEMPORARY}*"):
            with contextlib.suppress(OSError):  # another run sweeps as well
                if directory.stat().st_mtime <= limit:
                    with _locked(directory) as lock:
                        if lock is not None:
                            _remove(directory)

    @contextlib.contextmanager
    def _slot(self, name: str) -> Iterator[tuple[Path, Lock | None]]:
        directory = self._root / name.ljust(_LENGTH, "-")
        directory.mkdir(exist_ok=True)
        with _locked(directory) as lock:
            if lock is not None:
                yield directory, lock
                return
        # Busy, or on a file system without locks.
        directory = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=self._root))
        with _locked(directory) as lock:
            try:
                yield directory, lock
            finally:
                with contextlib.suppress(OSError):  # the next run sweeps
                    _remove(directory)

    def _laid_out_ahead(self, ahead: Future[_Taken], tree: str) -> _Taken:
        taken = ahead.result()
        if not taken.tidy:
            return taken
        try:
            self._update(taken.directory, tree, _held(taken.lock), tidy=True)
        except (GitError, OSError):
            return taken._replace(tidy=False)
        return taken._replace(tree=tree)

    def _lay_out(
        self, directory: Path, tree: str, held: tuple[int, ...], *, tidy: bool = False
    ) -> None:
        try:
            self._update(directory, tree, held, tidy=tidy)
        except (GitError, OSError):
            # What a scanner left there is in the way: begin anew, once.
            self._update(directory, tree, held)

    def _update(
        self, directory: Path, tree: str, held: tuple[int, ...], *, tidy: bool = False
    ) -> None:
        """Lay ``tree`` out in place, or anew where the last time was not finished.

        The mark of a finished one is taken away first and put back last. In one that is
        ``tidy``, only what differs is looked at.
        """
        state = directory / "state"
        top = directory / "tree"
        sound = self._is_sound(directory)
        state.unlink(missing_ok=True)
        if sound and tidy:
            self._run(top, held, "read-tree", "-m", "-u", tree)
        else:
            self._reset(directory, tree, held, anew=not sound)
        _show_index(directory)
        state.write_bytes(_settings(top))

    def _reset(self, directory: Path, tree: str, held: tuple[int, ...], *, anew: bool) -> None:
        top = directory / "tree"
        if anew:
            _empty(directory)
            self._make(top, held)
        else:
            self._clean(top, held)
        # It looks at each file, and writes again what was changed or removed.
        if self._run(top, held, "read-tree", "--reset", "-u", tree):
            # It could not remove a file: there is a directory of that name, which was no
            # addition as long as the index had the file.
            self._clean(top, held)

    def _clean(self, top: Path, held: tuple[int, ...]) -> None:
        """Remove all that is not of the tree that was laid out last."""
        self._run(top, held, "clean", "-ffdxq")

    def _is_sound(self, directory: Path) -> bool:
        """Whether the last tree was laid out to its end, and is set up as we did it."""
        state = directory / "state"
        return state.exists() and state.read_bytes() == _settings(directory / "tree")

    def _make(self, top: Path, held: tuple[int, ...]) -> None:
        """Make the minimal repository that lets tools see one, with its own index."""
        top.mkdir(parents=True)
        kind = self._git.repository.object_format
        self._run(top, held, "init", "-q", "--template=", f"--object-format={kind}")
        info = top / ".git" / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(_ATTRIBUTES, encoding="ascii")
        alternates = top / ".git" / "objects" / "info" / "alternates"
        ours = self._git.objects
        alternates.write_bytes(
            alternates_line(str(ours)) + alternates_line(self._git.repository.objects)
        )

    def _run(self, top: Path, held: tuple[int, ...], *args: str) -> bytes:
        """Run git in a tree; returns what it complained of."""
        env = {
            **self._git.repository.environ,
            **ENVIRONMENT,
            "GIT_DIR": str(top / ".git"),
            "GIT_WORK_TREE": str(top),
            # Beside the tree: what a scanner does to that in it is not believed.
            "GIT_INDEX_FILE": str(top.parent / "index"),
            # Nothing of the user's configuration: no filters, no hooks, no line ends.
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_COUNT": "0",
        }
        env.pop("GIT_CONFIG_PARAMETERS", None)
        argv = [self._git.repository.program, *flags(), *args]
        # git holds the lock, too: it may outlive us, and then the slot is still busy.
        done = process.run(argv, cwd=str(top), env=env, pass_fds=held)
        if done.returncode:
            raise _failure(top, one_line(done.stderr) or f"exit code {done.returncode}")
        return done.stderr


@contextlib.contextmanager
def made_ready(git: Git) -> Iterator[Scratch]:
    """Yield the trees on disk; the head's slot is made ready while git is asked for the rest."""
    with contextlib.closing(Scratch(git)) as scratch:
        scratch.ready(HEAD_SLOT)
        yield scratch


def _held(lock: Lock | None) -> tuple[int, ...]:
    return (lock.fd,) if lock is not None and os.name == "posix" else ()


def _failure(place: Path, reason: str) -> GitError:
    return GitError(
        f"the tree could not be laid out in {place}: {reason}",
        "look at the free space there; `sarifix cache clear` begins anew",
    )


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[Lock | None]:
    """Yield the lock of a slot, or None if another run has it."""
    lock = Lock.attempt(directory / "lock")
    try:
        yield lock
    finally:
        if lock is not None:
            lock.release()


def _settings(top: Path) -> bytes:
    """Return a digest of what a scanner must have left alone for the slot to be of use."""
    files = [top / ".git" / name for name in _SETTINGS]
    contents = [file.read_bytes() if file.is_file() else b"" for file in files]
    return sha256(b"\0".join(contents)).encode()


def _show_index(directory: Path) -> None:
    """Put a copy of a slot's index into its tree, for the tools that look for one there."""
    shown = directory / "tree" / ".git" / "index"
    for name in ("index", "index.lock"):
        shown.with_name(name).unlink(missing_ok=True)
    copy_with_time(directory / "index", shown)


def _empty(directory: Path) -> None:
    """Remove what is in a slot, the mark first."""
    for name in ("state", "index", "index.lock"):
        (directory / name).unlink(missing_ok=True)
    _remove(directory / "tree")


def _remove(directory: Path) -> None:
    """Remove a directory; what a scanner closed against us in it is opened first."""
    if directory.is_symlink() or directory.is_file():
        directory.unlink()
        return
    with contextlib.suppress(OSError):
        shutil.rmtree(directory)
    if directory.exists():
        directory.chmod(0o700)
        for place, names, _ in os.walk(directory):
            for child in (Path(place, name) for name in names):
                if not child.is_symlink():  # to a directory of the user's, perhaps
                    child.chmod(0o700)
        shutil.rmtree(directory)

"""Trees on disk for the scanners, outside of every repository, kept and updated in place."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sarifix import process
from sarifix.errors import GitError
from sarifix.git.repository import ENVIRONMENT, flags, one_line
from sarifix.git.trees import Git
from sarifix.locks import Lock

# Each file is laid out with the bytes of its blob, whatever .gitattributes or the user's
# configuration say: both sides alike, and a result depends on the blob alone.
_ATTRIBUTES = "* -text !eol -ident -filter !working-tree-encoding\n"


class Scratch:
    """Slots that hold one tree each. A busy slot is left alone: a fresh one takes its place."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._root = git.store / "slots"
        self._root.mkdir(exist_ok=True)

    @contextlib.contextmanager
    def checkout(self, tree: str, slot: str) -> Iterator[Path]:
        """Lay ``tree`` out in ``slot`` and yield its directory, locked until the end.

        Raises ``GitError`` if git cannot write it (a full disk, a missing object).
        """
        with self._slot(slot) as (directory, lock):
            self._lay_out(directory, tree, lock)
            yield directory / "tree"

    def clear(self) -> None:
        """Remove every slot that no other run is using."""
        for directory in sorted(self._root.iterdir()):
            lock = Lock.attempt(directory / "lock")
            if lock is not None:
                shutil.rmtree(directory)
                lock.release()

    @contextlib.contextmanager
    def _slot(self, name: str) -> Iterator[tuple[Path, Lock]]:
        directory = self._root / name
        directory.mkdir(exist_ok=True)
        lock = Lock.attempt(directory / "lock")
        temporary = lock is None
        if lock is None:
            # Of the same length as a usual one: the path of the tree can be in a message.
            directory = Path(tempfile.mkdtemp(prefix=f"{name[:2]}-", dir=self._root))
            lock = Lock.attempt(directory / "lock")
            assert lock is not None
        try:
            yield directory, lock
        finally:
            if temporary:
                shutil.rmtree(directory, ignore_errors=True)
            lock.release()

    def _lay_out(self, directory: Path, tree: str, lock: Lock) -> None:
        try:
            self._update(directory, tree, lock)
        except GitError:
            # Killed half-way, or a broken index: begin anew, once.
            _remove(directory / "tree")
            self._update(directory, tree, lock)

    def _update(self, directory: Path, tree: str, lock: Lock) -> None:
        state = directory / "state"
        top = directory / "tree"
        known = state.exists()
        state.unlink(missing_ok=True)
        if not known:
            _remove(top)
        if not (top / ".git").is_dir():
            self._make(top, lock)
        (top / ".git" / "index.lock").unlink(missing_ok=True)
        self._run(top, lock, "read-tree", "--reset", "-u", tree)
        self._run(top, lock, "clean", "-ffdxq")
        state.write_text(tree, encoding="ascii")

    def _make(self, top: Path, lock: Lock) -> None:
        """Make the minimal repository that lets tools see one, with its own index."""
        top.mkdir(parents=True, exist_ok=True)
        kind = self._git.repository.object_format
        self._run(top, lock, "init", "-q", "--template=", f"--object-format={kind}")
        info = top / ".git" / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(_ATTRIBUTES, encoding="ascii")
        alternates = top / ".git" / "objects" / "info" / "alternates"
        ours = f"{self._git.objects}\n".encode("utf-8", "surrogateescape")
        alternates.write_bytes(ours + (self._git.objects / "info" / "alternates").read_bytes())

    def _run(self, top: Path, lock: Lock, *args: str) -> None:
        env = {
            **self._git.repository.environ,
            **ENVIRONMENT,
            "GIT_DIR": str(top / ".git"),
            "GIT_WORK_TREE": str(top),
            # Nothing of the user's configuration: no filters, no hooks, no line ends.
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_COUNT": "0",
        }
        env.pop("GIT_CONFIG_PARAMETERS", None)
        argv = [self._git.repository.program, *flags(), *args]
        fds = (lock.fd,) if os.name == "posix" else ()
        done = process.run(argv, cwd=str(top), env=env, pass_fds=fds)
        if done.returncode:
            said = one_line(done.stderr) or f"exit code {done.returncode}"
            raise GitError(
                f"the tree could not be laid out in {top}: {said}",
                "look at the free space there; `sarifix cache clear` begins anew",
            )


def _remove(top: Path) -> None:
    if top.is_dir() and not top.is_symlink():
        shutil.rmtree(top)

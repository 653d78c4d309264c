"""The only user of ``subprocess``: run, keep the deadline, end the whole tree, cap the output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from sarifix.descendants import MARK, Descendants
from sarifix.named import NamedTuple

GRACE = 2.0  # seconds between SIGTERM and SIGKILL
_POLL = 0.05  # seconds between two looks at the deadline and at the size of the output


class Completed(NamedTuple):
    """A short program's exit code and what it wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Ended(NamedTuple):
    """How a supervised program ended.

    ``returncode`` is negative for a signal. ``stopped`` says why it was stopped, if it
    was: ``timeout``, ``output`` (wrote more than it may) or ``cancelled``.
    """

    returncode: int
    seconds: float
    stopped: str | None = None


def run(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    pass_fds: Sequence[int] = (),
) -> Completed:
    """Run a short program that can be trusted to end, and return all that it wrote.

    Raises ``OSError`` if it cannot be started.
    """
    done = subprocess.run(
        argv,
        cwd=cwd,
        env=env,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        check=False,
        pass_fds=pass_fds,
    )
    return Completed(done.returncode, done.stdout, done.stderr)


def supervise(  # noqa: PLR0913  all of it is what a child process is
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    stdout: Path,
    stderr: Path,
    watched: Sequence[Path] = (),
    timeout: float,
    limit: int,
    cancel: threading.Event,
    pass_fds: Sequence[int] = (),
) -> Ended:
    """Run a program that may hang, flood or fork; nothing of it is left afterwards.

    Its output goes to files, never to a pipe: a grandchild that keeps the descriptor
    would keep a reader waiting for ever. ``watched`` are further files whose size
    counts towards ``limit`` (bytes each). Raises ``OSError`` if it cannot be started.
    """
    mark = os.urandom(16).hex()
    began = time.monotonic()
    with _create(stdout) as out, _create(stderr) as err:
        child = _DESCENDANTS.start(
            lambda: subprocess.Popen(
                argv,
                cwd=cwd,
                env={**env, MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                pass_fds=pass_fds,
            )
        )
        watch = _Watch(child, mark, (out, err, *watched), timeout, limit, cancel)
        try:
            with watch:
                returncode = child.wait()
            _kill_all(child.pid, mark)
        finally:
            _DESCENDANTS.ended(child.pid)
    return Ended(returncode, time.monotonic() - began, watch.stopped)


@contextlib.contextmanager
def _create(path: Path) -> Iterator[int]:
    """Open a new private file; a planted link or file is an error, never followed."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        yield fd
    finally:
        os.close(fd)


class _Watch:
    """A thread that ends a child at its deadline, its limit, or when cancelled."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        mark: str,
        files: Sequence[Path | int],
        timeout: float,
        limit: int,
        cancel: threading.Event,
    ) -> None:
        self.stopped: str | None = None
        self._child, self._mark, self._files = child, mark, files
        self._deadline = time.monotonic() + timeout
        self._limit = limit
        self._cancel = cancel
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        try:
            self._thread.start()
        except RuntimeError:  # no more threads: then nobody watches
            _kill_all(self._child.pid, self._mark)
            self._child.wait()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            _kill_all(self._child.pid, self._mark)
            self._child.wait()
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_POLL):
            self.stopped = self._reason()
            if self.stopped:
                self._end()
                return

    def _reason(self) -> str | None:
        if self._cancel.is_set():
            return "cancelled"
        if time.monotonic() > self._deadline:
            return "timeout"
        if any(_size(file) > self._limit for file in self._files):
            return "output"
        return None

    def _end(self) -> None:
        # One that floods the disk has no time to lose.
        if os.name == "posix" and self.stopped != "output":
            _signal_group(self._child.pid, signal.SIGTERM)
            self._over.wait(GRACE)
        _kill_all(self._child.pid, self._mark)


def _size(file: Path | int) -> int:
    """Return the size of a file, or of an open one: its name may be gone or another's."""
    try:
        return (os.fstat(file) if isinstance(file, int) else file.lstat()).st_size
    except OSError:
        return 0  # not written yet


def _kill_all(pid: int, mark: str) -> None:
    """Kill the group of ``pid``, and on Linux all that carries our mark in its environment."""
    if os.name != "posix":  # pragma: no cover  only Windows has no groups
        system = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")
        subprocess.run([system, "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)
        return
    _signal_group(pid, signal.SIGKILL)
    _DESCENDANTS.kill_marked(mark)


def _signal_group(pid: int, number: int) -> None:
    # EPERM is what macOS answers for a group of zombies.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


_DESCENDANTS = Descendants()


class Dialogue:
    """A child that answers requests line by line (``git cat-file --batch``)."""

    def __init__(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> None:
        self._child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._stdin, self._stdout = self._child.stdin, self._child.stdout

    def send(self, lines: Sequence[bytes]) -> None:
        """Send some lines; they must fit into a pipe while nobody reads the answers."""
        with contextlib.suppress(BrokenPipeError):  # the answer tells
            self._stdin.write(b"".join(line + b"\n" for line in lines))
            self._stdin.flush()

    def line(self) -> bytes:
        """Return the next line of an answer (empty: the child is gone)."""
        return self._stdout.readline()

    def read(self, size: int) -> bytes:
        """Return the next ``size`` bytes of the answer."""
        return self._stdout.read(size)

    def close(self) -> None:
        """End the child."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()
        self._stdout.close()
        self._child.wait()

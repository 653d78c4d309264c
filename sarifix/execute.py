"""One run of a scanner's program: its command line, its environment, its end, its output."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sarifix import process, sarif
from sarifix.errors import SarifError
from sarifix.git import LaidOut
from sarifix.model import Log, Scan, Scanner
from sarifix.named import NamedTuple
from sarifix.plan import Job
from sarifix.scanners import said as spoken
from sarifix.scanners.find import parse_version

OUTPUT_LIMIT = 64 << 20  # bytes of SARIF, and of what is printed besides
VERSION_TIMEOUT = 20.0  # seconds
# One document at a time: a large one takes many times its size in memory, and two are
# not read faster, as the interpreter runs one thread at a time.
_READING = threading.Lock()
_LINE = 4096  # characters of a line that is told: more than is shown
_TOO_MUCH = f"wrote more than {OUTPUT_LIMIT >> 20} MiB"


class Surroundings(NamedTuple):
    """What every run of a check shares.

    ``environ`` is what scanners get (``PATH`` included), ``private`` a directory of ours
    for what they write, ``deadline`` a time of ``time.monotonic``. ``top`` is the user's
    working tree, for the directories to link.
    """

    environ: Mapping[str, str]
    private: Path
    top: str
    deadline: float
    cancel: threading.Event


class Version(NamedTuple):
    """What a program says of itself, or why it cannot be used."""

    text: str | None
    unusable: str | None = None


class _FailedScanError(Exception):
    """A scan that failed; its text is the reason."""


def execute(job: Job, files: Sequence[str], tree: LaidOut, around: Surroundings) -> Scan:
    """Run the scanner once on ``files`` (none: the whole ``tree``) and read its SARIF."""
    with _private_directory(around.private) as private:
        try:
            log = _run(job, files, tree, private, around)
        except _FailedScanError as failure:
            return Scan(job.scanner.name, job.side, failure=str(failure))
    return Scan(job.scanner.name, job.side, log)


def ask_version(scanner: Scanner, path: str, around: Surroundings) -> Version:
    """Ask a program for its version; the command also tells whether all its parts are there.

    With a deadline of its own: ``semgrep --version`` takes 98 s offline unless told not
    to look for updates. One that does not answer in time is taken for sound.
    """
    with _private_directory(around.private) as private:
        try:
            ended = process.supervise(
                [path, *scanner.version_argv[1:]],
                cwd=str(private),
                env=_environment(scanner, path, around, private),
                stdout=private / "stdout",
                stderr=private / "stderr",
                timeout=VERSION_TIMEOUT,
                limit=1 << 20,
                cancel=around.cancel,
            )
        except OSError as error:
            return Version(None, f"could not be started: {error.strerror}")
        said, complained = _text(private, "stdout"), _text(private, "stderr")
    if ended.returncode and not ended.stopped:
        command = " ".join(scanner.version_argv)
        return Version(None, f"`{command}` failed{_last_line(complained)}")
    return Version(parse_version(f"{said}\n{complained}"))


@contextlib.contextmanager
def _private_directory(parent: Path) -> Iterator[Path]:
    """Yield a fresh directory of mode 0700; what a killed run leaves is swept by the next."""
    directory = Path(tempfile.mkdtemp(dir=parent))
    (directory / "outdir").mkdir(mode=0o700)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _run(job: Job, files: Sequence[str], tree: LaidOut, private: Path, around: Surroundings) -> Log:
    top = tree.top
    scanner = job.scanner
    output = _output(scanner, private)
    _link(scanner, around.top, top)
    timeout = max(0.0, around.deadline - time.monotonic())
    try:
        ended = process.supervise(
            [job.program.path, *_arguments(scanner, files, private)],
            cwd=str(top),
            env=_environment(scanner, job.program.path, around, top),
            stdout=private / "stdout",
            stderr=private / "stderr",
            watched=(output,),
            timeout=min(timeout, scanner.timeout or timeout),
            limit=OUTPUT_LIMIT,
            cancel=around.cancel,
            pass_fds=tree.held,
        )
    except OSError as error:
        raise _FailedScanError(f"could not be started: {error.strerror}") from error
    said = _text(private, "stderr")
    _judge_end(scanner, ended, said, output)
    printed = _text(private, "stdout") if scanner.unread_stdout else ""
    unread = set(spoken.unread(scanner, said, printed, _roots(top)))
    if ended.returncode in scanner.nothing_exit_codes:
        return Log(unread=tuple(sorted(unread)))
    log = _read(job, _content(scanner, ended, output, said), top, said)
    return log._replace(unread=tuple(sorted(unread.union(log.unread))))


def _roots(top: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys((str(top), os.path.realpath(top))))


def _output(scanner: Scanner, private: Path) -> Path:
    """Return where the SARIF comes out."""
    if scanner.output == "stdout":
        return private / "stdout"
    filled = scanner.output.replace("{outdir}", str(private / "outdir"))
    return Path(filled.replace("{out}", str(private / "out.sarif")))


def _arguments(scanner: Scanner, files: Sequence[str], private: Path) -> Iterator[str]:
    # A name that begins with "-" would be read as an option.
    named = [f"./{file}" if file.startswith("-") else file for file in files]
    for argument in scanner.argv[1:]:
        if argument == "{files}":
            yield from named
        else:
            filled = argument.replace("{outdir}", str(private / "outdir"))
            yield filled.replace("{out}", str(private / "out.sarif"))


def _environment(scanner: Scanner, program: str, around: Surroundings, top: Path) -> dict[str, str]:
    path = around.environ.get("PATH", "")
    return {
        **around.environ,
        # What is installed beside the program is a part of it: semgrep starts its core so.
        "PATH": os.pathsep.join(filter(None, (path, os.path.dirname(program)))),
        # A json.py in the repository must not become a part of the scanner.
        "PYTHONSAFEPATH": "1",
        "PWD": str(top),
        "GIT_CEILING_DIRECTORIES": str(top.parent),
        "NO_COLOR": "1",
        **dict(scanner.env),
    }


def _link(scanner: Scanner, user_top: str, top: Path) -> None:
    """Link ignored directories that the scanner needs, such as ``node_modules``.

    Only below real directories of the tree: a tracked link could lead out of it.
    """
    root = Path(os.path.realpath(top))
    for name in scanner.link:
        source, target = Path(user_top, name), top / name
        parent = Path(os.path.realpath(target.parent))
        if source.is_dir() and parent.is_relative_to(root) and not os.path.lexists(target):
            with contextlib.suppress(FileExistsError):  # another scanner was quicker
                parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(source, target_is_directory=True)


def _text(private: Path, name: str) -> str:
    """Return what the scanner printed; bytes that are not UTF-8 as ``os.fsdecode`` has them."""
    return _bytes(private / name, OUTPUT_LIMIT).decode("utf-8", "surrogateescape")


def _last_line(said: str) -> str:
    lines = said.rstrip()[-_LINE:].splitlines()
    return f": {_shown(lines[-1]).strip()}" if lines else ""


def _shown(said: str) -> str:
    """Show the bytes that are not UTF-8 in what ``_text`` returned."""
    return said.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _judge_end(scanner: Scanner, ended: process.Ended, said: str, output: Path) -> None:
    """Raise the reason if this end means that the scan failed: exit code first, then output."""
    reasons = {
        "timeout": f"did not finish within {ended.seconds:.0f} s",
        "output": _TOO_MUCH,
        "cancelled": "was cancelled",
    }
    if ended.stopped:
        raise _FailedScanError(reasons[ended.stopped] + _last_line(said))
    if ended.returncode < 0:
        raise _FailedScanError(f"was ended by signal {-ended.returncode}{_last_line(said)}")
    if ended.returncode not in scanner.ok_exit_codes | scanner.nothing_exit_codes:
        # semgrep gives its reason in the SARIF of the failed run, and nowhere else.
        complaint = sarif.complaint(_bytes(output, OUTPUT_LIMIT))
        why = _last_line(said) or (f": {complaint}" if complaint else "")
        raise _FailedScanError(f"exit code {ended.returncode}{why}")
    if line := spoken.complaint(scanner, said):
        raise _FailedScanError(_shown(line))


def _content(scanner: Scanner, ended: process.Ended, output: Path, said: str) -> bytes:
    data = _bytes(output, OUTPUT_LIMIT + 1)
    if len(data) > OUTPUT_LIMIT:
        raise _FailedScanError(_TOO_MUCH)  # it ended before the watch looked
    if not data.strip() and (scanner.empty_output == "error" or ended.returncode):
        raise _FailedScanError(f"wrote no SARIF{_last_line(said)}")
    return data


def _bytes(file: Path, most: int) -> bytes:
    """Read the beginning of a file that the scanner wrote; empty where there is none.

    The scanner owns the directory: a link, a pipe or a device in its place is not read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        fd = os.open(file, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(fd, "rb") as opened:
            return opened.read(most) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""


def _read(job: Job, data: bytes, top: Path, said: str) -> Log:
    if not data.strip():
        return Log()
    scanner = job.scanner
    context = sarif.Context(
        scanner=scanner.name,
        roots=_roots(top),
        exists=job.entries.__contains__,
        secrets=scanner.secrets,
        unsuccessful_ok=scanner.unsuccessful_ok,
        null_results_ok=scanner.null_results_ok,
        message=scanner.message,
    )
    try:
        with _READING:
            return sarif.read(data, context)
    except SarifError as error:
        raise _FailedScanError(f"{error.message}{_last_line(said)}") from error

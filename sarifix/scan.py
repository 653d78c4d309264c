"""Running scanners: from the cache where it can be, else in a scratch tree, in parallel."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from sarifix import cache
from sarifix.cache import Cache
from sarifix.errors import SarifixError
from sarifix.execute import Surroundings, Version, ask_version, execute
from sarifix.git import Git, LaidOut, Scratch, slot_of
from sarifix.model import Finding, Log, Scan, Scanner, Side
from sarifix.named import NamedTuple
from sarifix.output.progress import Progress
from sarifix.plan import Job
from sarifix.scanners import find

T = TypeVar("T")
_STEP = 0.2  # seconds
_ARGUMENTS = 100_000 if os.name == "posix" else 24_000  # characters of file names in one run


class Runner(NamedTuple):
    """What every scan of a check shares; ``parallel`` is how many run at once."""

    git: Git
    scratch: Scratch | None
    cache: Cache
    around: Surroundings
    progress: Progress
    parallel: int


def run(jobs: Sequence[Job], runner: Runner) -> list[Scan]:
    """Run all jobs and return their scans in the same order.

    Scans of single files begin first: they are short, and a scanner of the whole tree
    that hangs must not keep them from running before the deadline. Raises ``GitError``
    if a tree cannot be laid out.
    """
    with contextlib.ExitStack() as stack:
        scratch = Scratch(runner.git) if runner.scratch is None else runner.scratch
        trees = _Trees(runner.git, scratch, stack)
        pool = stack.enter_context(at_once(runner))
        ordered = sorted(jobs, key=lambda job: (job.files is None, job.scanner.name))
        futures = {id(job): pool.submit(_scan, job, runner, trees) for job in ordered}
        scans = results([futures[id(job)] for job in jobs])
        return [
            scan or results([pool.submit(_scan_alone, job, runner, trees)])[0]
            for job, scan in zip(jobs, scans, strict=True)
        ]


@contextlib.contextmanager
def at_once(runner: Runner) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of threads for programs; on an error or a signal these end at once."""
    with ThreadPoolExecutor(max_workers=runner.parallel) as pool:
        try:
            yield pool
        except BaseException as error:
            runner.around.cancel.set()
            pool.shutdown(wait=True, cancel_futures=True)
            if isinstance(error, RuntimeError) and "start new thread" in str(error):
                raise SarifixError(
                    "the system allows no more threads", "see to the limit of processes: ulimit -u"
                ) from error
            raise


def results(futures: Sequence[Future[T]]) -> list[T]:
    """Wait for all, in steps, and return their results; raise what one of them raises.

    In steps: the system may hand a signal to any thread, and Python's handlers run in the
    main one, which takes note of it only when it wakes.
    """
    while wait(futures, timeout=_STEP, return_when=FIRST_EXCEPTION).not_done:
        for future in futures:
            if future.done():
                future.result()  # raises
    return [future.result() for future in futures]


class _DisturbedError(Exception):
    """A scan in a tree that one of the scanners there changed (it fixes what it finds)."""


class _Trees:
    """Lays out each tree once, when the first scan needs it; scans of one side share it."""

    def __init__(self, git: Git, scratch: Scratch, stack: contextlib.ExitStack) -> None:
        self._git, self._scratch, self._stack = git, scratch, stack
        self._lock = threading.Lock()
        self._slots: dict[tuple[Side, str], tuple[str, threading.Lock]] = {}
        self._laid_out: dict[str, LaidOut] = {}
        self._alone = False
        self._places: dict[tuple[str, Side], tuple[str, str]] = {}  # slot and tree of a scan

    def lay_out(self, job: Job) -> LaidOut:
        """Return where the job's tree is laid out."""
        tree = self._git.edit_tree(job.tree, dict(job.edits)) if job.edits else job.tree
        with self._lock:
            number = sum(side is job.side for side, _ in self._slots)
            slot = (slot_of(job.side, number), threading.Lock())
            name, lock = self._slots.setdefault((job.side, tree), slot)
            self._places[job.scanner.name, job.side] = name, tree
        with lock:
            if name not in self._laid_out:
                checkout = self._scratch.checkout(tree, name)
                self._laid_out[name] = self._stack.enter_context(checkout)
            return self._laid_out[name]

    def require_undisturbed(self, job: Job) -> None:
        """Raise ``_DisturbedError`` if another scanner may have changed what this one saw."""
        with self._lock:
            place = self._places[job.scanner.name, job.side]
            shared = not self._alone and list(self._places.values()).count(place) > 1
        if shared and not self._scratch.stands(self._laid_out[place[0]]):
            raise _DisturbedError

    def renew(self, job: Job) -> None:
        """Lay the job's tree out again, for it alone."""
        name, tree = self._places[job.scanner.name, job.side]
        self._alone = True  # from now on it is one scan after the other
        self._scratch.renew(self._laid_out[name], tree)


def _scan_alone(job: Job, runner: Runner, trees: _Trees) -> Scan:
    trees.renew(job)
    scan = _scan(job, runner, trees)
    assert scan is not None, "nobody else was there"
    return scan


def _scan(job: Job, runner: Runner, trees: _Trees) -> Scan | None:
    """Run one job; None if its tree was disturbed, and it is to be run again, alone."""
    began = time.monotonic()
    runner.progress.start(job.scanner.name, job.side)
    try:
        scan = _whole(job, runner, trees) if job.files is None else _by_file(job, runner, trees)
    except _DisturbedError:
        return None
    scan = scan._replace(seconds=time.monotonic() - began)
    runner.progress.done(scan)
    return scan


def _whole(job: Job, runner: Runner, trees: _Trees) -> Scan:
    # A database outside the tree may have changed since.
    stored = None if job.scanner.database else runner.cache.get(job.key)
    if stored is not None:
        return Scan(job.scanner.name, job.side, cache.load(stored), cached=True)
    scan = _execute(job, (), runner, trees)
    if scan.failure is None and not job.scanner.database:
        runner.cache.put(job.key, cache.dump(scan.log))
    return scan


def _by_file(job: Job, runner: Runner, trees: _Trees) -> Scan:
    assert job.files is not None
    stored = {path: runner.cache.get(key) for path, key in job.files}
    logs = [cache.load(data) for data in stored.values() if data is not None]
    missing = [path for path, data in stored.items() if data is None]
    for batch in _batches(missing):
        scan = _execute(job, batch, runner, trees)
        if scan.failure is not None:
            return scan
        _keep(scan.log, batch, dict(job.files), runner.cache)
        logs.append(scan.log)
    return Scan(job.scanner.name, job.side, _join(logs), cached=not missing)


def _execute(job: Job, files: Sequence[str], runner: Runner, trees: _Trees) -> Scan:
    scan = execute(job, files, trees.lay_out(job), runner.around)
    trees.require_undisturbed(job)
    return scan


def _batches(files: Sequence[str]) -> Iterator[tuple[str, ...]]:
    batch: list[str] = []
    size = 0
    for file in files:
        if batch and size + len(file) > _ARGUMENTS:
            yield tuple(batch)
            batch, size = [], 0
        batch.append(file)
        size += len(file) + 3
    if batch:
        yield tuple(batch)


def _keep(log: Log, files: Sequence[str], keys: Mapping[str, str], store: Cache) -> None:
    """Store a log file by file; one that says something of other places is not stored."""
    findings, suppressed = _by_path(log.findings), _by_path(log.suppressed)
    if not {*findings, *suppressed} <= set(files):
        return
    for path in files:
        part = Log(
            findings=tuple(findings[path]),
            suppressed=tuple(suppressed[path]),
            unread=(path,) if path in log.unread else (),
            notes=log.notes if path == files[0] else (),
        )
        store.put(keys[path], cache.dump(part))


def _by_path(findings: Sequence[Finding]) -> defaultdict[str | None, list[Finding]]:
    found = defaultdict[str | None, list[Finding]](list)
    for finding in findings:
        found[finding.path].append(finding)
    return found


def _join(logs: Sequence[Log]) -> Log:
    return Log(
        findings=tuple(f for log in logs for f in log.findings),
        suppressed=tuple(f for log in logs for f in log.suppressed),
        unread=tuple(sorted({p for log in logs for p in log.unread})),
        notes=tuple(dict.fromkeys(n for log in logs for n in log.notes)),
    )


def contents(path: str, identity: str, runner: Runner) -> str:
    """Return what a program is, read once for as long as it is not replaced.

    Results count for the same program on another machine, and when it is installed anew.
    Without a cache, or where it can be run but not read, its ``identity`` has to do.
    """
    if runner.cache.directory is None:
        return identity
    name = cache.key("contents", identity)
    stored = runner.cache.get(name)
    if stored is not None:
        return stored.decode()
    try:
        found = find.contents(path)
    except OSError:
        return identity
    runner.cache.put(name, found.encode())
    return found


def version(scanner: Scanner, path: str, identity: str, runner: Runner) -> Version:
    """Return a program's version, asked once for as long as the program is not replaced."""
    if not scanner.version_argv:
        return Version(None)
    name = cache.key("version", identity, *scanner.version_argv)
    stored = runner.cache.get(name)
    if stored is not None:
        return Version(stored.decode())
    found = ask_version(scanner, path, runner.around)
    if found.text is not None:
        runner.cache.put(name, found.text.encode())
    return found

"""Making trees, on private copies of the index.

The rules, and the accidents they prevent, are in docs/architecture.md ("Snapshots").
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sarifix import process
from sarifix.errors import GitError, UnmergedIndexError
from sarifix.git.calls import Calls
from sarifix.git.repository import one_line
from sarifix.git.status import Marked, Status, parse
from sarifix.git_settings import STATUS
from sarifix.model import Entry
from sarifix.named import NamedTuple

_FEW = 100  # paths
_CLOSED = re.compile(rb"could not open directory '(.*?)/?': ", re.DOTALL)


class WorkingTree(NamedTuple):
    """The working tree as a tree id, and what of it could not be taken."""

    tree: str
    unreadable: tuple[str, ...] = ()  # files, and directories with a ``/`` at the end
    nested: tuple[str, ...] = ()  # nested repositories without a commit
    hidden: tuple[str, ...] = ()  # edited, but marked assume-unchanged or skip-worktree
    filters_off: bool = False


class Indexes(Calls):
    """The index and the working tree as trees; the user's index is only ever read."""

    @contextlib.contextmanager
    def _index(self, source: str | None = None) -> Iterator[Path]:
        """Yield the path of a private index, a copy of ``source`` where there is one."""
        with _private_directory(self.store / "tmp") as directory:
            index = directory / "index"
            if source is not None:
                self._copy_index(source, index)
            yield index

    def _copy_index(self, source: str, target: Path) -> None:
        try:
            copy_with_time(Path(source), target)
        except FileNotFoundError as error:
            # No index is an empty index; but the one a hook was told of is gone with its
            # commit, and to take that for "everything deleted" would look clean.
            if source != os.path.join(self.repository.git_dir, "index"):
                raise GitError(
                    f"the index {source} is gone", "its commit has ended: run sarifix again"
                ) from error
        except OSError as error:
            raise GitError(f"the index {source} cannot be copied: {error.strerror}") from error

    def staged_tree(self) -> str:
        """Return the tree that ``git commit`` would make; raises ``UnmergedIndexError``.

        Without filters: what is staged does not depend on them, but git would run the
        clean filter of a file that was edited in the instant it was staged.
        """
        with self._index(self.repository.index_file) as index:
            unmerged = self._names("ls-files", "-u", "-z", index=index)
            if unmerged:
                name = unmerged[0].split("\t", 1)[1]
                raise UnmergedIndexError(
                    f"the index has conflicts, for example in {name}",
                    "resolve them and `git add` the files, then run sarifix again",
                )
            return self._write_tree(index, (*self._hooks_off(), *self._filters_off()))

    def status(self) -> Status:
        """Return how the working tree differs from the user's index."""
        index = Path(self.repository.index_file)
        complained = False
        try:
            done = self._run(*STATUS, index=index)
        except GitError:  # a required filter cannot run: then what differs is not known
            done = self._run(*STATUS, index=index, settings=self._filters_off())
            complained = True
        return parse(done.stdout, self.marked(), complained=complained or bool(done.stderr))

    def marked(self) -> tuple[Marked, ...]:
        """Return the files of the user's index under an assume-unchanged or skip-worktree bit."""
        return self._marked(Path(self.repository.index_file))

    def working_tree(
        self,
        *,
        reveal: bool = False,
        status: Status | None = None,
    ) -> WorkingTree:
        """Return the working tree (tracked and untracked, never ignored files) as a tree.

        With ``reveal`` it also holds the edits under an assume-unchanged or skip-worktree bit.
        By a ``status`` that still holds, nothing is looked at but what differs.
        Clean filters run, and they alone of all that the configuration names: what a file
        is as a blob, only they can say.

        ``git add`` is all or nothing where a required filter is missing (git-lfs): then
        it is done again without filters. So it is where a file vanishes before it is
        read: then it is done once more. With --ignore-errors it goes on past files that
        cannot be read and nested repositories without a commit, and exits with 1.
        """
        hooks = self._hooks_off()
        try:
            return self._add_all(hooks, reveal=reveal, status=status)
        except GitError as error:
            if "clean filter" not in error.message:
                return self._add_all(hooks, reveal=reveal)
        return self._add_all((*hooks, *self._filters_off()), filters_off=True, reveal=reveal)

    def _add_all(
        self,
        settings: Sequence[str],
        *,
        filters_off: bool = False,
        reveal: bool,
        status: Status | None = None,
    ) -> WorkingTree:
        with self._index(self.repository.index_file) as index:
            revealed = set()
            if reveal:
                revealed = self._revealed(self._marked(index) if status is None else status.marked)
                self._unmark(revealed, index, settings)
            only = None if status is None else status.differing
            added = self._add(None if only is None else {*only, *revealed}, index, settings)
            tree = self._write_tree(index, settings)
            left = self._left(index, settings) if added.returncode else []
            closed = self._closed(added.stderr)
            return WorkingTree(
                tree=tree,
                unreadable=tuple(sorted({n for n in left if not n.endswith("/")} | closed)),
                nested=tuple(sorted({n for n in left if n.endswith("/")} - closed)),
                hidden=() if reveal else self._hidden(index, settings, status),
                filters_off=filters_off,
            )

    def _add(
        self, only: set[str] | None, index: Path, settings: Sequence[str]
    ) -> process.Completed:
        asked = ["add", "-A", "--ignore-errors"]
        stdin = None
        # git compares each file with each of the paths it is given.
        if only is not None and len(only) <= _FEW:
            if not only:
                return process.Completed(0, b"", b"")
            asked += ["--pathspec-from-file=-", "--pathspec-file-nul"]
            stdin = os.fsencode("\0".join(sorted(only)))
        return self._run(*asked, index=index, settings=settings, ok=(0, 1), stdin=stdin)

    def _closed(self, said: bytes) -> set[str]:
        """Return the directories that `git add` could not open, with a ``/`` at the end.

        It complains as well of one that is gone with the only files that it was given.
        """
        names = map(os.fsdecode, _CLOSED.findall(said))
        return {f"{name}/" for name in names if Path(self.repository.top, name).is_dir()}

    def _left(self, index: Path, settings: Sequence[str]) -> list[str]:
        """Return what is still not as it is on disk; nested repositories end with ``/``."""
        asked = ("ls-files", "-o", "-m", "--exclude-standard", "-z")
        return self._names(*asked, index=index, settings=settings)

    def _hidden(
        self, index: Path, settings: Sequence[str], status: Status | None
    ) -> tuple[str, ...]:
        """Return files that were edited under an assume-unchanged or skip-worktree bit."""
        looked_at = self._revealed(self._marked(index) if status is None else status.marked)
        if not looked_at:
            return ()
        self._unmark(looked_at, index, settings)
        self._run("update-index", "-q", "--refresh", index=index, ok=(0, 1), settings=settings)
        asked = ("diff-files", "--name-only", "-z")
        differing = set(self._names(*asked, index=index, settings=settings))
        return tuple(sorted(differing & looked_at))

    def _revealed(self, marked: Sequence[Marked]) -> set[str]:
        """Return the files under one of these bits, less those that a sparse checkout left out."""
        top = self.repository.top
        # Only what is marked skip-worktree may be absent; the absence of others is an edit.
        return {
            name
            for tag, name in marked
            if tag not in "Ss" or os.path.lexists(os.path.join(top, name))
        }

    def _marked(self, index: Path) -> tuple[Marked, ...]:
        """Return all files under one of these bits."""
        listed = self._run("ls-files", "-v", "-z", index=index)
        # Nearly always all are "H", plainly in the index: that is quickly counted.
        said = b"\0" + listed.stdout
        if said.count(b"\0H ") == listed.stdout.count(b"\0"):
            return ()
        named = ((r[:1], r[2:]) for r in os.fsdecode(listed.stdout).split("\0") if r)
        return tuple((tag, name) for tag, name in named if tag in "Ss" or tag.islower())

    def _unmark(self, names: set[str], index: Path, settings: Sequence[str]) -> None:
        stdin = os.fsencode("\0".join(sorted(names)))
        for flag in ("--no-assume-unchanged", "--no-skip-worktree") if names else ():
            # One at a time: with both, git heeds the last one only.
            asked = ("update-index", flag, "-z", "--stdin")
            self._run(*asked, index=index, stdin=stdin, settings=settings)

    def edit_tree(self, tree: str, edits: Mapping[str, Entry | None]) -> str:
        """Return ``tree`` with some paths replaced, or removed where the entry is None.

        A file takes the place of a directory of that name, and the other way round.
        """
        null = "0" * len(tree)
        ordered = sorted(edits.items(), key=lambda edit: (edit[1] is not None, edit[0]))
        records = (f"{e.mode} {e.oid}\t{p}\0" if e else f"0 {null}\t{p}\0" for p, e in ordered)
        with self._index() as index:
            self._run("read-tree", tree, index=index)
            stdin = os.fsencode("".join(records))
            self._run("update-index", "-z", "--index-info", index=index, stdin=stdin)
            return self._write_tree(index, self._hooks_off())

    def _write_tree(self, index: Path, settings: Sequence[str]) -> str:
        return one_line(self._run("write-tree", index=index, settings=settings).stdout)

    def _hooks_off(self) -> tuple[str, ...]:
        """Return the settings that switch off hooks that are defined in the configuration.

        git 2.54 and later run them besides those of ``core.hooksPath``.
        """
        return tuple(f"{name}.enabled=false" for name in self._programs if name.startswith("hook."))

    def _filters_off(self) -> tuple[str, ...]:
        keys = ("clean=", "process=", "required=false")
        names = (name for name in self._programs if name.startswith("filter."))
        return tuple(f"{name}.{key}" for name in names for key in keys)

    @functools.cached_property
    def _programs(self) -> list[str]:
        """The hooks and filters of the configuration (``filter.lfs``), sorted."""
        names = (setting.key.rpartition(".")[0] for setting in self.settings)
        return sorted({name for name in names if name.startswith(("hook.", "filter."))})


@contextlib.contextmanager
def _private_directory(parent: Path) -> Iterator[Path]:
    try:
        directory = Path(tempfile.mkdtemp(dir=parent))
    except OSError as error:
        raise GitError(
            f"{parent} cannot be written: {error.strerror}",
            "look at the free space there, or set SARIFIX_CACHE to another directory",
        ) from error
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def copy_with_time(source: Path, target: Path) -> None:
    """Copy an index, to where nothing is, with its time: both of the very file that was opened.

    git looks again at entries that are as new as the index itself. Under a newer time,
    that of the copy or of an index that was put in its place meanwhile, an edit in the
    same instant as ``git add`` would go unseen.
    """
    with source.open("rb") as opened, target.open("xb") as made:
        status = os.fstat(opened.fileno())
        shutil.copyfileobj(opened, made)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

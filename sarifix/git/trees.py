"""Reading and making trees, on private copies of the index and in an object store of our own.

The rules, and the accidents they prevent, are in docs/architecture.md ("Snapshots").
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sarifix import process
from sarifix.errors import GitError, MissingRevisionError, UnmergedIndexError
from sarifix.git.blobs import Blobs
from sarifix.git.repository import ENVIRONMENT, Repository, flags, one_line
from sarifix.model import Change, Entry


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """The working tree as a tree id, and what of it could not be taken."""

    tree: str
    unreadable: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()  # nested repositories without a commit
    hidden: tuple[str, ...] = ()  # edited, but marked assume-unchanged or skip-worktree
    filters_off: bool = False


class Git:
    """git on one repository. ``store`` is our own directory: objects and temporary files."""

    def __init__(self, repository: Repository, store: Path) -> None:
        self.repository = repository
        self.store = store
        self.objects = store / "objects"
        self._env = {
            **repository.environ,
            **ENVIRONMENT,
            "GIT_DIR": repository.git_dir,
            "GIT_WORK_TREE": repository.top,
            "GIT_OBJECT_DIRECTORY": str(self.objects),
        }
        self._prepare()

    def _prepare(self) -> None:
        (self.objects / "info").mkdir(parents=True, exist_ok=True)
        (self.store / "tmp").mkdir(exist_ok=True)
        alternates = self.objects / "info" / "alternates"
        wanted = f"{_quoted(self.repository.objects)}\n".encode("utf-8", "surrogateescape")
        if not alternates.exists() or alternates.read_bytes() != wanted:
            alternates.write_bytes(wanted)

    def _run(
        self,
        *args: str,
        index: Path | None = None,
        stdin: bytes | None = None,
        ok: Sequence[int] = (0,),
        settings: Sequence[str] = (),
    ) -> process.Completed:
        env = self._env if index is None else {**self._env, "GIT_INDEX_FILE": str(index)}
        argv = [self.repository.program, *flags(settings), *args]
        done = process.run(argv, cwd=self.repository.top, env=env, stdin=stdin)
        if done.returncode not in ok:
            raise GitError(f"git {args[0]} failed: {one_line(done.stderr) or done.returncode}")
        return done

    # -- revisions ----------------------------------------------------------

    def commit(self, revision: str) -> str | None:
        """Return the commit id of a revision, or None if there is none."""
        return self._verify(f"{revision}^{{commit}}")

    def tree(self, revision: str) -> str:
        """Return the tree id of a revision; raises ``MissingRevisionError``."""
        found = self._verify(f"{revision}^{{tree}}")
        if found is None:
            raise MissingRevisionError(
                f"the revision {revision!r} is not in this repository",
                "check its name; in a shallow clone fetch more: git fetch --unshallow, "
                "or fetch-depth: 0 in actions/checkout",
            )
        return found

    def _verify(self, revision: str) -> str | None:
        if revision.startswith("-") or "\0" in revision or "\n" in revision:
            return None
        done = self._run("rev-parse", "-q", "--verify", revision, ok=(0, 1, 128))
        return one_line(done.stdout) or None

    def full_name(self, revision: str) -> str | None:
        """Return the full name of the ref that ``revision`` names (``refs/heads/main``)."""
        if revision.startswith("-"):
            return None
        done = self._run("rev-parse", "-q", "--symbolic-full-name", revision, ok=(0, 1, 128))
        return os.fsdecode(done.stdout).strip() or None

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the best common ancestor of two commits, or None if there is none."""
        done = self._run("merge-base", one, other, ok=(0, 1, 128))
        return one_line(done.stdout) or None

    def empty_tree(self) -> str:
        """Return the id of the empty tree, in this repository's object format."""
        return one_line(self._run("hash-object", "-t", "tree", "--stdin", stdin=b"").stdout)

    def is_shallow(self) -> bool:
        """Whether the history of this repository was cut off."""
        return one_line(self._run("rev-parse", "--is-shallow-repository").stdout) == "true"

    def version(self) -> str:
        """Return what ``git version`` says (``2.39.5``)."""
        return one_line(self._run("version").stdout).removeprefix("git version ")

    # -- reading trees ------------------------------------------------------

    def entries(self, tree: str) -> dict[str, Entry]:
        """Return all entries of a tree but its directories, by path."""
        return dict(_entries(self._run("ls-tree", "-r", "-z", "--full-tree", tree).stdout))

    def entry(self, tree: str, path: str) -> Entry | None:
        """Return the entry of one path, or None if the tree has no such path."""
        found = self._run("ls-tree", "-z", "--full-tree", tree, "--", path).stdout
        return dict(_entries(found)).get(path)

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        """Return what differs between two trees, following renames and swapped names."""
        # -B breaks a rewritten pair, so that two files that swapped their names are seen.
        raw = self._run("diff-tree", "-r", "-z", "--raw", "-B", "-M", "-l2000", base, head).stdout
        fields = iter(os.fsdecode(raw).split("\0"))
        return tuple(_change(meta, fields) for meta in fields if meta)

    def ignored(self, directories: Sequence[str]) -> set[str]:
        """Return those directories (relative to the top level) that git ignores.

        One that holds a tracked file, added by force, is not ignored.
        """
        names = [name for name in directories if name != "."]
        stdin = b"\0".join(os.fsencode(name) for name in names)
        if not names:
            return set()
        # check-ignore reads no pathspecs, and refuses to run where they are literal.
        env = {**self._env, "GIT_LITERAL_PATHSPECS": "0"}
        argv = [self.repository.program, *flags(), "check-ignore", "-z", "--stdin"]
        done = process.run(argv, cwd=self.repository.top, env=env, stdin=stdin)
        if done.returncode not in (0, 1):
            raise GitError(f"git check-ignore failed: {one_line(done.stderr)}")
        found = [name for name in os.fsdecode(done.stdout).split("\0") if name]
        return {name for name in found if not self._holds_tracked(name)}

    def _holds_tracked(self, directory: str) -> bool:
        index = Path(self.repository.index)
        return bool(self._run("ls-files", "-z", "--", directory, index=index).stdout)

    def blobs(self) -> Blobs:
        """Open a reader of blobs; close it when done."""
        argv = [self.repository.program, *flags(), "cat-file", "--batch"]
        return Blobs(process.Dialogue(argv, cwd=self.repository.top, env=self._env))

    # -- making trees -------------------------------------------------------

    @contextlib.contextmanager
    def _index(self, source: str | None = None) -> Iterator[Path]:
        """Yield the path of a private index, a copy of ``source`` where there is one."""
        with tempfile.TemporaryDirectory(dir=self.store / "tmp") as directory:
            index = Path(directory, "index")
            if source is not None:
                with contextlib.suppress(FileNotFoundError):
                    # With its time: git takes entries as new as the index for racy, and
                    # an edit in the same instant would go unseen under a newer copy.
                    shutil.copy2(source, index)
            yield index

    def staged_tree(self) -> str:
        """Return the tree that ``git commit`` would make; raises ``UnmergedIndexError``."""
        with self._index(self.repository.index) as index:
            unmerged = self._run("ls-files", "-u", "-z", index=index).stdout
            if unmerged:
                name = os.fsdecode(unmerged.split(b"\0")[0].split(b"\t", 1)[1])
                raise UnmergedIndexError(
                    f"the index has conflicts, for example in {name}",
                    "resolve them and `git add` the files, then run sarifix again",
                )
            return self._write_tree(index, ())

    def working_tree(self) -> WorkingTree:
        """Return the working tree (tracked and untracked, never ignored files) as a tree.

        ``git add`` is all or nothing where a required filter is missing (git-lfs): then
        it is done again without filters. With --ignore-errors it goes on past files that
        cannot be read and nested repositories without a commit, and exits with 1.
        """
        try:
            return self._add_all(())
        except GitError:
            settings = self._without_filters()
            if not settings:
                raise
            return self._add_all(settings)

    def _add_all(self, settings: Sequence[str]) -> WorkingTree:
        with self._index(self.repository.index) as index:
            added = self._run(
                "add", "-A", "--ignore-errors", index=index, settings=settings, ok=(0, 1)
            )
            tree = self._write_tree(index, settings)
            left = self._left(index) if added.returncode else []
            return WorkingTree(
                tree=tree,
                unreadable=tuple(sorted({name for name in left if not name.endswith("/")})),
                nested=tuple(sorted({name for name in left if name.endswith("/")})),
                hidden=self._hidden(index),
                filters_off=bool(settings),
            )

    def _left(self, index: Path) -> list[str]:
        """Return what is still not as it is on disk; nested repositories end with ``/``."""
        return self._names("ls-files", "-o", "-m", "--exclude-standard", "-z", index=index)

    def _hidden(self, index: Path) -> tuple[str, ...]:
        """Return files that were edited under an assume-unchanged or skip-worktree bit."""
        listed = self._run("ls-files", "-v", "-z", index=index).stdout
        flagged = [r[2:] for r in listed.split(b"\0") if r[:1] == b"S" or r[:1].islower()]
        there = [f for f in flagged if Path(self.repository.top, os.fsdecode(f)).is_file()]
        if not there:
            return ()
        stdin = b"\0".join(there)
        flags = ("--no-assume-unchanged", "--no-skip-worktree")
        for flag in flags:  # one at a time: with both, git heeds the last one only
            self._run("update-index", flag, "-z", "--stdin", index=index, stdin=stdin)
        self._run("update-index", "-q", "--refresh", index=index, ok=(0, 1))
        names = set(self._names("diff-files", "--name-only", "-z", index=index))
        return tuple(sorted(names & {os.fsdecode(name) for name in there}))

    def _write_tree(self, index: Path, settings: Sequence[str]) -> str:
        return one_line(self._run("write-tree", index=index, settings=settings).stdout)

    def _names(self, *args: str, index: Path) -> list[str]:
        output = os.fsdecode(self._run(*args, index=index).stdout)
        return [name for name in output.split("\0") if name]

    def _without_filters(self) -> tuple[str, ...]:
        listed = self._run("config", "-z", "--name-only", "--get-regexp", r"^filter\.", ok=(0, 1))
        names = {
            name.removeprefix("filter.").rsplit(".", 1)[0]
            for name in os.fsdecode(listed.stdout).split("\0")
            if name
        }
        return tuple(
            f"filter.{name}.{key}"
            for name in sorted(names)
            for key in ("clean=", "process=", "required=false")
        )

    def edit_tree(self, tree: str, edits: Mapping[str, Entry | None]) -> str:
        """Return ``tree`` with some paths replaced, or removed where the entry is None."""
        null = "0" * len(tree)
        ordered = sorted(edits.items(), key=lambda edit: (edit[1] is not None, edit[0]))
        records = (f"{e.mode} {e.oid}\t{p}" if e else f"0 {null}\t{p}" for p, e in ordered)
        with self._index() as index:
            self._run("read-tree", tree, index=index)
            self._run(
                "update-index", "-z", "--index-info",
                index=index, stdin=os.fsencode("\0".join(records) + "\0"),
            )  # fmt: skip
            return self._write_tree(index, ())


def _entries(listed: bytes) -> Iterator[tuple[str, Entry]]:
    for record in os.fsdecode(listed).split("\0"):
        if record:
            meta, path = record.split("\t", 1)
            mode, _, oid = meta.split(" ")
            yield path, Entry(mode, oid)


def _change(meta: str, fields: Iterator[str]) -> Change:
    status = meta.rsplit(" ", 1)[1][0]
    path = next(fields)
    if status in "RC":
        return Change(path, next(fields))
    if status == "A":
        return Change(None, path)
    return Change(path, None if status == "D" else path)


def _quoted(path: str) -> str:
    """Quote a line of ``info/alternates`` where git would read it as something else."""
    if not path.startswith('"') and "\n" not in path:
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

"""Reading revisions and trees."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from sarifix import process
from sarifix.errors import GitError, MissingRevisionError
from sarifix.git.blobs import Blobs
from sarifix.git.indexes import Indexes
from sarifix.git.listing import Listing
from sarifix.git.repository import Repository, one_line
from sarifix.git_settings import flags
from sarifix.model import Change, Entry
from sarifix.named import NamedTuple

_ABSENT = "000000"  # the mode of what one side has not
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class _Differing(NamedTuple):
    """One difference of two trees; ``status`` is git's letter for it."""

    status: str
    base_path: str
    head_path: str
    old: Entry
    new: Entry

    @property
    def ends(self) -> tuple[tuple[str, Entry], tuple[str, Entry]]:
        """What is in the base, and what is in the head."""
        return (self.base_path, self.old), (self.head_path, self.new)


class Git(Indexes):
    """git on one repository: what it has, and the trees we make of it."""

    def __init__(self, repository: Repository, store: Path) -> None:
        super().__init__(repository, store)
        self._listed: dict[str, Listing] = {}  # by tree id
        # What is looked at ahead, then HEAD as it was, and the tree until it is asked for.
        self._coming: Future[None] | None = None
        self._head: tuple[str, str] | None = None
        self._ahead: str | None = None
        self._diffs: dict[tuple[str, str], tuple[_Differing, ...]] = {}

    def read(self, *args: str, stdin: str | None = None) -> str:
        """Return what a git command that only reads says; raises ``GitError``."""
        given = None if stdin is None else os.fsencode(stdin)
        return os.fsdecode(self._run(*args, stdin=given).stdout)

    # -- revisions ----------------------------------------------------------

    def commit(self, revision: str) -> str | None:
        """Return the commit id of a revision, or None if there is none."""
        return self._verify(f"{revision}^{{commit}}")

    def head(self) -> tuple[str, str] | None:
        """Return the ids of HEAD's commit and of its tree, or None if there is none.

        They are those of then, where HEAD was looked at ahead.
        """
        self._await()
        return self._head or self._ask_head()

    def _ask_head(self) -> tuple[str, str] | None:
        # Files may have these names: what comes before "--" is never one.
        asked = ("HEAD^{commit}", "HEAD^{tree}", "--")
        done = self._run("rev-parse", "-q", *asked, ok=(0, 1, 128))
        found = os.fsdecode(done.stdout).split()
        return None if done.returncode else (found[0], found[1])

    def tree(self, revision: str) -> str:
        """Return the tree id of a revision; raises ``MissingRevisionError``."""
        found = self._verify(f"{revision}^{{tree}}")
        if found is None:
            fetch = "git fetch --unshallow" if self.is_shallow() else "git fetch origin"
            raise MissingRevisionError(
                f"the revision {revision!r} is not in this repository",
                f"name one commit, branch, tag or tree; or fetch it first: {fetch}, "
                "or fetch-depth: 0 in actions/checkout",
            )
        return found

    def _verify(self, revision: str) -> str | None:
        if revision.startswith("-") or "\0" in revision or "\n" in revision:
            return None
        done = self._run("rev-parse", "-q", "--verify", revision, ok=(0, 1, 128))
        found = one_line(done.stdout)
        return found if _OBJECT_ID.fullmatch(found) else None  # "^HEAD" is answered by "^1a2b..."

    def is_unborn(self) -> bool:
        """Whether HEAD is a branch without a commit: no ref at all, not one that is broken."""
        head = one_line(self._run("symbolic-ref", "-q", "HEAD", ok=(0, 1)).stdout)
        if not head:
            return False
        return self._run("show-ref", "--verify", "-q", head, ok=(0, 1)).returncode == 1

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

    def entries(self, tree: str) -> Mapping[str, Entry]:
        """Return all entries of a tree but its directories, by path.

        Each tree is read once, and of a further one only what differs from the last.
        """
        self._await()
        if tree not in self._listed:
            self._listed[tree] = self._list(tree)
        if tree == self._ahead:
            self._ahead = None
        return self._listed[tree]

    def look_ahead(self, base: str | None = None) -> None:
        """List a tree while something else is done: that of HEAD, if it is not named."""
        pool = ThreadPoolExecutor(max_workers=1)
        with contextlib.suppress(RuntimeError):  # no more threads: listed when it is asked for
            self._coming = pool.submit(self._list_ahead, base)
        pool.shutdown(wait=False)

    def _list_ahead(self, tree: str | None) -> None:
        if tree is None:
            self._head = self._ask_head()
            tree = None if self._head is None else self._head[1]
        if tree is not None:
            self._listed[tree] = Listing.parse(self._ls_tree(tree))
            self._ahead = tree

    def _await(self) -> None:
        if self._coming is not None:
            coming, self._coming = self._coming, None
            with contextlib.suppress(GitError):  # whoever needs it is told so
                coming.result()

    def _list(self, tree: str) -> Listing:
        for known in reversed(self._listed):
            with contextlib.suppress(GitError):  # that one is gone by now
                return self._derive(tree, known)
        return Listing.parse(self._ls_tree(tree))

    def _ls_tree(self, tree: str) -> bytes:
        return self._run("ls-tree", "-r", "-z", "--full-tree", tree).stdout

    def _derive(self, tree: str, known: str) -> Listing:
        """Return the entries of a tree, given those of another one."""
        # In the order in which the two will be compared, so that it need not be asked again:
        # the head is asked for first, and the base may have been listed ahead.
        forward = known == self._ahead
        pair = (known, tree) if forward else (tree, known)
        differing = self._differing(*pair)
        if any(one.status in "RC" for one in differing):
            # Of a file whose name was taken by another one, these say nothing.
            differing = self._diff(*pair, "--no-renames")
        ends = [one.ends if forward else one.ends[::-1] for one in differing]
        return self._listed[known].changed(
            [path for (path, entry), _ in ends if entry.mode != _ABSENT],
            [end for _, end in ends if end[1].mode != _ABSENT],
        )

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        """Return what differs between two trees, following renames and swapped names."""
        return tuple(
            Change(
                None if one.status == "A" else one.base_path,
                None if one.status == "D" else one.head_path,
            )
            for one in self._differing(base, head)
        )

    def _differing(self, base: str, head: str) -> tuple[_Differing, ...]:
        if base == head:
            return ()
        if (base, head) not in self._diffs:
            # -B breaks a rewritten pair, so that two files that swapped their names are seen
            # (git does so from 400 bytes on).
            self._diffs[base, head] = self._diff(base, head, "-B", "-M", "-l2000")
        return self._diffs[base, head]

    def _diff(self, base: str, head: str, *options: str) -> tuple[_Differing, ...]:
        # What .gitmodules says of ignoring submodules is not asked.
        asked = ("diff-tree", "-r", "-z", "--raw", "--ignore-submodules=none", *options)
        fields = iter(os.fsdecode(self._run(*asked, base, head).stdout).split("\0"))
        return tuple(_record(meta, fields) for meta in fields if meta)

    def ignored(self, directories: Sequence[str]) -> set[str]:
        """Return those directories (relative to the top level) that git ignores.

        One that holds a tracked file, added by force, is not ignored.
        """
        names = [name for name in directories if name != "."]
        return {name for name in self._ignored(names) if not self._holds_tracked(name)}

    def _ignored(self, names: Sequence[str]) -> list[str]:
        if not names:
            return []
        stdin = os.fsencode("\0".join(names))
        # check-ignore reads no pathspecs, and refuses to run where they are literal.
        done = self._run(
            "check-ignore", "-z", "--stdin", stdin=stdin, ok=(0, 1, 128), literal=False
        )
        if done.returncode == 128:
            # One of them leads through a submodule or a symbolic link: it is not git's to ignore.
            return [n for name in names for n in self._ignored([name])] if len(names) > 1 else []
        return [name for name in os.fsdecode(done.stdout).split("\0") if name]

    def _holds_tracked(self, directory: str) -> bool:
        index = Path(self.repository.index_file)
        return bool(self._run("ls-files", "-z", "--", directory, index=index).stdout)

    def blobs(self) -> Blobs:
        """Open a reader of blobs; close it when done."""
        argv = [self.repository.program, *flags(), "cat-file", "--batch"]
        return Blobs(process.Dialogue(argv, cwd=self.repository.top, env=self._env))


def _record(meta: str, fields: Iterator[str]) -> _Differing:
    """Read ``:100644 100755 <id> <id> R086`` and the one or two paths that follow."""
    old_mode, new_mode, old, new, status = meta.removeprefix(":").split(" ")
    path = next(fields)
    other = next(fields) if status[0] in "RC" else path
    return _Differing(status[0], path, other, Entry(old_mode, old), Entry(new_mode, new))

"""The two sides of a check, each as a git tree id."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sarifix import __version__
from sarifix.errors import MissingRevisionError
from sarifix.git import Git, WorkingTree, status
from sarifix.look import Look, stamps
from sarifix.model import ScannerReport, Side, Snapshot, Status
from sarifix.named import NamedTuple

if TYPE_CHECKING:
    from sarifix.look import Stamps

WORKTREE = "worktree"
STAGED = "staged"
NO_COMMIT = "no commit yet"  # the origin of an unborn branch


class Taken(NamedTuple):
    """A snapshot, and what a person should know about how it was taken."""

    snapshot: Snapshot
    notes: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()  # what is in the working tree, and not in the snapshot

    @property
    def reports(self) -> tuple[ScannerReport, ...]:
        """How taking it fared, told as a scanner's run: one that failed is never clean."""
        if not self.unreadable:
            return ()
        why = (
            f"{_some(self.unreadable)} could not be read and was not checked; "
            "make it readable, or have git ignore it"
        )
        return (ScannerReport("sarifix", Status.FAILED, __version__, why),)


class Seen(NamedTuple):
    """What git said of the working tree. It holds as long as the index has its ``stamps``."""

    status: status.Status
    stamps: Stamps


def see(git: Git, look: Look | None) -> Seen:
    """Return what git says of the working tree: by a look that was begun before, if there is one.

    That must be of the same working tree and index.
    """
    index = git.repository.index_file
    here = os.path.realpath(git.repository.top)
    if look is not None and look.top == here and index in look.index:
        # What else is needed of git is asked while it still looks.
        _ = git.settings
        marked = git.marked()
        if look.end():
            said = status.parse(look.status, marked, complained=bool(look.complaints))
            return Seen(said, look.index)
    before = stamps([index])
    return Seen(git.status(), before)


def take(git: Git, seen: Seen, *, reveal: bool) -> WorkingTree:
    """Take the working tree as ``Git.working_tree`` does, and nothing that was seen to be equal."""
    if seen.status.differing is not None:
        taken = git.working_tree(reveal=reveal, status=seen.status)
        if stamps(seen.stamps) == seen.stamps:
            return taken
    return git.working_tree(reveal=reveal)


def head(git: Git, asked: str, look: Look | None = None) -> Taken:
    """Take the head: ``worktree``, ``staged`` or a revision. ``look`` is of the working tree.

    Raises ``UnmergedIndexError``, ``MissingRevisionError``, ``GitError``.
    """
    if asked == STAGED:
        return Taken(Snapshot(git.staged_tree(), Side.HEAD, "index"))
    if asked != WORKTREE:
        return Taken(Snapshot(git.tree(asked), Side.HEAD, _origin(git, asked)))
    taken = take(git, see(git, look), reveal=False)
    found = Snapshot(taken.tree, Side.HEAD, "working tree")
    return Taken(found, _notes(taken), taken.unreadable)


def _notes(taken: WorkingTree) -> tuple[str, ...]:
    notes = []
    if taken.nested:
        notes.append(f"nested repository without a commit, left out: {_some(taken.nested)}")
    if taken.hidden:
        notes.append(
            "edited, but marked assume-unchanged or skip-worktree, so the edit was left out: "
            + _some(taken.hidden)
        )
    if taken.filters_off:
        notes.append("a required git filter could not run: files were taken without filters")
    return tuple(notes)


def _some(names: tuple[str, ...], most: int = 5) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def base(git: Git, revision: str, *, exact: bool, head_revision: str = "HEAD") -> Taken:
    """Take the base: the merge base with the head for a branch, else the revision itself.

    ``HEAD`` of an unborn branch is the empty tree. Raises ``MissingRevisionError``.
    """
    if revision == "HEAD":
        found = git.head()
        if found is not None:
            return Taken(Snapshot(found[1], Side.BASE, f"HEAD {found[0][:7]}"))
        if git.is_unborn():
            return Taken(Snapshot(git.empty_tree(), Side.BASE, NO_COMMIT))
    if not exact and revision != "HEAD" and _is_branch(git, revision):
        return merge_base(git, revision, head_revision)
    return Taken(Snapshot(git.tree(revision), Side.BASE, _origin(git, revision)))


def _is_branch(git: Git, revision: str) -> bool:
    return (git.full_name(revision) or "").startswith(("refs/heads/", "refs/remotes/"))


def merge_base(git: Git, revision: str, head_revision: str) -> Taken:
    """Take the merge base of two revisions as the base; raises ``MissingRevisionError``."""
    git.tree(revision)
    found = git.merge_base(revision, head_revision)
    if found is None:
        raise MissingRevisionError(
            f"{revision} and {head_revision} have no common ancestor in this repository",
            "fetch the history (git fetch --unshallow, or fetch-depth: 0 in actions/checkout), "
            "or compare with the revision itself: --exact-base",
        )
    origin = f"merge base with {revision} {found[:7]}"
    return Taken(Snapshot(git.tree(found), Side.BASE, origin))


def _origin(git: Git, revision: str) -> str:
    commit = git.commit(revision)
    if commit is None:
        return f"tree {revision}"
    return commit[:7] if commit.startswith(revision) else f"{revision} {commit[:7]}"

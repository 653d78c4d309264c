"""Which base and why: what ``sarifix pre-commit`` compares with what (docs/pre-commit.md)."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from sarifix import snapshot
from sarifix.git import Git
from sarifix.git.history import edges, other_heads
from sarifix.hooks import ci
from sarifix.model import Side, Snapshot
from sarifix.named import NamedTuple
from sarifix.snapshot import Taken

Bases = tuple[Taken, ...]


class Situation(enum.Enum):
    """In which the hook can find itself."""

    PUSH = "push"
    MERGE = "merge"
    FIRST = "first commit"
    CI = "ci"
    COMMIT = "commit"
    EMPTY_COMMIT = "empty commit"
    BY_HAND = "by hand"


class Facts(NamedTuple):
    """What the situation follows from. ``head_tree`` is None on an unborn branch."""

    pushed: bool = False
    merging: bool = False
    head_tree: str | None = None
    index_tree: str = ""
    committing: bool = False
    in_ci: bool = False


class Choice(NamedTuple):
    """What is compared with what, and why (a few words, for the first line of the output)."""

    head: Taken
    bases: Bases
    why: str
    situation: Situation


def situation(facts: Facts) -> Situation:
    """Return the first that applies, the surest first.

    In CI, but for a job that commits, what is staged is the job's own doing, and the
    change to be checked is that of the branch.
    """
    if facts.pushed:
        return Situation.PUSH
    if facts.merging:
        return Situation.MERGE
    if facts.head_tree is None:
        return Situation.FIRST
    if facts.in_ci and not facts.committing:
        return Situation.CI
    if facts.index_tree != facts.head_tree:
        return Situation.COMMIT
    return Situation.EMPTY_COMMIT if facts.committing else Situation.BY_HAND


def choose(
    git: Git, environ: Mapping[str, str], asked: str | None = None, *, exact: bool = False
) -> Choice:
    """Choose both sides, from what git, the framework and CI say in ``environ``.

    ``asked`` is ``--base``. It and ``SARIFIX_BASE`` change the base, never the head.
    Raises ``MissingRevisionError`` where the base is not known or not here, and
    ``UnmergedIndexError``.
    """
    pushed = _pushed(environ)
    merged = {} if pushed else other_heads(git, environ)
    facts = Facts(pushed=True) if pushed else _facts(git, environ, merging=bool(merged))
    here = situation(facts)
    head = _head(git, here, facts, pushed)
    named = asked or environ.get("SARIFIX_BASE")
    if named:
        base = snapshot.base(git, named, exact=exact, head_revision=pushed or "HEAD")
        why = f"{'--base' if asked else 'SARIFIX_BASE'} says so"
        return Choice(head, (base,), why, here)
    bases, why = _bases(git, environ, here, merged)
    return Choice(head, bases, why, here)


def _bases(
    git: Git, environ: Mapping[str, str], here: Situation, merged: Mapping[str, str]
) -> tuple[Bases, str]:
    match here:
        case Situation.PUSH:
            return _before_push(git, environ)
        case Situation.MERGE:
            others = (_commit(git, oid, name) for oid, name in merged.items())
            return (_at_head(git), *others), "what the merge adds to its parents"
        case Situation.CI:
            return ci.base(git, environ)
        case Situation.FIRST:
            why = "the first commit"
        case Situation.COMMIT:
            why = "what will be committed" if _is_committing(environ) else "what is staged"
        case Situation.EMPTY_COMMIT:
            why = "the commit changes no file"
        case Situation.BY_HAND:  # pragma: no branch
            why = "nothing is staged"
    return (_at_head(git),), why


def _is_committing(environ: Mapping[str, str]) -> bool:
    """Whether git runs us in a commit: then, and for no push, it names the index."""
    return "GIT_INDEX_FILE" in environ


def _pushed(environ: Mapping[str, str]) -> str | None:
    """Return what a framework says is pushed.

    For a whole history pre-commit gives the name of the branch alone.
    """
    return environ.get("PRE_COMMIT_TO_REF") or environ.get("PRE_COMMIT_LOCAL_BRANCH") or None


def _facts(git: Git, environ: Mapping[str, str], *, merging: bool) -> Facts:
    return Facts(
        merging=merging,
        head_tree=None if git.is_unborn() else git.tree("HEAD"),
        index_tree=git.staged_tree(),
        committing=_is_committing(environ),
        in_ci=ci.is_ci(environ),
    )


def _head(git: Git, here: Situation, facts: Facts, pushed: str | None) -> Taken:
    if pushed:
        return snapshot.head(git, pushed)
    if here is Situation.BY_HAND:
        return snapshot.head(git, snapshot.WORKTREE)
    if here is Situation.CI and facts.index_tree == facts.head_tree:
        return snapshot.head(git, "HEAD")
    return Taken(Snapshot(facts.index_tree, Side.HEAD, "index"))


def _before_push(git: Git, environ: Mapping[str, str]) -> tuple[Bases, str]:
    """Return what the other side has of the history that is pushed."""
    pushed = _pushed(environ) or ""
    before = environ.get("PRE_COMMIT_FROM_REF")
    remote = environ.get("PRE_COMMIT_REMOTE_NAME")
    if before and not remote:  # `pre-commit run --from-ref A --to-ref B`
        return (snapshot.merge_base(git, before, pushed),), f"from {before} to {pushed}"
    known = [before] if before and git.commit(before) else []
    found = edges(git, pushed, known, remote) if remote else []
    if found is None:
        head = git.commit(pushed) or pushed
        return (_commit(git, head, pushed),), f"{remote} has all of it"
    why = f"what will be pushed to {remote}" if remote else f"the whole history of {pushed}"
    if not found:
        return (Taken(Snapshot(git.empty_tree(), Side.BASE, "the empty tree")),), why
    return tuple(_commit(git, oid, "") for oid in found), why


def _at_head(git: Git) -> Taken:
    return snapshot.base(git, "HEAD", exact=True)


def _commit(git: Git, oid: str, name: str) -> Taken:
    short = oid[:7]
    origin = short if name in ("", short) else f"{name} {short}"
    return Taken(Snapshot(git.tree(oid), Side.BASE, origin))

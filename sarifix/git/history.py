"""What came before a commit: parents, the other heads of a merge, what a push would add."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from sarifix.errors import GitError
from sarifix.git.trees import Git

_GITHEAD = "GITHEAD_"  # set by `git merge` for what it runs: GITHEAD_<commit>=<name>


def parents(git: Git, commit: str) -> tuple[str, ...]:
    """Return the ids of a commit's parents, those that a shallow clone lacks included."""
    header = git.read("cat-file", "commit", commit).split("\n\n", 1)[0]
    lines = (line.partition(" ") for line in header.split("\n"))
    return tuple(value for key, _, value in lines if key == "parent")


def other_heads(git: Git, environ: Mapping[str, str]) -> dict[str, str]:
    """Return what is being merged into HEAD: commit ids, with the names given to them.

    A merge that stopped leaves ``MERGE_HEAD``. While pre-merge-commit runs there is none
    yet: the environment tells (``GITHEAD_<id>=<name>``). It tells so to whatever a
    post-merge hook runs, too, when HEAD has them already.
    """
    told = {
        name.removeprefix(_GITHEAD): value
        for name, value in environ.items()
        if name.startswith(_GITHEAD)
    }
    heads = dict.fromkeys((*_merge_head(git), *(name for name in told if _is_id(name))))
    for commit in heads:
        if git.commit(commit) != commit:
            raise GitError(f"the commit {commit} that is being merged cannot be read")
    return {
        commit: told.get(commit) or commit[:7]
        for commit in heads
        if git.merge_base(commit, "HEAD") != commit
    }


def _is_id(name: str) -> bool:
    """Whether it is an object id: git sets no other name, but anybody can."""
    return re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", name) is not None


def _merge_head(git: Git) -> list[str]:
    try:
        return Path(git.repository.git_dir, "MERGE_HEAD").read_text(encoding="ascii").split()
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise GitError(f"MERGE_HEAD cannot be read: {error}") from error


def edges(git: Git, commit: str, known: Sequence[str], remote: str) -> list[str] | None:
    """Return the newest commits in the history of ``commit`` that the remote has already.

    That is what its remote-tracking branches and ``known`` reach: where a branch left
    them, and what was merged from them since. Empty if the remote has none of that
    history, None if it has all of it.
    """
    listed = git.read("rev-list", "--boundary", commit, "--not", *known, f"--remotes={remote}")
    if not listed:
        return None
    found = [line[1:] for line in listed.split("\n") if line.startswith("-")]
    if len(found) < 2:
        return found
    # What was merged later reaches what was merged before.
    return git.read("merge-base", "--independent", *found).split()

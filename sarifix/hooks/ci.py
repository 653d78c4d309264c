"""The base in CI, where nothing is staged: what the service says the change began from."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sarifix.errors import MissingRevisionError, SarifixError
from sarifix.git import Git
from sarifix.git.history import parents
from sarifix.model import Side, Snapshot
from sarifix.named import NamedTuple
from sarifix.snapshot import Taken

# CI is set by most services, but not by Azure, Jenkins and Bitbucket.
MARKS = ("GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "BUILDKITE", "JENKINS_URL",
          "BITBUCKET_BUILD_NUMBER", "CI")  # fmt: skip
_OFF = ("", "0", "false", "no")

# How each service is told to clone the whole history, by the variable that marks it.
_WHOLE_CLONE = {
    "GITHUB_ACTIONS": "give actions/checkout `fetch-depth: 0`",
    "GITLAB_CI": 'set GIT_DEPTH: "0" in the variables of the job',
    "TF_BUILD": "give the checkout step `fetchDepth: 0`",
    "BUILDKITE": "leave --depth out of BUILDKITE_GIT_CLONE_FLAGS",
    "JENKINS_URL": "switch the shallow clone off in the options of the checkout",
    "BITBUCKET_BUILD_NUMBER": "set `clone: depth: full`",
}


class How(enum.Enum):
    """In which way a service names the base."""

    COMMIT = "commit"  # an id, taken as it is: a merge base needs history that may be missing
    BRANCH = "branch"  # the branch to be merged into: where HEAD left it
    FIRST_PARENT = "first parent"  # HEAD is the merge that the service made


class Candidate(NamedTuple):
    """One way to the base. One that is not ``sure`` gives way to the next."""

    how: How
    value: str
    why: str
    sure: bool = True


class Checkout(NamedTuple):
    """What is checked out: a commit and its parents."""

    commit: str
    parents: tuple[str, ...]


def is_ci(environ: Mapping[str, str]) -> bool:
    """Whether this is a job of a CI service."""
    return any(environ.get(mark, "").lower() not in _OFF for mark in MARKS)


def base(git: Git, environ: Mapping[str, str]) -> tuple[tuple[Taken, ...], str]:
    """Return the base, and why it is that.

    Raises ``MissingRevisionError``, with the remedy, where it is not in this clone: a
    check that compares with the wrong commit would pass for no reason.
    """
    commit = git.commit("HEAD") or "HEAD"
    checkout = Checkout(commit, parents(git, commit))
    gone = None
    for candidate in candidates(environ, checkout):
        found = _resolve(git, candidate, checkout, environ)
        if found is not None:
            return (found,), candidate.why
        if candidate.how is How.COMMIT:
            gone = candidate.value
    if gone is not None:
        raise _missing(gone, "", environ)
    return (_before_head(git, checkout, environ),), "no other base is known"


# ---------------------------------------------------------------------------
# What the services say


def candidates(environ: Mapping[str, str], checkout: Checkout) -> Iterator[Candidate]:
    """Yield the ways to the base, the surest first."""
    event = _event(environ)
    yield from _github(environ, event, checkout)
    yield from _gitlab(environ)
    yield from _others(environ, checkout)
    default = _dig(event, "repository", "default_branch") or environ.get("CI_DEFAULT_BRANCH")
    for branch in dict.fromkeys(("HEAD", default or "HEAD")):
        yield Candidate(How.BRANCH, branch, "what this branch adds to the default one", sure=False)


def _github(
    environ: Mapping[str, str], event: Mapping[str, Any], checkout: Checkout
) -> Iterator[Candidate]:
    """https://docs.github.com/actions/reference/workflows-and-actions/variables."""
    target = environ.get("GITHUB_BASE_REF")
    if target:
        why = f"the pull request into {target}"
        # The merge that GitHub made, and not one that stands on the branch. What the event
        # says of the base is as old as the pull request, and no help (semgrep #5453).
        of_github = environ.get("GITHUB_REF", "").endswith("/merge")
        if of_github and environ.get("GITHUB_SHA", checkout.commit) == checkout.commit:
            yield Candidate(How.FIRST_PARENT, "HEAD^1", why)
        yield Candidate(How.BRANCH, target, why)
    queued = _dig(event, "merge_group", "base_sha")
    if queued:
        yield Candidate(How.COMMIT, queued, "the merge queue")
    if environ.get("GITHUB_EVENT_NAME") == "push":
        yield from _pushed(_dig(event, "before"))


def _gitlab(environ: Mapping[str, str]) -> Iterator[Candidate]:
    """https://docs.gitlab.com/ci/variables/predefined_variables/."""
    target = environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "its target")
    why = f"the merge request into {target}"
    # Given in pipelines for merged results alone, where HEAD has all of the target branch.
    for name in ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        if _is_id(environ.get(name)):
            yield Candidate(How.COMMIT, environ[name], why)
    yield from _pushed(environ.get("CI_COMMIT_BEFORE_SHA"))


def _pushed(before: str | None) -> Iterator[Candidate]:
    """Yield the former tip of the branch; zeros for a branch that had none.

    After a forced push it may be gone: then what the branch adds is the next best.
    """
    if before and _is_id(before) and before.strip("0"):
        yield Candidate(How.COMMIT, before, "what was pushed", sure=False)


def _is_id(value: str | None) -> bool:
    """Whether it is a commit id: a name such as ``HEAD`` would compare HEAD with itself."""
    return value is not None and re.fullmatch(r"[0-9a-f]{7,64}", value) is not None


def _others(environ: Mapping[str, str], checkout: Checkout) -> Iterator[Candidate]:
    target = environ.get("SYSTEM_PULLREQUEST_TARGETBRANCH", "").removeprefix("refs/heads/")
    if target:
        why = f"the pull request into {target}"
        if environ.get("BUILD_SOURCEBRANCH", "").endswith("/merge") and len(checkout.parents) > 1:
            yield Candidate(How.FIRST_PARENT, "HEAD^1", why)
        yield Candidate(How.BRANCH, target, why)
    for name in ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "CHANGE_TARGET"):
        if environ.get(name):
            why = f"the pull request into {environ[name]}"
            yield Candidate(How.BRANCH, environ[name], why)
    if _is_id(environ.get("BITBUCKET_PR_DESTINATION_COMMIT")):
        target = environ.get("BITBUCKET_PR_DESTINATION_BRANCH", "its destination")
        why = f"the pull request into {target}"
        yield Candidate(How.COMMIT, environ["BITBUCKET_PR_DESTINATION_COMMIT"], why)


def _event(environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Return GitHub's event; raises ``SarifixError`` if there should be one that is none."""
    path = environ.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        event = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SarifixError(
            f"the event of this workflow cannot be read: {error}",
            "GITHUB_EVENT_PATH names it; say what to compare with: SARIFIX_BASE=REV",
        ) from error
    return event if isinstance(event, dict) else {}


def _dig(event: Mapping[str, Any], *keys: str) -> str | None:
    """Return a text of the event, or None."""
    found: Any = event
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) and found else None


# ---------------------------------------------------------------------------
# What of it is in this clone


def _resolve(
    git: Git, candidate: Candidate, checkout: Checkout, environ: Mapping[str, str]
) -> Taken | None:
    match candidate.how:
        case How.FIRST_PARENT:
            if len(checkout.parents) < 2:
                return None  # something else was checked out
            return _taken(git, checkout.parents[0], "HEAD^1", environ)
        case How.COMMIT:
            if git.commit(candidate.value) is None and not candidate.sure and not git.is_shallow():
                return None
            return _taken(git, candidate.value, "", environ)
        case How.BRANCH:  # pragma: no branch
            return _where_it_left(git, candidate, checkout, environ)


def _where_it_left(
    git: Git, candidate: Candidate, checkout: Checkout, environ: Mapping[str, str]
) -> Taken | None:
    """Return where HEAD left a branch of the remote."""
    branch = f"origin/{candidate.value}"
    tip = git.commit(f"refs/remotes/{branch}")
    found = git.merge_base(tip, "HEAD") if tip else None
    if found and found != checkout.commit:
        return _taken(git, found, f"merge base with {branch}", environ)
    if not candidate.sure:
        return None
    if found:
        raise MissingRevisionError(
            f"HEAD is on {branch}, so it is not the head of the pull request",
            "check out the pull request, or say what to compare with: SARIFIX_BASE=REV",
        )
    what = f"{branch} and HEAD have no common ancestor" if tip else f"{branch} is not"
    whole = "--unshallow " if git.is_shallow() else ""
    raise MissingRevisionError(
        f"{what} in this clone, so what the change began from is not known",
        f"{_whole_clone(environ)}; or fetch it: git fetch {whole}origin "
        f"+refs/heads/{candidate.value}:refs/remotes/{branch}",
    )


def _before_head(git: Git, checkout: Checkout, environ: Mapping[str, str]) -> Taken:
    """Return what HEAD was committed on, or the empty tree for the very first commit."""
    if not checkout.parents:
        return Taken(Snapshot(git.empty_tree(), Side.BASE, "the empty tree"))
    note = (
        "only the last commit was checked, as nothing says where the change began: "
        "SARIFIX_BASE=REV does"
    )
    taken = _taken(git, checkout.parents[0], "HEAD^1", environ)
    return Taken(taken.snapshot, (note,))


def _taken(git: Git, commit: str, name: str, environ: Mapping[str, str]) -> Taken:
    if git.commit(commit) is None:
        raise _missing(commit, name, environ)
    origin = f"{name} {commit[:7]}".strip()
    return Taken(Snapshot(git.tree(commit), Side.BASE, origin))


def _missing(commit: str, name: str, environ: Mapping[str, str]) -> MissingRevisionError:
    return MissingRevisionError(
        f"the base {name or commit[:12]} is not in this clone, so nothing can be compared",
        f"{_whole_clone(environ)}; or fetch it: git fetch --no-tags --depth=1 origin {commit}",
    )


def _whole_clone(environ: Mapping[str, str]) -> str:
    marked = (remedy for mark, remedy in _WHOLE_CLONE.items() if environ.get(mark))
    return next(marked, "clone the whole history (git fetch --unshallow)")

"""Inside ``git commit``: what is committed, staged and edited is as without the check.

Each way to commit is gone twice, with a hook that runs the check and without one, and the
two must end alike. Some programs that make a worktree under the variables that git sets for
a hook commit the base's tree instead (prek#2505).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.repo import Repo
from tests.support.run import Fake
from tests.support.situations import COMMITTED, STAGED, WORKTREE, change, history

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the hooks are shell scripts")

EDITED = "a.txt:3 edited"
ONLY = "c.txt:2 only"


@dataclass(frozen=True)
class Way:
    """A way to commit: what comes before, the arguments of git, what the check must report."""

    args: tuple[str, ...]
    expected: list[str]
    before: Callable[[Repo], object] = lambda _: None
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict)


def edit_another(repo: Repo) -> None:
    repo.write({"c.txt": "BAD(committed)\nBAD(only)\n"})


def conflict(repo: Repo) -> None:
    repo.git("stash", "-q", "--include-untracked")
    repo.git("switch", "-q", "-c", "theirs", "HEAD~1")
    repo.write({"c.txt": "BAD(theirs)\n"})
    repo.commit("theirs")
    repo.git("switch", "-q", "-")


def resolve(repo: Repo) -> None:
    repo.write({"c.txt": "BAD(committed)\nBAD(both)\n"})
    repo.git("add", "c.txt")


def merge(repo: Repo) -> None:
    conflict(repo)
    repo.git("merge", "-q", "theirs", check=False)
    resolve(repo)


def cherry_pick(repo: Repo) -> None:
    conflict(repo)
    repo.git("cherry-pick", "theirs", check=False)
    resolve(repo)


def clean_merge(repo: Repo) -> None:
    repo.git("stash", "-q", "--include-untracked")
    repo.git("switch", "-q", "-c", "theirs", "HEAD~1")
    repo.write({"m.txt": "BAD(theirs)\n"})
    repo.commit("theirs")
    repo.git("switch", "-q", "-")


def orphan(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "fresh")


WAYS = {
    "plain": Way(("commit", "-qm", "x"), STAGED),
    "amend": Way(("commit", "-q", "--amend", "--no-edit"), STAGED),
    "all": Way(("commit", "-qam", "x"), [*STAGED, EDITED]),
    "only a path": Way(("commit", "-qm", "x", "--", "c.txt"), [ONLY], edit_another),
    "a path too": Way(("commit", "-qm", "x", "-i", "c.txt"), [*STAGED, ONLY], edit_another),
    "from below": Way(("commit", "-qm", "x"), STAGED, cwd="out/deep"),
    "all from below": Way(("commit", "-qam", "x"), [*STAGED, EDITED], cwd="out"),
    "told where": Way(("--git-dir=.git", "--work-tree=.", "commit", "-qm", "x"), STAGED),
    "initial": Way(
        ("commit", "-qm", "x"),
        ["a.txt:1 old", *STAGED, *COMMITTED, "out/deep/x.txt:1 x", "out/far.txt:1 far"],
        orphan,
    ),
    "merge": Way(("commit", "-q", "--no-edit"), ["c.txt:2 both"], merge),
    "clean merge": Way(("merge", "-q", "--no-edit", "theirs"), ["m.txt:1 theirs"], clean_merge),
    "cherry-pick": Way(
        ("cherry-pick", "--continue"), ["c.txt:2 both"], cherry_pick, env={"GIT_EDITOR": "true"}
    ),
    "with settings": Way(("-c", "core.safecrlf=true", "commit", "-qm", "x"), STAGED),
    "with odd pathspecs": Way(
        ("--icase-pathspecs", "commit", "-qm", "x", "-i", "C.TXT"), [*STAGED, ONLY], edit_another
    ),
}  # fmt: skip


def main_worktree(place: Path, fake: Fake) -> Repo:
    return history(place / "main", fake)


def linked_worktree(place: Path, fake: Fake) -> Repo:
    main = history(place / "main", fake)
    main.git("worktree", "add", "-q", "../linked")
    return Repo(place / "linked")


def submodule(place: Path, fake: Fake) -> Repo:
    library = history(place / "library", fake)
    outer = history(place / "outer", fake)
    add = ("submodule", "--quiet", "add", str(library.path), "lib")
    outer.git("-c", "protocol.file.allow=always", *add)
    return Repo(outer.path / "lib")


PLACES = {"main": main_worktree, "linked": linked_worktree, "submodule": submodule}


CASES = [
    *((way, "main") for way in WAYS),
    *((way, "linked") for way in WAYS if way != "told where"),  # there .git is a file
    *((way, "submodule") for way in ("plain", "all", "only a path")),
]


def install(repo: Repo, report: Path, head: str = "staged", below: str = ".") -> None:
    hooks = repo.path / repo.git("rev-parse", "--git-path", "hooks")
    hooks.mkdir(exist_ok=True)
    command = f"'{sys.executable}' -m sarifix check --head {head} --format json"
    for name in ("pre-commit", "pre-merge-commit"):
        (hooks / name).write_text(
            f"#!/bin/sh\ncd {below} && {command} --output '{report}'\nexit 0\n"
        )
        (hooks / name).chmod(0o755)


def commit(repo: Repo, way: Way) -> dict[str, str]:
    """Commit, and return all that the two ways must have in common."""
    Repo(repo.path / way.cwd).git(*way.args, env=way.env)
    asked = {
        "tree": ("rev-parse", "HEAD^{tree}"),
        "parents": ("log", "-1", "--format=%T %an %s"),
        "index": ("ls-files", "--stage", "--debug"),
        "status": ("status", "--porcelain=v2", "--ignored", "--untracked-files=all"),
        "edits": ("diff",),
        "stash": ("stash", "list"),
        "worktrees": ("worktree", "list"),
        "refs": ("for-each-ref", "--format=%(refname) %(tree)"),
    }
    found = {name: repo.git(*args) for name, args in asked.items()}
    found["index"] = "\n".join(
        line for line in found["index"].splitlines() if not line.startswith("  ")
    )
    found["worktrees"] = str(len(found["worktrees"].splitlines()))
    return found


def introduced(report: Path) -> list[str]:
    found = json.loads(report.read_text())["introduced"]
    return sorted(f"{f['path']}:{f['line']} {f['rule']}" for f in found)


@pytest.mark.parametrize(("name", "where"), CASES)
def test_commit(tmp_path: Path, name: str, where: str) -> None:
    way = WAYS[name]
    ends = []
    for twin in ("with", "without"):
        repo = change(PLACES[where](tmp_path / twin, Fake(tmp_path / "log")))
        way.before(repo)
        if twin == "with":
            install(repo, tmp_path / "report.json")
        ends.append(commit(repo, way))
    assert ends[0] == ends[1]
    assert introduced(tmp_path / "report.json") == way.expected


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize(("head", "expected"), [("staged", STAGED), ("worktree", WORKTREE)])
def test_a_hook_that_works_in_a_directory_below(
    tmp_path: Path, where: str, head: str, expected: list[str]
) -> None:
    """In a linked worktree git takes the current directory for the top level then."""
    repo = change(PLACES[where](tmp_path / "place", Fake(tmp_path / "log")))
    install(repo, tmp_path / "report.json", head, "out/deep")
    commit(repo, WAYS["plain"])
    assert introduced(tmp_path / "report.json") == expected

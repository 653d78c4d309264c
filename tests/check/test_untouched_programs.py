"""Programs that the configuration or the repository names are not run by a check.

The clean filter is the exception: git has to ask it what a file of the working tree is as
a blob. It is asked for the working tree alone, and smudge never.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import filterprocess
from tests.support.repo import Repo
from tests.support.run import Fake, Ran, check
from tests.support.situations import COMMITTED, STAGED, WORKTREE, change, history
from tests.support.state import differences, state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout",
    "post-commit", "post-index-change", "post-merge", "post-receive", "post-rewrite",
    "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push",
    "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout",
    "reference-transaction", "sendemail-validate", "update",
)  # fmt: skip
CONFIGURED = (
    "core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand",
    "core.gitProxy", "core.alternateRefsCommand", "diff.external", "diff.marked.textconv",
    "diff.marked.command", "merge.marked.driver", "filter.marked.smudge", "gpg.program",
    "interactive.diffFilter", "sequence.editor", "credential.helper", "pager.status",
    "pager.diff", "uploadpack.packObjectsHook", "alias.add", "alias.write-tree",
)  # fmt: skip
VARIABLES = ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_ASKPASS", "GIT_SSH")
HEADS = {
    "worktree": ((), WORKTREE),
    "staged": (("--head", "staged"), STAGED),
    "commit": (("--head", "HEAD", "--base", "HEAD~1"), COMMITTED),
}


class Marks:
    """Programs that leave a mark when they run; ``cat`` besides, as filters must."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()

    def program(self, path: Path, name: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n: > '{self.place}/{name}'\nexec cat\n")
        path.chmod(0o755)
        return path

    def left(self) -> list[str]:
        return sorted(path.name for path in self.place.iterdir())


@pytest.fixture
def marks(tmp_path: Path) -> Marks:
    return Marks(tmp_path / "marks")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return change(history(tmp_path / "repo", Fake(tmp_path / "log")))


def assert_right_and_untouched(repo: Repo, head: str) -> Ran:
    options, expected = HEADS[head]
    before = state(repo.path)
    ran = check(repo.path, *options)
    assert (ran.code, sorted(ran.rules())) == (1, expected), ran.err
    assert differences(before, state(repo.path)) == []
    return ran


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("where", ["configured", "in the git directory", "in the repository"])
def test_no_hook_runs(repo: Repo, marks: Marks, where: str, head: str) -> None:
    directory = repo.path / ".git" / "hooks"
    if where == "configured":
        for name in HOOKS:
            program = marks.program(marks.place.parent / "programs" / name, name)
            repo.git("config", f"hook.{name}.command", str(program))
            repo.git("config", f"hook.{name}.event", name)
    elif where == "in the repository":
        directory = repo.path / ".hooks"
        repo.git("config", "core.hooksPath", ".hooks")
    if where != "configured":
        for name in HOOKS:
            marks.program(directory / name, name)
    assert_right_and_untouched(repo, head)
    assert marks.left() == []


def test_the_marks_are_left_by_git_itself(repo: Repo, marks: Marks) -> None:
    marks.program(repo.path / ".git" / "hooks" / "post-index-change", "hook")
    fsmonitor = marks.program(marks.place.parent / "fsmonitor", "fsmonitor")
    repo.git("-c", f"core.fsmonitor={fsmonitor}", "add", "-A")
    assert marks.left() == ["fsmonitor", "hook"]


@pytest.mark.parametrize("head", HEADS)
def test_no_configured_program_runs(
    repo: Repo, marks: Marks, head: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = marks.place.parent / "programs"
    for name in CONFIGURED:
        repo.git("config", name, str(marks.program(programs / name, name)))
    for name in VARIABLES:
        monkeypatch.setenv(name, str(marks.program(programs / name, name)))
    attributes = marks.place.parent / "attributes"
    attributes.write_text("* diff=marked merge=marked filter=marked\n")
    repo.git("config", "core.attributesFile", str(attributes))
    assert_right_and_untouched(repo, head)
    assert marks.left() == []


def test_no_program_of_a_submodule_runs(repo: Repo, marks: Marks, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "library", {"lib.txt": "BAD(lib)\n"})
    add = ("submodule", "--quiet", "add", str(library.path), "lib")
    repo.git("-c", "protocol.file.allow=always", *add)
    inner = Repo(repo.path / "lib")
    program = marks.program(tmp_path / "programs" / "fsmonitor", "fsmonitor")
    inner.git("config", "core.fsmonitor", str(program))
    marks.program(Path(inner.git("rev-parse", "--git-path", "hooks")) / "post-index-change", "hook")
    inner.write({"lib.txt": "BAD(changed)\n"})
    repo.git("status")
    assert "fsmonitor" in marks.left()
    for name in marks.left():
        (marks.place / name).unlink()
    inner.write({"lib.txt": "BAD(changed again)\n"})
    for head in ("worktree", "staged"):
        assert_right_and_untouched(repo, head)
    assert marks.left() == []


@pytest.mark.parametrize("place", ["info", "repository"])
@pytest.mark.parametrize("head", HEADS)
def test_only_the_clean_filter_runs(repo: Repo, marks: Marks, head: str, place: str) -> None:
    for kind in ("clean", "smudge"):
        program = marks.program(marks.place.parent / kind, kind)
        repo.git("config", f"filter.marked.{kind}", str(program))
    file = ".gitattributes" if place == "repository" else ".git/info/attributes"
    repo.write({file: "*.txt filter=marked\n"})
    assert_right_and_untouched(repo, head)
    assert marks.left() == (["clean"] if head == "worktree" else [])


@pytest.mark.parametrize("head", HEADS)
def test_only_clean_is_asked_of_a_filter_process(repo: Repo, tmp_path: Path, head: str) -> None:
    log = tmp_path / "asked"
    command = f'"{sys.executable}" "{filterprocess.__file__}" "{log}"'
    repo.git("config", "filter.kept.process", command)
    repo.git("config", "filter.kept.required", "true")
    (repo.path / ".git" / "info" / "attributes").write_text("*.txt filter=kept\n")
    assert_right_and_untouched(repo, head)
    asked = set(log.read_text().splitlines()) if log.exists() else set()
    assert asked == ({"command=clean"} if head == "worktree" else set())


def test_both_sides_are_blobs_as_they_are(repo: Repo, isolation: Path) -> None:
    """A filter that encrypts, as git-crypt: scanners see what is stored, on both sides alike."""
    repo.git("config", "filter.swap.clean", "tr A-Z a-z")
    repo.git("config", "filter.swap.smudge", "tr a-z A-Z")
    repo.write({".gitattributes": "*.txt filter=swap\n"})
    repo.git("add", "--renormalize", ".")
    repo.git("commit", "-qam", "encrypted")
    repo.write({"a.txt": "BAD(old)\nBAD(another)\n"})
    ran = check(repo.path)
    assert (ran.code, ran.rules()) == (0, [])
    slots = sorted((isolation / "sarifix-cache").glob("repos/*/slots/*/tree/a.txt"))
    assert [slot.read_text() for slot in slots] == [
        "bad(old)\nbad(staged)\nbad(edited)\n",
        "bad(old)\nbad(another)\n",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "text eol=crlf",
        "working-tree-encoding=UTF-16LE",
        "ident",
        "text=auto",
        "-text",
        "export-ignore",
    ],
)
def test_attributes_change_no_byte_of_what_is_scanned(
    make_repo: Callable[..., Repo], tmp_path: Path, isolation: Path, line: str
) -> None:
    fake = Fake(tmp_path / "log")
    repo = make_repo({".sarifix.yaml": fake.config(), "a.txt": "$Id$\nBAD(old)\n"})
    (repo.path / ".git" / "info" / "attributes").write_text(f"*.txt {line}\n")
    encoding = "utf-16-le" if "UTF-16" in line else "ascii"
    repo.write({"a.txt": "$Id$\nBAD(old)\nBAD(new)\n".encode(encoding)})
    assert check(repo.path).rules() == ["a.txt:3 new"]
    (slot,) = (isolation / "sarifix-cache").glob("repos/*/slots/head*/tree")
    assert (slot / "a.txt").read_bytes() == b"$Id$\nBAD(old)\nBAD(new)\n"

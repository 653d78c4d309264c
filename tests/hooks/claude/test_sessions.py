"""`--base session`: what the files were when the session began, whatever happens since."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.hooks.session import MAX_AGE, Sessions
from sarifix.hooks.session import Session as Record
from tests.support.claude import Answer, Session
from tests.support.repo import Repo
from tests.support.run import Fake

MakeRepo = Callable[..., Repo]


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    config = Fake(tmp_path / "log").config()
    return make_repo({".sarifix.yaml": config, "a.txt": "BAD(old)\n"})


@pytest.fixture
def session(repo: Repo) -> Session:
    begun = Session(repo.path)
    begun.start()
    return begun


def cache(isolation: Path) -> Path:
    return isolation / "sarifix-cache"


def finds(answer: Answer, *rules: str) -> bool:
    context = answer.context or ""
    return all(f"fake/{rule}" in context for rule in rules) and f"{len(rules)} new" in context


def test_the_users_unfinished_work_is_not_blamed_on_claude(repo: Repo) -> None:
    repo.write({"a.txt": "BAD(old)\nBAD(mine)\n", "new.txt": "BAD(mine)\n"})
    session = Session(repo.path)
    session.start()
    assert session.stop().is_silent
    repo.write({"b.txt": "BAD(claudes)\n"})
    assert finds(session.stop(), "claudes")


def _commit(repo: Repo) -> None:
    repo.commit("by claude")


def _amend(repo: Repo) -> None:
    repo.git("add", "-A")
    repo.git("commit", "-q", "--amend", "-m", "amended")


def _switch(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.commit("on another branch")


def _rebase(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("topic")
    repo.git("switch", "-q", "main")
    repo.write({"unrelated.txt": "fine\n"})
    repo.commit("main goes on")
    repo.git("rebase", "-q", "main", "topic")


def _stash_and_pop(repo: Repo) -> None:
    repo.git("stash", "-u")
    repo.git("stash", "pop")


@pytest.mark.parametrize("change", [_commit, _amend, _switch, _rebase, _stash_and_pop])
def test_what_git_does_launders_nothing(
    repo: Repo, session: Session, change: Callable[[Repo], None]
) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    change(repo)
    assert finds(session.stop(), "one")


@pytest.mark.parametrize("source", ["resume", "compact", "startup"])
def test_the_first_record_stays(repo: Repo, session: Session, source: str) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    repo.commit()
    session.start(source)
    assert finds(session.stop(), "one")


def test_clear_goes_on_from_where_the_session_began(repo: Repo) -> None:
    env = {"CLAUDE_PID": "4711"}
    Session(repo.path, name="before", env=env).start()
    repo.write({"b.txt": "BAD(one)\n"})
    repo.commit()
    other = Session(repo.path, name="of another client", env={"CLAUDE_PID": "4712"})
    other.start()
    cleared = Session(repo.path, name="after", env=env)
    cleared.start("clear")
    assert finds(cleared.stop(), "one")
    assert other.stop().is_silent


def test_an_unknown_session_is_head_and_the_user_is_told_once(repo: Repo) -> None:
    session = Session(repo.path)
    first = session.stop()
    assert first.context is None
    assert first.message is not None
    assert "the beginning of this session is not known" in first.message
    assert session.stop().is_silent
    repo.write({"b.txt": "BAD(one)\n"})
    repo.commit()
    assert finds(session.stop(), "one"), "HEAD as it was first seen"


def test_a_lost_record_is_told(repo: Repo, session: Session, isolation: Path) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    shutil.rmtree(cache(isolation))
    answer = session.stop()
    assert finds(answer, "one")
    assert answer.message is not None
    assert "not known" in answer.message


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"version": 99}', b"\xff", b"null"])
def test_a_broken_record_is_a_lost_one(
    repo: Repo, session: Session, isolation: Path, data: bytes
) -> None:
    (record,) = (cache(isolation) / "sessions").glob("*.json")
    record.write_bytes(data)
    answer = session.stop()
    assert answer.message is not None
    assert "not known" in answer.message


def test_objects_that_are_gone_are_told_once(repo: Repo, isolation: Path) -> None:
    repo.write({"a.txt": "BAD(mine)\n"})
    session = Session(repo.path)
    session.start()
    repo.write({"a.txt": "BAD(other)\n"})
    for objects in cache(isolation).glob("repos/*/objects/??"):
        shutil.rmtree(objects)
    answer = session.stop()
    assert finds(answer, "other")
    assert answer.message is not None
    assert "is gone" in answer.message
    assert session.stop(again=True).message is not None
    repo.write({"a.txt": "BAD(old)\n"})
    assert session.stop().is_silent


def test_two_sessions_in_one_repository(repo: Repo) -> None:
    first = Session(repo.path, name="first")
    first.start()
    repo.write({"b.txt": "BAD(one)\n"})
    second = Session(repo.path, name="second")
    second.start()
    repo.write({"c.txt": "BAD(two)\n"})
    assert finds(second.stop(), "two")
    assert finds(first.stop(), "one", "two")
    assert second.stop().context is None


def test_two_worktrees(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "linked")
    repo.git("worktree", "add", "-q", str(other.path))
    here, there = Session(repo.path, name="here"), Session(other.path, name="there")
    here.start()
    there.start()
    repo.write({"b.txt": "BAD(here)\n"})
    other.write({"b.txt": "BAD(there)\n"})
    assert finds(here.stop(), "here")
    assert finds(there.stop(), "there")


def test_one_session_in_two_worktrees(repo: Repo, tmp_path: Path) -> None:
    session = Session(repo.path)
    session.start()
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    Repo(tmp_path / "linked").write({"b.txt": "BAD(there)\n"})
    repo.write({"b.txt": "BAD(here)\n"})
    moved = Session(tmp_path / "linked", env={"CLAUDE_PROJECT_DIR": str(repo.path)})
    answer = moved.stop()
    assert finds(answer, "here", "there")
    assert f"{repo.path}/b.txt:1:1: fake/here" in (answer.context or "")
    assert f"{tmp_path}/linked/b.txt:1:1: fake/there" in (answer.context or "")


def test_a_repository_inside_the_project(repo: Repo) -> None:
    inner = Repo.init(
        repo.path / "inner", {"x.txt": "x\n", ".sarifix.yaml": repo.read(".sarifix.yaml")}
    )
    session = Session(repo.path)
    session.start()
    inner.write({"x.txt": "BAD(inner)\n"})
    moved = Session(inner.path, env={"CLAUDE_PROJECT_DIR": str(repo.path)})
    answer = moved.stop()
    assert finds(answer, "inner")
    repo.write({"b.txt": "BAD(outer)\n"})
    assert finds(Session(inner.path).stop(), "outer"), "the session's start is remembered"


def test_the_repository_of_the_session_is_gone(repo: Repo, tmp_path: Path) -> None:
    session = Session(repo.path)
    session.start()
    other = Repo.init(
        tmp_path / "other", {"a.txt": "a\n", ".sarifix.yaml": repo.read(".sarifix.yaml")}
    )
    shutil.rmtree(repo.path)
    moved = Session(other.path)
    answer = moved.stop()
    assert answer.message is not None
    assert f"could not check: git could not be started in {repo.path}" in answer.message
    assert moved.stop().is_silent


def test_the_git_directory_is_gone(repo: Repo, session: Session) -> None:
    shutil.rmtree(repo.path / ".git")
    answer = session.stop()
    assert answer.message is not None
    assert "not a git repository" in answer.message


def test_no_repository_at_all_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    session = Session(tmp_path / "plain")
    session.start()
    answer = session.stop()
    assert answer.message is not None
    assert "not a git repository" in answer.message
    assert session.stop().is_silent


def test_no_commit_yet(tmp_path: Path) -> None:
    config = Fake(tmp_path / "log").config()
    repo = Repo.init(tmp_path / "new")
    repo.write({".sarifix.yaml": config, "a.txt": "BAD(mine)\n"})
    session = Session(repo.path)
    session.start()
    repo.write({"b.txt": "BAD(one)\n"})
    assert finds(session.stop(), "one")


def test_an_ignored_configuration_counts_as_it_was(repo: Repo, tmp_path: Path) -> None:
    repo.git("rm", "-q", "--cached", ".sarifix.yaml")
    repo.write({".gitignore": ".sarifix.yaml\n"})
    repo.commit()
    session = Session(repo.path)
    session.start()
    repo.write({"b.txt": "BAD(one)\n", ".sarifix.yaml": "scanners: {ruff: {}}\n"})
    answer = session.stop()
    assert finds(answer, "one")
    assert ".sarifix.yaml was changed" in (answer.message or "")


def test_two_hooks_at_once(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    answers: list[Answer] = []
    hooks = [threading.Thread(target=lambda: answers.append(session.stop())) for _ in range(4)]
    for one in hooks:
        one.start()
    for one in hooks:
        one.join()
    assert len(answers) == 4
    told = [answer for answer in answers if answer.context]
    assert len(told) == 1, "the same finding is told once"
    assert all(answer.message for answer in answers if not answer.context)


def test_old_sessions_go_by_age(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    for name in ("old", "young"):
        with sessions.changing(name) as draft:
            draft.change(client=name)
    before = time.time() - MAX_AGE - 60
    for path in (tmp_path / "sessions").iterdir():
        if path.stem == sessions.path("old").stem:
            os.utime(path, (before, before))
    os.utime(sessions.path("young").with_suffix(".lock"), (before, before))
    sessions.sweep()
    sessions.sweep()
    assert {p.name for p in (tmp_path / "sessions").iterdir()} == {
        sessions.path("young").name, sessions.path("young").with_suffix(".lock").name,
    }  # fmt: skip
    assert sessions.read("old") == Record()
    assert sessions.of_client("young") == sessions.read("young")
    assert sessions.of_client("nobody") is None


def test_a_record_that_cannot_be_written_is_told(
    repo: Repo, session: Session, isolation: Path
) -> None:
    if os.geteuid() == 0:
        (cache(isolation) / "sessions").rename(cache(isolation) / "moved")
        (cache(isolation) / "sessions").write_text("in the way")
    else:
        (cache(isolation) / "sessions").chmod(0o500)
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.stop()
    assert finds(answer, "one")
    assert "the record of this session cannot be written" in (answer.message or "")


def test_a_beginning_that_cannot_be_recorded(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    session = Session(repo.path, env={"SARIFIX_CACHE": str(tmp_path / "file")})
    assert "the session is not recorded" in session.start().err

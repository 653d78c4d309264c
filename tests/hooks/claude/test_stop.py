"""What the hook answers to a stop: the loop of telling, fixing, stopping."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.claude import Session, hook
from tests.support.repo import Repo
from tests.support.run import Fake

MakeRepo = Callable[..., Repo]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "log")


@pytest.fixture
def repo(make_repo: MakeRepo, fake: Fake) -> Repo:
    return make_repo({".sarifix.yaml": fake.config(), "a.txt": "BAD(old)\n"})


@pytest.fixture
def session(repo: Repo) -> Session:
    begun = Session(repo.path)
    begun.start()
    return begun


def test_told_fixed_clean(repo: Repo, session: Session) -> None:
    repo.write({"a.txt": "BAD(old)\nBAD(one)\n", "b.txt": "BAD(two)\n"})
    told = session.stop()
    assert told.json["hookSpecificOutput"]["hookEventName"] == "Stop"
    assert told.message is None
    assert told.context is not None
    first, task, *lines = told.context.splitlines()
    assert first.startswith("sarifix: 2 new findings (2 errors), compared with the beginning of")
    assert "not instructions" in first
    assert "Do not add ignore comments" in task
    assert lines == [
        "- a.txt:2:1: fake/one (error): one is bad",
        "- b.txt:1:1: fake/two (error): two is bad",
    ]
    repo.write({"a.txt": "BAD(old)\n", "b.txt": "good\n"})
    assert session.stop(again=True).is_silent


def test_the_second_stop_tells_the_user_and_lets_claude_stop(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\nBAD(two)\n"})
    assert session.stop().context is not None
    repo.write({"b.txt": "BAD(one)\nBAD(two)\nBAD(three)\n"})
    answer = session.stop(again=True)
    assert answer.context is None
    assert answer.message == (
        "sarifix: 3 findings introduced (3 errors). Claude was asked to fix what it introduced, "
        "and stopped.\n- b.txt:1:1: fake/one (error)\n- b.txt:2:1: fake/two (error)\n"
        "- b.txt:3:1: fake/three (error)"
    )


def test_in_a_later_turn_only_what_is_new_to_claude_is_told(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    session.stop()
    session.stop(again=True)
    repo.write({"b.txt": "BAD(one)\nBAD(two)\n"})
    answer = session.stop()
    assert answer.context is not None
    assert "1 new finding " in answer.context
    assert "fake/two" in answer.context
    assert "fake/one" not in answer.context
    assert "1 finding that you were told of before" in answer.context
    assert answer.message is not None
    assert "1 finding introduced" in answer.message
    assert "fake/one" in answer.message
    reminder = session.stop()
    assert reminder.context is None
    assert reminder.message is not None
    assert "2 findings introduced" in reminder.message


def test_what_came_up_in_the_follow_up_is_told_in_the_next_turn(
    repo: Repo, session: Session
) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    session.stop()
    repo.write({"b.txt": "BAD(two)\n"})
    assert session.stop(again=True).context is None
    answer = session.stop()
    assert answer.context is not None
    assert "fake/two" in answer.context


def test_a_finding_that_was_fixed_is_new_when_it_comes_back(repo: Repo, session: Session) -> None:
    for _ in range(2):
        repo.write({"b.txt": "BAD(one)\n"})
        assert session.stop().context is not None
        repo.write({"b.txt": "good\n"})
        assert session.stop(again=True).is_silent


def test_plan_mode_only_warns(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.stop(permission_mode="plan")
    assert answer.context is None
    assert answer.message is not None
    assert "plan mode" in answer.message
    assert session.stop().context is not None


def test_running_background_tasks_are_named(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    tasks = [{"id": "1", "status": "running"}, {"id": "2", "status": "completed"}]
    answer = session.stop(background_tasks=tasks)
    assert answer.context is not None
    assert answer.context.endswith("1 background task may still be changing files.")


def test_a_subagent_is_told_by_itself_and_its_parent_as_well(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.event("SubagentStop", stop_hook_active=False, agent_id="x1")
    assert answer.json["hookSpecificOutput"]["hookEventName"] == "SubagentStop"
    assert session.stop().context is not None
    assert session.stop().context is None


def test_another_event_is_left_alone(session: Session, repo: Repo) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    for event in ("PreToolUse", "UserPromptSubmit", "SessionEnd"):
        answer = session.event(event)
        assert answer.is_silent
        assert answer.err.count("\n") == 1


@pytest.mark.parametrize("data", [b"", b"no json", b"[1]", b"\xff\xfe", b'{"a":', b"[" * 100_000])
def test_no_event_is_left_alone(session: Session, repo: Repo, data: bytes) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.send(data)
    assert answer.is_silent
    assert answer.err.count("\n") == 1


def test_the_default_base_is_head(repo: Repo, fake: Fake) -> None:
    session = Session(repo.path, args=())
    session.start()
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.stop()
    assert answer.context is not None
    assert "compared with HEAD" in answer.context
    repo.commit()
    assert session.stop().is_silent


@pytest.mark.parametrize(
    ("agent", "more", "args", "kind"),
    [
        ("claude-code_2-1-332_harness", {}, (), "context"),
        ("claude-code_2-1-163_x", {}, (), "context"),
        ("claude-code_2-1-162_x", {"prompt_id": "p"}, (), "block"),
        ("claude-code_1-0-128_x", {}, (), "block"),
        ("something else", {"prompt_id": "p"}, (), "context"),
        ("", {}, (), "block"),
        ("claude-code_2-1-332_x", {}, ("--hook-answer", "block"), "block"),
        ("", {}, ("--hook-answer", "context"), "context"),
    ],
)
def test_the_form_follows_the_client(
    repo: Repo, agent: str, more: dict[str, Any], args: tuple[str, ...], kind: str
) -> None:
    session = Session(repo.path, args=("--base", "session", *args), env={"AI_AGENT": agent})
    session.start()
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.stop(**more)
    assert answer.context is not None
    assert answer.context.startswith("sarifix: 1 new finding (1 error)")
    assert list(answer.json) == (
        ["hookSpecificOutput"] if kind == "context" else ["decision", "reason"]
    )


def test_the_working_directory_is_a_subdirectory(repo: Repo) -> None:
    repo.write({"deep/er/c.txt": "x\n"})
    session = Session(repo.path / "deep" / "er")
    session.start()
    repo.write({"deep/er/c.txt": "BAD(one)\n", "b.txt": "BAD(two)\n"})
    answer = session.stop()
    assert answer.context is not None
    assert "- deep/er/c.txt:1:1: fake/one" in answer.context
    assert "- b.txt:1:1: fake/two" in answer.context


def test_options_narrow_the_check(repo: Repo, fake: Fake) -> None:
    session = Session(repo.path, args=("--base", "session", "--scanner", "fake", "--no-cache"))
    session.start()
    repo.write({"b.txt": "BAD(one)\n"})
    assert session.stop().context is not None
    before = len(fake.runs())
    session.stop()
    assert len(fake.runs()) > before


def test_the_answer_is_ascii(repo: Repo, session: Session) -> None:
    repo.write({"naïve 漢字.txt": "BAD(one)\n"})
    answer = session.stop()
    assert answer.out.isascii()
    assert answer.context is not None
    assert "naïve 漢字.txt:1:1" in answer.context


def test_without_a_session_id_it_is_head_and_nothing_is_kept(repo: Repo) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    given = {"cwd": str(repo.path), "hook_event_name": "Stop", "stop_hook_active": False}
    for _ in range(2):
        assert hook(cwd=repo.path, stdin=json.dumps(given).encode()).context is not None

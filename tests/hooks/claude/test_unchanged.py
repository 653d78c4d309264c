"""An unchanged turn costs next to nothing, and whatever counts makes it a changed one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.claude import AGENT, Session, event
from tests.support.repo import Repo
from tests.support.run import Fake

MakeRepo = Callable[..., Repo]

HEAVY = ("rich", "ruamel", "dataclasses", "argparse", "subprocess", "json", "typing", "re")
SEE = """
import sys
calls = []
SPAWNS = ("os.posix_spawn", "subprocess.Popen")
sys.addaudithook(lambda event, args: calls.append(str(args[0])) if event in SPAWNS else None)
from sarifix.__main__ import run
sys.argv = ["sarifix", "check", "--hook", *sys.argv[1:]]
code = run()
modules = sorted(sys.modules)
import json
sys.stderr.write(json.dumps({"modules": modules, "calls": calls, "code": code}))
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="needs posix_spawn")


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "log")


@pytest.fixture
def repo(make_repo: MakeRepo, fake: Fake) -> Repo:
    return make_repo({".sarifix.yaml": fake.config(), "a.txt": "ok\n", ".gitignore": "*.log\n"})


@pytest.fixture(autouse=True)
def same_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the environment counts, and in ``look`` there is no coverage."""
    for name in [name for name in os.environ if name.startswith("COVERAGE")]:
        monkeypatch.delenv(name)


@pytest.fixture
def session(repo: Repo) -> Session:
    begun = Session(repo.path)
    begun.start()
    repo.write({"b.txt": "fine\n"})
    assert begun.stop().is_silent
    return begun


def environ(session: Session) -> dict[str, str]:
    """Return an environment in which coverage does not import what it needs first."""
    other = ("COVERAGE", "PYTEST_CURRENT_TEST")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(other)}
    return {"AI_AGENT": AGENT, **kept, **session.env}


def look(session: Session) -> dict[str, object]:
    """Let a stop pass and return what it loaded and called."""
    given = {"session_id": session.name, "cwd": str(session.cwd), "hook_event_name": "Stop"}
    done = subprocess.run(
        [sys.executable, "-c", SEE, *session.args], cwd=session.cwd,
        env=environ(session), input=event(given),
        capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == b""
    return json.loads(done.stderr)  # type: ignore[no-any-return]


def is_quick(session: Session) -> bool:
    modules = look(session)["modules"]
    assert isinstance(modules, list)
    return "sarifix.engine" not in modules


def test_it_imports_nothing_heavy_and_asks_git_at_most_four_times(session: Session) -> None:
    # The session's programs and the arguments are those of the run before.
    look(session)
    seen = look(session)
    assert isinstance(seen["modules"], list)
    assert isinstance(seen["calls"], list)
    assert not {name.partition(".")[0] for name in seen["modules"]} & set(HEAVY)
    assert [Path(call).name for call in seen["calls"]] == ["git"]
    assert seen["code"] == 0


def test_findings_are_no_unchanged_turn(repo: Repo, session: Session) -> None:
    assert is_quick(session)
    repo.write({"b.txt": "BAD(one)\n"})
    assert session.stop().context is not None
    assert session.stop().message is not None
    assert session.stop().message is not None


def _same_size(repo: Repo) -> None:
    before = (repo.path / "b.txt").stat()
    repo.write({"b.txt": "good\n"})
    os.utime(repo.path / "b.txt", ns=(before.st_atime_ns, before.st_mtime_ns))


def _hidden(repo: Repo) -> None:
    repo.git("update-index", "--assume-unchanged", "a.txt")


CHANGES: dict[str, Callable[[Repo], object]] = {
    "an untracked file, of equal size and time": _same_size,
    "a tracked file": lambda repo: repo.write({"a.txt": "hm\n"}),
    "another file": lambda repo: repo.write({"c.txt": "hm\n"}),
    "a file that is gone": lambda repo: repo.remove("b.txt"),
    "an ignored file": lambda repo: repo.write({"c.log": "hm\n"}),
    "a commit": lambda repo: repo.commit(),
    "another branch": lambda repo: repo.git("switch", "-c", "other"),
    "git's configuration": lambda repo: repo.git("config", "filter.x.clean", "cat"),
    "info/exclude": lambda repo: (repo.path / ".git/info/exclude").write_text("zzz\n"),
    "an index bit": _hidden,
    "settings": lambda repo: repo.write({".claude/settings.local.json": "{}"}),
    "a configuration": lambda repo: repo.write({".sarifix.yaml": "{}"}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_counts_is_seen(
    repo: Repo, session: Session, change: Callable[[Repo], object]
) -> None:
    assert is_quick(session)
    change(repo)
    assert not is_quick_or_told(session)


def is_quick_or_told(session: Session) -> bool:
    """Whether a stop left early; one that says something did not."""
    given = {"session_id": session.name, "cwd": str(session.cwd), "hook_event_name": "Stop"}
    done = subprocess.run(
        [sys.executable, "-c", SEE, *session.args], cwd=session.cwd,
        env=environ(session), input=event(given),
        capture_output=True, check=True,
    )  # fmt: skip
    return "sarifix.engine" not in json.loads(done.stderr)["modules"]


def test_a_hidden_file_that_is_edited(repo: Repo, session: Session) -> None:
    _hidden(repo)
    session.stop()
    assert session.stop().is_silent
    assert is_quick(session)
    repo.write({"a.txt": "BAD(one)\n"})
    assert session.stop().context is not None


def test_other_options_variables_sessions_and_programs(
    repo: Repo, session: Session, tmp_path: Path, isolation: Path
) -> None:
    assert is_quick(session)
    for other in (
        Session(repo.path, args=("--base", "session", "--no-cache")),
        Session(repo.path, env={"SARIFIX_BASE": "HEAD"}),
        Session(repo.path, env={"SOME_SCANNERS_SETTING": "1"}),
        Session(repo.path, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}),
        Session(repo.path, name="other"),
    ):
        assert not is_quick_or_told(other)
    (record,) = [
        path
        for path in (isolation / "sarifix-cache" / "sessions").glob("*.json")
        if "the beginning" in path.read_text()
    ]
    record.unlink()
    assert "not known" in (session.stop().message or "")


def test_a_turn_that_is_broken_or_not_ours_is_a_changed_one(
    session: Session, isolation: Path
) -> None:
    (turn,) = (isolation / "sarifix-cache" / "turns").iterdir()
    for data in (b"", b"\0", b"\xff\0\xff", turn.read_bytes()[:-1], turn.read_bytes()[1:]):
        turn.write_bytes(data)
        assert not is_quick(session)
        assert is_quick(session), "it was remembered anew"


@pytest.mark.skipif(sys.platform == "darwin", reason="the cache is elsewhere there")
@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "HOME"])
def test_without_a_cache_of_its_own(repo: Repo, tmp_path: Path, variable: str) -> None:
    places = {"XDG_CACHE_HOME": "", "HOME": str(tmp_path / "home"), variable: str(tmp_path / "x")}
    session = Session(repo.path, env={"SARIFIX_CACHE": "", **places})
    session.start()
    assert session.stop().is_silent
    assert is_quick(session)
    below = "sarifix" if variable == "XDG_CACHE_HOME" else ".cache/sarifix"
    assert (tmp_path / "x" / below / "turns" / session.name).is_file()


def test_a_mark_that_cannot_be_made_costs_time_only(
    repo: Repo, session: Session, isolation: Path
) -> None:
    turns = isolation / "sarifix-cache" / "turns"
    shutil.rmtree(turns)
    turns.write_text("in the way")
    assert session.stop().is_silent
    assert not is_quick(session)


@pytest.mark.parametrize("place", ["tools", "."])
def test_a_git_of_the_repository_is_not_asked(repo: Repo, session: Session, place: str) -> None:
    repo.write({"tools/git": "#!/bin/sh\ntouch marker\n"})
    (repo.path / "tools" / "git").chmod(0o755)
    where = str(repo.path / place) if place != "." else place
    other = Session(repo.path, env={"PATH": f"{where}{os.pathsep}{os.environ['PATH']}"})
    other.stop()
    assert not list(repo.path.rglob("marker"))


def test_another_working_tree_than_the_enclosing_one(tmp_path: Path, fake: Fake) -> None:
    outer = Repo.init(tmp_path / "outer", {".sarifix.yaml": fake.config(), "a.txt": "ok\n"})
    inner = Repo.init(tmp_path / "outer" / "inner", {"b.txt": "ok\n"})
    tied = {"GIT_DIR": str(outer.path / ".git"), "GIT_WORK_TREE": str(outer.path)}
    session = Session(inner.path, env=tied)
    session.start()
    outer.write({"a.txt": "fine\n"})
    session.stop()
    assert session.stop().is_silent
    outer.write({"a.txt": "BAD(one)\n"})
    assert session.stop().context is not None


@pytest.mark.parametrize("how", [{"permission_mode": "plan"}, {"stop_hook_active": True}])
def test_what_claude_could_not_be_told_is_told_in_another_turn(
    repo: Repo, session: Session, how: dict[str, object]
) -> None:
    repo.write({".gitignore": "*.log\nhidden.txt\n", "hidden.txt": "BAD(one)\n"})
    assert session.event("Stop", **how).context is None
    assert session.event("Stop", **how).is_silent
    assert "hidden.txt is hidden" in (session.stop().context or "")


def test_below_the_top_level_of_a_repository_that_is_told(make_repo: MakeRepo, fake: Fake) -> None:
    """git takes the current directory for the top level then."""
    repo = make_repo({".sarifix.yaml": fake.config(), "in/a.txt": "ok\n", "b.txt": "ok\n"})
    session = Session(repo.path / "in", env={"GIT_DIR": str(repo.path / ".git")})
    session.start()
    assert session.stop().is_silent
    repo.write({"other/new.txt": "BAD(one)\n"})
    assert "other/new.txt" in (session.stop().context or "")

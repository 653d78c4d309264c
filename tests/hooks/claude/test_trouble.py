"""Whatever goes wrong: exit code 0, one JSON object, and the user is told why."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.claude import AGENT, Answer, Session, hook
from tests.support.processes import is_gone
from tests.support.repo import Repo
from tests.support.run import Fake, sarifix

MakeRepo = Callable[..., Repo]


def begun(make_repo: MakeRepo, config: str, name: str = "repo") -> tuple[Repo, Session]:
    repo = make_repo({".sarifix.yaml": config, "a.txt": "ok\n"}, name)
    session = Session(repo.path)
    session.start()
    repo.write({"a.txt": "HEAD-ONLY BAD(one)\n"})
    return repo, session


def said(answer: Answer) -> str:
    assert answer.message is not None, answer
    return answer.message


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--nonsense",), "unexpected option --nonsense"),
        (("--base",), "--base"),
        (("--base", ""), "is empty"),
        (("--format", "yaml"), "--format"),
        (("--format", "json"), "--hook goes with neither"),
        (("--head", "staged"), "--hook goes with neither"),
        (("--help",), "before it was done"),
        (("--scanner", "nothing"), "no such scanner"),
        (("--base", "no-such-revision"), "no-such-revision"),
        (("--config", "/nowhere/s.yaml"), "cannot be read"),
        (("surplus",), "unexpected argument surplus"),
    ],
)
def test_options_that_make_no_sense(
    make_repo: MakeRepo, tmp_path: Path, args: tuple[str, ...], reason: str
) -> None:
    repo, _ = begun(make_repo, Fake(tmp_path / "log").config())
    answer = Session(repo.path, args=args).stop()
    assert answer.context is None
    assert said(answer).startswith("sarifix could not check: ")
    assert reason in said(answer)


def test_options_are_told_without_an_event(tmp_path: Path) -> None:
    assert "--nonsense" in said(hook("--nonsense", cwd=tmp_path))


def test_the_hook_of_another_command(tmp_path: Path) -> None:
    for argv in (["doctor", "--hook"], ["--hook"], ["--hook=x"]):
        ran = sarifix(*argv, cwd=tmp_path)
        assert ran.code == 0
        assert "sarifix could not check" in json.loads(ran.out)["systemMessage"]


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("scanners: [\n", ".sarifix.yaml:"),
        ("nonsense: 1\n", ".sarifix.yaml:1:1"),
        ("scanners: {}\n", "no scanner is configured"),
        ("base: no-such-revision\n", "no-such-revision"),
    ],
)
def test_a_broken_configuration(make_repo: MakeRepo, config: str, reason: str) -> None:
    _, session = begun(make_repo, config)
    session.args = ()
    for _ in range(2):
        assert reason in said(session.stop()), "each time: nothing was checked"


def test_a_scanner_that_hangs(make_repo: MakeRepo, tmp_path: Path) -> None:
    config = "hooks:\n  deadline: 1\n" + Fake(tmp_path / "log").config("hang", grain="tree")
    _, session = begun(make_repo, config)
    start = time.monotonic()
    assert "fake failed: did not finish within" in said(session.stop())
    assert time.monotonic() - start < 20


def test_a_scanner_that_is_missing(make_repo: MakeRepo) -> None:
    _, session = begun(make_repo, "scanners:\n  gone:\n    command: [no-such-program, '{out}']\n")
    answer = session.stop()
    assert answer.context is None
    assert "gone failed: no-such-program was not found" in said(answer)


@pytest.mark.parametrize("mode", ["exit", "garbage", "nothing", "fails-on-base"])
def test_a_scanner_that_fails_is_told_to_the_user_each_time(
    make_repo: MakeRepo, tmp_path: Path, mode: str
) -> None:
    _, session = begun(make_repo, Fake(tmp_path / "log").config(mode))
    for _ in range(2):
        answer = session.stop()
        assert answer.context is None
        assert "fake failed: " in said(answer)


def test_one_that_fails_on_the_head_alone_is_told_to_claude_once(
    make_repo: MakeRepo, tmp_path: Path
) -> None:
    _, session = begun(make_repo, Fake(tmp_path / "log").config("fails-on-head"))
    first = session.stop()
    assert first.context is not None
    assert "fake failed: on the head: exit code 9" in first.context
    assert "fake failed: on the head: exit code 9" in said(first)
    second = session.stop()
    assert second.context is None
    assert "fake failed" in said(second)


def test_one_that_is_not_required_is_named_once(make_repo: MakeRepo, tmp_path: Path) -> None:
    config = Fake(tmp_path / "log").config("exit", more="required: false")
    _, session = begun(make_repo, config)
    assert "fake failed" in said(session.stop())
    assert session.stop().is_silent


def test_the_others_findings_are_told(make_repo: MakeRepo, tmp_path: Path) -> None:
    good, bad = Fake(tmp_path / "log"), Fake(tmp_path / "log2", "other")
    _, session = begun(make_repo, "scanners:\n" + good.entry() + bad.entry("exit"))
    answer = session.stop()
    assert answer.context is not None
    assert "fake/one" in answer.context
    assert "other failed" in said(answer)


def test_no_scanner_at_all_is_said_once(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({"go.mod": "module x\n", "a.go": "package a\n", ".golangci.yml": "x: 1\n"})
    git = os.path.dirname(_which("git"))
    session = Session(repo.path, args=("--base", "session"), env={"PATH": git})
    session.start()
    repo.write({"a.go": "package b\n"})
    assert session.stop().context is None


def _which(name: str) -> str:

    found = shutil.which(name)
    assert found is not None
    return found


def _broken(repo: Repo, tmp_path: Path) -> str:
    """Return a PYTHONPATH with which reading the configuration raises what nobody expects."""
    package = tmp_path / "broken" / "ruamel"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "yaml.py").write_text("raise RuntimeError('on purpose')\n")
    shutil.rmtree(repo.path / ".git" / "sarifix")  # it is kept there as it was read
    return str(package.parent)


def test_sarifix_itself_raises(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, _ = begun(make_repo, Fake(tmp_path / "log").config())
    session = Session(repo.path, env={"PYTHONPATH": _broken(repo, tmp_path)})
    answer = session.stop()
    assert answer.context is None
    assert "RuntimeError: on purpose" in said(answer)
    assert "This is a bug of sarifix" in said(answer)
    assert "Traceback" in answer.err


def test_a_cache_that_cannot_be_made(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, _ = begun(make_repo, Fake(tmp_path / "log").config())
    (tmp_path / "file").write_text("")
    session = Session(repo.path, env={"SARIFIX_CACHE": str(tmp_path / "file")})
    assert "cannot be" in said(session.stop())


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal(make_repo: MakeRepo, tmp_path: Path, number: signal.Signals) -> None:
    config = Fake(tmp_path / "log").config("grandchild", grain="tree")
    repo, _ = begun(make_repo, config.replace('"grandchild"', '"hang"'))
    given = {"session_id": "s", "cwd": str(repo.path), "hook_event_name": "Stop"}
    child = subprocess.Popen(
        [sys.executable, "-m", "sarifix", "check", "--hook"], cwd=repo.path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None
    child.stdin.write(json.dumps(given).encode())
    child.stdin.close()
    log = tmp_path / "log"
    while not log.exists():
        time.sleep(0.05)
    child.send_signal(number)
    assert child.stdout is not None
    answer = json.loads(child.stdout.read())
    assert child.wait(20) == 0
    assert "sarifix could not check: it was" in answer["systemMessage"]
    assert child.stderr is not None
    child.stdout.close()
    child.stderr.close()
    assert is_gone(child.pid)


@pytest.mark.skipif(os.name != "posix", reason="descriptors")
def test_closed_streams(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, _ = begun(make_repo, Fake(tmp_path / "log").config())
    command = f'"{sys.executable}" -m sarifix check --hook'
    given = json.dumps({"cwd": str(repo.path), "hook_event_name": "Stop"}).encode()
    for streams in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-", "| true"):
        done = subprocess.run(
            f"{command} {streams}", shell=True, cwd=repo.path, input=given, check=False,
            capture_output=True,
        )  # fmt: skip
        assert done.returncode == 0, (streams, done)


def test_a_child_that_stays_does_not_keep_our_output(make_repo: MakeRepo, tmp_path: Path) -> None:
    _, session = begun(make_repo, Fake(tmp_path / "log").config("grandchild", grain="tree"))
    start = time.monotonic()
    assert session.stop().context is not None
    assert time.monotonic() - start < 30
    pids = [int(pid) for pid in (tmp_path / "log.pid").read_text().split()]
    assert pids
    if sys.platform == "linux":
        assert all(is_gone(pid) for pid in pids)


def test_the_directory_is_gone(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, session = begun(make_repo, Fake(tmp_path / "log").config())
    repo.write({"b.txt": "BAD(one)\n", "sub/x.txt": "ok\n"})
    given = {"session_id": session.name, "cwd": str(repo.path / "sub"), "hook_event_name": "Stop"}
    script = 'cd sub && rm -r ../sub && exec "$0" -m sarifix check --hook --base session'
    done = subprocess.run(
        ["/bin/sh", "-c", script, sys.executable], cwd=repo.path, check=False, capture_output=True,
        input=json.dumps(given).encode(), env={**os.environ, "AI_AGENT": AGENT},
    )  # fmt: skip
    assert done.returncode == 0
    assert b"fake/one" in done.stdout
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("cwd", ["/" + "x" * 70_000, "/tmp/\0", "\ud800", 5, ""])
def test_a_directory_that_cannot_be_one(make_repo: MakeRepo, tmp_path: Path, cwd: object) -> None:
    repo, session = begun(make_repo, Fake(tmp_path / "log").config())
    repo.write({"b.txt": "BAD(one)\n"})
    given = {"session_id": session.name, "cwd": cwd, "hook_event_name": "Stop"}
    assert "fake/one" in (session.send(json.dumps(given).encode()).context or "")


def test_something_else_is_called_git(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, session = begun(make_repo, Fake(tmp_path / "log").config())
    repo.write({"b.txt": "BAD(one)\n"})
    (tmp_path / "bin" / "git").mkdir(parents=True)
    session.env["PATH"] = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    assert "fake/one" in (session.stop().context or "")
    (tmp_path / "bin" / "git").rmdir()
    (tmp_path / "bin" / "git").write_bytes(b"\0")
    (tmp_path / "bin" / "git").chmod(0o755)
    assert "git could not be started" in said(session.stop())


def test_python_is_told_to_write_in_another_encoding(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, session = begun(make_repo, Fake(tmp_path / "log").config())
    repo.write({"b.txt": "BAD(one)\n"})
    session.env["PYTHONIOENCODING"] = "utf-16"
    assert "fake/one" in (session.stop().context or "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-"])
@pytest.mark.parametrize(
    ("given", "answer"), [(b"[]", b""), (b'{"hook_event_name":"Stop"}', b"bug of sarifix")]
)
def test_nobody_takes_what_is_said_besides(
    make_repo: MakeRepo, tmp_path: Path, stderr: str, given: bytes, answer: bytes
) -> None:
    repo, _ = begun(make_repo, Fake(tmp_path / "log").config())
    broken = _broken(repo, tmp_path)
    done = subprocess.run(
        f'"{sys.executable}" -m sarifix check --hook {stderr}',
        shell=True, cwd=repo.path, input=given, stdout=subprocess.PIPE, check=False,
        env={**os.environ, "PYTHONPATH": broken},
    )  # fmt: skip
    assert done.returncode == 0
    assert answer in done.stdout
    assert not done.stdout or "systemMessage" in json.loads(done.stdout)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_a_filter_of_git_that_hangs(make_repo: MakeRepo, tmp_path: Path) -> None:
    config = f"hooks:\n  deadline: 1\n{Fake(tmp_path / 'log').config()}"
    repo, session = begun(make_repo, config)
    # Not where the hook looks for what has changed: only when the working tree is taken.
    repo.git("config", "filter.slow.clean", 'test -z "$GIT_OBJECT_DIRECTORY" || sleep 30; cat')
    repo.write({".gitattributes": "*.txt filter=slow\n", "b.txt": "BAD(one)\n"})
    start = time.monotonic()
    assert "it did not finish within 6 s" in said(session.stop())
    assert time.monotonic() - start < 20

"""How the program ends: its exit codes, signals, a reader that goes away, colours."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix import __version__
from sarifix.errors import ExitCode
from tests.support.program import run, started, wait_for
from tests.support.repo import Repo
from tests.support.run import Fake, sarifix

MakeRepo = Callable[..., Repo]
posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "log")


def changed(make_repo: MakeRepo, fake: Fake, mode: str = "ok", text: str = "BAD(new)\n") -> Repo:
    repo = make_repo({".sarifix.yaml": fake.config(mode, grain="tree"), "a.txt": "ok\n"})
    repo.write({"a.txt": text})
    return repo


# -- exit codes -------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "text", "args", "code"),
    [
        ("ok", "fine\n", (), ExitCode.CLEAN),
        ("ok", "BAD(new)\n", (), ExitCode.INTRODUCED),
        ("ok", "BAD(new)\n", ("--nonsense",), ExitCode.USAGE),
        ("exit", "BAD(new)\n", (), ExitCode.UNDECIDED),
    ],
)
def test_the_process_ends_with_the_code(
    make_repo: MakeRepo, fake: Fake, mode: str, text: str, args: tuple[str, ...], code: ExitCode
) -> None:
    repo = changed(make_repo, fake, mode, text)
    assert run("check", *args, cwd=repo.path).returncode == code


def test_a_bug_is_told_as_one(make_repo: MakeRepo, fake: Fake, tmp_path: Path) -> None:
    """A standard library that is broken is the nearest thing to a bug that can be had."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "sitecustomize.py").write_text(
        "import shutil\nshutil.get_terminal_size = None\n", encoding="utf-8"
    )
    repo = changed(make_repo, fake)
    ran = run("check", cwd=repo.path, env={"PYTHONPATH": str(tmp_path / "broken")})
    assert (ran.returncode, ran.stdout) == (ExitCode.BUG, "")
    assert ran.stderr.startswith("Traceback (most recent call last):")
    last = ran.stderr.splitlines()[-1]
    assert f"this is a bug of sarifix {__version__}" in last
    assert f"Python {platform.python_version()}" in last


# -- signals ----------------------------------------------------------------


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] in ("Z", "X")


def hanging(make_repo: MakeRepo, tmp_path: Path) -> tuple[Repo, Path]:
    """Return a repository whose scanner hangs, and the file with its process ids."""
    pids = tmp_path / "pids"
    code = f"import os, time; open({str(pids)!r}, 'a').write(f'{{os.getpid()}} '); time.sleep(600)"
    command = [sys.executable, "-c", code]
    config = f"scanners:\n  hangs:\n    command: {command}\n"
    repo = make_repo({".sarifix.yaml": config, "a.txt": "a\n"})
    repo.write({"a.txt": "b\n"})
    return repo, pids


@posix
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, ExitCode.INTERRUPTED, "sarifix: interrupted\n"),
        (signal.SIGTERM, 128 + signal.SIGTERM, ""),
        (signal.SIGHUP, 128 + signal.SIGHUP, ""),
    ],
)
def test_a_signal_ends_the_scanners_too(
    make_repo: MakeRepo,
    tmp_path: Path,
    isolation: Path,
    number: signal.Signals,
    code: int,
    said: str,
) -> None:
    repo, pids = hanging(make_repo, tmp_path)
    # Base and head at once where there are two processors, one after the other else.
    wanted = min(2, os.cpu_count() or 1)
    with started("check", "--format", "json", cwd=repo.path) as program:
        wait_for(lambda: pids.exists() and len(pids.read_text().split()) == wanted, "the scans")
        program.send_signal(number)
        out, err = program.communicate(timeout=30)
    assert (program.returncode, out, err) == (code, "", said)
    assert [pid for pid in pids.read_text().split() if not ended(int(pid))] == []
    assert list((isolation / "sarifix-cache").glob("repos/*/tmp/*")) == []


@posix
def test_a_signal_while_versions_are_asked(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo, pids = hanging(make_repo, tmp_path)
    config = repo.read(".sarifix.yaml").replace("command:", "version_command:")
    repo.write({".sarifix.yaml": f"{config}    command: [{sys.executable}, '{{out}}']\n"})
    with started("check", cwd=repo.path) as program:
        wait_for(lambda: pids.exists() and bool(pids.read_text().split()), "the question")
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=10)  # half of what a version may take
    assert (program.returncode, err) == (ExitCode.INTERRUPTED, "sarifix: interrupted\n")
    assert ended(int(pids.read_text().split()[0]))


@posix
def test_under_nohup_a_hangup_is_ignored(make_repo: MakeRepo, fake: Fake, tmp_path: Path) -> None:
    repo = changed(make_repo, fake)

    def nohup() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    (tmp_path / "hup").mkdir()
    (tmp_path / "hup" / "sitecustomize.py").write_text(
        "import atexit, os, signal\natexit.register(os.kill, os.getpid(), signal.SIGHUP)\n",
        encoding="utf-8",
    )
    env = {"PYTHONPATH": str(tmp_path / "hup")}
    assert run("check", cwd=repo.path, env=env, before=nohup).returncode == 1


# -- standard output --------------------------------------------------------


@posix
@pytest.mark.parametrize(
    "args", [("check",), ("check", "--base=gone", "--format=json"), ("cache", "show")]
)
def test_a_reader_that_goes_away(make_repo: MakeRepo, fake: Fake, args: tuple[str, ...]) -> None:
    repo = changed(make_repo, fake, text="BAD(new)\n" * 3000)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = run(*args, cwd=repo.path, stdout=writing)
    finally:
        os.close(writing)
    assert ran.returncode == ExitCode.INTERRUPTED
    assert "Traceback" not in ran.stderr
    assert "BrokenPipe" not in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "args",
    [
        ("check",),
        ("check", "--format=json"),
        ("pre-commit",),
        ("doctor",),
        ("cache",),
        ("cache", "clear"),
        ("init", "--pre-commit", "--yes"),
        ("--version",),
        ("--help",),
        ("check", "--help"),
    ],
    ids=" ".join,
)
def test_a_full_disk_under_standard_output(
    make_repo: MakeRepo, fake: Fake, args: tuple[str, ...], unbuffered: str
) -> None:
    """Of every command alike: what could not be said is never a success, and no bug."""
    repo = changed(make_repo, fake)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        ran = run(*args, cwd=repo.path, stdout=full, env={"PYTHONUNBUFFERED": unbuffered})
    finally:
        os.close(full)
    assert ran.returncode == ExitCode.UNDECIDED
    assert ran.stderr == (
        "sarifix: error: standard output cannot be written: No space left on device\n"
        "  hint: see to it, and run it again\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("check", "--nonsense", "--format=json"), ExitCode.USAGE),
        (("doctor", "--config=nowhere.yaml"), ExitCode.USAGE),
        (("doctor",), ExitCode.UNDECIDED),  # refuses when half of it is printed
    ],
)
def test_a_refusal_with_a_full_disk_under_standard_output(
    make_repo: MakeRepo, args: tuple[str, ...], code: ExitCode, unbuffered: str
) -> None:
    repo = make_repo({"nothing": "that a scanner reads\n"})
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        env = {"PYTHONUNBUFFERED": unbuffered, "PATH": os.defpath}
        ran = run(*args, cwd=repo.path, stdout=full, env=env)
    finally:
        os.close(full)
    assert ran.returncode == code
    assert ran.stderr.startswith("sarifix: error: ")
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr


@posix
@pytest.mark.parametrize("closed", [1, 2])
def test_a_stream_that_was_closed(make_repo: MakeRepo, fake: Fake, closed: int) -> None:
    repo = changed(make_repo, fake)
    args = ("--format", "json") if closed == 1 else ("--format", "json", "--base", "gone")
    ran = run("check", *args, cwd=repo.path, before=lambda: os.close(closed))
    assert ran.returncode == (1 if closed == 1 else 3)
    assert "Traceback" not in ran.stderr
    if closed == 2:
        assert ran.stdout.startswith("{\n")
        assert ran.stdout.endswith("}\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_an_encoding_that_cannot_say_it(make_repo: MakeRepo, fake: Fake, encoding: str) -> None:
    repo = changed(make_repo, fake, text="BAD(new) \u4f60\u597d\n")
    ran = subprocess.run(
        [sys.executable, "-m", "sarifix", "check"],
        cwd=repo.path,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 1
    shown = "\u4f60\u597d" if encoding == "utf-8" else "\\u4f60\\u597d"
    assert f"BAD(new) {shown}" in ran.stdout.decode(encoding)


# -- colours ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": ""}, False),
    ],
)
def test_colours_in_a_pipe(
    make_repo: MakeRepo,
    fake: Fake,
    monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str],
    coloured: bool,
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    repo = changed(make_repo, fake)
    assert ("\x1b[" in sarifix("check", cwd=repo.path).out) is coloured
    assert "\x1b" not in sarifix("check", "--format", "json", cwd=repo.path).out


@posix
@pytest.mark.parametrize(
    ("env", "coloured"),
    [({}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)],
)
def test_colours_and_progress_on_a_terminal(
    make_repo: MakeRepo, fake: Fake, env: dict[str, str], coloured: bool
) -> None:
    import pty

    repo = changed(make_repo, fake)
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-m", "sarifix", "check"],
        cwd=repo.path,
        env={**os.environ, "TERM": "xterm", **env},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # what Linux says at the end of a terminal
        pass
    finally:
        os.close(ours)
    assert program.stderr is not None
    assert program.stderr.read() == b""
    program.stderr.close()
    assert program.wait() == 1
    assert b"1 finding introduced" in shown
    assert (b"\x1b[" in shown) is coloured

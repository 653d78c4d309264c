"""`sarifix init --claude`: the hook in the settings, and everything else as it was."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.hooks.init_claude import with_hook
from tests.support.repo import Repo
from tests.support.run import Ran, sarifix

MakeRepo = Callable[..., Repo]

ROOT = Path(__file__).parents[3]
OTHER = {
    "model": "x",
    "permissions": {"allow": ["Bash(ls)"]},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], "PreToolUse": []},
}


def init(repo: Repo, *args: str) -> Ran:
    return sarifix("init", "--claude", *args, cwd=repo.path)


def hooks(path: Path, event: str) -> list[dict[str, object]]:
    settings = json.loads(path.read_text(encoding="utf-8"))
    return [entry for group in settings["hooks"][event] for entry in group["hooks"]]


@pytest.mark.parametrize("scope", ["user", "project", "local"])
def test_it_goes_into_the_right_file(make_repo: MakeRepo, isolation: Path, scope: str) -> None:
    repo = make_repo({"sub/a.py": ""})
    assert init(Repo(repo.path / "sub"), f"--{scope}", "--yes").code == 0
    path = {
        "user": isolation / ".claude/settings.json",
        "project": repo.path / ".claude/settings.json",
        "local": repo.path / ".claude/settings.local.json",
    }[scope]
    for event in ("SessionStart", "Stop"):
        (entry,) = hooks(path, event)
        assert entry["command"] == "sarifix"
        assert entry["args"] == ["check", "--hook", "--base", "session"]
        assert isinstance(entry["timeout"], int)
        assert entry["timeout"] > 240


def test_the_users_is_the_default_and_can_be_elsewhere(
    make_repo: MakeRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "conf"))
    assert init(make_repo({}), "--yes").code == 0
    assert hooks(tmp_path / "conf" / "settings.json", "Stop")


@pytest.mark.parametrize("indent", [2, 4, "\t"])
def test_what_is_there_stays_and_twice_is_once(
    make_repo: MakeRepo, isolation: Path, indent: int | str
) -> None:
    path = isolation / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(OTHER, indent=indent) + "\n")
    repo = make_repo({})
    assert init(repo, "--yes").code == 0
    after = json.loads(path.read_text())
    assert {**after, "hooks": None} == {**OTHER, "hooks": None}
    assert after["hooks"]["Stop"][0] == OTHER["hooks"]["Stop"][0]  # type: ignore[index]
    assert after["hooks"]["PreToolUse"] == []
    text = path.read_text()
    expected = "\t" if indent == "\t" else " " * int(indent)
    assert text.split("\n")[1] == f'{expected}"model": "x",'
    ran = init(repo, "--yes")
    assert "nothing to do" in ran.out
    assert path.read_text() == text


def test_a_hook_in_another_form_is_known() -> None:
    for entry in (
        {"type": "command", "command": "/opt/bin/sarifix check --hook"},
        {"type": "command", "command": "sarifix", "args": ["check", "--hook"]},
        {"type": "command", "command": "uvx sarifix check --hook --base HEAD"},
    ):
        both = {event: [{"hooks": [entry]}] for event in ("Stop", "SessionStart")}
        text = json.dumps({"hooks": both})
        assert with_hook(text, "s.json") == text
    half = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "sarifix check --hook"}]}]}})
    added = json.loads(with_hook(half, "s.json"))["hooks"]
    assert len(added["Stop"]) == 1
    assert len(added["SessionStart"]) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "cannot be read"),
        ('{"a": 1, // comment\n}', "cannot be read"),
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ('{"a": NaN}', "not JSON"),
        ('{"a": 1.10}', "another way"),
        ("[]", "no JSON object"),
        ('{"hooks": []}', "'hooks' is not an object"),
        ('{"hooks": {"Stop": {}}}', "'Stop' is not a list"),
        ("\xff", "cannot be read"),
    ],
)
def test_what_cannot_be_parsed_is_refused(
    make_repo: MakeRepo, isolation: Path, text: str, reason: str
) -> None:
    path = isolation / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    ran = init(make_repo({}), "--yes")
    assert ran.code == 2
    assert reason in ran.err
    assert path.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False), ("", False)])
def test_it_shows_the_difference_and_asks(
    make_repo: MakeRepo,
    isolation: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    written: bool,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    ran = init(make_repo({}))
    assert ran.code == 0
    assert '"command": "sarifix"' in ran.out
    assert "[y/N]" in ran.out
    assert (isolation / ".claude/settings.json").exists() is written


def test_nothing_to_set_up(make_repo: MakeRepo) -> None:
    ran = sarifix("init", cwd=make_repo({}).path)
    assert ran.code == 2
    assert "--claude" in ran.err


def test_the_plugin_runs_what_init_writes() -> None:
    written = json.loads(with_hook(None, "s.json"))["hooks"]
    plugin = json.loads((ROOT / "plugins/sarifix/hooks/hooks.json").read_text())
    assert plugin["hooks"] == written


def test_the_plugin_has_the_version_of_the_package() -> None:
    from sarifix import __version__

    plugin = json.loads((ROOT / "plugins/sarifix/.claude-plugin/plugin.json").read_text())
    assert plugin["version"] == __version__
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text())
    (listed,) = market["plugins"]
    assert (ROOT / listed["source"] / ".claude-plugin/plugin.json").is_file()
    assert len((ROOT / "plugins/sarifix/README.md").read_text().split()) >= 40


def test_line_ends_and_halves_of_pairs_stay() -> None:
    old = '{\r\n  "a": "\\ud800"\r\n}\r\n'
    new = with_hook(old, "settings.json")
    assert new.startswith('{\r\n  "a": "\\ud800",\r\n')
    assert new.count("\n") == new.count("\r\n")
    new.encode()
    assert json.loads(new)["a"] == "\ud800"

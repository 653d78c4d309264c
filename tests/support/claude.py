"""Playing Claude Code to the hook: with events written by hand, and with the real client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.fake_messages_api import FakeMessagesApi
from tests.support.tools import claude_client, python_tools

NEWEST, FIRST_WITH_CONTEXT, LAST_WITH_BLOCK = "2.1.332", "2.1.163", "2.1.162"
AGENT = "claude-code_2-1-332_harness"


@dataclass(frozen=True)
class Answer:
    """What the hook answered: exit code 0 and one JSON object or nothing, or it fails."""

    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out) if self.out else {}

    @property
    def context(self) -> str | None:
        """What Claude is told."""
        told = self.json.get("hookSpecificOutput", {}).get("additionalContext")
        return told if told is not None else self.json.get("reason")

    @property
    def message(self) -> str | None:
        """What the user is told."""
        return self.json.get("systemMessage")

    @property
    def is_silent(self) -> bool:
        return self.out == ""


@dataclass
class Session:
    """One session of Claude Code in one directory, whose events are written by hand."""

    cwd: Path
    name: str = "session-1"
    args: tuple[str, ...] = ("--base", "session")
    env: dict[str, str] = field(default_factory=dict)

    def start(self, source: str = "startup") -> Answer:
        answer = self.event("SessionStart", source=source)
        assert answer.is_silent
        return answer

    def stop(self, *, again: bool = False, **fields: object) -> Answer:
        return self.event("Stop", stop_hook_active=again, **fields)

    def event(self, name: str, **fields: object) -> Answer:
        given = {
            "session_id": self.name,
            "transcript_path": "/nowhere/transcript.jsonl",
            "cwd": str(self.cwd),
            "permission_mode": "acceptEdits",
            "hook_event_name": name,
            **fields,
        }
        return self.send(event(given))

    def send(self, data: bytes, *more: str) -> Answer:
        return hook(*self.args, *more, cwd=self.cwd, stdin=data, env=self.env)


def event(given: Mapping[str, object]) -> bytes:
    """Return an event as the client writes it: one line, no spaces, UTF-8."""
    return json.dumps(given, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def hook(*args: str, cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Answer:
    """Run ``sarifix check --hook`` and hold it to what it must never do."""
    # Of one session the environment stays the same; this one of pytest does not.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "sarifix", "check", "--hook", *args]
        if sys.version_info >= (3, 11)
        else [sys.executable, "-m", "sarifix", "check", "--hook", *args],
        cwd=cwd,
        env={"AI_AGENT": AGENT, **inherited, **(env or {})},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    answer = Answer(done.stdout.decode("ascii"), done.stderr.decode(errors="replace"))
    assert done.returncode == 0, answer
    assert answer.out == "" or answer.out.endswith("}\n")
    assert isinstance(answer.json, dict)
    return answer


# ---------------------------------------------------------------------------
# The real client


@dataclass(frozen=True)
class Run:
    """What a run of the real client did."""

    requests: list[dict[str, Any]]
    events: list[dict[str, Any]]

    @property
    def main(self) -> list[dict[str, Any]]:
        """The requests of the main conversation."""
        return [request["body"] for request in self.requests if request["kind"] == "main"]

    def told(self, number: int) -> str:
        """Return the text of the last message of a main request."""
        messages = self.main[number]["messages"]
        texts = []
        for message in reversed(messages):
            if message["role"] == "assistant":
                break
            content = message["content"]
            blocks = [{"text": content}] if isinstance(content, str) else content
            texts += [block.get("text", "") for block in blocks]
        return "\n".join(texts)

    def messages(self) -> list[str]:
        """Return what the user was shown of hooks."""
        return [
            str(event.get("content"))
            for event in self.events
            if event.get("subtype") == "informational"
        ]


@dataclass
class Client:
    """The real client of one version, in a home of its own, talking to a scripted API."""

    home: Path
    project: Path
    version: str = NEWEST
    env: dict[str, str] = field(default_factory=dict)

    def settings(self, *args: str, events: Sequence[str] = ("SessionStart", "Stop")) -> None:
        """Write the hook into the user's settings."""
        entry = {
            "type": "command",
            "command": "sarifix",
            "args": ["check", "--hook", *args],
            "timeout": 120,
        }
        hooks = {event: [{"hooks": [entry]}] for event in events}
        path = self.home / ".claude" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")

    def run(
        self,
        turns: Any,
        *args: str,
        cwd: Path | None = None,
        prompts: Sequence[str] = ("do it",),
    ) -> Run:
        """Let the client work through ``turns`` and return what was sent and shown."""
        words = (
            claude_client(self.version), "-p", "--input-format", "stream-json",
            "--output-format", "stream-json", "--verbose",
            "--allowedTools", "Write,Edit,Bash,Agent,Read",
        )  # fmt: skip
        with FakeMessagesApi(turns, variables={"PROJECT": str(self.project)}) as api:
            events = _converse(
                [*map(str, words), *args], prompts, cwd or self.project, self._environ(api.url)
            )
        return Run(api.requests, events)

    def tool(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the client that needs no API."""
        program = claude_client(self.version)
        return subprocess.run(
            [program, *args], cwd=self.project, env=self._environ("http://127.0.0.1:9"),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    def _environ(self, url: str) -> dict[str, str]:
        temporary = self.home / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        kept = ("SARIFIX_CACHE", "GIT_CONFIG_NOSYSTEM", "COVERAGE_PROCESS_START", "COVERAGE_FILE")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "PATH": os.pathsep.join((python_tools(), os.environ["PATH"])),
            "HOME": str(self.home),
            "TMPDIR": str(temporary),
            "CLAUDE_CODE_TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "NO_PROXY": "127.0.0.1",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "dummy-not-a-key-for-tests",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **self.env,
        }


def _converse(
    argv: Sequence[str], prompts: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Send each prompt when the turn before has ended; return the events of all."""
    events: list[dict[str, Any]] = []
    with tempfile.TemporaryFile() as stderr:
        child = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
        )
        assert child.stdin is not None
        assert child.stdout is not None
        timer = threading.Timer(180, child.kill)
        timer.start()
        try:
            for prompt in prompts:
                message = {"role": "user", "content": prompt}
                child.stdin.write(event({"type": "user", "message": message}))
                child.stdin.flush()
                for line in child.stdout:
                    events.append(json.loads(line))
                    if events[-1]["type"] == "result":
                        break
            child.stdin.close()
            events += [json.loads(line) for line in child.stdout]
            code = child.wait()
        finally:
            timer.cancel()
            child.stdout.close()
        stderr.seek(0)
        assert code == 0, (events[-3:], stderr.read())
    return events

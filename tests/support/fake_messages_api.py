"""A scripted stand-in for the Anthropic Messages API, for tests of the real client.

Point an unmodified client at this server (``ANTHROPIC_BASE_URL``) and it plays a fixed list
of assistant turns, so that what the *client* does (which hooks it runs, what it sends back,
when it stops) can be tested without a network, an account or a model::

    with FakeMessagesApi(["hello"]) as api:
        run_client(base_url=api.url)
    assert [request["kind"] for request in api.requests] == ["main"]

Script
------

A JSON array is the list of turns of the main conversation.  A JSON object
may have these keys, all optional:

``turns``
    the main conversation's turns, played in order, one per request;
``routes``
    a list of ``{"when": "...", "turns": [...]}``: a request whose *first user
    message* contains ``when`` takes its turns from there (a subagent's first
    user message is the prompt that the Agent tool was given);
``fallback``
    the turn to play when a list is used up (default: the text ``"Done."``).

A turn is one of:

* a string: the assistant says that text and ends its turn;
* ``{"tool": "Write", "input": {...}}``: one tool call;
* ``{"content": [...]}``: several blocks, each a string, ``{"tool", "input"}``
  or a raw content block (``{"type": "text", ...}``);
* ``{"error": 529, "type": "overloaded_error", "message": "..."}``: an
  HTTP error.  The client repeats a request that failed (a 400 too), so add
  ``"times": 30`` and set ``CLAUDE_CODE_MAX_RETRIES`` to make the failure last.

A turn written as an object may also have ``"times": N`` (played N times),
``"delay": SECONDS`` (waited after the reply's headers and before its content,
so the client shows that the model is working) and ``"stop_reason"``.
``${NAME}`` in any string of the script is replaced from ``variables``.

Requests that carry no tools are the client's own housekeeping (a session
title, for example): they never use up a turn of the main list, and get the
text ``"ok"``.

Every request is kept in ``requests``: ``n``, ``method``, ``path``, ``headers`` (credentials
removed), ``body`` (the decoded JSON), ``kind`` (``"main"``, ``"route:N"``,
``"housekeeping"``, ``"count_tokens"`` or ``"other"``) and ``reply`` (the turn played).
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import Template
from types import TracebackType
from typing import Any

Json = Any
"""A decoded JSON value."""

SECRET_HEADERS = frozenset({"authorization", "x-api-key", "cookie", "proxy-authorization"})


def _substitute(value: Json, variables: Mapping[str, str]) -> Json:
    """Replace ``${NAME}`` in every string of a JSON value; leave unknown names."""
    if isinstance(value, str):
        return Template(value).safe_substitute(variables) if "$" in value else value
    if isinstance(value, list):
        return [_substitute(item, variables) for item in value]
    if isinstance(value, dict):
        return {key: _substitute(item, variables) for key, item in value.items()}
    return value


def _content_blocks(turn: Json, serial: int) -> list[dict[str, Json]]:
    """The Messages API content blocks that a turn of the script stands for."""
    if isinstance(turn, str):
        return [{"type": "text", "text": turn}]
    if not isinstance(turn, dict):
        raise TypeError(f"not a turn: {turn!r}")
    if "type" in turn and "error" not in turn:
        return [dict(turn)]
    if "tool" in turn:
        return [
            {
                "type": "tool_use",
                "id": f"toolu_fake_{serial:06d}",
                "name": turn["tool"],
                "input": turn.get("input", {}),
            }
        ]
    if "content" in turn:
        blocks: list[dict[str, Json]] = []
        for index, part in enumerate(turn["content"]):
            blocks += _content_blocks(part, serial * 100 + index)
        return blocks
    if "text" in turn:
        return [{"type": "text", "text": turn["text"]}]
    raise TypeError(f"not a turn: {turn!r}")


def _first_user_text(body: Json) -> str:
    """All the text of the request's first user message."""
    for message in body.get("messages", []) if isinstance(body, dict) else []:
        if message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
            return "\n".join(
                block.get("text", "") for block in content or [] if block.get("type") == "text"
            )
    return ""


def _queue(turns: Json) -> deque[Json]:
    """The turns in order, each as often as its ``times`` says."""
    queue: deque[Json] = deque()
    for turn in turns:
        queue.extend([turn] * (turn.get("times", 1) if isinstance(turn, dict) else 1))
    return queue


class Script:
    """The turns still to be played.  Safe to use from several threads."""

    def __init__(self, script: Json, variables: Mapping[str, str] | None = None) -> None:
        script = _substitute(script, variables or {})
        if isinstance(script, list):
            script = {"turns": script}
        if not isinstance(script, dict):
            raise TypeError("a script is a JSON array or object")
        unknown = set(script) - {"turns", "routes", "fallback"}
        if unknown:
            raise ValueError(f"unknown keys in the script: {sorted(unknown)}")
        self._lock = threading.Lock()
        self._main = _queue(script.get("turns", []))
        self._routes = [
            (str(route["when"]), _queue(route["turns"])) for route in script.get("routes", [])
        ]
        self._fallback: Json = script.get("fallback", "Done.")
        self._serial = 0
        for turn in [*self._main, self._fallback, *(t for _, ts in self._routes for t in ts)]:
            if not (isinstance(turn, dict) and "error" in turn):
                _content_blocks(turn, 0)  # raises ValueError now, not in the middle of a run

    @property
    def unplayed(self) -> int:
        """How many turns of the main list have not been asked for."""
        with self._lock:
            return len(self._main)

    def next(self, body: Json) -> tuple[str, int, Json]:
        """The kind of the request, a serial number and the turn that answers it."""
        with self._lock:
            self._serial += 1
            serial = self._serial
            first = _first_user_text(body)
            for number, (when, turns) in enumerate(self._routes):
                if when in first:
                    return f"route:{number}", serial, turns.popleft() if turns else self._fallback
            if not body.get("tools"):
                return "housekeeping", serial, "ok"
            return "main", serial, self._main.popleft() if self._main else self._fallback


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: FakeMessagesApi

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when the client hangs up; report anything else as usual."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as it is named
        """Say nothing on standard error."""

    def _body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            return json.loads(raw)
        except ValueError:
            return raw.decode("utf-8", "replace") or None

    def _json(self, status: int, value: Json) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", "req_fake")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _event(self, name: str, value: Json) -> None:
        data = f"event: {name}\ndata: {json.dumps({'type': name, **value})}\n\n".encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def do_HEAD(self) -> None:
        self.server.api.record(self, None, "other", None)
        self._json(200, {})

    def do_GET(self) -> None:
        self.server.api.record(self, None, "other", None)
        if self.path.partition("?")[0] == "/v1/models":
            self._json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})
        else:
            self._json(404, _error("not_found_error", "the fake API has no such path"))

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self.server.api.record(self, body, "count_tokens", None)
            self._json(200, {"input_tokens": _tokens(body)})
        elif path == "/v1/messages" and isinstance(body, dict):
            kind, serial, turn = self.server.api.script.next(body)
            self.server.api.record(self, body, kind, turn)
            try:
                self._answer(body, serial, turn)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client was interrupted
        else:
            self.server.api.record(self, body, "other", None)
            self._json(404, _error("not_found_error", "the fake API has no such path"))

    def _answer(self, body: dict[str, Json], serial: int, turn: Json) -> None:
        options: dict[str, Json] = turn if isinstance(turn, dict) else {}
        delay = float(options.get("delay", 0))
        if "error" in options:
            time.sleep(delay)
            kind = options.get("type", "invalid_request_error")
            self._json(
                int(options["error"]), _error(kind, options.get("message", "scripted error"))
            )
            return
        blocks = _content_blocks(turn, serial)
        calls_tool = any(block["type"] == "tool_use" for block in blocks)
        stop_reason = options.get("stop_reason", "tool_use" if calls_tool else "end_turn")
        message: dict[str, Json] = {
            "id": f"msg_fake_{serial:06d}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "fake"),
            "content": blocks,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": _tokens(body),
                "output_tokens": _tokens(blocks),
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }
        if not body.get("stream"):
            time.sleep(delay)
            self._json(200, message)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", f"req_fake_{serial:06d}")
        self.end_headers()
        opening = {**message, "content": [], "stop_reason": None}
        opening["usage"] = {**message["usage"], "output_tokens": 1}
        self._event("message_start", {"message": opening})
        self._wait(delay)
        for index, block in enumerate(blocks):
            self._stream_block(index, block)
        self._event(
            "message_delta",
            {
                "delta": {"stop_reason": stop_reason, "stop_sequence": None},
                "usage": {"output_tokens": message["usage"]["output_tokens"]},
            },
        )
        self._event("message_stop", {})
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _wait(self, seconds: float) -> None:
        """Wait with a ping a second, so that a client that hangs up is noticed."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(1.0, left))
            self._event("ping", {})

    def _stream_block(self, index: int, block: dict[str, Json]) -> None:
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        elif block["type"] == "text":
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            raise ValueError(f"cannot stream a block of type {block['type']!r}")
        self._event("content_block_start", {"index": index, "content_block": start})
        self._event("content_block_delta", {"index": index, "delta": delta})
        self._event("content_block_stop", {"index": index})


def _error(kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _tokens(value: Json) -> int:
    """A rough token count: the client only needs a plausible number."""
    return max(1, len(json.dumps(value)) // 4)


class FakeMessagesApi:
    """The server, as a context manager that serves from a background thread.

    ``requests`` has an entry for each request so far.
    """

    def __init__(
        self,
        script: Json,
        *,
        port: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.script = script if isinstance(script, Script) else Script(script, variables)
        self.requests: list[dict[str, Json]] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.api = self
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def record(self, handler: BaseHTTPRequestHandler, body: Json, kind: str, reply: Json) -> None:
        """Add one request to ``requests``."""
        headers = {
            name.lower(): "(removed)" if name.lower() in SECRET_HEADERS else value
            for name, value in handler.headers.items()
        }
        with self._lock:
            entry: dict[str, Json] = {
                "n": len(self.requests) + 1,
                "time": time.time(),
                "method": handler.command,
                "path": handler.path,
                "kind": kind,
                "headers": headers,
                "body": body,
                "reply": reply,
            }
            self.requests.append(entry)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def __enter__(self) -> FakeMessagesApi:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

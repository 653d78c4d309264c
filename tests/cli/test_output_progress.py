"""The progress display, on a real terminal and beside it."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import threading
from collections.abc import Callable

import pytest

from sarifix.model import Scan, Side
from sarifix.output.progress import Display, Progress, Silent, progress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")


def on_terminal(use: Callable[[Progress], None]) -> str:
    """Return what a terminal is sent while ``use`` runs with a display."""
    master, slave = os.openpty()
    received = bytearray()

    def read() -> None:
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # Linux's way to say that the other end is closed
                return
            if not part:
                return
            received.extend(part)

    reader = threading.Thread(target=read)
    reader.start()
    with (
        contextlib.suppress(KeyboardInterrupt),
        os.fdopen(slave, "w", encoding="utf-8") as stream,
        progress(stream, enabled=True) as shown,
    ):
        use(shown)
    reader.join(10)
    os.close(master)
    return received.decode()


def visible(sent: str) -> str:
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", sent)


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


def test_every_scan_has_a_line() -> None:
    def use(shown: Progress) -> None:
        shown.start("ruff", Side.BASE)
        shown.start("semgrep", Side.HEAD)
        shown.done(Scan("ruff", Side.BASE, seconds=1.24))
        shown.done(Scan("semgrep", Side.HEAD, failure="exit 2"))
        shown.done(Scan("bandit", Side.HEAD, cached=True))  # never started

    sent = visible(on_terminal(use))
    assert re.search(r"ruff base +1\.2 s", sent)
    assert re.search(r"semgrep head +failed", sent)
    assert re.search(r"bandit head +cached", sent)


def test_display_leaves_nothing_behind() -> None:
    sent = on_terminal(lambda shown: shown.start("ruff", Side.HEAD))
    assert "\x1b[?25l" in sent  # the cursor was hidden
    assert sent.rindex("\x1b[?25h") > sent.rindex("\x1b[?25l")
    assert sent.endswith("\x1b[2K")  # the last line was erased


def test_terminal_is_restored_after_an_exception() -> None:
    def fail(shown: Progress) -> None:
        shown.start("ruff", Side.HEAD)
        raise KeyboardInterrupt

    assert on_terminal(fail).endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_names_are_cleaned_and_no_markup() -> None:
    def use(shown: Progress) -> None:
        shown.start("[bold]x[/bold] :boom: \x1b]0;title\x07\x1b[2J\u202e", Side.HEAD)

    sent = on_terminal(use)
    assert "[bold]x[/bold] :boom:" in visible(sent)
    assert "title" not in sent
    assert "\x1b[2J" not in sent
    assert "\u202e" not in sent


def test_many_threads_at_once() -> None:
    def use(shown: Progress) -> None:
        def scan(number: int) -> None:
            for side in Side:
                shown.start(f"s{number}", side)
                shown.done(Scan(f"s{number}", side, seconds=number))

        threads = [threading.Thread(target=scan, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    sent = visible(on_terminal(use))
    for number in range(8):
        for side in Side:
            assert re.search(rf"s{number} {side.value} +{number}\.0 s", sent)


def test_pipe_gets_nothing() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        with progress(stream, enabled=True) as shown:
            shown.start("ruff", Side.HEAD)
            shown.done(Scan("ruff", Side.HEAD))
        assert isinstance(shown, Silent)
    with os.fdopen(reader, encoding="utf-8") as received:
        assert received.read() == ""


def test_terminal_gets_nothing_when_it_is_not_wanted() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert isinstance(progress(Terminal(), enabled=False), Silent)
    assert isinstance(progress(Terminal(), enabled=True), Display)

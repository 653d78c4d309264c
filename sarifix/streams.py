"""Standard output and error, whatever we were started with; no failure of theirs unsaid."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

from sarifix.errors import SarifixError


@contextlib.contextmanager
def opened() -> Iterator[None]:
    """See to it that both streams are there and can write whatever they are given."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us (`>&-`)
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    before, sys.stdout = sys.stdout, cast("TextIO", _Output(sys.stdout))
    try:
        yield
    finally:
        sys.stdout = before


def give_up() -> None:
    """Let what is still buffered go nowhere; python would complain of it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Output:
    """Standard output that raises ``SarifixError`` where it cannot be written (a full disk).

    Whoever writes: an answer that nobody gets is not one. argparse passes over ``OSError``.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _told():
            return self._stream.write(text)

    def flush(self) -> None:
        with _told():
            self._stream.flush()


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up()
        raise SarifixError(
            f"standard output cannot be written: {error.strerror}",
            "see to it, and run it again",
        ) from error

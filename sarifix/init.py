"""``sarifix init``: show what would change in a file of the user's, ask, and write it."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
from pathlib import Path

from sarifix.errors import UsageError
from sarifix.sanitize import clean_path, to_terminal


def offer(path: Path, old: str | None, new: str, *, yes: bool) -> bool:
    """Show the difference, ask unless ``yes``, and write the file if the answer is yes.

    ``old`` is what the file holds now (None: there is none). Returns whether it holds
    ``new`` afterwards. The file is replaced as a whole or not at all; its mode stays, and
    a symbolic link is followed. Raises ``UsageError`` if it cannot be written.
    """
    if old == new:
        _say(f"{path}: nothing to do")
        return True
    _show(path, old, new)
    if not (yes or _agreed(path)):
        _say(f"{path}: left as it is")
        return False
    try:
        _write(Path(os.path.realpath(path)), new)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}", "look at its permissions"
        ) from error
    _say(f"{path}: written")
    return True


def read(path: Path) -> str | None:
    """Return the text of a file, or None if there is none; raises ``UsageError``."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "repair it, or move it away") from error


def _say(line: str) -> None:
    sys.stdout.write(f"{to_terminal(line)}\n")


def _show(path: Path, old: str | None, new: str) -> None:
    shown = clean_path(str(path))
    before = "/dev/null" if old is None else shown
    lines = difflib.unified_diff(
        (old or "").splitlines(), new.splitlines(), before, shown, lineterm=""
    )
    for line in lines:
        _say(line)


def _agreed(path: Path) -> bool:
    sys.stdout.write(f"Change {clean_path(str(path))}? [y/N] ")
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        _say("")  # nobody is there to answer
    return answer.strip().lower() in ("y", "yes")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(text.encode())
        Path(temporary).chmod(_mode(path))
        os.replace(temporary, path)  # noqa: PTH105  as a pair with mkstemp
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """Return the file's mode; for a new one, what the user's umask leaves of 0666."""
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask

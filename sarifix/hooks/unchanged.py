"""An unchanged turn of Claude Code, left at once: before anything heavy is imported.

A turn that was answered with nothing leaves a key of all that the answer depends on. When
the next stop has the same key, there is nothing to say again. Any doubt is the full check.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from sarifix import __version__
from sarifix.git_settings import ENVIRONMENT, flags

HOOK = "--hook"

# The base of a session or HEAD is in what these say; the refs are for any other base.
_ASKED = (
    ("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"),
    ("config", "-z", "--list"),
    ("for-each-ref", "--format=%(objectname) %(refname)"),
    (
        "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames",
        "--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty",
    ),
)  # fmt: skip
_VARIABLES = ("GIT_", "SARIFIX_", "XDG_", "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR", "PATH", "HOME")
_FIELDS = {b"1": 8, b"u": 10, b"?": 1, b"!": 1}  # before the path, in a line of `git status`

Stamps = Mapping[str, str]


def asked(argv: Sequence[str]) -> bool:
    """Whether a command line is that of the hook, whatever else is wrong with it."""
    return any(argument.partition("=")[0] == HOOK for argument in argv)


def run(argv: Sequence[str]) -> int:
    """Answer one event of Claude Code: print one JSON object or nothing, and return 0."""
    try:
        text = _answer(argv)
    except BaseException as error:  # noqa: BLE001  whatever it is, the client must be told
        from sarifix.hooks.trouble import confess

        text = confess(error)
    _print(text)
    return 0


def _answer(argv: Sequence[str]) -> str:
    looking = Look.begin(argv)
    given, complaint = _given()
    if given is None:
        from sarifix.hooks.trouble import idle

        return idle(argv, complaint)
    seen = looking.end() if looking is not None else None
    if seen is not None and _is_known(seen, given):
        return ""
    from sarifix.hooks.claude import respond

    return respond(argv, given, os.environ, seen)


def _given() -> tuple[dict[str, object] | None, str]:
    """Read the event from standard input; None, and why, if there is none."""
    import json

    if sys.stdin is None or sys.stdin.isatty():
        return None, "standard input holds no event of Claude Code"
    try:
        given = json.loads(sys.stdin.buffer.read())
    except (ValueError, OSError, RecursionError) as error:
        return None, f"standard input is not JSON: {error}"
    if not isinstance(given, dict):
        return None, "standard input holds no event of Claude Code"
    return given, ""


def _print(text: str) -> None:
    """Write the answer, and see to it that nothing can follow it or change the exit code."""
    try:
        if sys.stdout is not None:
            sys.stdout.write(text)
            sys.stdout.flush()
    except (OSError, ValueError):  # the client hung up
        sys.stdout = None


# ---------------------------------------------------------------------------
# Looking


class Look:
    """What git says of the working tree, asked for while Python is still starting."""

    def __init__(self, argv: Sequence[str], cwd: str) -> None:
        self.cwd = cwd
        self._argv = argv
        self._children: list[tuple[int, int]] = []  # process and pipe
        self._parts: list[bytes] = []
        self._files: Stamps = {}

    @classmethod
    def begin(cls, argv: Sequence[str]) -> Look | None:
        """Start git in the current directory; None where that is not possible."""
        program = _git(os.environ.get("PATH", os.defpath))
        if program is None or not hasattr(os, "posix_spawn"):
            return None
        look = cls(argv, os.getcwd())  # noqa: PTH109  pathlib is not imported here
        environ = {**os.environ, **ENVIRONMENT}
        for words in _ASKED:
            look._children.append(_spawn(program, words, environ))
        return look

    def end(self) -> Look | None:
        """Wait for git; None if it could not answer (no repository, for example)."""
        fine = True
        for pid, pipe in self._children:
            with open(pipe, "rb") as file:  # noqa: PTH123
                self._parts.append(file.read())
            fine = os.waitpid(pid, 0)[1] == 0 and fine
        if not fine:
            return None
        top = os.fsdecode(self._parts[0].partition(b"\n")[0])
        names = (os.path.join(top, os.fsdecode(name)) for name in _changed(self._parts[-1]))
        self._files = stamps(names)
        return self

    def again(self) -> Look | None:
        """Look once more, at the same."""
        look = Look.begin(self._argv)
        return look.end() if look is not None else None

    def key(self, watched: Stamps) -> str:
        """Return what stands for all that was seen, and for the files in ``watched``."""
        import hashlib

        digest = hashlib.sha256()
        variables = (f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith(_VARIABLES))
        files = (f"{k} {v}" for group in (self._files, watched) for k, v in sorted(group.items()))
        texts = (__version__, sys.version, self.cwd, *self._argv, *variables, *files)
        for part in (*map(os.fsencode, texts), *self._parts):
            digest.update(b"%d:" % len(part))
            digest.update(part)
        return digest.hexdigest()


def _git(path: str) -> str | None:
    """Return git's program, from ``PATH`` without what is relative or in a repository."""
    inside = _enclosing(os.getcwd())  # noqa: PTH109
    for directory in path.split(os.pathsep):
        program = os.path.join(directory, "git")
        if os.path.isabs(directory) and os.access(program, os.X_OK):  # noqa: PTH117
            real = os.path.realpath(directory)
            return None if inside and f"{real}/".startswith(f"{inside}/") else program
    return None


def _enclosing(directory: str) -> str | None:
    here = os.path.realpath(directory)
    while not os.path.lexists(os.path.join(here, ".git")):
        here, below = os.path.dirname(here), here
        if here == below:
            return None
    return here


def _spawn(program: str, words: Iterable[str], environ: Mapping[str, str]) -> tuple[int, int]:
    """Start git with a pipe of its own; subprocess would take as long to import as git runs."""
    ours, theirs = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    try:
        pid = os.posix_spawn(
            program,
            [program, *flags(), *words],
            environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, null, 0),
                (os.POSIX_SPAWN_DUP2, theirs, 1),
                (os.POSIX_SPAWN_DUP2, null, 2),
            ],
        )
    finally:
        os.close(theirs)
        os.close(null)
    return pid, ours


def _changed(status: bytes) -> Iterable[bytes]:
    """Yield the files whose content `git status` does not show, ignore files among them."""
    for record in status.split(b"\0"):
        fields = _FIELDS.get(record[:1])
        if fields:
            name = record.split(b" ", fields)[-1]
            if record[:1] != b"!" or name.rpartition(b"/")[2] == b".gitignore":
                yield name


def stamps(paths: Iterable[str]) -> dict[str, str]:
    """Return what tells a file from another one at its path, through links as well."""
    return {path: f"{_stamp(path, os.lstat)} {_stamp(path, os.stat)}" for path in paths}


def _stamp(path: str, stat: object) -> str:
    try:
        found = stat(path)  # type: ignore[operator]
    except (OSError, ValueError):
        return "-"
    return f"{found.st_mode} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


# ---------------------------------------------------------------------------
# Remembering


def _turn(given: Mapping[str, object], cwd: str) -> str | None:
    """Return where the last turn that was answered with nothing is remembered."""
    import hashlib

    session = given.get("session_id")
    if not isinstance(session, str) or given.get("cwd") != cwd:
        return None
    root = os.environ.get("SARIFIX_CACHE") or _users_cache()
    name = hashlib.sha256(f"{session}\0{cwd}".encode("utf-8", "surrogatepass")).hexdigest()
    return os.path.join(root, "turns", name[:32])


def _users_cache() -> str:
    # Not by platformdirs, which takes as long to import as all of this.
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/sarifix")  # noqa: PTH111
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return os.path.join(home, "sarifix")


def _is_known(seen: Look, given: Mapping[str, object]) -> bool:
    """Whether this turn is as the last one that was answered with nothing."""
    import json

    if given.get("hook_event_name") not in ("Stop", "SubagentStop"):
        return False
    path = _turn(given, seen.cwd)
    try:
        with open(path or "", "rb") as file:  # noqa: PTH123
            stored = json.load(file)
        return bool(seen.key(stamps(stored["watched"])) == stored["key"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def remember(before: Look, given: Mapping[str, object], watched: Stamps) -> None:
    """Remember a turn that was answered with nothing, if nothing changed meanwhile.

    ``watched`` are the stamps of files that git does not tell of, taken before they were
    used. A turn that cannot be remembered costs the next one a full check.
    """
    import json

    path = _turn(given, before.cwd)
    after = before.again()
    if path is None or after is None:
        return
    key = before.key(watched)
    if key != after.key(stamps(watched)):
        return
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103
        temporary = f"{path}.{os.getpid()}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(fd, "w", encoding="ascii") as file:  # noqa: PTH123
            json.dump({"key": key, "watched": sorted(watched)}, file)
        os.replace(temporary, path)  # noqa: PTH105
    except OSError:
        return

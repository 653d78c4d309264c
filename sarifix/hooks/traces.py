"""What leaves no trace in a tree and can hide a finding: compared, and named.

A state is a flat mapping of strings, so that it can be kept with the session and compared
key by key. The kinds of keys are the prefixes below.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sarifix.digests import sha256
from sarifix.git.status import Status
from sarifix.hooks.session import State
from sarifix.model import Entry
from sarifix.named import NamedTuple
from sarifix.sanitize import RULE_LIMIT, clean, clean_path
from sarifix.scanners.find import identity
from sarifix.selection import Selected
from sarifix.workspace import CONFIG_NAME, Workspace

GUARD, GIT, IGNORE, ATTRIBUTES, MARKED, PROGRAM = (
    "guard:", "git:", "ignore:", "attributes:", "marked:", "program:",
)  # fmt: skip
IGNORED = "ignored"
_LINK = "120000"  # the mode of a symbolic link in a tree

_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
_GUARDS = (*_SETTINGS, ".pre-commit-config.yaml", CONFIG_NAME)
# Of Claude Code's settings, what decides whether and how this hook runs. The rest it
# changes by itself, whenever the user grants a permission.
_DECISIVE = ("hooks", "disableAllHooks", "enabledPlugins", "extraKnownMarketplaces", "env")
_GIT_KEYS = (
    "core.attributesfile", "core.excludesfile", "core.hookspath", "core.worktree",
    "core.ignorecase",  # `A.py` goes unseen beside `a.py`
)  # fmt: skip
_MOST = 1 << 20  # bytes of a file that is looked at
_KEPT = 20_000  # ignored names that are kept with the session


class Notice(NamedTuple):
    """Something to name once: to the user, and to Claude where code went unseen."""

    identity: str
    user: str
    claude: str | None = None


def look(space: Workspace, environ: Mapping[str, str], status: Status) -> State:
    """Return the state as it is now."""
    settings = _settings(space)
    state = {f"{GIT}{key}": value for key, value in settings.items() if _is_decisive(key)}
    for name, path in guards(space.repository.top, environ).items():
        state[f"{GUARD}{name}"] = _stamp(name, read(path))
    info = Path(space.repository.common_dir, "info")
    state[IGNORED] = json.dumps(status.ignored)
    state[f"{IGNORE}info/exclude"] = _text(info / "exclude")
    state[f"{IGNORE}core.excludesFile"] = _text(_users_file(settings, environ, "excludes"))
    for name in status.ignored:
        if name.rpartition("/")[2] == ".gitignore":
            state[f"{IGNORE}{name}"] = _text(Path(space.repository.top, name))
    state[f"{ATTRIBUTES}info/attributes"] = _text(info / "attributes")
    state[f"{ATTRIBUTES}core.attributesFile"] = _text(_users_file(settings, environ, "attributes"))
    state |= {f"{MARKED}{name}": "yes" for _, name in status.marked}
    return {key: value for key, value in state.items() if value}


def kept(state: State) -> State:
    """Return a state as it is kept with the session: not every name that git ignored.

    The rules of then say of the others that they were ignored.
    """
    names = names_ignored(state)[:_KEPT]
    return {**state, IGNORED: json.dumps(names)} if names else state


def names_marked(state: State) -> list[str]:
    """Return the files under an assume-unchanged or skip-worktree bit."""
    return [key.removeprefix(MARKED) for key in state if key.startswith(MARKED)]


def rule_files(space: Workspace, environ: Mapping[str, str]) -> list[Path]:
    """Return the files of ignore rules and attributes outside of the tree."""
    settings = _settings(space)
    info = Path(space.repository.common_dir, "info")
    users = [_users_file(settings, environ, kind) for kind in ("excludes", "attributes")]
    return [info / "exclude", info / "attributes", *users]


def program_files(state: State) -> list[str]:
    """Return the paths of the programs in a state of ``programs``."""
    return [stamp.rsplit(" ", 2)[0] for stamp in state.values()]


def setting_files(space: Workspace) -> list[str]:
    """Return the files that git's configuration was read from."""
    origins = dict.fromkeys(setting.origin for setting in space.git.settings)
    return [origin.removeprefix("file:") for origin in origins if origin.startswith("file:")]


def _settings(space: Workspace) -> Mapping[str, str]:
    """Return git's configuration: the values of each key, one a line."""
    values: dict[str, list[str]] = {}
    for setting in space.git.settings:
        values.setdefault(setting.key, []).append(setting.value)
    return {key: "\n".join(of) for key, of in values.items()}


def _is_decisive(key: str) -> bool:
    return key in _GIT_KEYS or key.startswith("filter.")


def guards(top: str, environ: Mapping[str, str]) -> dict[str, Path]:
    """Return the files that decide whether and how sarifix runs, by the name they are given."""
    found = {name: Path(top, name) for name in _GUARDS}
    home = environ.get("CLAUDE_CONFIG_DIR") or Path("~/.claude").expanduser()
    found["settings.json of the user"] = Path(home, "settings.json")
    project = environ.get("CLAUDE_PROJECT_DIR")
    if project and os.path.realpath(project) != os.path.realpath(top):
        found |= {os.path.join(project, name): Path(project, name) for name in _SETTINGS}
    return found


def _users_file(settings: Mapping[str, str], environ: Mapping[str, str], kind: str) -> Path:
    """Return the user's file of ignore rules or of attributes, as git finds it."""
    named = settings.get(f"core.{kind}file", "").rpartition("\n")[2]
    if named:
        return Path(named).expanduser()
    home = environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()
    return Path(home, "git", "ignore" if kind == "excludes" else "attributes")


def programs(chosen: Sequence[Selected]) -> State:
    """Return the state of the scanners' programs: resolved path, size and time."""
    # Not what is installed beside them: any `pip install` would change that.
    return {
        f"{PROGRAM}{selected.scanner.name}": identity(selected.path).split("\n")[0]
        for selected in chosen
        if selected.path is not None
    }


def of_tree(space: Workspace, entries: Mapping[str, Entry], now: State) -> State:
    """Return the state before, where the session's beginning is not known.

    What a tree holds is taken from it; for the rest, how it is now has to do.
    """
    state = {key: value for key, value in now.items() if key != IGNORED}
    ignored = names_ignored(now)
    for name in _GUARDS:
        if not any(name == i or (i.endswith("/") and name.startswith(i)) for i in ignored):
            entry = entries.get(name)
            held = space.blobs.read(entry.oid) if entry is not None and entry.is_file else None
            state[f"{GUARD}{name}"] = _stamp(name, held)
    return {key: value for key, value in state.items() if value}


def names_ignored(state: State) -> list[str]:
    """Return what git ignored, by path; a directory ends with ``/``."""
    return list(json.loads(state.get(IGNORED, "[]")))


# ---------------------------------------------------------------------------
# Naming


def changes(before: State, now: State) -> Iterator[Notice]:
    """Yield what to name of two states, but for what new ignore rules hide."""
    for key in sorted({*before, *now}):
        old, new = before.get(key, ""), now.get(key, "")
        if old != new and key != IGNORED:
            prefix, _, name = key.partition(":")
            text = _NAMED[f"{prefix}:"].format(name=clean_path(name))
            if prefix == "program" and not new:
                text = f"{clean(name, RULE_LIMIT)} is no longer found, so it did not run"
            if prefix == "marked" and not new:
                continue
            yield Notice(identify(key, new), text)


_NAMED = {
    GUARD: "{name} was changed: it decides whether and how sarifix checks",
    GIT: "git's setting {name} was changed",
    IGNORE: "the ignore rules of {name} were changed",
    ATTRIBUTES: "the attributes of {name} were changed",
    MARKED: "{name} was marked so that git overlooks its edits; sarifix looked at it all the same",
    PROGRAM: "the program of {name} was replaced",
}


def in_trees(
    base: Mapping[str, Entry],
    head: Mapping[str, Entry],
    changed: Iterable[str],
    read: Callable[[str], bytes],
) -> Iterator[Notice]:
    """Yield what of two trees hides code: nested repositories, links, attributes.

    ``changed`` are the head's paths that differ; ``read`` returns the content of a blob.
    """
    for path in sorted(changed):
        old, new = base.get(path), head[path]
        shown = clean_path(path)
        if new.is_gitlink:
            how = "and has moved" if old is not None and old.is_gitlink else "now"
            text = f"{shown} is a repository of its own {how}: what is in it was not checked"
            yield Notice(identify("gitlink", path), text, text)
        elif new.mode == _LINK and old is not None and old.is_file:
            text = f"{shown} became a symbolic link: what it leads to was not checked"
            yield Notice(identify("link", path, new.oid), text, text)
        elif new.mode == _LINK and _leads_out(path, os.fsdecode(read(new.oid)), head):
            text = f"{shown} is a symbolic link that leads out of the files that were checked"
            yield Notice(identify("link", path, new.oid), text, text)
        elif path.rpartition("/")[2] == ".gitattributes":
            yield Notice(identify("attributes", path, new.oid), f"{shown} was changed")


def _leads_out(path: str, target: str, head: Mapping[str, Entry]) -> bool:
    """Whether a link leads to no file or directory of the tree."""
    led = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return led != "." and led not in head and not any(p.startswith(f"{led}/") for p in head)


def hidden(names: Sequence[str], why: str) -> Iterator[Notice]:
    """Yield one notice for each name that ignore rules hide; ``why`` says since when."""
    for name in names:
        text = f"{clean_path(name)} is {why}: it was not checked"
        yield Notice(identify("hidden", name), text, text)


def left_out(unreadable: Sequence[str], nested: Sequence[str]) -> Iterator[Notice]:
    """Yield what could not be taken into the tree."""
    for name in unreadable:
        text = f"{clean_path(name)} could not be read: it was not checked"
        yield Notice(identify("unreadable", name), text, text)
    for name in nested:
        text = f"{clean_path(name)} is a repository without a commit: it was not checked"
        yield Notice(identify("nested", name), text, text)


def identify(*parts: str) -> str:
    """Return what a notice is remembered by."""
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(data)[:16]


def read(path: Path) -> bytes | None:
    """Return a small file's content; None where there is none, or no regular file."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(_MOST)
    except OSError:
        return None


def _text(path: Path) -> str:
    data = read(path)
    return "" if data is None else os.fsdecode(data).encode("utf-8", "replace").decode()


def _stamp(name: str, data: bytes | None) -> str:
    """Return what stands for a guard's content; empty for none, and for nothing decisive."""
    if data is None:
        return ""
    if name.endswith((".json", " user")):
        data = _decisive(data)
    return sha256(data) if data else ""


def _decisive(data: bytes) -> bytes:
    try:
        settings = json.loads(data)
        kept = {key: settings[key] for key in _DECISIVE if settings.get(key)}
    except (ValueError, AttributeError, RecursionError):
        return data
    return json.dumps(kept, sort_keys=True).encode() if kept else b""

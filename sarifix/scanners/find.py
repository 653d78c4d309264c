"""Where a scanner's program is, whether it is still the same one, and which version it says."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sarifix.digests import sha256
from sarifix.model import Scanner
from sarifix.named import NamedTuple

_SCRIPTS = "Scripts" if os.name == "nt" else "bin"
_OF_THE_REPOSITORY = (f".venv/{_SCRIPTS}", f"venv/{_SCRIPTS}", "node_modules/.bin")
# What npm, pnpm and yarn write anew whenever they change what is installed.
_INSTALLED = (".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml")

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_VERSION = re.compile(
    r"(?<![\w.])v?(\d+(?:\.\d+)+(?:[.+-]?[A-Za-z][0-9A-Za-z]*(?:[.+-][0-9A-Za-z]+)*)?)"
)


class SearchPath(NamedTuple):
    """Where programs may come from.

    ``environ_path`` is the ``PATH`` that scanners get, ``directories`` are looked
    through in their order, and ``top`` is where a program given as a path begins.
    """

    environ_path: str
    directories: tuple[str, ...]
    top: str


def search_path(
    environ_path: str, top: str, ignored: Callable[[list[str]], set[str]], own_scripts: str
) -> SearchPath:
    """Return where to look: ``PATH``, our own scripts, the repository's ignored environments.

    Relative entries of ``PATH`` are left out, and so are those in the repository at
    ``top``: what is committed there would choose the program. Those that git ignores
    (``.venv/bin``, ``node_modules/.bin``) stay. ``ignored`` returns which of some paths,
    relative to ``top``, git ignores. ``own_scripts`` is where the running interpreter's
    scripts are, so that scanners installed beside sarifix are found.
    """
    entries = [entry for entry in environ_path.split(os.pathsep) if Path(entry).is_absolute()]
    inside = {entry: _inside(entry, top) for entry in entries}
    own = {path: name for path, name in own_places(top).items() if Path(path).is_dir()}
    asked = {path: _askable(path, top) for path in (*inside.values(), *own.values()) if path}
    fine = ignored(sorted(set(asked.values())))
    kept = [entry for entry, path in inside.items() if path is None or asked[path] in fine]
    environments = [entry for entry, path in own.items() if asked[path] in fine]
    directories = dict.fromkeys((*kept, own_scripts, *environments))
    return SearchPath(os.pathsep.join(kept), tuple(directories), top)


def own_scripts() -> str:
    """Return where the running interpreter's scripts are."""
    if sys.prefix != sys.base_prefix:  # a virtual environment has one place for programs
        return os.path.join(sys.prefix, _SCRIPTS)
    import sysconfig  # it reads all that Python was built with

    return sysconfig.get_path("scripts")


def own_places(top: str) -> dict[str, str]:
    """Return where a repository at ``top`` may have programs of its own, with the names there."""
    return {os.path.join(top, name): name for name in _OF_THE_REPOSITORY}


def _inside(directory: str, top: str) -> str | None:
    """Return the directory relative to ``top``, with ``/``, or None if it is elsewhere."""
    for place, root in ((directory, top), (os.path.realpath(directory), os.path.realpath(top))):
        path = Path(os.path.normpath(place))
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return None


def _askable(path: str, top: str) -> str:
    """Return what to ask git about: it refuses a path that leads through a symbolic link."""
    parts = path.split("/")
    above = ("/".join(parts[:number]) for number in range(1, len(parts)))
    return next((name for name in above if Path(top, name).is_symlink()), path)


def find(scanner: Scanner, search: SearchPath) -> str | None:
    """Return the absolute path of a scanner's program, or None if there is none.

    A program given as a path (``tools/lint``) is looked up from the top level.
    """
    name = scanner.argv[0]
    if Path(name).name != name:
        return shutil.which(os.path.join(search.top, name))
    found = (_executable(directory, name) for directory in search.directories)
    return next((path for path in found if path is not None), None)


def _executable(directory: str, name: str) -> str | None:
    if os.name == "nt":  # pragma: no cover
        # Windows looks in the current directory first; what it finds there is not asked for.
        found = shutil.which(name, path=directory)
        return found if found is not None and Path(found).parent == Path(directory) else None
    # Not with path=: a directory whose name holds a colon would be two.
    return shutil.which(os.path.join(directory, name))


def identity(path: str) -> str:
    """Return what tells a program from another one at the same path.

    That is its resolved path, size and time, and the time of what it is installed with:
    the packages beside a ``bin`` directory, npm's record in ``node_modules``. A file that
    is gone counts as another one.
    """
    resolved = os.path.realpath(path)
    around = {*_packages(resolved), *_records(path), *_records(resolved)}
    return "\n".join((_stamp(resolved), *map(_stamp, sorted(around))))


def contents(path: str) -> str:
    """Return what a program is, wherever and whenever it was installed: a digest.

    That is its file, the names of the packages beside it (versions are in them) and what
    was installed as these, npm's records. Takes up to a second: 100 MB and more are read.
    A script with nothing beside it starts something else (``docker run``, a shim), which may
    be another one elsewhere: of it there is only the ``identity``. Raises ``OSError``.
    """
    import hashlib  # it loads OpenSSL, and this is rarely needed

    resolved = os.path.realpath(path)
    records = sorted({*_records(path), *_records(resolved)})
    installed = sorted(_packages(resolved))
    digest = hashlib.sha256()
    with Path(resolved).open("rb") as file:
        while block := file.read(1 << 20):
            if block.startswith(b"#!") and not records and not installed:
                return identity(path)
            digest.update(block)
    for place in records:
        digest.update(_content(place).rpartition(" ")[2].encode())
    for packages in map(Path, installed):
        names = sorted(entry.name for entry in packages.iterdir() if entry.name != "__pycache__")
        digest.update("\0".join((packages.parent.name, *names)).encode("utf-8", "surrogateescape"))
        for record in sorted(packages.glob("*.dist-info/RECORD")):
            digest.update(b"\n".join(_installed(record.read_bytes())))
    return digest.hexdigest()


def _installed(record: bytes) -> Iterator[bytes]:
    """Yield the lines on what one package brought: a plugin can change under one version.

    Not on its scripts, in which the way to the interpreter is written, and on what has no
    digest, as it was compiled here.
    """
    for line in record.splitlines():
        if not line.startswith(b"../") and not line.endswith(b",,"):
            yield line


def variables(scanner: Scanner, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return what of the environment can decide what a scanner reports, as ``NAME=value``.

    That is what begins as its program does: ``TRIVY_SEVERITY``, ``HADOLINT_IGNORE``.
    """
    name = re.split(r"\W", Path(scanner.argv[0]).name)[0].upper()
    heeded = (f"{name}_", *scanner.variables)
    return tuple(f"{k}={v}" for k, v in sorted(environ.items()) if k.startswith(heeded))


def home_files(scanner: Scanner, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the state of the scanner's configuration in the user's home, one line a file.

    It is the same for both sides; but a result from before it changed must not be used.
    By content: semgrep writes its settings anew in every run.
    """
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    places = (name.replace("~config", config).replace("~", home) for name in scanner.home)
    return tuple(_content(place) for place in places)


def _packages(program: str) -> Iterator[str]:
    """Yield the site-packages of the environment whose ``bin`` holds the program."""
    prefix = Path(program).parent.parent
    for pattern in ("lib/python*/site-packages", "Lib/site-packages"):
        yield from map(str, prefix.glob(pattern))


def _records(program: str) -> Iterator[str]:
    for directory in Path(program).parents:
        if directory.name == "node_modules":
            yield from (str(directory / name) for name in _INSTALLED)


def _content(path: str) -> str:
    file = Path(path)
    try:
        # A pipe is not read: nobody may ever write to it.
        data = file.read_bytes() if file.is_file() else None
    except OSError:
        data = None
    return f"{path} -" if data is None else f"{path} {sha256(data)}"


def _stamp(path: str) -> str:
    try:
        status = Path(path).stat()
    except OSError:
        return f"{path} -"
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def parse_version(output: str) -> str | None:
    """Return the first version in what a program printed (``v1.2.3`` is ``1.2.3``), or None."""
    found = _VERSION.search(_ANSI.sub("", output))
    return found[1] if found else None

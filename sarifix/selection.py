"""Which scanners take part in a check, and where their programs are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from sarifix.errors import NoScannerError, SarifixError, UsageError
from sarifix.model import Config, Scanner, ScannerEntry
from sarifix.named import NamedTuple
from sarifix.patterns import Patterns
from sarifix.scanners import PRESETS
from sarifix.scanners.find import SearchPath, find
from sarifix.scanners.resolve import resolve


class Selected(NamedTuple):
    """A scanner that takes part. ``path`` is its program's (None: not found)."""

    scanner: Scanner
    path: str | None


class Considered(NamedTuple):
    """A preset, and why it does or does not apply to a repository (None: it does)."""

    scanner: Scanner
    path: str | None
    why_not: str | None


def select(
    config: Config, asked: Sequence[str], paths: Collection[str], search: SearchPath
) -> tuple[Selected, ...]:
    """Return the scanners of a check, by name.

    ``asked`` are the names given with ``--scanner``; ``paths`` all paths of both trees.
    A scanner that is named takes part even where its program is missing (that is a
    failure); one that is not named has to be installed and to apply. Raises
    ``UsageError`` for a name that means nothing and ``SarifixError`` where a check
    without any scanner would look clean.
    """
    if asked or config.scanners is not None:
        named = _named(config, asked)
        if not named:
            raise SarifixError(
                "no scanner is configured, so nothing can be decided",
                f"name one under `scanners:` in {config.path}, or remove the key",
            )
        return tuple(Selected(scanner, find(scanner, search)) for scanner in named)
    considered = consider(paths, search)
    _require_one(considered)
    return tuple(Selected(c.scanner, c.path) for c in considered if c.path and not c.why_not)


def _named(config: Config, asked: Sequence[str]) -> list[Scanner]:
    entries = {entry.name: entry for entry in config.scanners or () if entry.enabled}
    if not asked:
        return [resolve(entry) for _, entry in sorted(entries.items())]
    known = [*entries, *(name for name in PRESETS if name not in entries)]
    for name in asked:
        if name not in known:
            raise UsageError(f"--scanner {name}: no such scanner", _suggest(name, known))
    return [
        resolve(entries.get(name) or ScannerEntry(name, "--scanner"))
        for name in sorted(dict.fromkeys(asked))
    ]


def _suggest(name: str, known: Collection[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"


def consider(paths: Collection[str], search: SearchPath) -> tuple[Considered, ...]:
    """Look at every preset: whether its program is here, and whether it applies to these paths."""
    return tuple(
        Considered(scanner, find(scanner, search), why_not(scanner, paths, search.top))
        for _, scanner in sorted(PRESETS.items())
    )


def why_not(scanner: Scanner, paths: Collection[str], top: str) -> str | None:
    """Return why a preset does not apply on its own, or None if it does."""
    if not any(map(Patterns(scanner.inputs).matches, paths)):
        return "no file that it reads"
    if scanner.requires and not any(map(Patterns(scanner.requires).matches, paths)):
        return f"no configuration of its own ({', '.join(scanner.requires)})"
    for path in scanner.needs:
        if not Path(top, path).exists():
            return f"{path} is not installed ({scanner.install})"
    return None


def _require_one(considered: Sequence[Considered]) -> None:
    """Refuse where files are there that a missing scanner would have read, and no other is."""
    if any(c.path and not c.why_not for c in considered):
        return
    missing = [c for c in considered if not c.path and not c.why_not]
    particular = [c for c in missing if c.scanner.inputs != ("*",)]
    if particular or not any(c.path for c in considered):
        wanted = [c.scanner for c in particular or missing]
        names = ", ".join(scanner.name for scanner in wanted)
        raise NoScannerError(
            f"no scanner is installed that could check these files ({names} would apply)",
            "install one, for example: pip install 'sarifix[scanners]'; see `sarifix doctor`",
            tuple(scanner.install for scanner in wanted),
        )

"""gitignore patterns over the paths of a tree: the usual forms by sets, the rest by pathspec."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Iterable

from sarifix.named import NamedTuple

# Bytes that are not UTF-8 (as ``os.fsdecode`` gives them) and line breaks are put out of
# pathspec's way, into a private-use plane: its regular expressions take a line break for
# the end of a path, and its faster backends refuse surrogates.
_PRIVATE = 0x10_0000
_ODD = {"\n": chr(_PRIVATE), **{chr(c): chr(_PRIVATE + c) for c in range(0xDC80, 0xDD00)}}
_ODD_TABLE = str.maketrans(_ODD)

_WORD = r"[^*?\[\]\\/!#\s](?:[^*?\[\]\\/\s]|\ (?!$))*"  # what stands for itself
_ANYWHERE = re.compile(
    rf"(?:\*\*/)?(?:(?P<name>{_WORD})|(?P<prefix>{_WORD})?\*(?P<suffix>{_WORD})?)(?P<dir>/)?"
)
_ANCHORED = re.compile(rf"/?(?P<path>{_WORD}(?:/{_WORD})*)(?P<dir>/|/\*\*?)?")

_OPEN_CLASS = re.compile(r"(?<!\\)(?:\\\\)*\[(?![!^][^/][^\]/]*\]|[^!^/][^\]/]*\])")


class Patterns(NamedTuple):
    """A list of gitignore patterns (``gitignore(5)``), in the order in which they count.

    Making one costs nothing: what it compiles to is kept by its patterns.
    """

    patterns: tuple[str, ...]

    def matches(self, path: str) -> bool:
        """Return whether git would ignore a file of this path with these patterns.

        Other than git, a ``!`` pattern takes back a file below a directory that matched.
        ``path`` is relative to the top level, with ``/``, decoded with ``os.fsdecode``.
        Raises ``ValueError`` for patterns in which ``problem`` finds something wrong.
        """
        return _matcher(self.patterns).matches(path)

    def any(self, paths: Iterable[str]) -> bool:
        """Return whether one of the paths matches."""
        return any(map(_matcher(self.patterns).matches, paths))

    def filter(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that match, in the order given."""
        return _matcher(self.patterns).filter(paths)


def problem(pattern: str) -> str | None:
    """Return what is wrong with a pattern, or None: one that can match nothing is wrong."""
    if not pattern.strip():
        return "an empty pattern"
    if pattern.lstrip().startswith("#"):  # with a space before it, pathspec and git differ
        return "a comment, which matches nothing; write \\# for a name that begins with #"
    if not pattern.strip("!/ "):
        return "a pattern that matches nothing"
    if "\n" in pattern or "\r" in pattern or "\0" in pattern:
        return "a pattern of more than one line"
    if _OPEN_CLASS.search(pattern):
        return "a pattern with a [ that is never closed; write \\[ for the character itself"
    return None if _is_simple(pattern) else _unreadable(pattern)


def _unreadable(pattern: str) -> str | None:
    from pathspec import GitIgnoreSpec  # 13 ms, and rarely needed

    try:
        with warnings.catch_warnings():
            # pathspec hands "[[:alpha:]]" to re as it is, which warns and reads it otherwise.
            warnings.simplefilter("error", FutureWarning)
            GitIgnoreSpec.from_lines([pattern])
    except (ValueError, re.error, FutureWarning):  # pathspec 1 calls its own by other names
        return "a pattern that cannot be read"
    return None


@functools.lru_cache(maxsize=256)
def _matcher(patterns: tuple[str, ...]) -> _Simple | _Complex:
    """Compile patterns. With a negation among them the order counts: pathspec does them all."""
    return _Complex(patterns) if any(p.startswith("!") for p in patterns) else _Simple(patterns)


def _is_simple(pattern: str) -> bool:
    return bool(_ANYWHERE.fullmatch(pattern) or _ANCHORED.fullmatch(pattern))


class _Names:
    """Names of one component: ``name``, ``*suffix``, ``prefix*`` and ``prefix*suffix``."""

    def __init__(self) -> None:
        self.exact: set[str] = set()
        self.suffixes: tuple[str, ...] = ()
        self.around: tuple[tuple[str, str], ...] = ()

    def add(self, name: str | None, prefix: str, suffix: str) -> None:
        if name is not None:
            self.exact.add(name)
        elif prefix:
            self.around += ((prefix, suffix),)
        else:
            self.suffixes += (suffix,)

    def match(self, name: str) -> bool:
        if name in self.exact or name.endswith(self.suffixes):
            return True
        for prefix, suffix in self.around:
            long_enough = len(name) >= len(prefix) + len(suffix)
            if long_enough and name.startswith(prefix) and name.endswith(suffix):
                return True
        return False


class _Simple:
    """The usual forms. What is asked of a directory is kept: most paths share one."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Sort patterns into sets; those that fit into none are pathspec's."""
        self._names = _Names()  # of files
        self._paths: set[str] = set()
        self._directory_names = _Names()  # the same, and what ends in a slash
        self._directory_paths: set[str] = set()
        self._known = {"": False}
        rest = tuple(pattern for pattern in patterns if not self._add(pattern))
        self._rest = _Complex(rest) if rest else None

    def _add(self, pattern: str) -> bool:
        """Put a pattern into its set; False if there is none for it."""
        if found := _ANYWHERE.fullmatch(pattern):
            both = (
                (self._directory_names,) if found["dir"] else (self._directory_names, self._names)
            )
            for names in both:
                names.add(found["name"], found["prefix"] or "", found["suffix"] or "")
        elif found := _ANCHORED.fullmatch(pattern):
            self._directory_paths.add(found["path"])
            if not found["dir"]:
                self._paths.add(found["path"])
        else:
            return False
        return True

    def matches(self, path: str) -> bool:
        return bool(self._one_by_one((path,)))

    def filter(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that match: a tree has tens of thousands."""
        paths = tuple(paths)
        if self._rest or self._names.around or self._may_match_a_directory(paths):
            return self._one_by_one(paths)
        exact, whole = self._names.exact, self._paths
        ends = (*self._names.suffixes, *(f"/{name}" for name in exact))
        return [p for p in paths if p.endswith(ends) or p in exact or p in whole]

    def _may_match_a_directory(self, paths: Iterable[str]) -> bool:
        """Whether the name of one occurs in the paths; mostly none does."""
        text = "\0/" + "\0/".join(paths)
        names = self._directory_names
        ends = (*(f"/{name}/" for name in names.exact), *(f"{end}/" for end in names.suffixes))
        whole = (f"\0/{path}/" for path in self._directory_paths)
        return bool(names.around) or any(part in text for part in (*ends, *whole))

    def _one_by_one(self, paths: Iterable[str]) -> list[str]:
        names, rest, known = self._names, self._rest, self._known
        exact, suffixes, around = names.exact, names.suffixes, names.around
        found = []
        for path in paths:
            directory, _, name = path.rpartition("/")
            if (
                name in exact
                or name.endswith(suffixes)
                or path in self._paths
                or (around and names.match(name))
                or (known[directory] if directory in known else self._ask(directory))
                or (rest is not None and rest.matches(path))
            ):
                found.append(path)
        return found

    def _ask(self, directory: str) -> bool:
        """Answer for a directory: it or one above it matches. No recursion: it may be deep."""
        unknown = []
        while directory not in self._known:
            above, _, name = directory.rpartition("/")
            unknown.append((directory, name))
            directory = above
        answer = self._known[directory]
        for below, name in reversed(unknown):
            answer = answer or below in self._directory_paths or self._directory_names.match(name)
            self._known[below] = answer
        return answer


class _Complex:
    """Everything else, with pathspec's own reading of gitignore."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        from pathspec import GitIgnoreSpec  # 13 ms, and rarely needed

        self._spec = GitIgnoreSpec.from_lines([_plain(p) for p in patterns])

    def matches(self, path: str) -> bool:
        return self._spec.match_file(_plain(path))

    def filter(self, paths: Iterable[str]) -> list[str]:
        return [path for path in paths if self.matches(path)]


def _plain(text: str) -> str:
    if text.isascii() and "\n" not in text:
        return text
    return text.translate(_ODD_TABLE)

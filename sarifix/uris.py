"""Artifact locations as paths of a snapshot (SARIF 2.1.0, 3.4 and 3.14.14).

Scanners write six forms of URI, most of them not as the standard says; what decides
between two readings is which of them the snapshot has.
"""

from __future__ import annotations

import posixpath
import re
import urllib.parse
from collections.abc import Callable, Mapping, Sequence

from sarifix.named import NamedTuple

_FILE_URI = re.compile(r"file:(?://(?P<host>[^/\\]*))?(?P<path>.*)", re.IGNORECASE | re.DOTALL)
_OTHER_SCHEME = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_MAX_BASES = 16  # a chain of uriBaseIds; real ones have one or two


class Place(NamedTuple):
    """A path as a finding has it: None if there is none; whether the snapshot has it."""

    path: str | None
    in_tree: bool


NOWHERE = Place(None, in_tree=True)


class Roots:
    """The scratch tree's absolute roots, in their real and their symlink form."""

    def __init__(self, roots: Sequence[str]) -> None:
        plain = {posixpath.normpath(_slashed(root)).rstrip("/") for root in roots if root}
        self._roots = sorted(plain, key=len, reverse=True)
        self._needles = sorted(
            {form for root in self._roots if root for form in (root, urllib.parse.quote(root))},
            key=len,
            reverse=True,
        )
        self._in_text = re.compile(
            r"(?<![\w.~%-])(?:file://)?"
            rf"(?:{'|'.join(map(re.escape, self._needles))})"
            r"(?:(?P<slash>/)|(?![\w.-]*\w))"
        )

    def relative(self, path: str) -> str | None:
        """Return ``path`` relative to the root it lies in; None if it leads outside.

        ``.`` and ``..`` are resolved; a relative path counts from the root, which
        itself is ``.``.
        """
        if path.startswith("/"):
            path = "/" + path.lstrip("/")  # normpath would keep two
        path = posixpath.normpath(path)
        for root in self._roots:
            if path == root:
                return "."
            if path.startswith(root + "/"):
                return path[len(root) + 1 :]
        return None if path.startswith("/") or path.split("/", 1)[0] == ".." else path

    def remove_from(self, text: str) -> str:
        """Make a message the same for every scratch tree: ``ROOT/a`` is ``a``, ``ROOT`` ``.``."""
        if not any(needle in text for needle in self._needles):
            return text
        return self._in_text.sub(lambda match: "" if match["slash"] else ".", text)


class Resolver:
    """Turns the ``artifactLocation`` objects of one run into paths.

    ``exists`` says whether the snapshot has a file or a symbolic link of a path, which is
    relative, with ``/``, and decoded with ``os.fsdecode``; it is never asked about a path
    that leads outside. ``bases`` is the run's ``originalUriBaseIds``, ``artifacts`` its
    artifacts.
    """

    def __init__(
        self,
        roots: Roots,
        exists: Callable[[str], bool],
        bases: Mapping[str, object],
        artifacts: Sequence[object],
    ) -> None:
        self._roots = roots
        self._exists = exists
        self._bases = bases
        self._artifacts = artifacts
        self._known: dict[tuple[str, str], Place] = {}

    def resolve(self, location: Mapping[str, object]) -> Place:
        """Return the path of one ``artifactLocation``.

        A declared base is followed where that leads to a file; else the URI counts from
        the root (aquasecurity/trivy#10364: the base is ``file:///``). For each, the
        text as it stands comes before the percent-decoded one: half of the scanners do
        not encode. ``file:`` is the other way round, as all who write it encode.

        A path that the snapshot has not, a directory and the root (``.``) included, is
        shown relative to the root if it lies below it, and else as it came.
        """
        if not location.get("uri"):
            location = self._artifact(location.get("index"))
        uri, base = location.get("uri"), location.get("uriBaseId")
        if not isinstance(uri, str) or not uri:
            return NOWHERE
        key = (uri, base if isinstance(base, str) else "")
        if key not in self._known:
            self._known[key] = self._find(*key)
        return self._known[key]

    def _artifact(self, index: object) -> Mapping[str, object]:
        if type(index) is not int or not 0 <= index < len(self._artifacts):
            return {}
        artifact = self._artifacts[index]
        location = artifact.get("location") if isinstance(artifact, dict) else None
        return location if isinstance(location, dict) else {}

    def _find(self, uri: str, base_id: str) -> Place:
        if _OTHER_SCHEME.match(uri):
            return Place(uri, in_tree=False)
        candidates = [self._roots.relative(path) for path in self._candidates(uri, base_id)]
        for path in candidates:
            if path is not None and self._has(path):
                return Place(path, in_tree=True)
        return Place(next(iter(candidates), None) or uri, in_tree=False)

    def _has(self, path: str) -> bool:
        return path != "." and "\0" not in path and self._exists(path)

    def _candidates(self, uri: str, base_id: str) -> list[str]:
        spellings = _spellings(uri)
        if any(path.startswith("/") or _DRIVE.match(path) for path in spellings[:1]):
            return spellings
        base = self._base(base_id)
        return [posixpath.join(base, path) for path in spellings] + spellings

    def _base(self, base_id: str) -> str:
        """Return the directory that an ``uriBaseId`` stands for; empty for the root.

        An entry may lack a URI (cfn-lint), lean on another entry, or on itself: what
        cannot be followed counts from the root.
        """
        path, seen, current = "", set[str](), base_id
        while current not in seen and len(seen) < _MAX_BASES:
            seen.add(current)
            entry = self._bases.get(current)
            if not isinstance(entry, dict):
                break
            uri, parent = entry.get("uri"), entry.get("uriBaseId")
            if isinstance(uri, str) and not _OTHER_SCHEME.match(uri):
                path = posixpath.join(_decoded(uri), path)
            current = parent if isinstance(parent, str) else current
        return self._directory(path)

    def _directory(self, path: str) -> str:
        """Trivy writes a file that is its target as the base: ``infra/main.tf/``."""
        relative = self._roots.relative(path) if path else None
        if relative is not None and self._has(relative):
            return posixpath.dirname(relative)
        return path


def _decoded(uri: str) -> str:
    """Return the path of a URI as the standard reads it."""
    match = _FILE_URI.match(uri)
    return _unquote(match["path"] if match else uri)


def _spellings(uri: str) -> list[str]:
    """Return the paths that a URI may stand for, the likeliest first."""
    match = _FILE_URI.match(uri)
    if match:
        forms = [_unquote(match["path"]), match["path"], (match["host"] or "") + match["path"]]
        forms += [] if uri.startswith("file:/") else [uri]  # a file whose name begins so
    else:
        forms = [uri, _unquote(uri)]
    forms += [form.replace("\\", "/") for form in forms]
    forms += [form[1:] for form in forms if form.startswith("/") and _DRIVE.match(form[1:])]
    return [form for form in dict.fromkeys(forms) if form]


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if _DRIVE.match(path) else path


def _unquote(text: str) -> str:
    return urllib.parse.unquote(text, errors="surrogateescape")

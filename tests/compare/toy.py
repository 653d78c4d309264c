"""A toy scanner over dictionaries of texts, and comparisons of two of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sarifix.compare import compare
from sarifix.model import Comparison, Finding, Level, Region, Tier
from tests.support.repo import Repo

Tree = Mapping[str, str]
Scan = Callable[[Tree], list[Finding]]

PATTERNS = {
    "eval": r"eval\(",
    "bare-except": r"except\b(?=:)",
    "shell": r"shell=True",
    "md5": r"hashlib\.md5\(.*?\)",
    "secret": r'(?<=password = )"[^"]+"',
}


@dataclass(frozen=True)
class Texts:
    """The files of a snapshot; None stands for a binary file."""

    texts: Mapping[str, str | None]

    def __contains__(self, path: object) -> bool:
        return path in self.texts

    def oid(self, path: str) -> str | None:
        if path not in self.texts:
            return None
        return hashlib.sha1(repr(self.texts[path]).encode()).hexdigest()

    def text(self, path: str) -> str | None:
        return self.texts.get(path)


def finding(
    rule: str,
    path: str | None,
    region: Region | None,
    message: str | None = None,
    fingerprints: tuple[tuple[str, str], ...] = (),
) -> Finding:
    return Finding(
        scanner="toy",
        rule=rule,
        level=Level.WARNING,
        message=message or f"use of {rule}",
        path=path,
        region=region,
        secret=rule == "secret",
        fingerprints=fingerprints,
    )


def scan(tree: Tree) -> list[Finding]:
    """Find the patterns, with lines and columns."""
    return [
        finding(rule, path, Region(number, match.start() + 1, number, match.end() + 1))
        for path, text in tree.items()
        for number, line in enumerate(lines_of(text), 1)
        for rule, pattern in PATTERNS.items()
        for match in re.finditer(pattern, line)
    ]


def lines_of(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def git_renames(directory: Path, base: Tree, head: Tree) -> dict[str, str]:
    """Return the renames that git sees, head path to base path, and exact swaps."""
    if base.keys() == head.keys() and not _swapped(base, head):
        return {}
    repo = Repo.init(directory / "repo", dict(base))
    repo.remove(*base)
    repo.write(head)
    repo.commit("head")
    fields = repo.git("diff", "-M", "--raw", "-z", "--no-abbrev", "HEAD^", "HEAD").split("\0")
    renames, before, after = {}, {}, {}
    at = 0
    while at < len(fields) and fields[at]:
        _, _, old_id, new_id, status = fields[at].split(" ")
        if status.startswith("R"):
            renames[fields[at + 2]] = fields[at + 1]
        elif status == "M":
            before[old_id], after[new_id] = fields[at + 1], fields[at + 1]
        at += 3 if status[0] in "RC" else 2
    renames.update({after[oid]: before[oid] for oid in before.keys() & after.keys()})
    return renames


def _swapped(base: Tree, head: Tree) -> bool:
    return any(base[path] != text and text in base.values() for path, text in head.items())


def compare_trees(
    base: Tree,
    head: Tree,
    renames: Mapping[str, str] | None = None,
    scanner: Scan = scan,
) -> Comparison:
    return compare_findings(scanner(base), scanner(head), base, head, renames)


def compare_findings(
    base_findings: Sequence[Finding],
    head_findings: Sequence[Finding],
    base: Mapping[str, str | None],
    head: Mapping[str, str | None],
    renames: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare, and check what holds for every comparison."""
    result = compare(
        base_findings,
        head_findings,
        base_files=Texts(base),
        head_files=Texts(head),
        renames=renames or {},
    )
    assert len(result.introduced) + len(result.unchanged) == len(head_findings)
    assert len(result.fixed) + len(result.unchanged) == len(base_findings)
    assert all(isinstance(pair.tier, Tier) for pair in result.unchanged)
    return result


def introduced(result: Comparison) -> list[str]:
    """Return the places of what is new, as ``rule path:line``."""
    return [
        f"{f.rule} {f.path}:{f.region.line if f.region else '-'}"
        for f in (new.finding for new in result.introduced)
    ]

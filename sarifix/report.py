"""From what the stages found to the one value that every output is a function of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sarifix.digests import sha256
from sarifix.model import Files, Finding, Introduced, Reported

_LINE_LIMIT = 1000  # characters of an offending line that are kept


def reported(introduced: Sequence[Introduced], files: Files) -> tuple[Reported, ...]:
    """Return what the report shows, sorted by place, with the lines of the head."""
    ordered = sorted(introduced, key=lambda new: order(new.finding))
    lines: dict[str, list[str]] = {}  # of each file once: it may have many findings
    seen: Counter[str] = Counter()
    found = []
    for new in ordered:
        line = _line(new.finding, files, lines)
        content = _fingerprint(new.finding, line)
        seen[content] += 1
        found.append(_reported(new, line, content, seen[content]))
    return tuple(found)


def order(finding: Finding) -> tuple[object, ...]:
    """Return the key by which findings are ordered: those without a path come last."""
    region = finding.region
    where = (region.line, region.column or 0) if region else (0, 0)
    return (finding.path is None, finding.path or "", *where, finding.scanner, finding.rule,
            finding.message)  # fmt: skip


def _reported(new: Introduced, line: str | None, content: str, number: int) -> Reported:
    fingerprint = content if number == 1 else _hash(content, str(number))
    shown = None if new.finding.secret or line is None else line[:_LINE_LIMIT]
    return Reported(new.finding, fingerprint, new.reason, shown)


def _line(finding: Finding, files: Files, lines: dict[str, list[str]]) -> str | None:
    if finding.path is None or finding.region is None or not finding.in_tree:
        return None
    if finding.path not in lines:
        lines[finding.path] = (files.text(finding.path) or "").split("\n")
    of_file, number = lines[finding.path], finding.region.line - 1
    return of_file[number].rstrip("\r") if number < len(of_file) else None


def _fingerprint(finding: Finding, line: str | None) -> str:
    """Hash what stays when lines move: scanner, rule, path, and the line without white space."""
    content = finding.message if line is None else "".join(line.split())
    return _hash(finding.scanner, finding.rule, finding.path or "", content)


def _hash(*parts: str) -> str:
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(data)[:32]

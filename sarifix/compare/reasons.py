"""Why an introduced finding counts as new, where that is not obvious."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from sarifix.compare.item import Item
from sarifix.compare.normalise import tells
from sarifix.compare.source import Sources
from sarifix.model import Finding, Pair, Side

_FILES = 200  # files that are read only to name the original of a copy

ELSEWHERE = "on an unchanged line; a change elsewhere caused it"
OTHER_SECRET = "another secret than the one that stood there"  # noqa: S105


class Reasons:
    """Finds the reasons, given what came of all findings."""

    def __init__(
        self,
        introduced: Sequence[Item],
        fixed: Iterable[Item],
        unchanged: Iterable[Pair],
        sources: Sources,
    ) -> None:
        self._gone_secrets = {
            (item.kind, item.path, item.block)
            for item in fixed
            if item.finding.secret and item.block >= 0
        }
        rules = {
            (item.finding.scanner, item.finding.rule)
            for item in introduced
            if item.line >= 0 and item.partner < 0
        }
        self._standing: dict[Hashable, Finding] = {}
        files: set[str | None] = set()
        for pair in unchanged:
            if (pair.head.scanner, pair.head.rule) not in rules:
                continue
            files.add(pair.head.path)
            if len(files) > _FILES:
                return
            self._standing.setdefault(_copied(Item(pair.head, 0, Side.HEAD, sources)), pair.head)

    def of(self, item: Item) -> str | None:
        """Return the reason of one introduced finding; None where it is obvious."""
        if item.line < 0:
            return None
        if item.partner >= 0:
            return ELSEWHERE
        original = self._standing.get(_copied(item)) if tells(item.key) else None
        if original is not None and original.region is not None:
            return f"copy of {original.path}:{original.region.line}, which still stands"
        if (item.kind, item.path, item.block) in self._gone_secrets:
            return OTHER_SECRET
        return None


def _copied(item: Item) -> Hashable:
    return item.kind, item.key, item.start, item.gist

"""What the head has and the base has not: by content, counted, one to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sarifix.compare import tiers
from sarifix.compare.item import Item, place_of
from sarifix.compare.moves import Moves, find_moves
from sarifix.compare.pairing import Open, identical
from sarifix.compare.reasons import Reasons
from sarifix.compare.source import Sources
from sarifix.model import Comparison, Files, Finding, Introduced, Pair, Side

__all__ = ["compare"]


def compare(
    base: Sequence[Finding],
    head: Sequence[Finding],
    *,
    base_files: Files,
    head_files: Files,
    renames: Mapping[str, str],
) -> Comparison:
    """Split the findings of two snapshots into introduced, fixed and unchanged.

    ``renames`` maps the path of a renamed file in the head to its path in the base.
    Pairs are formed within one scanner and rule, by the evidence of ``Tier`` in its
    order, and each finding of the base stands for at most one of the head. The answer
    does not depend on the order of the findings. Raises ``GitError`` if a file cannot
    be read.
    """
    sources = Sources(base_files, head_files, renames)
    old, new = _items(base, Side.BASE, sources), _items(head, Side.HEAD, sources)
    found = Open(old, new, identical(old, new, sources))
    tiers.same_line(found)
    tiers.file_as_a_whole(found)
    moves = _moves(found, sources)
    tiers.moved_within(found, moves, sources)
    tiers.moved_with_its_block(found, moves, sources)
    tiers.edited_around(found, sources)
    tiers.edited_line(found, sources)
    tiers.moved_to_another_file(found, moves, sources)
    tiers.same_secret(found)
    tiers.nothing_to_go_by(found)
    tiers.fingerprints(found)
    return _split(found, sources)


def _items(findings: Iterable[Finding], side: Side, sources: Sources) -> list[Item]:
    ranked = sorted(findings, key=_rank)
    return [Item(finding, order, side, sources) for order, finding in enumerate(ranked)]


def _rank(finding: Finding) -> tuple[object, ...]:
    """Order findings by what they say, so that nothing depends on who came first."""
    return (
        finding.scanner,
        finding.path or "",
        place_of(finding),
        finding.rule,
        finding.message,
        finding.level,
        finding.fingerprints,
        finding.help_uri or "",
        finding.in_tree,
        finding.secret,
    )


def _moves(found: Open, sources: Sources) -> Moves:
    """Look for moved blocks in the files that have open findings on either side."""
    old = {item.finding.path or "" for item in found.base if item.source}
    new = {item.finding.path or "" for item in found.head if item.source}
    return find_moves(*sources.loose(old, new))


def _split(found: Open, sources: Sources) -> Comparison:
    unchanged = [
        Pair(base.finding, head.finding, tier)
        for base, head, tier in sorted(found.pairs, key=lambda pair: pair[1].order)
    ]
    fixed = found.left(Side.BASE)
    introduced = found.left(Side.HEAD)
    reasons = Reasons(introduced, fixed, unchanged, sources)
    return Comparison(
        introduced=tuple(Introduced(item.finding, reasons.of(item)) for item in introduced),
        fixed=tuple(item.finding for item in fixed),
        unchanged=tuple(unchanged),
    )

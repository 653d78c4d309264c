"""What of a comparison is reported, and what is not: counted, with what hid it."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatchcase

from sarifix.model import Comparison, Finding, Hidden, Introduced, Pair, Policy
from sarifix.named import NamedTuple
from sarifix.patterns import Patterns

OWN = "sarifix"  # the scanner of our own rules: new-suppression, not-scanned


class Judged(NamedTuple):
    """A comparison as the policy lets it be seen.

    ``introduced`` is reported. ``hidden`` counts the other introduced findings by what hid
    them, in the policy's order. ``unchanged`` and ``fixed`` count all, whatever the policy
    says of them: with ``introduced`` and ``hidden`` they add up to what the scanners reported.
    """

    introduced: tuple[Introduced, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    unchanged: int = 0
    fixed: int = 0


def judge(
    comparison: Comparison, policy: Policy, *, allowed_only: bool, agent: bool = False
) -> Judged:
    """Judge a comparison; the first that applies of these hides an introduced finding.

    ``rules.deny``, ``paths.deny``, ``rules.min_level``, and ``rules.allow`` with
    ``allowed_only``. A pair of which the policy looked away in the base, and no longer does,
    counts as introduced: its level rose over ``min_level``, or it came from a denied path
    (else moving a file twice would hide what is new in it).
    For an ``agent`` our own findings are exempt from all but ``paths.deny``: nobody fixes
    a finding by an ignore comment where the policy looks away.
    """
    hides = _hides(policy, allowed_only=allowed_only, agent=agent)
    emerged = _emerged(comparison.unchanged, policy)
    candidates = (*comparison.introduced, *emerged)
    verdicts = [(new, hides(new.finding)) for new in candidates]
    return Judged(
        introduced=tuple(new for new, by in verdicts if by is None),
        hidden=_hidden(Counter(by for _, by in verdicts if by is not None), policy),
        unchanged=len(comparison.unchanged) - len(emerged),
        fixed=len(comparison.fixed),
    )


def _emerged(unchanged: tuple[Pair, ...], policy: Policy) -> tuple[Introduced, ...]:
    """Return the heads of the pairs that only the policy hid in the base."""
    denied = functools.cache(functools.partial(_denied_path, policy.deny_paths))

    def reason(pair: Pair) -> str | None:
        before, now = pair.base, pair.head
        if before.level < policy.min_level <= now.level:
            return f"its level rose from {before.level} to {now.level}"
        if before.path == now.path or before.path is None:
            return None
        by, still = denied(before.path), now.path is not None and denied(now.path)
        return f"it came from {before.path}, which {by} hides" if by and not still else None

    return tuple(Introduced(pair.head, why) for pair in unchanged if (why := reason(pair)))


def _hides(policy: Policy, *, allowed_only: bool, agent: bool) -> Callable[[Finding], str | None]:
    """Return what says which part of the policy hides a finding (None: it is reported).

    Rules and paths are asked about once each: a wide rule set has 75,000 findings.
    """
    denied_rule = functools.cache(functools.partial(_denied_rule, policy.deny))
    denied_path = functools.cache(functools.partial(_denied_path, policy.deny_paths))
    allow = policy.allow if allowed_only else None
    allowed = functools.cache(lambda name: allow is None or _matching(allow, name) is not None)

    def hides(finding: Finding) -> str | None:
        exempt = agent and finding.scanner == OWN
        name = finding.qualified_rule
        if not exempt and (by := denied_rule(name)):
            return by
        if finding.path is not None and (by := denied_path(finding.path)):
            return by
        if exempt:
            return None
        if finding.level < policy.min_level:
            return "rules.min_level"
        return None if allowed(name) else "rules.allow"

    return hides


def _denied_rule(patterns: tuple[str, ...], name: str) -> str | None:
    pattern = _matching(patterns, name)
    return None if pattern is None else f"rules.deny: {pattern}"


def _matching(patterns: tuple[str, ...], name: str) -> str | None:
    return next((p for p in patterns if fnmatchcase(name, p)), None)


def _denied_path(patterns: tuple[str, ...], path: str) -> str | None:
    """Ask all patterns together, as one may take back another; name the first that matches."""
    if not Patterns(patterns).matches(path):
        return None
    pattern = next(p for p in patterns if Patterns((p,)).matches(path))
    return f"paths.deny: {pattern}"


def _hidden(counts: Counter[str], policy: Policy) -> tuple[Hidden, ...]:
    order = [
        *(f"rules.deny: {p}" for p in policy.deny),
        *(f"paths.deny: {p}" for p in policy.deny_paths),
        "rules.min_level",
        "rules.allow",
    ]
    return tuple(Hidden(by, counts[by]) for by in dict.fromkeys(order) if counts[by])

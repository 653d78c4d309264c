"""What the policy reports and what it hides: every introduced finding is in one of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sarifix.model import Comparison, Finding, Hidden, Introduced, Level, Pair, Policy, Tier
from sarifix.policy import Judged, judge


def finding(
    name: str = "ruff/S602", level: Level = Level.WARNING, path: str | None = "app.py"
) -> Finding:
    scanner, _, rule = name.partition("/")
    return Finding(scanner, rule, level, "message", path)


def new(*findings: Finding) -> Comparison:
    return Comparison(introduced=tuple(Introduced(f, "why") for f in findings))


def test_what_nothing_hides_is_reported_as_it_is() -> None:
    comparison = new(finding(), finding(path=None))
    assert judge(comparison, Policy(), allowed_only=False) == Judged(comparison.introduced)


@pytest.mark.parametrize(
    ("policy", "hidden", "by"),
    [
        (Policy(), finding(level=Level.NOTE), "rules.min_level"),
        (Policy(min_level=Level.ERROR), finding(), "rules.min_level"),
        (Policy(deny=("ruff/S602",)), finding(), "rules.deny: ruff/S602"),
        (Policy(deny=("x/*", "*/S6*")), finding(), "rules.deny: */S6*"),
        (
            Policy(deny=("semgrep/*.audit.*",)),
            finding("semgrep/python.lang.audit.eval"),
            "rules.deny: semgrep/*.audit.*",
        ),
        (Policy(deny=("x/js/*",)), finding("x/js/sql"), "rules.deny: x/js/*"),
        (Policy(deny_paths=("vendor/",)), finding(path="vendor/x.py"), "paths.deny: vendor/"),
        (
            Policy(deny_paths=("a/", "*.py", "!app.py", "tests/**")),
            finding(path="tests/x.py"),
            "paths.deny: *.py",
        ),
        (Policy(deny_paths=("?pp.py",)), finding(), "paths.deny: ?pp.py"),
    ],
)
def test_what_is_hidden_is_counted_with_what_hid_it(
    policy: Policy, hidden: Finding, by: str
) -> None:
    assert judge(new(hidden), policy, allowed_only=False) == Judged(hidden=(Hidden(by, 1),))


@pytest.mark.parametrize(
    ("policy", "reported"),
    [
        (Policy(min_level=Level.NONE), finding(level=Level.NONE)),
        (Policy(deny=("ruff/s602", "ruff/S60", "S602", "bandit/*")), finding()),
        (Policy(deny_paths=("vendor/", "*.py", "!app.py")), finding()),
        (Policy(deny_paths=("*",)), finding(path=None)),
        (Policy(allow=()), finding()),
    ],
)
def test_what_is_close_to_a_pattern_is_reported(policy: Policy, reported: Finding) -> None:
    assert judge(new(reported), policy, allowed_only=False) == Judged(new(reported).introduced)


def test_allow_counts_only_when_asked_for() -> None:
    policy = Policy(allow=("trivy/*",))
    comparison = new(finding(), finding("trivy/DS002"))
    assert judge(comparison, policy, allowed_only=False).introduced == comparison.introduced
    judged = judge(comparison, policy, allowed_only=True)
    assert [i.finding.scanner for i in judged.introduced] == ["trivy"]
    assert judged.hidden == (Hidden("rules.allow", 1),)


def test_without_allow_everything_is_allowed() -> None:
    assert len(judge(new(finding()), Policy(), allowed_only=True).introduced) == 1
    assert judge(new(finding()), Policy(allow=()), allowed_only=True).introduced == ()


def test_the_first_that_applies_hides_in_the_order_of_the_policy() -> None:
    policy = Policy(
        min_level=Level.WARNING, deny=("a/*", "b/*"), deny_paths=("x/", "y/"), allow=("ok/*",)
    )
    low = Level.NOTE
    comparison = new(
        finding("z/1"),
        finding("z/1", low),
        finding("ok/1", low, "y/1"),
        finding("ok/1", low, "x/1"),
        finding("b/1", low, "y/1"),
        finding("b/2"),
        finding("a/1", low, "x/1"),
        finding("ok/1"),
    )
    judged = judge(comparison, policy, allowed_only=True)
    assert judged.introduced == (comparison.introduced[-1],)
    assert judged.hidden == (
        Hidden("rules.deny: a/*", 1),
        Hidden("rules.deny: b/*", 2),
        Hidden("paths.deny: x/", 1),
        Hidden("paths.deny: y/", 1),
        Hidden("rules.min_level", 1),
        Hidden("rules.allow", 1),
    )


def test_a_level_that_rose_over_the_threshold_is_introduced() -> None:
    rose = Pair(finding(level=Level.NOTE), finding(level=Level.WARNING), Tier.SAME_LINE)
    rose_higher = Pair(finding(level=Level.WARNING), finding(level=Level.ERROR), Tier.SAME_LINE)
    fell = Pair(finding(level=Level.ERROR), finding(level=Level.NOTE), Tier.SAME_LINE)
    judged = judge(Comparison(unchanged=(rose, rose_higher, fell)), Policy(), allowed_only=False)
    assert judged.introduced == (Introduced(rose.head, "its level rose from note to warning"),)
    assert judged.unchanged == 2  # rose higher, and fell
    assert judged.hidden == ()


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        ("vendor/x.py", "app.py", "it came from vendor/x.py, which paths.deny: vendor/ hides"),
        ("vendor/x.py", None, "it came from vendor/x.py, which paths.deny: vendor/ hides"),
        ("vendor/x.py", "vendor/y.py", None),
        ("vendor/x.py", "vendor/x.py", None),
        ("old.py", "app.py", None),
        ("old.py", "vendor/x.py", None),
        (None, "app.py", None),
    ],
)
def test_what_comes_out_of_a_denied_path_is_introduced(
    before: str | None, now: str | None, reason: str | None
) -> None:
    pair = Pair(finding(path=before), finding(path=now), Tier.SAME_LINE)
    judged = judge(
        Comparison(unchanged=(pair,)), Policy(deny_paths=("vendor/",)), allowed_only=False
    )
    introduced = () if reason is None else (Introduced(pair.head, reason),)
    assert judged == Judged(introduced, unchanged=1 - len(introduced))


def test_a_level_that_rose_is_hidden_like_any_introduced_finding() -> None:
    rose = Pair(finding(level=Level.NOTE), finding(level=Level.ERROR), Tier.SAME_LINE)
    judged = judge(Comparison(unchanged=(rose,)), Policy(deny=("ruff/*",)), allowed_only=False)
    assert judged == Judged(hidden=(Hidden("rules.deny: ruff/*", 1),))


def test_fixed_and_unchanged_count_all() -> None:
    """The counts add up to what the scanners reported, whatever the policy hides."""
    kept, denied, low = finding(), finding("bandit/B101"), finding(level=Level.NOTE)
    pairs = tuple(Pair(f, f, Tier.IDENTICAL) for f in (kept, kept, denied, low))
    comparison = Comparison(fixed=(kept, denied, low), unchanged=pairs)
    judged = judge(comparison, Policy(deny=("bandit/*",)), allowed_only=False)
    assert judged == Judged(unchanged=4, fixed=3)


def test_an_agent_cannot_hide_our_own_findings_behind_levels_and_rules() -> None:
    own = finding("sarifix/new-suppression", Level.NOTE)
    policy = Policy(min_level=Level.ERROR, deny=("sarifix/*",), allow=("trivy/*",))
    assert judge(new(own), policy, allowed_only=True, agent=True).introduced == new(own).introduced
    assert judge(new(own), policy, allowed_only=True).hidden == (
        Hidden("rules.deny: sarifix/*", 1),
    )


def test_an_agents_ignore_comment_where_nothing_is_reported_is_hidden() -> None:
    own = finding("sarifix/new-suppression", path="vendor/x.py")
    judged = judge(new(own), Policy(deny_paths=("vendor/",)), allowed_only=False, agent=True)
    assert judged.hidden == (Hidden("paths.deny: vendor/", 1),)


def test_an_agent_is_exempt_for_nothing_else() -> None:
    judged = judge(new(finding(level=Level.NOTE)), Policy(), allowed_only=False, agent=True)
    assert judged.hidden == (Hidden("rules.min_level", 1),)


FINDINGS = st.builds(
    finding,
    st.sampled_from(["ruff/S602", "ruff/E501", "trivy/DS002", "sarifix/new-suppression"]),
    st.sampled_from(Level),
    st.sampled_from([None, "app.py", "vendor/x.py"]),
)
POLICIES = st.builds(
    Policy,
    min_level=st.sampled_from(Level),
    deny=st.sampled_from([(), ("ruff/*",), ("*/E501", "trivy/*")]),
    allow=st.sampled_from([None, (), ("trivy/*",)]),
    deny_paths=st.sampled_from([(), ("vendor/",), ("*", "!app.py")]),
)


@given(
    st.lists(FINDINGS, max_size=6),
    st.lists(st.tuples(FINDINGS, FINDINGS), max_size=6),
    POLICIES,
    st.booleans(),
    st.booleans(),
)
def test_the_counts_are_exact(
    introduced: list[Finding],
    pairs: list[tuple[Finding, Finding]],
    policy: Policy,
    allowed_only: bool,
    agent: bool,
) -> None:
    unchanged = tuple(Pair(base, head, Tier.MOVED) for base, head in pairs)
    comparison = Comparison(new(*introduced).introduced, (), unchanged)
    judged = judge(comparison, policy, allowed_only=allowed_only, agent=agent)
    rose = sum(p.base.level < policy.min_level <= p.head.level for p in unchanged)
    judged_new = len(judged.introduced) + sum(h.number for h in judged.hidden)
    assert judged_new + judged.unchanged == len(introduced) + len(unchanged)
    assert judged.unchanged <= len(unchanged) - rose
    if not policy.deny_paths:
        assert judged.unchanged == len(unchanged) - rose
    assert all(h.number > 0 for h in judged.hidden)

"""What a hook compares with what, outside of CI."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.hooks.base import Facts, Situation, situation
from tests.support.hooks import Hooks, git
from tests.support.repo import Repo
from tests.support.run import Fake, Ran, sarifix

MakeRepo = Callable[..., Repo]
M = ("-q", "-m", "change")


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    fake = Fake(tmp_path / "log")
    return make_repo({"a.txt": "BAD(old)\n", "b.txt": "b\n", ".sarifix.yaml": fake.config()})


def pre_commit(repo: Repo, *args: str) -> Ran:
    return sarifix("pre-commit", "--format", "json", *args, cwd=repo.path)


def origins(ran: Ran) -> tuple[str, str]:
    """Return head and base as the report names them, commits without their ids."""
    report = ran.json
    return report["head"]["origin"].split(" ")[0], report["base"]["origin"].split(" ")[0]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (Facts(), Situation.FIRST),
        (Facts(in_ci=True), Situation.FIRST),
        (Facts(pushed=True, merging=True, in_ci=True), Situation.PUSH),
        (Facts(merging=True, head_tree="t", in_ci=True), Situation.MERGE),
        (Facts(head_tree="t", index_tree="i", committing=True), Situation.COMMIT),
        (Facts(head_tree="t", index_tree="i"), Situation.COMMIT),
        (Facts(head_tree="t", index_tree="i", in_ci=True), Situation.CI),
        (Facts(head_tree="t", index_tree="i", in_ci=True, committing=True), Situation.COMMIT),
        (Facts(head_tree="t", index_tree="t", in_ci=True), Situation.CI),
        (Facts(head_tree="t", index_tree="t", committing=True), Situation.EMPTY_COMMIT),
        (Facts(head_tree="t", index_tree="t"), Situation.BY_HAND),
    ],
)
def test_the_situation_follows_from_the_facts(facts: Facts, expected: Situation) -> None:
    assert situation(facts) is expected


def test_in_ci_nothing_but_an_own_commit_is_taken_for_nothing_to_check() -> None:
    for pushed, merging, tree, index in itertools.product((0, 1), (0, 1), (None, "t"), "ti"):
        facts = Facts(bool(pushed), bool(merging), tree, index, committing=False, in_ci=True)
        assert situation(facts) not in (Situation.EMPTY_COMMIT, Situation.BY_HAND)


def test_what_is_not_staged_does_not_stop_a_commit(repo: Repo) -> None:
    hooks = Hooks.install(repo)
    repo.write({"b.txt": "b\nstaged\n"})
    repo.git("add", "b.txt")
    repo.write({"b.txt": "b\nstaged\nBAD(unstaged)\n"})
    assert git(repo, "commit", *M).code == 0
    assert hooks.report["unchanged"] == 0
    assert repo.read("b.txt") == "b\nstaged\nBAD(unstaged)\n"


def test_what_is_staged_stops_a_commit_though_the_file_is_fixed_on_disk(repo: Repo) -> None:
    hooks = Hooks.install(repo)
    repo.write({"b.txt": "b\nBAD(staged)\n"})
    repo.git("add", "b.txt")
    repo.write({"b.txt": "b\nfixed\n"})
    assert git(repo, "commit", *M).code == 1
    assert hooks.rules() == ["b.txt:2 staged"]
    repo.git("add", "b.txt")
    assert git(repo, "commit", *M).code == 0


def test_old_findings_never_stop_a_commit(repo: Repo) -> None:
    hooks = Hooks.install(repo)
    repo.write({"a.txt": "one line more\nBAD(old)\n"})
    assert git(repo, "commit", "-a", *M).code == 0
    assert (hooks.report["unchanged"], hooks.report["introduced"]) == (1, [])


def test_amending_is_compared_with_head_or_with_what_sarifix_base_says(repo: Repo) -> None:
    repo.write({"b.txt": "BAD(slipped)\n"})
    repo.commit("with a finding")
    hooks = Hooks.install(repo)
    repo.write({"b.txt": "BAD(slipped)\nmore\n"})
    assert git(repo, "commit", "-a", "--amend", *M, env={"SARIFIX_BASE": "HEAD~1"}).code == 1
    assert hooks.rules() == ["b.txt:1 slipped"]
    assert git(repo, "commit", "-a", "--amend", *M).code == 0


@pytest.mark.parametrize("args", [("--amend", "--no-edit"), ("--allow-empty", *M)])
def test_a_commit_without_a_change_does_not_look_at_the_working_tree(
    repo: Repo, args: tuple[str, ...]
) -> None:
    hooks = Hooks.install(repo)
    repo.write({"b.txt": "BAD(unstaged)\n"})
    assert git(repo, "commit", *args).code == 0
    assert hooks.report["notes"] == ["base: the commit changes no file"]


def test_by_hand_the_working_tree_is_checked_where_nothing_is_staged(repo: Repo) -> None:
    clean = sarifix("pre-commit", cwd=repo.path)
    assert (clean.code, clean.out.startswith("sarifix: nothing to check")) == (0, True)
    repo.write({"b.txt": "BAD(edited)\n", "new.txt": "BAD(untracked)\n"})
    ran = pre_commit(repo)
    assert (ran.code, ran.rules()) == (1, ["b.txt:1 edited", "new.txt:1 untracked"])
    assert origins(ran) == ("working", "HEAD")
    out = sarifix("pre-commit", cwd=repo.path).out
    assert out.splitlines()[-1] == "More: sarifix check --base HEAD -v"
    repo.git("add", "b.txt")
    ran = pre_commit(repo)
    assert (ran.rules(), origins(ran)) == (["b.txt:1 edited"], ("index", "HEAD"))


def test_before_the_first_commit_everything_staged_is_new(make_repo: MakeRepo) -> None:
    repo = make_repo()
    repo.write({".sarifix.yaml": Fake(repo.path.parent / "log").config(), "a.txt": "BAD(first)\n"})
    repo.git("add", "-A")
    ran = pre_commit(repo)
    assert (ran.code, ran.rules()) == (1, ["a.txt:1 first"])
    assert ran.json["base"]["origin"] == "no commit yet"


def test_a_base_that_is_asked_for_changes_the_base_alone(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git("switch", "-q", "-c", "topic")
    repo.write({"b.txt": "BAD(topic)\n"})
    repo.commit("topic")
    repo.git("switch", "-q", "main")
    repo.write({"c.txt": "BAD(main)\n"})
    repo.commit("main goes on")
    repo.git("switch", "-q", "topic")
    repo.write({"a.txt": "BAD(old)\nBAD(staged)\n"})
    repo.git("add", "a.txt")
    repo.write({"a.txt": "BAD(old)\nBAD(staged)\nBAD(unstaged)\n"})
    asked = pre_commit(repo, "--base", "main")
    assert asked.rules() == ["a.txt:2 staged", "b.txt:1 topic"]
    assert (asked.json["base"]["origin"][:10], origins(asked)[0]) == ("merge base", "index")
    assert asked.json["notes"][0] == "base: --base says so"
    monkeypatch.setenv("SARIFIX_BASE", "main")
    told = pre_commit(repo, "--exact-base")
    assert (told.rules(), told.json["fixed"]) == (asked.rules(), 1)
    monkeypatch.setenv("SARIFIX_BASE", "")
    assert pre_commit(repo).rules() == ["a.txt:2 staged"]


def test_a_base_that_is_not_there_is_a_refusal(repo: Repo) -> None:
    ran = sarifix("pre-commit", "--base", "nowhere", cwd=repo.path)
    assert (ran.code, ran.out) == (3, "")
    assert "'nowhere' is not in this repository" in ran.err


# ---------------------------------------------------------------------------
# Merges


def diverge(repo: Repo, ours: str, theirs: str) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.write({"theirs.txt": "BAD(theirs)\n", "b.txt": theirs})
    repo.commit("theirs")
    repo.git("switch", "-q", "main")
    repo.write({"ours.txt": "BAD(ours)\n", "b.txt": ours})
    repo.commit("ours")


def test_what_either_parent_has_is_not_introduced_by_a_clean_merge(repo: Repo) -> None:
    diverge(repo, "b\n", "b\n")
    hooks = Hooks.install(repo)
    assert git(repo, "merge", *M, "other").code == 0
    report = hooks.report
    assert (report["introduced"], report["head"]["origin"]) == ([], "index")
    assert report["notes"][0] == "base: what the merge adds to its parents"


def test_a_merge_has_as_many_bases_as_heads(repo: Repo) -> None:
    for number in (1, 2):
        repo.git("switch", "-q", "-c", f"topic{number}", "main")
        repo.write({f"{number}.txt": f"BAD(topic{number})\n"})
        repo.commit(f"topic{number}")
    repo.git("switch", "-q", "main")
    repo.write({"main.txt": "BAD(main)\n"})
    repo.commit("main")
    hooks = Hooks.install(repo)
    assert git(repo, "merge", *M, "topic1", "topic2").code == 0
    assert hooks.rules() == []


@pytest.mark.parametrize(
    ("resolution", "rules"),
    [
        ("BAD(one)\nBAD(two)\n", []),
        ("BAD(one)\nBAD(two)\nBAD(resolution)\n", ["b.txt:3 resolution"]),
    ],
)
def test_what_the_resolution_adds_is_introduced(
    repo: Repo, resolution: str, rules: list[str]
) -> None:
    diverge(repo, "BAD(one)\n", "BAD(two)\n")
    hooks = Hooks.install(repo)
    assert git(repo, "merge", *M, "other").code == 1
    unmerged = sarifix("pre-commit", cwd=repo.path)
    assert (unmerged.code, unmerged.out) == (3, "")
    assert "resolve them" in unmerged.err
    repo.write({"b.txt": resolution})
    repo.git("add", "b.txt")
    by_hand = sarifix("pre-commit", cwd=repo.path)
    assert by_hand.code == len(rules)
    assert git(repo, "commit", *M).code == len(rules)
    assert hooks.rules() == rules
    if rules:
        assert by_hand.out.splitlines()[-1] == "More: sarifix pre-commit -v"


def test_a_merge_that_is_stopped_goes_on_once_it_is_mended(repo: Repo) -> None:
    diverge(repo, "b\n", "b\n")
    repo.write({".sarifix.yaml": repo.read(".sarifix.yaml").replace('"ok"', '"exit"')})
    repo.commit("a scanner that fails")
    hooks = Hooks.install(repo)
    assert git(repo, "merge", *M, "other").code != 0
    assert hooks.report["outcome"] == "undecided"
    repo.write({".sarifix.yaml": repo.read(".sarifix.yaml").replace('"exit"', '"ok"')})
    repo.git("add", "-A")
    assert git(repo, "commit", *M).code == 0
    assert hooks.rules() == []


def test_what_a_merge_has_brought_is_not_taken_for_a_merge_afterwards(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A post-merge hook inherits the names of the heads, and HEAD has them by then."""
    repo.write({"b.txt": "fixed\n", "a.txt": "a\n"})
    repo.commit("fixed")
    monkeypatch.setenv(f"GITHEAD_{repo.git('rev-parse', 'HEAD~1')}", "other")
    repo.write({"a.txt": "BAD(old)\n"})
    repo.git("add", "a.txt")
    assert pre_commit(repo).rules() == ["a.txt:1 old"]


def test_a_squashed_merge_introduces_what_it_brings(repo: Repo) -> None:
    diverge(repo, "b\n", "b\n")
    repo.git("merge", "-q", "--squash", "other")
    assert pre_commit(repo).rules() == ["theirs.txt:1 theirs"]


def test_a_merge_head_that_cannot_be_read_is_no_merge_that_is_not_there(repo: Repo) -> None:
    (repo.path / ".git" / "MERGE_HEAD").mkdir()
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    repo.git("add", "a.txt")
    ran = sarifix("pre-commit", cwd=repo.path)
    assert ran.code == 3
    assert "MERGE_HEAD cannot be read" in ran.err

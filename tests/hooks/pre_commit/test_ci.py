"""The base in CI, in clones as the services make them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sarifix.hooks.ci import Candidate, Checkout, How, candidates, is_ci
from tests.support.repo import Repo
from tests.support.run import Fake, Ran, sarifix

ZERO = "0" * 40
SERVICES = ("GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "BUILDKITE", "JENKINS_URL",
            "BITBUCKET_BUILD_NUMBER", "CI")  # fmt: skip


@pytest.fixture
def origin(tmp_path: Path) -> Repo:
    """A server: ``main`` went on after ``topic`` left it, and GitHub merged both to try."""
    fake = Fake(tmp_path / "log")
    repo = Repo.init(tmp_path / "origin", {".sarifix.yaml": fake.config(), "a.txt": "BAD(old)\n"})
    repo.write({"a.txt": "BAD(old)\nBAD(second)\n"})
    repo.commit("second")
    repo.git("switch", "-q", "-c", "topic")
    for name in ("one", "two"):
        repo.write({f"{name}.txt": f"BAD({name})\n"})
        repo.commit(name)
    repo.git("switch", "-q", "main")
    repo.write({"main.txt": "BAD(main)\n"})
    repo.commit("main goes on")
    repo.git("switch", "-q", "--detach")
    repo.git("merge", "-q", "--no-edit", "topic")
    repo.git("update-ref", "refs/pull/1/merge", "HEAD")
    repo.git("switch", "-q", "main")
    return repo


def checkout(origin: Repo, ref: str, *, depth: int = 0, branches: bool = True) -> Repo:
    """Fetch as actions/checkout does: no origin/HEAD; with a depth, the one ref alone."""
    clone = Repo.init(origin.path.parent / "clone")
    clone.git("remote", "add", "origin", origin.path.as_uri())
    wanted = [f"+{ref}:refs/remotes/pull/x" if "pull" in ref else f"+{ref}:refs/remotes/origin/x"]
    if branches:
        wanted.append("+refs/heads/*:refs/remotes/origin/*")
    clone.git("fetch", "-q", "--no-tags", *([f"--depth={depth}"] if depth else []), "origin",
              *wanted)  # fmt: skip
    clone.git("checkout", "-q", "--detach", wanted[0].split(":")[1])
    return clone


def event(clone: Repo, content: object) -> dict[str, str]:
    path = clone.path.parent / "event.json"
    path.write_text(json.dumps(content))
    return {"GITHUB_EVENT_PATH": str(path)}


def run(clone: Repo, env: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, *args: str) -> Ran:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return sarifix("pre-commit", *(args or ("--format", "json")), cwd=clone.path)


def pull_request(clone: Repo) -> dict[str, str]:
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_BASE_REF": "main",
        "GITHUB_REF": "refs/pull/1/merge",
        "GITHUB_SHA": clone.git("rev-parse", "HEAD"),
    }


def push(clone: Repo, before: str) -> dict[str, str]:
    told = event(clone, {"before": before, "repository": {"default_branch": "main"}})
    return {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", **told}


TOPIC = ["one.txt:1 one", "two.txt:1 two"]


def test_a_github_pull_request_needs_no_more_than_two_commits(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/pull/1/merge", depth=2, branches=False)
    ran = run(clone, pull_request(clone), monkeypatch)
    assert (ran.code, ran.rules()) == (1, TOPIC)
    assert ran.json["base"]["origin"].startswith("HEAD^1 ")
    assert ran.json["notes"][0] == "base: the pull request into main"


@pytest.mark.parametrize("sha", ["refs/pull/1/merge", "topic"])
def test_a_github_pull_request_whose_head_was_checked_out(
    origin: Repo, monkeypatch: pytest.MonkeyPatch, sha: str
) -> None:
    clone = checkout(origin, "refs/heads/topic")
    env = {**pull_request(clone), "GITHUB_SHA": origin.git("rev-parse", sha)}
    ran = run(clone, env, monkeypatch)
    assert (ran.rules(), ran.json["base"]["origin"][:27]) == (TOPIC, "merge base with origin/main")


def test_a_merge_on_the_branch_is_not_the_one_that_github_made(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.git("switch", "-q", "topic")
    origin.git("merge", "-q", "--no-edit", "main")
    clone = checkout(origin, "refs/heads/topic")
    env = {**pull_request(clone), "GITHUB_REF": "refs/heads/main"}  # pull_request_target
    assert run(clone, env, monkeypatch).rules() == TOPIC


def test_the_target_branch_itself_is_no_pull_request(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/main")
    env = {**pull_request(clone), "GITHUB_REF": "refs/heads/main"}
    ran = run(clone, env, monkeypatch, "--format", "text")
    assert ran.code == 3
    assert "HEAD is on origin/main" in ran.err
    assert "check out the pull request" in ran.err


def test_a_push_is_compared_with_what_was_there_before(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/topic")
    ran = run(clone, push(clone, origin.git("rev-parse", "topic~1")), monkeypatch)
    assert (ran.code, ran.rules()) == (1, ["two.txt:1 two"])
    assert ran.json["notes"][0] == "base: what was pushed"


def test_a_new_branch_is_compared_with_where_it_left_the_default_one(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/topic")
    assert run(clone, push(clone, ZERO), monkeypatch).rules() == TOPIC


def test_after_a_forced_push_the_branch_as_a_whole_is_checked(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/topic")
    assert run(clone, push(clone, "1" * 40), monkeypatch).rules() == TOPIC


def test_after_a_forced_push_of_the_default_branch_nothing_is_guessed(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/main")
    ran = run(clone, push(clone, "1" * 40), monkeypatch, "--format", "text")
    assert ran.code == 3
    assert f"git fetch --no-tags --depth=1 origin {'1' * 40}" in ran.err


def test_a_merge_queue_says_its_base(origin: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = checkout(origin, "refs/heads/topic")
    base = origin.git("rev-parse", "topic~1")
    env = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "merge_group",
        **event(clone, {"merge_group": {"base_sha": base}}),
    }
    assert run(clone, env, monkeypatch).rules() == ["two.txt:1 two"]


def test_without_any_word_the_last_commit_is_checked_and_that_is_said(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/main")
    ran = run(clone, {"CI": "true"}, monkeypatch)
    assert ran.rules() == ["main.txt:1 main"]
    assert ran.json["notes"][1].startswith("only the last commit was checked")


def test_origin_head_is_the_default_branch(origin: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = checkout(origin, "refs/heads/topic")
    clone.git("remote", "set-head", "origin", "main")
    assert run(clone, {"CI": "true"}, monkeypatch).rules() == TOPIC


def test_the_very_first_commit_is_all_new(origin: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    origin.git("branch", "root", "main~2")
    clone = checkout(origin, "refs/heads/root", branches=False)
    ran = run(clone, push(clone, ZERO), monkeypatch)
    assert (ran.code, ran.rules()) == (1, ["a.txt:1 old"])
    assert ran.json["base"]["origin"] == "the empty tree"


@pytest.mark.parametrize("how", ["pull", "push", "new", "branch"])
def test_a_clone_of_depth_one_is_a_refusal_that_says_what_to_do(
    origin: Repo, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    ref = "refs/pull/1/merge" if how == "pull" else "refs/heads/topic"
    clone = checkout(origin, ref, depth=1, branches=False)
    before = origin.git("rev-parse", "topic~1")
    env = {
        "pull": pull_request(clone),
        "push": push(clone, before),
        "new": push(clone, ZERO),
        "branch": {**pull_request(clone), "GITHUB_SHA": "1" * 40},
    }[how]
    ran = run(clone, env, monkeypatch, "--format", "text")
    assert ran.code == 3
    assert "give actions/checkout `fetch-depth: 0`" in ran.err
    assert "::error title=sarifix::" in ran.out
    # What it says to do is enough.
    fetch = ran.err.split("or fetch it: git ")[1].split("\n")[0].split()
    origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone.git(*fetch)
    again = run(clone, env, monkeypatch)
    assert again.rules() == (["two.txt:1 two"] if how in ("push", "new") else TOPIC)


def test_gitlab_merge_requests(origin: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = checkout(origin, "refs/heads/topic", branches=False)
    env = {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": origin.git("rev-parse", "topic~2"),
        "CI_COMMIT_BEFORE_SHA": ZERO,
    }
    ran = run(clone, env, monkeypatch)
    assert (ran.rules(), ran.json["notes"]) == (TOPIC, ["base: the merge request into main"])


def test_gitlab_merged_results_have_all_of_the_target(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/pull/1/merge")
    env = {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": origin.git("rev-parse", "topic~2"),
        "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": origin.git("rev-parse", "main"),
    }
    assert run(clone, env, monkeypatch).rules() == TOPIC


def test_gitlab_pushes_and_its_shallow_clones(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/topic", depth=1, branches=False)
    env = {"GITLAB_CI": "true", "CI_COMMIT_BEFORE_SHA": origin.git("rev-parse", "topic~1")}
    ran = run(clone, env, monkeypatch, "--format", "text")
    assert (ran.code, ran.out) == (3, "")
    assert 'set GIT_DEPTH: "0"' in ran.err
    clone.git("fetch", "-q", "--unshallow", "origin")
    assert run(clone, env, monkeypatch).rules() == ["two.txt:1 two"]


@pytest.mark.parametrize(
    "env",
    [
        {"TF_BUILD": "True", "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"},
        {"BUILDKITE": "true", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"},
        {"JENKINS_URL": "https://ci.example.com/", "CHANGE_TARGET": "main"},
        {"BITBUCKET_BUILD_NUMBER": "7", "BITBUCKET_PR_DESTINATION_COMMIT": "main~1"},
        {"CI": "1", "CI_DEFAULT_BRANCH": "main"},
    ],
    ids=["azure", "buildkite", "jenkins", "bitbucket", "default-branch"],
)
def test_other_services(origin: Repo, monkeypatch: pytest.MonkeyPatch, env: dict[str, str]) -> None:
    clone = checkout(origin, "refs/heads/topic")
    named = env.get("BITBUCKET_PR_DESTINATION_COMMIT")
    if named:
        env["BITBUCKET_PR_DESTINATION_COMMIT"] = origin.git("rev-parse", "--short=12", named)
    assert run(clone, env, monkeypatch).rules() == TOPIC


def test_an_azure_merge_of_two_commits(origin: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = checkout(origin, "refs/pull/1/merge", depth=2, branches=False)
    env = {
        "TF_BUILD": "True",
        "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
        "BUILD_SOURCEBRANCH": "refs/pull/1/merge",
    }
    assert run(clone, env, monkeypatch).rules() == TOPIC


def test_what_a_job_stages_does_not_hide_the_branch(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/topic")
    clone.write({"generated.txt": "BAD(generated)\n"})
    clone.git("add", "-A")
    clone.write({"unstaged.txt": "BAD(unstaged)\n"})
    ran = run(clone, {"CI": "true", "CI_DEFAULT_BRANCH": "main"}, monkeypatch)
    assert ran.rules() == ["generated.txt:1 generated", *TOPIC]
    assert ran.json["head"]["origin"] == "index"


def test_what_a_job_leaves_unstaged_is_not_checked(
    origin: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = checkout(origin, "refs/heads/topic")
    clone.write({"unstaged.txt": "BAD(unstaged)\n"})
    assert run(clone, {"CI": "true", "CI_DEFAULT_BRANCH": "main"}, monkeypatch).rules() == TOPIC


@pytest.mark.parametrize("text", [None, "no json", "[" * 100_000])
def test_an_event_that_cannot_be_read_is_said(
    origin: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None
) -> None:
    clone = checkout(origin, "refs/heads/topic")
    path = tmp_path / "event-of-test.json"
    if text is not None:
        path.write_text(text)
    env = {**push(clone, ZERO), "GITHUB_EVENT_PATH": str(path)}
    ran = run(clone, env, monkeypatch, "--format", "text")
    assert ran.code == 3
    assert "the event of this workflow cannot be read" in ran.err


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_known_by_its_mark(name: str) -> None:
    assert is_ci({name: "true"})
    assert not is_ci({name: ""})
    assert not is_ci({name: "false"})
    assert not is_ci({})


@pytest.mark.parametrize("content", ["[]", '{"before": 7, "repository": []}'])
def test_an_event_of_another_shape_says_nothing(tmp_path: Path, content: str) -> None:
    path = tmp_path / "event.json"
    path.write_text(content)
    environ = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(path)}
    found = list(candidates(environ, Checkout("c", ())))
    assert [(c.how, c.value, c.sure) for c in found] == [(How.BRANCH, "HEAD", False)]
    assert all(isinstance(one, Candidate) for one in found)

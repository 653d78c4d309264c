"""The hook under real frameworks, installed from a repository as users do, in real commits."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.frameworks import RUFF, TOP, Framework, hook_repository
from tests.support.hooks import Done, run
from tests.support.repo import Repo
from tests.support.tools import ENVIRONMENT, npm_tools

FRAMEWORKS = ("pre-commit", "prek")
M = ("-q", "-m", "change")
OLD = "import os\n"  # F401
NEW = "import os\nimport sys\n"  # one more
RULES = "scanners:\n  ruff:\n    args: [--isolated, --select, F401]\n"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Framework]:
    """Both frameworks, the hook's environment made once and for all tests."""
    place = tmp_path_factory.mktemp("frameworks")
    hook = hook_repository(place / "hook")
    made = {name: Framework(name, place / name, hook) for name in FRAMEWORKS}
    for name, framework in made.items():
        config = {".pre-commit-config.yaml": framework.config()}
        framework.prepare(Repo.init(place / f"warm-{name}", config))
    return made


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest, installed: dict[str, Framework]) -> Framework:
    return installed[request.param]


def consumer(path: Path, framework: Framework, dependencies: str = RUFF, more: str = "") -> Repo:
    """A repository that uses the hook, with an old finding in ``old.py``."""
    config = framework.config(dependencies, more)
    files = {".pre-commit-config.yaml": config, ".sarifix.yaml": RULES}
    repo = Repo.init(path, {**files, "old.py": OLD, "other.py": "x = 1\n"})
    framework.install(repo)
    return repo


@pytest.fixture
def repo(tmp_path: Path, framework: Framework) -> Repo:
    return consumer(tmp_path / "repo", framework)


def stage(repo: Repo, **files: str) -> None:
    repo.write({f"{name}.py": text for name, text in files.items()})
    repo.git("add", "-A")


def failed(done: Done, *said: str) -> bool:
    assert done.code != 0, done.out
    for words in said:
        assert words in done.out
    return True


def test_the_manifest_is_valid(framework: Framework, repo: Repo) -> None:
    done = framework.run(repo, "validate-manifest", str(TOP / ".pre-commit-hooks.yaml"))
    assert done.code == 0, done.out
    assert "warn" not in done.out.lower()


def test_a_finding_stops_a_commit_and_its_fix_passes(framework: Framework, repo: Repo) -> None:
    stage(repo, old="# a line above an old finding\nimport os\n", new="import sys\n")
    before = repo.git("rev-parse", "HEAD")
    done = framework.git(repo, "commit", *M)
    assert failed(done, "new.py:1:8: error ruff/F401", "1 finding introduced", "exit code: 1")
    assert "old.py" not in done.out
    more = done.out.partition("More: ")[2].replace("\\\n", "").split()
    assert more[1:] == ["check", "--base", "HEAD", "--head", "staged", "-v"]
    assert repo.git("rev-parse", "HEAD") == before
    stage(repo, new="import sys\n\nprint(sys)\n")
    done = framework.git(repo, "commit", *M)
    assert done.code == 0, done.out
    assert repo.git("rev-parse", "HEAD~1") == before


def test_a_partly_staged_commit(framework: Framework, repo: Repo) -> None:
    """The framework hides what is not staged and brings it back; sarifix is not in its way."""
    stage(repo, other="x = 2\n")
    repo.write({"other.py": "x = 2\nimport os\n", "new.py": NEW, "old.py": "fixed = 1\n"})
    repo.git("add", "-N", "new.py")
    tree = repo.git("write-tree")
    done = framework.git(repo, "commit", *M)
    assert done.code == 0, done.out
    assert repo.git("rev-parse", "HEAD^{tree}") == tree
    assert repo.read("other.py") == "x = 2\nimport os\n"
    assert repo.read("old.py") == "fixed = 1\n"
    assert repo.git("status", "--porcelain") == " A new.py\n M old.py\n M other.py"
    assert repo.git("stash", "list") == ""
    stage(repo, other="import os\n")
    repo.write({"other.py": "x = 3\n"})
    done = framework.git(repo, "commit", *M)
    assert failed(done, "other.py:1:8: error ruff/F401")
    assert repo.read("other.py") == "x = 3\n"


@pytest.mark.parametrize("args", [("-a",), ("--", "old.py"), ("-i", "old.py")])
def test_other_ways_to_commit_in_a_linked_worktree(
    framework: Framework, repo: Repo, args: tuple[str, ...]
) -> None:
    repo.git("worktree", "add", "-q", "../linked", "-b", "linked")
    linked = Repo(repo.path.parent / "linked")
    linked.write({"old.py": NEW})
    assert failed(framework.git(linked, "commit", *M, *args), "old.py:2:8: error ruff/F401")
    linked.write({"old.py": "import os\n\nx = 1\n"})
    done = framework.git(linked, "commit", *M, *args)
    assert done.code == 0, done.out
    assert linked.git("show", "HEAD:old.py") == "import os\n\nx = 1"
    assert linked.git("status", "--porcelain") == ""
    assert repo.git("status", "--porcelain") == ""


def test_merges(framework: Framework, repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "other")
    stage(repo, theirs="import os\n", other="import json\n")
    repo.git("commit", "-q", "--no-verify", "-m", "theirs")
    repo.git("switch", "-q", "-c", "clean", "main")
    stage(repo, ours="import re\n")
    repo.git("commit", "-q", "--no-verify", "-m", "ours")
    done = framework.git(repo, "merge", *M, "other")
    assert done.code == 0, done.out
    repo.git("switch", "-q", "-c", "conflict", "main")
    stage(repo, other="import csv\n")
    repo.git("commit", "-q", "--no-verify", "-m", "ours")
    assert framework.git(repo, "merge", *M, "other").code == 1
    assert failed(framework.run(repo, "run", "sarifix", "--all-files"), "the index has conflicts")
    stage(repo, other="import csv\nimport json\nimport abc\n")
    assert failed(framework.git(repo, "commit", *M), "other.py:3:8", "1 finding introduced")
    stage(repo, other="import csv\nimport json\n")
    done = framework.git(repo, "commit", *M)
    assert done.code == 0, done.out


def test_pushes(framework: Framework, repo: Repo) -> None:
    repo.git("init", "-q", "--bare", "../server.git")
    repo.git("remote", "add", "origin", "../server.git")
    said = ("old.py:1:8: error ruff/F401", "against the empty tree")
    assert failed(framework.git(repo, "push", "origin", "main"), *said)
    repo.git("push", "-q", "--no-verify", "origin", "main")
    repo.git("switch", "-q", "-c", "topic")
    for text in ("import sys\n", "import sys\n\nprint(sys)\n"):
        stage(repo, new=text)
        repo.git("commit", "-q", "--no-verify", "-m", "step")
    repo.write({"new.py": "import unstaged\n"})
    done = framework.git(repo, "push", "origin", "topic")
    assert done.code == 0, done.out
    stage(repo, new=NEW)
    repo.git("commit", "-q", "--no-verify", "-m", "bad")
    assert failed(framework.git(repo, "push", "origin", "topic"), "new.py:1:8", "new.py:2:8")


def test_by_hand(framework: Framework, repo: Repo) -> None:
    nothing = framework.run(repo, "run", "sarifix", "--all-files", "--verbose")
    assert nothing.code == 0
    assert "nothing to check" in nothing.out
    repo.write({"other.py": "import os\n", "untracked.py": "import re\n"})
    for stage_ in ("pre-commit", "manual"):
        args = ("run", "sarifix", "--all-files", "--hook-stage", stage_)
        assert failed(framework.run(repo, *args), "working tree against HEAD", "untracked.py")
    done = framework.run(repo, "run", "sarifix", "--from-ref", "HEAD", "--to-ref", "HEAD")
    assert done.code == 0, done.out


def test_in_ci(framework: Framework, repo: Repo, tmp_path: Path) -> None:
    repo.git("switch", "-q", "-c", "topic")
    stage(repo, new="import sys\n")
    repo.git("commit", "-q", "--no-verify", "-m", "topic")
    repo.git("switch", "-q", "--detach", "main")
    repo.git("merge", "-q", "--no-verify", "--no-edit", "--no-ff", "topic")
    repo.git("update-ref", "refs/pull/1/merge", "HEAD")
    summary = tmp_path / "summary.md"
    env = {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_BASE_REF": "main",
        "GITHUB_REF": "refs/pull/1/merge",
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    for depth, words in ((2, "new.py:1:8: error ruff/F401"), (1, "fetch-depth: 0")):
        clone = Repo.init(tmp_path / f"clone{depth}")
        clone.git("remote", "add", "origin", repo.path.as_uri())
        ref = "+refs/pull/1/merge:refs/remotes/pull/1/merge"
        clone.git("fetch", "-q", f"--depth={depth}", "origin", ref)
        clone.git("checkout", "-q", "--detach", "pull/1/merge")
        told = {**env, "GITHUB_SHA": clone.git("rev-parse", "HEAD")}
        done = framework.run(clone, "run", "sarifix", "--all-files", env=told)
        assert failed(done, words, f"exit code: {1 if depth == 2 else 3}", "::error")
    assert "1 finding introduced" in summary.read_text()
    assert "undecided" in summary.read_text()


def test_in_ci_elsewhere(framework: Framework, repo: Repo, tmp_path: Path) -> None:
    first = repo.git("rev-parse", "HEAD")
    stage(repo, new="import sys\n")
    repo.git("commit", "-q", "--no-verify", "-m", "new")
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": first}))
    push = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(event)}
    gitlab = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": first}
    for env in ({"GITHUB_ACTIONS": "true", **push}, gitlab):
        done = framework.run(repo, "run", "sarifix", "--all-files", env=env)
        assert failed(done, "new.py:1:8: error ruff/F401", "1 finding introduced")
    repo.git("switch", "-q", "--detach", first)
    done = framework.run(repo, "run", "sarifix", "--all-files", env={"CI": "true"})
    assert failed(done, "against the empty tree", "old.py:1:8: error ruff/F401")


def test_a_missing_scanner_names_the_line_to_add(framework: Framework, tmp_path: Path) -> None:
    repo = consumer(tmp_path / "repo", framework)
    repo.write({".sarifix.yaml": "scanners:\n  ruff: {}\n  bandit: {}\n"})
    stage(repo, other="x = 2\n")
    done = framework.git(repo, "commit", *M)
    line = 'additional_dependencies: ["bandit[sarif]"]'
    assert failed(done, "exit code: 3", "bandit was not found", line)


def test_an_argument_of_the_user(framework: Framework, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    args = f"args: [--base, main, --format, json, --output, {report}]"
    repo = consumer(tmp_path / "repo", framework, more=args)
    repo.git("switch", "-q", "-c", "topic")
    stage(repo, new="import sys\n")
    repo.git("commit", "-q", "--no-verify", "-m", "topic")
    stage(repo, other="x = 2\n")
    assert failed(framework.git(repo, "commit", *M), "new.py:1:8: error ruff/F401")
    assert [f["path"] for f in json.loads(report.read_text())["introduced"]] == ["new.py"]


def _offline() -> tuple[str, ...]:
    """Return what runs a program without any network; empty where that cannot be had."""
    unshare = shutil.which("unshare")
    words = (unshare or "", "--map-root-user", "--net")
    works = unshare and not subprocess.run([*words, "true"], check=False).returncode
    return words if works else ()


def test_without_a_network(framework: Framework, repo: Repo) -> None:
    offline = _offline()
    if not offline:
        pytest.skip("no network namespace can be made here")
    stage(repo, new="import sys\n")
    done = run(repo, *offline, "git", "commit", *M, env=framework.env)
    assert failed(done, "new.py:1:8: error ruff/F401")
    stage(repo, new="x = 1\n")
    done = run(repo, *offline, "git", "commit", *M, env=framework.env)
    assert done.code == 0, done.out


def test_lefthook(installed: dict[str, Framework], tmp_path: Path) -> None:
    """It has no hooks to install: sarifix comes from the PATH."""
    program = npm_tools("lefthook@2.2.2") / "node_modules" / ".bin" / "lefthook"
    jobs = "    - run: sarifix pre-commit\n"
    pushed = "    - run: sarifix pre-commit --pre-push {1}\n      use_stdin: true\n"
    config = f"pre-commit:\n  jobs:\n{jobs}pre-push:\n  jobs:\n{pushed}"
    files = {"lefthook.yml": config, ".sarifix.yaml": RULES, "old.py": OLD, ".gitignore": "bin/\n"}
    repo = Repo.init(tmp_path / "repo", files)
    scripts = os.pathsep.join((str(Path(sys.executable).parent), str(program.parent)))
    env = {"PATH": os.pathsep.join((scripts, ENVIRONMENT.get("PATH", os.defpath)))}
    assert run(repo, program, "install", env=env).code == 0
    stage(repo, old="# above\nimport os\n", new="import sys\n")
    repo.write({"new.py": "fixed = 1\n"})
    before = repo.git("rev-parse", "HEAD")
    done = run(repo, "git", "commit", "-m", "change", env=env)
    assert failed(done, "new.py:1:8: error ruff/F401", "1 finding introduced")
    assert repo.git("rev-parse", "HEAD") == before
    assert repo.read("new.py") == "fixed = 1\n"
    repo.git("add", "-A")
    done = run(repo, "git", "commit", "-m", "change", env=env)
    assert done.code == 0, done.out
    repo.git("init", "-q", "--bare", "../server.git")
    repo.git("remote", "add", "origin", "../server.git")
    done = run(repo, "git", "push", "origin", "main", env=env)
    assert failed(done, "old.py:2:8: error ruff/F401", "against the empty tree")


def test_two_commits_at_once_in_two_worktrees(framework: Framework, repo: Repo) -> None:
    repo.git("worktree", "add", "-q", "../linked", "-b", "linked")
    linked = Repo(repo.path.parent / "linked")
    stage(linked, new="import sys\n")
    stage(repo, fine="x = 1\n")
    with ThreadPoolExecutor(2) as pool:
        bad, good = pool.map(lambda r: framework.git(r, "commit", *M), (linked, repo))
    assert failed(bad, "new.py:1:8: error ruff/F401")
    assert good.code == 0, good.out
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "fine.py"
    assert linked.git("status", "--porcelain") == "A  new.py"

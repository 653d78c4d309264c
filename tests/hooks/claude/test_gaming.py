"""Moves by which an agent could hide a finding: each is a finding, or is named."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.claude import Answer, Session
from tests.support.repo import Repo
from tests.support.run import Fake
from tests.support.tools import python_tools

MakeRepo = Callable[..., Repo]

RUFF = "scanners:\n  ruff: {}\n"
BAD = "import subprocess\n\nsubprocess.call('ls *', shell=True)\n"
PYPROJECT = "[tool.ruff.lint]\nselect = ['S602', 'F401', 'S307']\n"


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", python_tools(), prepend=os.pathsep)


def ruff_repo(make_repo: MakeRepo, **files: str) -> tuple[Repo, Session]:
    more = {name.replace("__", "."): text for name, text in files.items()}
    given = {".sarifix.yaml": RUFF, "pyproject.toml": PYPROJECT, "a.py": "x = 1\n", **more}
    repo = make_repo(given)
    session = Session(repo.path)
    session.start()
    return repo, session


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "log")


@pytest.fixture
def repo(make_repo: MakeRepo, fake: Fake) -> Repo:
    return make_repo({".sarifix.yaml": fake.config(), "a.txt": "ok\n"})


@pytest.fixture
def session(repo: Repo) -> Session:
    begun = Session(repo.path)
    begun.start()
    return begun


def told(answer: Answer) -> str:
    assert answer.context is not None, answer
    return answer.context


def named(answer: Answer) -> str:
    assert answer.message is not None, answer
    return answer.message


def once(session: Session) -> None:
    """What was named is not named again."""
    assert ".sarifix.yaml" not in (session.stop().message or "")


# -- ignore comments, scanner configuration, policy -----------------------------


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: S602", "# nosec", "# ruff: noqa"])
def test_an_ignore_comment_is_a_finding(make_repo: MakeRepo, comment: str) -> None:
    repo, session = ruff_repo(make_repo)
    repo.write({"a.py": BAD.replace("shell=True)", f"shell=True)  {comment}")})
    assert "sarifix/new-suppression" in told(session.stop())


def test_switching_a_rule_off(make_repo: MakeRepo) -> None:
    repo, session = ruff_repo(make_repo)
    repo.write({"a.py": BAD, "pyproject.toml": "[tool.ruff.lint]\nselect = ['F401']\n"})
    answer = session.stop()
    assert "ruff/S602" in told(answer)
    assert "pyproject.toml was changed" in named(answer)


def test_switching_a_rule_off_in_what_the_configuration_extends(make_repo: MakeRepo) -> None:
    repo, session = ruff_repo(make_repo, pyproject__toml="[tool.ruff]\nextend = 'conf/ruff.toml'\n")
    repo.write({"conf/ruff.toml": "extend = 'more.toml'\n"})
    repo.write({"conf/more.toml": "lint.select = ['S602']\n"})
    repo.commit()
    session.name = "another"
    session.start()
    repo.write({"a.py": BAD, "conf/more.toml": "lint.select = ['E9']\n"})
    answer = session.stop()
    assert "ruff/S602" in told(answer)
    assert "conf/more.toml was changed" in named(answer)


def test_a_result_that_was_made_under_another_variable(make_repo: MakeRepo) -> None:
    config = "scanners:\n  hadolint: {}\n"
    repo = make_repo({".sarifix.yaml": config, "Dockerfile": "FROM debian:12\n"})
    lenient = Session(repo.path, "lenient", env={"HADOLINT_IGNORE": "DL3004"})
    session = Session(repo.path)
    lenient.start()
    session.start()
    repo.write({"Dockerfile": "FROM debian:12\nRUN sudo true\n"})
    assert lenient.stop().is_silent
    assert "hadolint/DL3004" in told(session.stop())


def test_a_new_ignore_file(make_repo: MakeRepo) -> None:
    repo, session = ruff_repo(make_repo)
    repo.write({"a.py": BAD, "ruff.toml": "exclude = ['a.py']\n"})
    answer = session.stop()
    assert "ruff/S602" in told(answer)
    assert "ruff.toml was changed" in named(answer)


@pytest.mark.parametrize(
    "policy",
    [
        "rules: {min_level: error, deny: ['fake/*']}\n",
        "paths: {deny: ['*.txt']}\n",
        "rules: {suppressions: ignore}\n",
    ],
)
def test_the_policy_of_the_base_is_in_force(
    repo: Repo, session: Session, fake: Fake, policy: str
) -> None:
    repo.write({".sarifix.yaml": fake.config() + policy, "b.txt": "BAD(one)  # noqa: fake\n"})
    answer = session.stop()
    assert "fake/one" in told(answer)
    assert ".sarifix.yaml was changed" in named(answer)
    once(session)


def test_a_scanner_that_is_removed_or_broken_still_runs(repo: Repo, session: Session) -> None:
    for config in ("scanners:\n  ruff: {}\n", "scanners: [nonsense\n", ""):
        repo.write({".sarifix.yaml": config, "b.txt": f"BAD(one-{len(config)})\n"})
        answer = session.stop()
        assert "fake/one" in told(answer)
        assert ".sarifix.yaml was changed" in named(answer)


def test_a_command_that_the_base_does_not_have_is_not_run(
    make_repo: MakeRepo, fake: Fake, tmp_path: Path
) -> None:
    repo = make_repo({"a.py": "x = 1\n"})
    session = Session(repo.path)
    session.start()
    more = "  ruff: {}\nrules:\n  min_level: error\n  deny: ['ruff/*']\npaths:\n  deny: ['*.py']\n"
    repo.write({".sarifix.yaml": fake.config() + more, "a.py": "import os\n", "b.txt": "BAD(x)\n"})
    answer = session.stop()
    assert fake.runs() == []
    assert "ruff/F401" in told(answer)
    assert "fake" not in told(answer)
    text = named(answer)
    for part in ("the command of fake", "min_level: error", "rules.deny", "paths.deny", "Commit"):
        assert part in text
    once(session)


def test_a_proposed_configuration_that_is_broken(make_repo: MakeRepo) -> None:
    repo = make_repo({"a.py": "x = 1\n"})
    session = Session(repo.path, args=("--base", "session", "--scanner", "ruff"))
    session.start()
    repo.write({".sarifix.yaml": "nonsense: 1\n", "a.py": "import os\n"})
    answer = session.stop()
    assert "ruff/F401" in told(answer)
    assert ".sarifix.yaml:1:1" in named(answer)


def test_a_configuration_file_that_is_named(
    make_repo: MakeRepo, fake: Fake, tmp_path: Path
) -> None:
    inside = make_repo({"conf/s.yaml": fake.config(), "a.txt": "ok\n"})
    session = Session(inside.path, args=("--base", "session", "--config", "conf/s.yaml"))
    session.start()
    inside.write({"conf/s.yaml": fake.config() + "paths: {deny: ['*']}\n", "b.txt": "BAD(one)\n"})
    assert "fake/one" in told(session.stop())
    outside = tmp_path / "s.yaml"
    outside.write_text(fake.config() + "rules: {deny: ['fake/two']}\n")
    session = Session(inside.path, name="2", args=("--base", "session", "--config", str(outside)))
    session.start()
    inside.write({"c.txt": "BAD(two)\nBAD(three)\n"})
    answer = told(session.stop())
    assert "fake/three" in answer
    assert "fake/two" not in answer


def test_breaking_the_syntax_of_a_file(make_repo: MakeRepo) -> None:
    repo, session = ruff_repo(make_repo, extra__py="import os\n")
    repo.write({"a.py": BAD + "def broken(:\n"})
    assert "a.py" in told(session.stop())


# -- what leaves no trace in a tree ----------------------------------------------


def test_new_ignore_rules(repo: Repo, session: Session) -> None:
    repo.write({".gitignore": "hidden.txt\nsecret/\n", "hidden.txt": "BAD(one)\n"})
    repo.write({"secret/x.txt": "BAD(two)\n", "__pycache__/y.txt": "z"})
    answer = session.stop()
    for text in (told(answer), named(answer)):
        assert "hidden.txt is hidden by ignore rules that are new" in text
        assert "secret/ is hidden" in text
        assert "__pycache__" not in text
    assert session.stop().is_silent
    repo.write({"secret/x2.txt": "BAD(two)\n"})
    assert session.stop().is_silent, "below a name that was named"


def test_many_hidden_files_are_cut_visibly(repo: Repo, session: Session) -> None:
    repo.write({".gitignore": "h*.txt\n", **{f"h{n}.txt": "x\n" for n in range(50)}})
    answer = session.stop()
    assert "- and 42 more" in told(answer)
    assert "and 30 more like these" in named(answer)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_the_place_of_a_file_does_not_hang_it(repo: Repo, session: Session) -> None:
    for name in (".sarifix.yaml", ".pre-commit-config.yaml"):
        (repo.path / name).unlink(missing_ok=True)
        os.mkfifo(repo.path / name)
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.stop()
    assert "fake/one" in told(answer)
    assert ".sarifix.yaml was changed" in named(answer)


def test_a_negation_that_is_removed(make_repo: MakeRepo, fake: Fake) -> None:
    repo = make_repo({".sarifix.yaml": fake.config(), ".gitignore": "*.txt\n!b*.txt\n"})
    session = Session(repo.path)
    session.start()
    repo.write({".gitignore": "*.txt\n", "bad.txt": "BAD(one)\n", "other.txt": "ignored before"})
    answer = told(session.stop())
    assert "bad.txt is hidden" in answer
    assert "other.txt" not in answer


@pytest.mark.parametrize(
    "rules", ["out/*\n!out/src/\n", "*\n!*/\n!*.txt\n!.*\n"], ids=["some", "most"]
)
def test_a_directory_of_which_rules_left_something(
    make_repo: MakeRepo, fake: Fake, rules: str
) -> None:
    repo = make_repo({".sarifix.yaml": fake.config(), ".gitignore": rules, "out/a.o": "o"})
    session = Session(repo.path)
    session.start()
    repo.write({".gitignore": f"{rules}out/\n", "out/src/b.txt": "BAD(one)\n"})
    assert "out/ is hidden" in told(session.stop())


def test_a_directory_below_which_nothing_comes_back(make_repo: MakeRepo, fake: Fake) -> None:
    rules = "out/\n!*.txt\n"
    repo = make_repo({".sarifix.yaml": fake.config(), ".gitignore": rules})
    session = Session(repo.path)
    session.start()
    repo.write({"out/deep/a.txt": "BAD(one)\n", "b.txt": "ok\n"})
    assert session.stop().is_silent
    repo.write({".gitignore": f"{rules}b.txt\n/out\n"})
    answer = told(session.stop())
    assert "b.txt is hidden" in answer
    assert "out/" not in answer


def test_ignore_rules_of_a_directory_and_ones_that_ignore_themselves(
    make_repo: MakeRepo, fake: Fake
) -> None:
    files = {
        "sub/.gitignore": "*.log\n/out/\n",
        "sub/keep.txt": "ok\n",
        "logs/.gitignore": "*.log\n",
    }
    repo = make_repo({".sarifix.yaml": fake.config(), **files})
    session = Session(repo.path)
    session.start()
    repo.write({"sub/deep/a.log": "x", "sub/out/b.txt": "x", "logs/a.log": "x", "logs/b.log": "x"})
    assert session.stop().is_silent, "all by rules that the base has"
    repo.write({"sub/.gitignore": "*.log\n/out/\n.gitignore\n"})
    repo.write({"own/.gitignore": "*\n", "own/x.txt": "BAD(one)\n"})
    answer = told(session.stop())
    assert "own/x.txt is hidden" in answer
    assert "a.log" not in answer


@pytest.mark.parametrize("where", ["info/exclude", "core.excludesFile"])
def test_ignore_rules_outside_of_the_tree(
    repo: Repo, session: Session, isolation: Path, where: str
) -> None:
    if where == "info/exclude":
        (repo.path / ".git/info/exclude").write_text("hidden.txt\n")
    else:
        (isolation / "rules").write_text("hidden.txt\n")
        repo.git("config", "core.excludesFile", str(isolation / "rules"))
    repo.write({"hidden.txt": "BAD(one)\n"})
    answer = session.stop()
    assert "hidden.txt is hidden" in told(answer)
    assert f"the ignore rules of {where} were changed" in named(answer)
    assert session.stop().is_silent


def test_a_tracked_file_that_old_rules_would_ignore(make_repo: MakeRepo, fake: Fake) -> None:
    repo = make_repo({".sarifix.yaml": fake.config(), "a.txt": "ok\n"})
    repo.write({".gitignore": "local/\n", "local/run.txt": "ok\n", "local/gone.txt": "ok\n"})
    repo.git("add", "-f", ".gitignore", "local")
    repo.commit()
    session = Session(repo.path)
    session.start()
    repo.write({"local/run.txt": "BAD(one)\n"})
    repo.git("rm", "-q", "--cached", "-r", "local")
    repo.remove("local/gone.txt")
    answer = session.stop()
    for text in (told(answer), named(answer)):
        assert "local/run.txt is ignored now and was tracked" in text
        assert "gone.txt" not in text


def test_new_rules_for_a_directory_of_ignored_files(make_repo: MakeRepo, fake: Fake) -> None:
    repo = make_repo({".sarifix.yaml": fake.config(), ".gitignore": "*.log\n"})
    repo.write({"logs/deep/a.log": "x\n"})
    session = Session(repo.path)
    session.start()
    repo.write({".gitignore": "*.log\n/logs/\n", "logs/deep/evil.txt": "BAD(one)\n"})
    assert "logs/ is hidden" in told(session.stop())


def test_a_hidden_file_among_very_many_ignored_ones(make_repo: MakeRepo, fake: Fake) -> None:
    repo = make_repo({".sarifix.yaml": fake.config(), ".gitignore": "*.junk\n"})
    session = Session(repo.path)
    session.start()
    for number in range(20_001):
        (repo.path / f"{number}.junk").touch()
    repo.write({".gitignore": "*.junk\nzz.txt\n", "zz.txt": "BAD(one)\n"})
    assert "zz.txt is hidden" in told(session.stop())


@pytest.mark.parametrize("bit", ["--assume-unchanged", "--skip-worktree"])
def test_files_that_git_is_told_to_overlook(repo: Repo, session: Session, bit: str) -> None:
    repo.git("update-index", bit, "a.txt")
    repo.write({"a.txt": "BAD(one)\n"})
    answer = session.stop()
    assert "fake/one" in told(answer)
    assert "a.txt was marked so that git overlooks its edits" in named(answer)
    assert repo.git("ls-files", "-v", "a.txt")[0] in "hS", "the user's index is as it was"


def test_a_nested_repository(repo: Repo, session: Session) -> None:
    Repo.init(repo.path / "inner", {"x.txt": "BAD(one)\n"})
    Repo.init(repo.path / "empty").write({"x.txt": "BAD(one)\n"})
    answer = session.stop()
    for text in (told(answer), named(answer)):
        assert "inner is a repository of its own now" in text
        assert "empty/ is a repository without a commit" in text
    assert session.stop().is_silent


def test_a_submodule_that_has_moved(make_repo: MakeRepo, fake: Fake) -> None:
    repo = make_repo({".sarifix.yaml": fake.config()})
    inner = Repo.init(repo.path / "inner", {"x.txt": "ok\n"})
    repo.commit()
    session = Session(repo.path)
    session.start()
    inner.write({"x.txt": "BAD(one)\n"})
    inner.commit()
    answer = session.stop()
    for text in (told(answer), named(answer)):
        assert "inner is a repository of its own and has moved: what is in it was not" in text
    assert session.stop().is_silent


def test_the_repository_is_taken_away(repo: Repo, session: Session) -> None:
    (repo.path / ".git").rename(repo.path / "elsewhere")
    for _ in range(2):
        assert "not a git repository" in named(session.stop())


def test_a_file_that_became_a_symbolic_link(repo: Repo, session: Session, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.txt").write_text("BAD(one)\n")
    repo.remove("a.txt")
    (repo.path / "a.txt").symlink_to(tmp_path / "elsewhere.txt")
    answer = session.stop()
    assert "a.txt became a symbolic link" in told(answer)
    assert "a.txt became a symbolic link" in named(answer)


def test_new_links_that_lead_out_of_the_tree(make_repo: MakeRepo, fake: Fake) -> None:
    repo = make_repo({".sarifix.yaml": fake.config(), "pkg/a.txt": "ok\n", "lib/b.txt": "ok\n"})
    outside = repo.path.parent / "outside"
    outside.mkdir()
    session = Session(repo.path)
    session.start()
    shutil.rmtree(repo.path / "pkg")
    links = {"pkg": outside, "up.txt": Path("../outside/x.txt"), "lib/in.txt": Path("b.txt")}
    links |= {"lib/dir": Path("../lib"), "lib/top": Path("..")}
    for name, target in links.items():
        (repo.path / name).symlink_to(target)
    answer = session.stop()
    for text in (told(answer), named(answer)):
        assert "pkg is a symbolic link that leads out" in text
        assert "up.txt is a symbolic link that leads out" in text
        assert "lib/" not in text
    assert session.stop().is_silent


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    (repo.path / "b.txt").chmod(0)
    assert "b.txt could not be read" in told(session.stop())


def test_filters_and_attributes(repo: Repo, session: Session) -> None:
    repo.git("config", "filter.clean-it.clean", "sed s/BAD/GOOD/")
    repo.write({".gitattributes": "*.txt filter=clean-it\n", "b.txt": "BAD(one)\n"})
    (repo.path / ".git/info/attributes").write_text("*.txt filter=clean-it\n")
    answer = named(session.stop())
    assert "git's setting filter.clean-it.clean was changed" in answer
    assert ".gitattributes was changed" in answer
    assert "the attributes of info/attributes were changed" in answer


def test_the_program_of_a_scanner(make_repo: MakeRepo, tmp_path: Path, fake: Fake) -> None:
    tool = tmp_path / "bin" / "mytool"
    tool.parent.mkdir()
    script = (
        f'#!/bin/sh\nexec {sys.executable} {Path(__file__).parents[2]}/support/fakescan.py "$@"\n'
    )
    tool.write_text(script)
    tool.chmod(0o755)
    config = (
        fake.config()
        .replace(f'"{sys.executable}", ', "")
        .replace(str(Path(__file__).parents[2] / "support" / "fakescan.py"), str(tool))
    )
    repo = make_repo({".sarifix.yaml": config, "a.txt": "ok\n"})
    session = Session(repo.path)
    session.start()
    tool.write_text(script + "# quiet now\n")
    repo.write({"b.txt": "BAD(one)\n"})
    answer = session.stop()
    assert "fake/one" in told(answer)
    assert "the program of fake was replaced" in named(answer)


def test_a_program_that_is_gone(make_repo: MakeRepo, tmp_path: Path) -> None:
    """Where no scanner is named, one that is not there would not be missed."""
    where = tmp_path / "bin"
    where.mkdir()
    (where / "oxlint").write_text("#!/bin/sh\n")
    (where / "oxlint").chmod(0o755)
    git = shutil.which("git")
    assert git is not None
    env = {"PATH": os.pathsep.join((str(where), os.path.dirname(git)))}
    repo = make_repo({"a.js": "x\n", "a.py": "x = 1\n"})
    session = Session(repo.path, env=env)
    session.start()
    (where / "oxlint").unlink()
    repo.write({"a.js": "y\n"})
    assert "oxlint is no longer found" in named(session.stop())


@pytest.mark.parametrize(
    "name", [".claude/settings.json", ".claude/settings.local.json", ".pre-commit-config.yaml"]
)
def test_the_files_that_wire_the_check(repo: Repo, session: Session, name: str) -> None:
    text = json.dumps({"disableAllHooks": True}) if name.endswith("json") else "repos: []\n"
    repo.write({name: text})
    answer = session.stop()
    assert answer.context is None
    assert f"{name} was changed" in named(answer)
    assert session.stop().is_silent
    repo.remove(name)
    assert session.stop().is_silent, "as it was when the session began"


def test_names_that_differ_in_case_only(repo: Repo, session: Session) -> None:
    """Under this setting git takes the new file for the one that it knows."""
    repo.git("config", "core.ignoreCase", "true")
    repo.write({"A.txt": "BAD(one)\n"})
    assert "core.ignorecase was changed" in named(session.stop())


def test_the_users_own_settings(repo: Repo, session: Session, isolation: Path) -> None:
    settings = isolation / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash(ls)"]}}))
    assert session.stop().is_silent, "a permission that the user granted"
    settings.write_text(json.dumps({"hooks": {}, "disableAllHooks": True}))
    assert "settings.json of the user was changed" in named(session.stop())


def test_without_a_beginning_it_is_compared_with_head(repo: Repo, fake: Fake) -> None:
    repo.write({".sarifix.yaml": fake.config("exit"), ".pre-commit-config.yaml": "repos: []\n"})
    repo.write({"b.txt": "BAD(one)\n"})
    answer = Session(repo.path, args=()).stop()
    assert "fake/one" in told(answer)
    assert ".sarifix.yaml was changed" in named(answer)
    assert ".pre-commit-config.yaml was changed" in named(answer)


def test_the_cache_of_results_is_deleted(repo: Repo, session: Session) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    shutil.rmtree(repo.path / ".git" / "sarifix", ignore_errors=True)
    assert "fake/one" in told(session.stop())


def test_the_base_of_the_working_trees_configuration_is_not_heeded(repo: Repo, fake: Fake) -> None:
    repo.write({"b.txt": "BAD(one)\n"})
    repo.git("branch", "sly")
    repo.write({".sarifix.yaml": "base: HEAD~1\n" + fake.config()})
    assert "compared with HEAD" in told(Session(repo.path, args=()).stop())


def test_settings_of_the_directory_where_the_client_began(repo: Repo) -> None:
    below = repo.path / "below"
    below.mkdir()
    session = Session(below, env={"CLAUDE_PROJECT_DIR": str(below)})
    session.start()
    repo.write({"below/.claude/settings.json": json.dumps({"hooks": {}, "disableAllHooks": True})})
    assert f"{below}/.claude/settings.json was changed" in named(session.stop())


def test_a_filter_that_cannot_run(repo: Repo, session: Session) -> None:
    repo.git("config", "filter.gone.clean", "no-such-program")
    repo.git("config", "filter.gone.required", "true")
    repo.write({".gitattributes": "*.txt filter=gone\n", "b.txt": "BAD(one)\n"})
    answer = session.stop()
    assert "fake/one" in told(answer)
    assert "a required git filter could not run" in named(answer)


def test_settings_that_are_no_json(repo: Repo, session: Session) -> None:
    repo.write({".claude/settings.json": "{ // broken"})
    assert ".claude/settings.json was changed" in named(session.stop())

"""What the hook says: short, in 80 columns, with the way to see more; and what GitHub is told."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sarifix.hooks.advice import additional, requirements
from sarifix.model import (
    Finding,
    Level,
    Region,
    Report,
    Reported,
    ScannerReport,
    Side,
    Snapshot,
    Status,
)
from sarifix.output import Options, compact
from tests.support.golden import assert_golden
from tests.support.hooks import git, run
from tests.support.repo import Repo
from tests.support.run import Fake, sarifix

MakeRepo = Callable[..., Repo]
M = ("-q", "-m", "change")
SIDES = (Snapshot("b" * 40, Side.BASE, "HEAD 1a2b3c4"), Snapshot("h" * 40, Side.HEAD, "index"))


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    fake = Fake(tmp_path / "log")
    return make_repo({"a.txt": "BAD(old)\n", ".sarifix.yaml": fake.config()})


def stage(repo: Repo, text: str, name: str = "a.txt") -> None:
    repo.write({name: text})
    repo.git("add", "-A")


def reported(number: int, message: str = "is bad", path: str = "app.py") -> Reported:
    rule = f"R{number % 13:02}"
    finding = Finding("fake", rule, Level.ERROR, message, path, Region(number, 5))
    return Reported(finding, f"f{number}", reason="copy of lib.py:5" if number == 2 else None)


MANY = Report(
    *SIDES,
    introduced=(
        reported(1, "long " * 40),
        reported(2, "漢字" * 60),
        reported(3, path="a/very/long/path/" * 4 + "app.py"),
        reported(4, "::error::not a command"),
        *(reported(number) for number in range(5, 45)),
    ),
    scanners=(
        ScannerReport("broken", Status.FAILED, None, "exit code 9: the reason at the end " * 4),
        ScannerReport("idle", Status.SKIPPED, None, "none of its inputs changed"),
    ),
    notes=tuple(f"note number {number} {'x' * 90}" for number in range(7)),
)


def test_many_findings_in_eighty_columns() -> None:
    text = compact.first_line(MANY, "what will be committed", Options(width=compact.WIDTH))
    text += compact.render(MANY, Options(width=compact.WIDTH))
    assert_golden("compact-many.txt", text)
    wide = [line for line in text.splitlines() if len(line) > 78]
    assert all(line.endswith("app.py:3:5:") for line in wide)  # a place is never cut
    assert "44 findings introduced" in text


def test_the_lines_of_a_commit(repo: Repo) -> None:
    stage(repo, "BAD(old)\nBAD(new)\n")
    head = repo.git("rev-parse", "--short=7", "HEAD")
    ran = sarifix("pre-commit", cwd=repo.path)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines() == [
        f"sarifix: index against HEAD {head}: what is staged",
        "a.txt:2:1: error fake/new",
        "  new is bad",
        "1 finding introduced (1 error).",
        "More: sarifix check --base HEAD --head staged -v",
    ]
    more = sarifix("check", "--base", "HEAD", "--head", "staged", "-v", cwd=repo.path)
    assert (more.code, "fake/new" in more.out) == (1, True)


def test_a_clean_commit_has_two_lines_of_its_own(repo: Repo) -> None:
    stage(repo, "BAD(old)\nfine\n")
    lines = sarifix("pre-commit", cwd=repo.path).out.splitlines()
    assert lines[1] == "No findings introduced."
    assert lines[2].startswith("0 introduced, 0 fixed, 1 unchanged")


def test_what_commit_all_staged_is_named_by_its_tree(repo: Repo) -> None:
    hook = repo.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m sarifix pre-commit\n")
    hook.chmod(0o755)
    repo.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    done = git(repo, "commit", "-a", *M)
    assert done.code == 1
    more = done.out.splitlines()[-1]
    assert more.startswith("More: sarifix check --base HEAD --head ")
    repo.write({"a.txt": "BAD(old)\n"})
    ran = sarifix(*more.split()[2:], cwd=repo.path)
    assert (ran.code, "fake/new" in ran.out) == (1, True)


def test_quiet_and_verbose(repo: Repo) -> None:
    stage(repo, "BAD(old)\nBAD(new)\n")
    quiet = sarifix("pre-commit", "-q", cwd=repo.path)
    assert quiet.out == "a.txt:2:1: error fake/new: new is bad\n"
    verbose = sarifix("pre-commit", "-v", cwd=repo.path).out
    assert verbose.startswith("sarifix: index against HEAD")
    assert "fake of unknown version: ok" in verbose


def test_colour_only_as_asked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    stage(repo, "BAD(old)\nBAD(new)\n")
    assert "\x1b" not in sarifix("pre-commit", cwd=repo.path).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31merror\x1b[0m" in sarifix("pre-commit", cwd=repo.path).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in sarifix("pre-commit", cwd=repo.path).out


def test_a_report_in_a_file_leaves_the_screen_to_people(repo: Repo, tmp_path: Path) -> None:
    stage(repo, "BAD(old)\nBAD(new)\n")
    file = tmp_path / "report.json"
    ran = sarifix("pre-commit", "--format", "json", "--output", str(file), cwd=repo.path)
    report = json.loads(file.read_text())
    assert (report["outcome"], report["notes"]) == ("introduced", ["base: what is staged"])
    assert ran.out.startswith("sarifix: index against HEAD")
    one = sarifix("pre-commit", "--format", "json", cwd=repo.path)
    assert one.json["introduced"] == report["introduced"]


def test_the_program_is_named_by_its_path_where_only_the_hook_finds_it(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = Path(sys.executable).parent
    if not (own / "sarifix").exists():
        pytest.skip("sarifix has no script here")
    git_place = Path(shutil.which("git") or "").parent
    elsewhere = tmp_path / "bin"
    elsewhere.mkdir()
    (elsewhere / "sarifix").symlink_to(own / "sarifix")
    monkeypatch.setenv("PATH", f"{own}:{git_place}")
    monkeypatch.setenv("PRE_COMMIT", "1")
    stage(repo, "BAD(old)\nBAD(new)\n")
    out = sarifix("pre-commit", cwd=repo.path).out
    command = out[out.index("More: ") + len("More: ") :]
    assert str(own / "sarifix") in command
    shown = run(repo, "sh", "-c", command, env={"PATH": str(git_place)})
    assert (shown.code, "fake/new" in shown.out) == (1, True)
    monkeypatch.setenv("PATH", f"{own}:{git_place}:{elsewhere}")
    assert "More: sarifix check" in sarifix("pre-commit", cwd=repo.path).out
    monkeypatch.setenv("PATH", f"{own}:{git_place}")
    monkeypatch.setenv("HOME", str(own.parent))
    assert f"More: ~/{own.name}/sarifix" in sarifix("pre-commit", cwd=repo.path).out


# ---------------------------------------------------------------------------
# What is missing


def test_a_scanner_that_is_missing_is_a_refusal_with_the_line_to_add(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = "  bandit: {}\n  cfn-lint: {inputs: ['*.txt']}\n  eslint: {inputs: ['*.txt']}\n"
    stage(repo, f"scanners:\n{entry}", ".sarifix.yaml")
    repo.commit("scanners")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("sys.prefix", "/nonexistent")  # where our own scripts are
    stage(repo, "BAD(old)\nx\n")
    stage(repo, "x = 1\n", "new.py")
    plain = sarifix("pre-commit", cwd=repo.path)
    assert plain.code == 3
    assert "bandit was not found; install it: pip install 'bandit[sarif]'" in plain.out
    assert "additional_dependencies" not in plain.out
    monkeypatch.setenv("PRE_COMMIT", "1")
    ran = sarifix("pre-commit", cwd=repo.path)
    assert ran.code == 3
    line = 'additional_dependencies: ["bandit[sarif]", "cfn-lint[sarif]"]'
    assert f"Add to the hook in .pre-commit-config.yaml:\n  {line}\n" in ran.out
    assert "npm install" in ran.out


def test_without_any_scanner_the_line_is_in_the_hint(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repo({"a.py": "x = 1\n"})
    stage(repo, "x = 2\n", "a.py")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("sys.prefix", "/nonexistent")  # where our own scripts are
    assert "pip install 'sarifix[scanners]'" in sarifix("pre-commit", cwd=repo.path).err
    monkeypatch.setenv("PRE_COMMIT", "1")
    ran = sarifix("pre-commit", cwd=repo.path)
    assert ran.code == 3
    hint = "add to the hook in .pre-commit-config.yaml: additional_dependencies: ["
    assert hint in ran.err
    assert "ruff" in ran.err.split(hint)[1]


def test_packages_of_an_install_command() -> None:
    assert requirements("pip install 'bandit[sarif]'") == ["bandit[sarif]"]
    assert requirements("npm install --save-dev eslint") == []
    assert requirements("see the releases") == []
    assert additional(["npm install x"]) == ""
    assert additional(["pip install ruff"]) == "additional_dependencies: [ruff]"


# ---------------------------------------------------------------------------
# GitHub Actions


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    for name in ("GITHUB_ENV", "GITHUB_OUTPUT"):
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).write_text("")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    monkeypatch.setenv("SARIFIX_BASE", "HEAD")
    return path


def test_findings_are_annotations_and_a_summary(repo: Repo, summary: Path) -> None:
    stage(repo, "BAD(old)\nBAD(new)\n")
    ran = sarifix("pre-commit", cwd=repo.path)
    lines = ran.out.splitlines()
    assert lines[0].startswith("sarifix: index against HEAD")
    annotation = "::error file=a.txt,line=2,col=1,title=fake/new::new is bad"
    assert annotation in lines
    assert lines[-1].startswith("More: ")
    text = summary.read_text()
    assert text.startswith("before\n### sarifix: 1 finding introduced")
    assert "`a.txt:2:1`" in text
    assert not (summary.parent / "GITHUB_ENV").read_text()
    assert not (summary.parent / "GITHUB_OUTPUT").read_text()


def test_a_clean_job_has_a_summary_and_no_annotation(repo: Repo, summary: Path) -> None:
    stage(repo, "BAD(old)\nfine\n")
    ran = sarifix("pre-commit", cwd=repo.path)
    assert (ran.code, "::" in ran.out) == (0, False)
    assert "### sarifix: No findings introduced" in summary.read_text()


def test_a_refusal_is_an_annotation_and_a_summary(repo: Repo, summary: Path) -> None:
    ran = sarifix("pre-commit", "--base", "nowhere", cwd=repo.path)
    assert ran.code == 3
    assert ran.out.startswith("::error title=sarifix::the revision 'nowhere'")
    assert "### sarifix: undecided" in summary.read_text()


def test_another_format_stays_one_document(repo: Repo, summary: Path) -> None:
    stage(repo, "BAD(old)\nBAD(new)\n")
    ran = sarifix("pre-commit", "--format", "json", cwd=repo.path)
    assert ran.json["outcome"] == "introduced"
    refused = sarifix("pre-commit", "--format", "json", "--base", "no", cwd=repo.path)
    assert refused.json["outcome"] == "undecided"
    assert summary.read_text().count("###") == 2


def test_a_summary_that_cannot_be_written_is_no_verdict(
    repo: Repo, summary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary.parent / "none" / "summary.md"))
    stage(repo, "BAD(old)\nfine\n")
    ran = sarifix("pre-commit", cwd=repo.path)
    assert ran.code == 0
    assert "note: no job summary: GITHUB_STEP_SUMMARY cannot be written" in ran.out


def test_elsewhere_no_file_of_github_is_touched(
    repo: Repo, summary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS")
    stage(repo, "BAD(old)\nBAD(new)\n")
    assert "::" not in sarifix("pre-commit", cwd=repo.path).out
    assert summary.read_text() == "before\n"

"""Whatever happens, a check answers with exactly one document of the form asked for."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from sarifix.options import FORMAT_NAMES
from tests.support.repo import Repo
from tests.support.run import Fake, Ran, sarifix

MakeRepo = Callable[..., Repo]

TESTS = Path(__file__).parent.parent
FORMATS = pytest.mark.parametrize("form", FORMAT_NAMES)


def schema(path: Path) -> jsonschema.protocols.Validator:
    document = json.loads(path.read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(document)(document)


SARIF = schema(TESTS / "samples" / "schema" / "sarif-2.1.0.json")
REPORT = schema(TESTS.parent / "docs" / "report.schema.json")


@pytest.fixture
def repo(make_repo: MakeRepo, tmp_path: Path) -> Repo:
    """One finding that is new, one scanner that fails and need not run."""
    config = (
        "scanners:\n"
        + Fake(tmp_path / "log1", "good").entry()
        + Fake(tmp_path / "log2", "bad").entry("exit", more="required: false")
    )
    made = make_repo({".sarifix.yaml": config, "a.txt": "BAD(old)\n"})
    made.write({"a.txt": "BAD(old)\nBAD(new)\n"})
    return made


def introduced(repo: Repo) -> None:
    """Leave the repository as it is."""


def clean(repo: Repo) -> None:
    repo.git("checkout", "-q", "a.txt")
    repo.write({"b.txt": "fine\n"})


def undecided(repo: Repo) -> None:
    clean(repo)
    repo.write({".sarifix.yaml": repo.read(".sarifix.yaml").replace("    required: false\n", "")})


def equal(repo: Repo) -> None:
    repo.git("checkout", "-q", "a.txt")


def refused(repo: Repo) -> None:
    repo.write({".sarifix.yaml": "base: gone\n"})


def misconfigured(repo: Repo) -> None:
    repo.write({".sarifix.yaml": "rulez: {}\n"})


SITUATIONS: dict[Callable[[Repo], None], tuple[int, str]] = {
    introduced: (1, "introduced"),
    clean: (0, "clean"),
    equal: (0, "clean"),
    undecided: (3, "undecided"),
    refused: (3, "undecided"),
    misconfigured: (2, "undecided"),
}


def read(form: str, ran: Ran) -> Any:
    """Read the one document of a run, and fail if it is not one."""
    text = ran.out
    assert text.endswith("\n")
    if form == "json":
        document = json.loads(text)
        REPORT.validate(document)
        return document
    if form == "sarif":
        document = json.loads(text)
        SARIF.validate(document)
        return document
    return text


@FORMATS
@pytest.mark.parametrize(("arrange", "expected"), SITUATIONS.items())
def test_one_document(
    repo: Repo, arrange: Callable[[Repo], None], expected: tuple[int, str], form: str
) -> None:
    arrange(repo)
    ran = sarifix("check", "--format", form, cwd=repo.path)
    code, outcome = expected
    assert ran.code == code
    refusal = arrange in (refused, misconfigured)
    assert bool(ran.err) is refusal
    if form == "text" and refusal:
        assert ran.out == ""
        return
    document = read(form, ran)
    if form == "json":
        assert (document["exit_code"], document["outcome"]) == expected
        assert ("error" in document) is refusal
    elif form == "sarif":
        results = [result for run in document["runs"] for result in run.get("results") or ()]
        assert len(results) == (outcome == "introduced")
        assert {result["baselineState"] for result in results} <= {"new"}
        invocations = [made for run in document["runs"] for made in run["invocations"]]
        all_well = all(invocation["executionSuccessful"] for invocation in invocations)
        assert all_well is (arrange is equal)
    elif form == "markdown":
        assert document.startswith("#")
    else:
        assert document


@FORMATS
def test_output_writes_the_same_document_to_a_file(repo: Repo, tmp_path: Path, form: str) -> None:
    sarifix("check", cwd=repo.path)
    shown = sarifix("check", "--format", form, cwd=repo.path)
    ran = sarifix("check", "--format", form, "--output", str(tmp_path / "out"), cwd=repo.path)
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    assert _timeless((tmp_path / "out").read_text(encoding="utf-8")) == _timeless(shown.out)


def _timeless(text: str) -> str:
    return re.sub(r"\d+\.\d+(e-\d+)?", "0", text)


@FORMATS
def test_on_a_refusal_the_file_says_why(repo: Repo, tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    out.write_text("a report of yesterday", encoding="utf-8")
    ran = sarifix("check", "--format", form, "--base=gone", "--output", str(out), cwd=repo.path)
    assert (ran.code, ran.out) == (3, "")
    text = out.read_text(encoding="utf-8")
    assert "yesterday" not in text
    assert "is not in this repository" in text


@pytest.mark.parametrize("base", ["HEAD", "gone"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_that_cannot_be_written(repo: Repo, form: str, base: str) -> None:
    """The document goes to standard output then: a reader must not be left without one."""
    args = ("check", "--format", form, "--base", base, "--output", "no/such/place")
    ran = sarifix(*args, cwd=repo.path)
    assert ran.code == (2 if base == "HEAD" else 3)
    assert ran.err.count("--output no/such/place: cannot be written: ") == 1
    if form == "json":
        assert ran.json["outcome"] == "undecided"
    else:
        assert ran.out == ""


def test_a_file_is_written_without_colours(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    sarifix("check", "--output", str(tmp_path / "out"), cwd=repo.path)
    assert "\x1b" not in (tmp_path / "out").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="such names are POSIX's")
def test_names_that_are_not_utf8_are_in_every_form(make_repo: MakeRepo, tmp_path: Path) -> None:
    repo = make_repo({".sarifix.yaml": Fake(tmp_path / "log").config(grain="tree")})
    (repo.path / os.fsdecode(b"caf\xe9.txt")).write_text("BAD(new)\n", encoding="utf-8")
    for form in FORMAT_NAMES:
        ran = sarifix("check", "--format", form, cwd=repo.path)
        assert ran.code == 1, form
        assert "new is bad" in str(read(form, ran))

"""What real scanners wrote is read whole; each quirk in tests/samples/README.md is held."""

from __future__ import annotations

import json
import re

import pytest

from sarifix.errors import SarifError
from sarifix.model import Finding, Level, Region
from sarifix.sarif import read
from tests.support.sarif import SAMPLES, UNKEPT, read_document, sample_context, sample_log

# Counted with jq: all results of all runs, those with a suppression, and the files that
# could not be read; all but the paths named are in the tree that was scanned.
COUNTS = {
    "ansible-lint": (10, 0, ()),
    "ast-grep": (4, 0, ()),
    "bandit": (21, 0, ("broken.py",)),
    "bandit-parse-error": (0, 0, ("broken.py",)),
    "biome": (13, 0, ()),
    "biome-missing-file": (1, 0, ()),
    "cfn-lint": (4, 0, ()),
    "cfn-lint-missing-file": (1, 0, ()),
    "checkov": (24, 1, ()),
    "eslint": (9, 1, ()),
    "eslint-parse-error": (0, 0, ("web/broken.js",)),
    "gitleaks-dir": (1, 0, ()),
    "gitleaks-git": (1, 0, ()),
    "hadolint": (8, 0, ()),
    "htmlhint": (6, 0, ()),
    "jscpd": (1, 0, ()),
    "njsscan": (2, 0, ()),
    "opengrep": (15, 2, ()),
    "oxlint": (5, 0, ()),
    "ruff": (22, 0, ()),
    "ruff-missing-file": (1, 0, ()),
    "scenario-s3-v0-checkov": (1, 0, ()),
    "scenario-s3-v0-trivy": (0, 0, ()),
    "scenario-s3-v1-checkov": (8, 0, ()),
    "scenario-s3-v1-trivy": (8, 0, ()),
    "scenario-s3-v2-checkov": (6, 0, ()),
    "scenario-s3-v2-trivy": (2, 0, ()),
    "scenario-s3-v3-checkov": (4, 0, ()),
    "scenario-s3-v3-trivy": (0, 0, ()),
    "secretlint": (1, 0, ()),
    "semgrep": (15, 2, ()),
    "semgrep-bad-config": (0, 0, ()),
    "sqlfluff": (5, 0, ()),
    "stylelint": (4, 0, ()),
    "trivy-config": (26, 0, ()),
    "trivy-config-single-file": (18, 0, ()),
    "ty": (1, 0, ()),
    "ty-missing-file": (1, 0, ()),
    "typos": (2, 0, ()),
    "zizmor": (5, 0, ()),
}
NOT_IN_TREE = {"biome-missing-file": "nope.js", "ruff-missing-file": "nope.py"}
WITHOUT_PATH = {"cfn-lint-missing-file", "ty-missing-file"}


def findings(sample: str) -> tuple[Finding, ...]:
    return sample_log(sample).findings


def rules(sample: str) -> set[str]:
    return {finding.rule for finding in findings(sample)}


def test_every_sample_is_counted() -> None:
    assert sorted(COUNTS) == sorted(path.stem for path in SAMPLES.glob("*.sarif"))


def test_every_sample_is_described_and_counts_the_same() -> None:
    rows = re.findall(
        r"^\| `([^`]+)\.sarif` \|.*\| \d+ \| (\d+) \| [^|]+ \|$",
        (SAMPLES / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert {name: int(results) for name, results in rows} == {
        name: results for name, (results, _, _) in COUNTS.items()
    }


@pytest.mark.parametrize("sample", sorted(COUNTS))
def test_no_result_is_lost(sample: str) -> None:
    results, suppressed, unread = COUNTS[sample]
    log = sample_log(sample)
    assert len(log.findings) + len(log.suppressed) == results
    assert len(log.suppressed) == suppressed
    assert log.unread == unread


@pytest.mark.parametrize("sample", sorted(COUNTS))
def test_every_path_is_that_of_a_file(sample: str) -> None:
    log = sample_log(sample)
    for finding in (*log.findings, *log.suppressed):
        if sample in WITHOUT_PATH:
            assert (finding.path, finding.region, finding.in_tree) == (None, None, True)
        elif sample in NOT_IN_TREE:
            assert (finding.path, finding.in_tree) == (NOT_IN_TREE[sample], False)
        else:
            assert finding.path
            assert finding.in_tree, finding.path


@pytest.mark.parametrize("sample", sorted(COUNTS))
def test_the_scanned_folder_is_in_no_message(sample: str) -> None:
    log = sample_log(sample)
    assert not [f.message for f in (*log.findings, *log.suppressed) if "/repo" in f.message]


@pytest.mark.parametrize("sample", sorted(COUNTS))
def test_only_failed_configurations_leave_notes(sample: str) -> None:
    assert bool(sample_log(sample).notes) == (sample == "semgrep-bad-config")


def test_odd_names_are_found_encoded_and_raw() -> None:
    for sample in ("ruff", "bandit", "semgrep", "opengrep"):
        paths = {finding.path for finding in findings(sample)}
        assert {"my dir/app two.py", UNKEPT} <= paths, sample


def test_ruff_reports_syntax_errors_as_results_of_a_rule_it_does_not_list() -> None:
    unlisted = [f for f in findings("ruff") if f.rule == "invalid-syntax"]
    assert {f.path for f in unlisted} == {"broken.py"}
    assert {f.level for f in unlisted} == {Level.ERROR}
    first = findings("ruff")[0]
    assert first.help_uri == "https://docs.astral.sh/ruff/rules/unused-import"
    assert (first.path, first.region) == ("app.py", Region(2, 8, 2, 10))


def test_ruff_reports_a_missing_file_as_a_result() -> None:
    assert rules("ruff-missing-file") == {"E902"}


def test_bandit_leaves_the_level_of_medium_out() -> None:
    levels = {f.level for f in findings("bandit") if f.rule in {"B301", "B307"}}
    assert levels == {Level.WARNING}
    assert {f.level for f in findings("bandit")} == {Level.NOTE, Level.WARNING, Level.ERROR}


def test_semgrep_has_its_levels_in_the_rules_and_a_constant_fingerprint() -> None:
    log = sample_log("semgrep")
    assert {f.rule: f.level for f in log.findings}["rules.eval-js"] == Level.WARNING
    assert {f.level for f in log.findings} == {Level.NOTE, Level.WARNING, Level.ERROR}
    assert {f.fingerprints for f in log.findings} == {(("matchBasedId/v1", "requires login"),)}
    assert {f.region for f in log.suppressed} == {Region(27, 12, 27, 44)}


def test_semgrep_with_a_bad_rule_writes_a_clean_run() -> None:
    log = sample_log("semgrep-bad-config")
    assert log.notes == (
        "the scanner says: One of these properties is missing: 'message'",
        "the scanner says: invalid configuration file found (1 configs were invalid)",
    )


def test_opengrep_has_real_fingerprints_that_end_in_a_counter() -> None:
    values = [value for f in findings("opengrep") for _, value in f.fingerprints]
    assert len(values) == 13
    assert all(re.fullmatch(r"[0-9a-f]{128}_\d+", value) for value in values)


def test_trivy_has_the_path_in_the_message() -> None:
    first = findings("trivy-config")[0]
    assert first.message.startswith("Artifact: Dockerfile\nType: dockerfile\n")
    assert first.level is Level.WARNING
    assert first.help_uri == "https://avd.aquasec.com/misconfig/ds-0001"


def test_trivy_writes_a_target_file_as_the_base() -> None:
    assert {f.path for f in findings("trivy-config-single-file")} == {"infra/main.tf"}


def test_checkov_keeps_what_was_skipped_in_the_source() -> None:
    (skipped,) = sample_log("checkov").suppressed
    assert (skipped.rule, skipped.level, skipped.region) == (
        "CKV_AWS_18",
        Level.WARNING,
        Region(7, None, 10),
    )


@pytest.mark.parametrize("sample", ["gitleaks-dir", "gitleaks-git"])
def test_gitleaks_has_no_level_and_empty_fingerprints(sample: str) -> None:
    (finding,) = findings(sample)
    assert (finding.rule, finding.level) == ("generic-api-key", Level.WARNING)
    assert finding.path == "config/settings.ini"
    assert len(finding.fingerprints) == (0 if sample == "gitleaks-dir" else 5)


def test_eslint_writes_empty_suppressions_on_active_results() -> None:
    (suppressed,) = sample_log("eslint").suppressed
    assert (suppressed.rule, suppressed.region) == ("no-eval", Region(11, 10, 11, 14))


@pytest.mark.parametrize("sample", ["eslint-parse-error", "njsscan"])
def test_a_run_that_says_it_failed_needs_leave(sample: str) -> None:
    document = json.loads((SAMPLES / f"{sample}.sarif").read_bytes())
    with pytest.raises(SarifError, match="the scanner says that it failed"):
        read_document(document)


def test_typos_has_no_rule_and_its_message_in_markdown() -> None:
    assert rules("typos") == {"unknown"}
    assert [f.message for f in findings("typos")] == [
        "`teh` should be `the`",
        "`recieve` should be `receive`",
    ]
    assert {f.path for f in findings("typos")} == {"typo.md"}


def test_cfn_lint_declares_a_base_without_a_uri() -> None:
    assert {f.path for f in findings("cfn-lint")} == {"template.yaml"}
    assert rules("cfn-lint-missing-file") == {"E0003"}


def test_ansible_lint_has_other_levels_than_its_rules() -> None:
    assert {f.level for f in findings("ansible-lint")} == {Level.ERROR}
    assert Region(3) in {f.region for f in findings("ansible-lint")}


def test_ids_stay_as_they_were_written() -> None:
    assert "eslint(no-unused-vars)" in rules("oxlint")
    assert "zizmor/artipacked" in rules("zizmor")
    assert any(" > " in rule for rule in rules("secretlint"))


def test_a_bare_absolute_path_is_no_scheme() -> None:
    assert {f.path for f in findings("stylelint")} == {"web/style.css"}
    assert "web/app.js" in {f.path for f in findings("biome")}


def test_ast_grep_writes_no_schema() -> None:
    assert "$schema" not in json.loads((SAMPLES / "ast-grep.sarif").read_bytes())
    assert Region(38, 16, 38, 26) in {f.region for f in findings("ast-grep")}


def test_jscpd_has_a_fingerprint_of_its_own() -> None:
    (finding,) = findings("jscpd")
    assert finding.fingerprints == (("jscpdCloneHash/v1", "5fc33de46b341e87"),)


def test_ty_names_a_missing_file_in_the_message_alone() -> None:
    (finding,) = findings("ty-missing-file")
    assert finding.message == "`nope.py`: No such file or directory (os error 2)"


@pytest.mark.parametrize("sample", sorted(COUNTS))
def test_cut_short_anywhere_it_is_refused(sample: str) -> None:
    data = (SAMPLES / f"{sample}.sarif").read_bytes().rstrip()
    for end in range(0, len(data), max(1, len(data) // 20)):
        with pytest.raises(SarifError):
            read(data[:end], sample_context(sample))

"""The presets are data: what every entry must say, and that docs/scanners.md says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sarifix.model import Grain, Scanner
from sarifix.patterns import Patterns, problem
from sarifix.scanners import PRESETS
from sarifix.scanners.said import complaint, unread

PLACEHOLDER = re.compile(r"\{\w*\}")
DOCS = Path(__file__).parents[2] / "docs" / "scanners.md"
NOT_RUN = {"golangci-lint", "osv-scanner", "grype"}

each = pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))


def test_which_presets_there_are() -> None:
    assert set(PRESETS) == {
        "ruff", "bandit", "semgrep", "opengrep", "trivy", "trivy-secret", "checkov", "gitleaks",
        "zizmor", "hadolint", "eslint", "biome", "oxlint", "ast-grep", "ansible-lint", "cfn-lint",
        "golangci-lint", "osv-scanner", "grype",
    }  # fmt: skip


@each
def test_a_preset_is_complete(preset: Scanner) -> None:
    assert PRESETS[preset.name] is preset
    assert preset.install
    assert preset.url.startswith("https://")
    assert preset.version_argv
    assert preset.version_argv[0] == preset.argv[0]
    assert preset.ok_exit_codes
    assert not preset.ok_exit_codes & preset.nothing_exit_codes
    assert preset.empty_output in {"error", "clean"}
    assert preset.config_files, "every tool has a file that configures it"
    assert not preset.named
    assert preset.preset is None


@each
def test_the_program_is_a_name_and_no_path(preset: Scanner) -> None:
    assert re.fullmatch(r"[a-z][a-z-]+", preset.argv[0])


@each
def test_only_known_placeholders(preset: Scanner) -> None:
    text = "\0".join((*preset.argv, preset.output))
    assert set(PLACEHOLDER.findall(text)) <= {"{out}", "{outdir}", "{files}", "{config}"}
    assert not PLACEHOLDER.search("\0".join(preset.version_argv))


@each
def test_the_output_is_where_the_command_writes(preset: Scanner) -> None:
    written = any("{out}" in argument for argument in preset.argv)
    if preset.output.startswith("{outdir}/"):
        assert "{outdir}" in preset.argv
    else:
        assert preset.output == ("{out}" if written else "stdout")


@each
def test_the_grain_says_whether_files_are_named(preset: Scanner) -> None:
    assert preset.argv.count("{files}") == (preset.grain is Grain.FILE)


@each
def test_local_configuration_has_its_place_and_counts_as_configuration(preset: Scanner) -> None:
    assert preset.argv.count("{config}") == bool(preset.local_config)
    configures = Patterns(preset.config_files)
    assert all(configures.matches(path) for path in preset.local_config)
    if preset.ignore_file:
        assert configures.matches(preset.ignore_file)


@each
def test_patterns_can_be_read(preset: Scanner) -> None:
    patterns = (*preset.inputs, *preset.config_files, *preset.requires, *preset.ignored)
    assert [problem(pattern) for pattern in patterns if problem(pattern)] == []


@each
def test_what_names_unread_files_is_a_pattern_with_a_path(preset: Scanner) -> None:
    for pattern in (*preset.unread_stderr, *preset.unread_stdout):
        assert "path" in re.compile(pattern, re.MULTILINE).groupindex


@each
def test_what_is_read_on_stdout_is_not_sarif(preset: Scanner) -> None:
    assert not (preset.unread_stdout and preset.output == "stdout")


@each
def test_environment_is_given_once(preset: Scanner) -> None:
    names = [name for name, _ in preset.env]
    assert len(names) == len(set(names))


def test_secrets_are_marked() -> None:
    assert {name for name, preset in PRESETS.items() if preset.secrets} == {
        "gitleaks",
        "trivy-secret",
    }


@pytest.mark.parametrize(
    ("name", "reads", "does_not_read"),
    [
        ("ruff", ["a.py", "src/b.pyi", "n.ipynb"], ["a.txt", "py"]),
        ("hadolint", ["Dockerfile", "a/Dockerfile.dev", "web.Dockerfile", "Dockerfile-ci"],
         ["Dockerfile.dockerignore", "Dockerfile.j2", "NotDockerfile"]),
        ("zizmor", [".github/workflows/ci.yml", "tools/x/action.yaml", ".github/dependabot.yml"],
         ["ci.yml", ".github/ISSUE_TEMPLATE/bug.yml"]),
        ("trivy", ["infra/main.tf", "Dockerfile", "k8s/pod.yaml", "vars.tfvars"], ["a.py"]),
        ("gitleaks", ["anything", "a/b.bin"], []),
    ],
)  # fmt: skip
def test_inputs(name: str, reads: list[str], does_not_read: list[str]) -> None:
    inputs = Patterns(PRESETS[name].inputs)
    assert [path for path in reads if not inputs.matches(path)] == []
    assert [path for path in does_not_read if inputs.matches(path)] == []


@pytest.mark.parametrize(
    ("name", "said", "paths"),
    [
        (
            "ruff",
            ("warning: Failed to lint my dir/no: n.py: stream did not contain valid UTF-8\n"
            "warning: No Python files found under the given path(s)\n"),
            ["my dir/no: n.py"],
        ),
        (
            "ast-grep",
            ("sg: entity|file|app.py: language=Python,appliedRuleCount=1\n"
            "sg: entity|file|odd|name.py: skipped=invalidUtf8\n"),
            ["odd|name.py"],
        ),
        (
            "zizmor",
            (" WARN collect: zizmor::registry::input: failed to validate"
            " file://./.github/workflows/a b.yml as workflow: input does not match\n"
            " WARN collect: zizmor::registry::input: failed to parse input: did not find it"
            " at line 3 column 1\n INFO audit: zizmor: completed ./.github/workflows/ci.yml\n"),
            [".github/workflows/a b.yml", "input: did not find it at line 3 column 1"],
        ),
        (
            "trivy",
            ('2026-01-01T00:00:00Z\tERROR\t[dockerfile scanner] Failed to parse file\t'
            'file_path="k8s/Dockerfile" err="parse"\n'
            '2026-01-01T00:00:00Z\tERROR\t[terraform parser] Error parsing file\tmodule="root" '
            'file_path="in fra/a.tf" cause=" bucket = " err="a.tf:2,1: Invalid"\n'
            '2026-01-01T00:00:00Z\tINFO\t[terraform scanner] Scanning root module\t'
            'file_path="infra"\n'),
            ["k8s/Dockerfile", "in fra/a.tf"],
        ),
        (
            "checkov",
            ("Passed checks: 0, Failed checks: 0, Skipped checks: 0, Parsing errors: 2\n\n"
            "Error parsing file /tmp/tree/infra/a b.tf\nError parsing file ./k8s/x.yaml\n"),
            ["infra/a b.tf", "k8s/x.yaml"],
        ),
    ],
)  # fmt: skip
def test_unread_files_are_recognised(name: str, said: str, paths: list[str]) -> None:
    streams = ("", said) if PRESETS[name].unread_stdout else (said, "")
    assert list(unread(PRESETS[name], *streams, ["/tmp/tree", "/real/tree"])) == sorted(paths)


def test_a_text_without_complaints_names_nothing() -> None:
    for preset in PRESETS.values():
        assert unread(preset, "INFO all is well\n", "Passed checks: 3\n", []) == ()
        assert complaint(preset, "INFO all is well\n") is None


def test_hadolint_drops_a_configuration_that_it_cannot_read() -> None:
    said = "\"Error parsing your config file in  '/t/.hadolint.yaml':\\nIt should contain\"\n"
    assert complaint(PRESETS["hadolint"], said) == "Error parsing your config file"


def _cell(values: tuple[str, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _row(preset: Scanner) -> str:
    reads = "every file" if preset.inputs == ("*",) else _cell(preset.inputs)
    any_of = " or ".join(f"`{pattern}`" for pattern in preset.requires)
    also = "".join(f", and `{path}` installed" for path in preset.needs)
    applies = f"with {any_of}{also}" if any_of else "where there is such a file"
    return (
        f"| [{preset.name}]({preset.url}) | {preset.grain.value} | {reads} | {applies} "
        f"| {_cell(preset.config_files)} |"
    )


@each
def test_docs_say_what_the_preset_says(preset: Scanner) -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert _row(preset) in text.splitlines()
    section = text.partition(f"\n### {preset.name}\n")[2].partition("\n### ")[0]
    assert section, f"docs/scanners.md has a section {preset.name}"
    assert preset.install in section
    assert ("not been run" in section) == (preset.name in NOT_RUN)

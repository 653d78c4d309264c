"""Every preset whose tool can be installed, run on real input by ``sarifix check``.

One repository a tool, and five states of its working tree: a finding is added, nothing is,
the tool's configuration is broken, the source is broken, and names are odd.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support import tools
from tests.support.repo import Repo

Report = dict[str, Any]
RULES = "rules: {min_level: note}\n"


@dataclass(frozen=True)
class Case:
    """A tool, and what it says of which files."""

    name: str
    bad: tuple[str, str]  # a file with a finding; its own copy of it is there before
    rules: frozenset[str]  # which are new when the file is added
    good: str  # the same kind of file without a finding
    config: tuple[str, str]  # a file of its configuration, and a broken one
    unparsable: str | bytes = ""  # put in place of the good file
    says: str = ""  # of the unparsable file: a rule, or a part of a note
    base: Mapping[str, str] = field(default_factory=dict)  # further files of the base
    path: Callable[[], str] = tools.python_tools
    modules: Callable[[], Path] | None = None  # has a node_modules to be linked


def npm_path() -> str:
    return str(tools.npm_tools() / "node_modules" / ".bin")


SEMGREP_RULES = """\
rules:
  - id: shell-true
    languages: [python]
    severity: ERROR
    message: a shell
    pattern: $F(..., shell=True)
"""
PYTHON_SHELL = "import subprocess\n\nsubprocess.call('x', shell=True)\n"
WORKFLOW = """\
on: push
permissions: {}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with: {persist-credentials: false}
"""
BUCKET = 'resource "aws_s3_bucket" "%s" {\n  bucket = "acme-%s"\n}\n'
POD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata: {a: b}\n"
SECRET = 'token = "ghp_%s"\n'  # put together here, so that no scanner of secrets finds one
TOKEN = "R7xQ2mK9vL4pT8wZ1nB6cY3hJ5dF0sA2gE7u"
JS_EVAL = "export function run(x) {\n  return eval(x);\n}\n"
JS_GOOD = "export const one = 1;\n"
PLAY = """\
---
- name: All
  hosts: all
  tasks:
    - name: Look
      ansible.builtin.command: ls
"""
PLAY_GOOD = """\
---
- name: All
  hosts: all
  tasks:
    - name: Say
      ansible.builtin.debug:
        msg: hello
"""
STACK = "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  T:\n    Type: AWS::SNS::Topic\n"

CASES = (
    Case(
        "ruff",
        ("bad.py", "import os\n"),
        frozenset({"F401"}),
        "x = 1\n",
        ("ruff.toml", "select = 3\n"),
        b"x = '\xff'\n",
        "ruff could not read good.py",
        {"ruff.toml": 'lint.select = ["F"]\n'},
    ),
    Case(
        "bandit",
        ("bad.py", PYTHON_SHELL),
        frozenset({"B404", "B602", "B607"}),
        "x = 1\n",
        (".bandit", "[bandit\n"),
        "def f(:\n",
        "bandit could not read good.py",
    ),
    Case(
        "semgrep",
        ("bad.py", PYTHON_SHELL),
        frozenset({"shell-true"}),
        "x = 1\n",
        (".semgrep.yml", "rules: [\n"),
        base={".semgrep.yml": SEMGREP_RULES},
    ),
    Case(
        "opengrep",
        ("bad.py", PYTHON_SHELL),
        frozenset({"shell-true"}),
        "x = 1\n",
        (".semgrep.yml", "rules: [\n"),
        base={".semgrep.yml": SEMGREP_RULES},
    ),
    Case(
        "trivy",
        ("bad/main.tf", BUCKET % ("logs", "logs")),
        frozenset({"AWS-0086", "AWS-0087", "AWS-0089", "AWS-0090", "AWS-0091", "AWS-0093",
                   "AWS-0094", "AWS-0132"}),
        "locals { a = 1 }\n",
        ("trivy.yaml", "a: [\n"),
        'resource "aws_s3_bucket" "x" {\n',
        "trivy could not read good/main.tf",
    ),
    Case(
        "trivy-secret",
        ("bad.ini", SECRET % TOKEN),
        frozenset({"github-pat"}),
        "a = 1\n",
        ("trivy-secret.yaml", "rules: [\n"),
    ),
    Case(
        "checkov",
        ("bad/main.tf", BUCKET % ("logs", "logs")),
        frozenset({"CKV2_AWS_6", "CKV2_AWS_61", "CKV2_AWS_62", "CKV_AWS_18", "CKV_AWS_21",
                   "CKV_AWS_144", "CKV_AWS_145"}),
        "locals {\n  a = 1\n}\n",
        (".checkov.yaml", "check: [\n"),
        'resource "aws_s3_bucket" "x" {\n',
        "checkov could not read good/main.tf",
    ),
    Case(
        "gitleaks",
        ("bad.ini", SECRET % TOKEN),
        frozenset({"github-pat"}),
        "a = 1\n",
        (".gitleaks.toml", "[[rules\n"),
    ),
    Case(
        "zizmor",
        (".github/workflows/bad.yml", WORKFLOW + "      - run: echo ${{ github.head_ref }}\n"),
        frozenset({"zizmor/template-injection"}),
        WORKFLOW,
        ("zizmor.yml", "rules: [\n"),
        "on: push\njobs: {a: {steps: 3}}\n",
        "zizmor could not read .github/workflows/good.yml",
    ),
    Case(
        "hadolint",
        ("bad/Dockerfile", "FROM debian\n"),
        frozenset({"DL3006"}),
        "FROM scratch\n",
        (".hadolint.yaml", "ignored: [\n"),
        "FROM\nRU x\n",
        "DL1000",
    ),
    Case(
        "eslint",
        ("bad.mjs", JS_EVAL),
        frozenset({"no-eval"}),
        JS_GOOD,
        ("eslint.config.mjs", "export default [\n"),
        "export const = ;\n",
        "eslint could not read good.mjs",
        {"eslint.config.mjs": 'export default [{rules: {"no-eval": "error"}}];\n'},
        npm_path,
        tools.npm_tools,
    ),
    Case(
        "biome",
        ("bad.mjs", JS_EVAL),
        frozenset({"lint/security/noGlobalEval"}),
        JS_GOOD,
        ("biome.json", '{"linter":\n'),
        "export const = ;\n",
        "parse",
        path=npm_path,
    ),
    Case(
        "oxlint",
        ("bad.mjs", JS_EVAL),
        frozenset({"eslint(no-eval)"}),
        JS_GOOD,
        (".oxlintrc.json", '{"rules":\n'),
        "export const = ;\n",
        "OXL0001",
        path=npm_path,
    ),
    Case(
        "ast-grep",
        ("bad.py", "eval('x')\n"),
        frozenset({"no-eval"}),
        "x = 1\n",
        ("sgconfig.yml", "ruleDirs: [\n"),
        b"x = '\xff'\n",
        "ast-grep could not read good.py",
        {
            "sgconfig.yml": "ruleDirs: [rules]\n",
            "rules/no-eval.yml": "id: no-eval\nlanguage: Python\nseverity: error\n"
            "message: no eval\nrule: {pattern: eval($X)}\n",
        },
        npm_path,
    ),
    Case(
        "ansible-lint",
        ("playbooks/bad.yml", PLAY),
        frozenset({"no-changed-when"}),
        PLAY_GOOD,
        (".ansible-lint", "nope: 1\n"),
        "---\n- hosts: [\n",
        "load-failure[yaml]",
        path=lambda: str(tools.venv_tool(*tools.ANSIBLE_LINT)),
    ),
    Case(
        "cfn-lint",
        ("stacks/bad.yaml", f"{STACK}    Properties: {{TopicNam: a}}\n"),
        frozenset({"E3002"}),
        STACK,
        (".cfnlintrc", "templates: [\n"),
        "Resources: [\n",
        "E0000",
        {".cfnlintrc": "templates: ['stacks/*.yaml']\n"},
        lambda: str(tools.venv_tool(*tools.CFN_LINT)),
    ),
)  # fmt: skip


class Laboratory:
    """A repository for one case; ``put`` its working tree into a state, and ``check`` it."""

    def __init__(self, case: Case, directory: Path) -> None:
        self.case = case
        self.good = _renamed(case.bad[0], "good")
        self.path = os.pathsep.join((case.path(), os.environ["PATH"]))
        self.home = str(directory / "home")
        files = {
            ".sarifix.yaml": f"scanners: {{{case.name}: {{}}}}\n{RULES}",
            ".gitignore": "node_modules\n",
            _renamed(case.bad[0], "old"): case.bad[1],
            self.good: case.good,
            **case.base,
        }
        self.repo = Repo.init(directory / case.name, files)
        if case.modules is not None:
            link = self.repo.path / "node_modules"
            link.symlink_to(case.modules() / "node_modules", target_is_directory=True)

    def check(self, files: Mapping[str, str | bytes]) -> Report:
        """Run a check with ``files`` written over the base; the base is restored after it."""
        self.repo.write(files)
        done = subprocess.run(
            [sys.executable, "-m", "sarifix", "check", "--format", "json"],
            cwd=self.repo.path,
            # One home for all checks: opengrep unpacks itself into it.
            env={**os.environ, "PATH": self.path, "HOME": self.home, "XDG_CACHE_HOME": self.home},
            capture_output=True,
            timeout=120,
            check=False,
        )
        self.repo.git("reset", "-q", "--hard")
        self.repo.git("clean", "-fdq")
        report: Report = json.loads(done.stdout)
        assert done.returncode == report["exit_code"], done.stderr.decode()
        assert "error" not in report, report["error"]
        return report


def _renamed(path: str, name: str) -> str:
    """Return the path of a file beside, or in a directory beside: ``bad/x`` is ``old/x``."""
    return path.replace("bad", name)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.name)
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    case: Case = request.param
    return Laboratory(case, tmp_path_factory.mktemp("lab"))


def introduced(report: Report) -> set[str]:
    return {finding["rule"] for finding in report["introduced"]}


def status(report: Report) -> str:
    (scanner,) = report["scanners"]
    return f"{scanner['status']}: {scanner['reason']}" if scanner["reason"] else scanner["status"]


def test_a_finding_that_is_added_is_the_only_one_introduced(lab: Laboratory) -> None:
    path, text = lab.case.bad
    report = lab.check({path: text})
    assert status(report) == "ok"
    assert introduced(report) == lab.case.rules
    assert {finding["path"] for finding in report["introduced"]} == {path}
    (scanner,) = report["scanners"]
    assert scanner["version"]


def test_a_change_without_a_finding_is_clean(lab: Laboratory) -> None:
    report = lab.check({_renamed(lab.case.bad[0], "other"): lab.case.good})
    assert (status(report), report["outcome"]) == ("ok", "clean"), report


def test_a_broken_configuration_never_looks_clean(lab: Laboratory) -> None:
    path, text = lab.case.config
    report = lab.check({path: text, lab.case.bad[0]: lab.case.bad[1]})
    if lab.case.name == "bandit":  # it goes on without one
        assert introduced(report) == lab.case.rules
    else:
        assert report["outcome"] == "undecided"
        assert status(report).startswith("failed: ")


def test_a_file_that_cannot_be_parsed_is_named(lab: Laboratory) -> None:
    if not lab.case.says:
        pytest.skip(f"{lab.case.name} says nothing of such a file")
    report = lab.check({lab.good: lab.case.unparsable})
    assert status(report) == "ok"
    said = introduced(report) | set(report["notes"])
    assert any(lab.case.says in text for text in said), report


def test_names_are_taken_as_they_are(lab: Laboratory) -> None:
    """No switch, no pattern, no URI: the finding is in the file of that very name."""
    path, text = lab.case.bad
    directory, name = os.path.split(path)
    if name in {"main.tf", "Dockerfile"}:
        odd = [f"{odd}/{name}" for odd in ("-d", "s*[t] ü#")]
    else:
        suffix = name.removeprefix("bad")
        odd = [os.path.join(directory, f"{odd}{suffix}") for odd in ("-d", "s*[t] ü#")]
    report = lab.check(dict.fromkeys(odd, text))
    assert status(report) == "ok"
    assert {finding["path"] for finding in report["introduced"]} == set(odd)


def test_what_semgrep_ignores_in_a_directory_is_not_named_to_it(tmp_path: Path) -> None:
    """It would scan a named file whatever .semgrepignore, or its own list, says."""
    case = next(case for case in CASES if case.name == "semgrep")
    lab = Laboratory(case, tmp_path)
    files = {"tests/a.py": PYTHON_SHELL, "gen/b.py": PYTHON_SHELL, "c.py": PYTHON_SHELL}
    default = lab.check(files)
    assert {finding["path"] for finding in default["introduced"]} == {"gen/b.py", "c.py"}
    own = lab.check({**files, ".semgrepignore": "gen/\n"})
    assert {finding["path"] for finding in own["introduced"]} == {"tests/a.py", "c.py"}

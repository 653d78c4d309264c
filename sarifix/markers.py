"""What ignore comments look like: one entry of data for each family of tools."""

from __future__ import annotations

from sarifix.named import NamedTuple

COLON, EQUALS, BRACKET, SPACE = r"\s*:\s*", r"\s*=\s*", r"\s*\[\s*", r"\s+"

_JVM = (".java", ".kt", ".kts", ".scala", ".groovy")


class Marker(NamedTuple):
    """One family of ignore comments.

    ``words`` is a regular expression without groups, read without regard to case.
    ``opener`` is what stands between the words and the rules that they name, if they can.
    ``anywhere``: the tool finds the words anywhere in a comment, not at its start alone.
    ``syntax_of``: the words are no comment but syntax, in files that end so.
    ``spaced``: spaces alone separate the rules. Such words as are no rules end a list.
    """

    words: str
    opener: str = ""
    anywhere: bool = False
    syntax_of: tuple[str, ...] = ()
    spaced: bool = False


MARKERS = (
    # Python. A colon is needed before codes: what follows a bare `noqa` is prose.
    Marker(r"(?:(?:ruff|flake8)\s*:\s*)?noqa\b", COLON),
    Marker(r"ruff\s*:\s*(?:file-)?(?:ignore|disable)\b", BRACKET),
    Marker(r"nosec\b", r"\s*:?\s*(?=\w*\d|\w+_\w)"),
    Marker(r"(?:type|pyright|ty|pyrefly)\s*:\s*ignore\b", BRACKET),
    Marker(r"mypy\s*:\s*(?:ignore-errors|disable-error-code)\b"),
    Marker(r"pyre-(?:ignore|fixme)(?:-all-errors)?\b", BRACKET),
    Marker(r"pylint\s*:\s*(?:disable(?:-next|-msg|-all)?|skip-file)\b", EQUALS, anywhere=True),
    # JavaScript, TypeScript, CSS, Markdown, Solidity
    Marker(
        r"(?:eslint|oxlint|stylelint|markdownlint|secretlint|solhint|slither)"
        r"-disable(?:-next-line|-line|-file|-start|-previous-line)?\b",
        SPACE,
    ),
    Marker(r"tslint:disable(?:-next-line|-line)?\b", COLON),
    Marker(r"biome-ignore(?:-all|-start)?\b(?!-)", SPACE),
    Marker(r"deno-lint-ignore(?:-file)?\b", SPACE, spaced=True),
    Marker(r"@ts-(?:ignore|expect-error|nocheck)\b"),
    # Many languages
    Marker(r"nosem(?:grep)?\b", COLON, anywhere=True),
    Marker(r"NOSONAR\b", r"\s*\(\s*", anywhere=True),
    Marker(r"(?:codeql|lgtm)(?=\s?\[)", BRACKET, anywhere=True),
    Marker(r"ast-grep-ignore\b", COLON),
    # Secrets
    Marker(r"(?:gitleaks\s*:\s*allow|trufflehog\s*:\s*ignore|ggignore)\b", anywhere=True),
    Marker(r"pragma\s*:\s*(?:allow|white)list(?:\s+nextline)?\s+secret\b", anywhere=True),
    # Infrastructure
    Marker(r"(?:trivy|tfsec)\s*:\s*ignore\b", COLON, anywhere=True),
    Marker(r"(?:checkov|bridgecrew|cortex|ts)\s*:\s*skip\b", EQUALS, anywhere=True),
    Marker(r"kics-scan\s+(?:ignore(?:-line|-block)?|disable)\b", EQUALS),
    Marker(r"tflint-ignore(?:-file)?\b", COLON),
    Marker(r"zizmor\s*:\s*ignore\b", BRACKET, anywhere=True),
    Marker(r"hadolint\s+(?:global\s+)?ignore\b", EQUALS),
    Marker(r"shellcheck\s[^#]{0,80}?\bdisable\b", EQUALS),
    Marker(r"yamllint\s+disable(?:-line|-file)?\b", SPACE, spaced=True),
    Marker(r"\bskip_ansible_lint\b", syntax_of=(".yml", ".yaml")),
    # C, C++, Go: clang-tidy looks anywhere, golangci-lint at the start of the comment.
    Marker(r"nolint(?:nextline|begin)?\b", r"\s*[:(]\s*"),
    Marker(r"(?-i:NOLINT(?:NEXTLINE|BEGIN)?)\b", r"\s*[:(]\s*", anywhere=True),
    Marker(r"lint:(?:file-)?ignore\b", SPACE),
    Marker(r"cppcheck-suppress(?:-begin|-file|-macro)?\b", r"\s+|\s*\[\s*"),
    Marker(r"flawfinder\s*:\s*ignore\b"),
    # Java, PHP, Ruby, Kotlin, Swift
    Marker(r"(?-i:NOPMD)\b", anywhere=True),
    Marker(r"CHECKSTYLE\s?[:.]\s?OFF\b", COLON),
    Marker(r"phpcs:(?:ignore(?:File)?|disable)\b", SPACE),
    Marker(r"@(?:phpstan-ignore(?:-line|-next-line)?|psalm-suppress)\b", SPACE),
    Marker(r"rubocop\s*:\s*(?:disable|todo)\b", SPACE, anywhere=True),
    Marker(r"swiftlint:disable(?::next|:this|:previous)?\b", SPACE, spaced=True),
    Marker(r"ktlint-disable\b", SPACE, spaced=True),
    # Syntax, where it names a linter. What silences the compiler is code like other code.
    Marker(
        r"#!?\[(?:allow|expect)\((?=[^)]{0,200}clippy::)",
        r"[^)]*?(?=clippy::)",
        syntax_of=(".rs",),
    ),
    Marker(r"@SuppressFBWarnings\b", syntax_of=_JVM),
    Marker(
        r"@SuppressWarnings\((?=[^)]{0,200}\"(?:PMD|java:S|squid:|checkstyle:|all\"))",
        r"[^)]*?\"(?=PMD|java:S|squid:|checkstyle:|all\")",
        syntax_of=_JVM,
    ),
)

# One of these stands, in small letters, in every line that has an ignore comment.
NEEDLES = (
    "noqa",
    "nosec",
    "nosem",
    "nosonar",
    "nolint",
    "nopmd",
    "ignore",
    "disable",
    "skip",
    "allow",
    "whitelist secret",
    "codeql",
    "lgtm",
    "pyre-fixme",
    "@ts-",
    "-suppress",
    "checkstyle",
    "rubocop",
    "clippy::",
    "@suppress",
)

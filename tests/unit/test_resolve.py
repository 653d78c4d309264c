"""An entry of ``.sarifix.yaml`` becomes a scanner; what of its command line is configuration."""

from __future__ import annotations

from typing import Any

import pytest

from sarifix.errors import ConfigError, ExitCode
from sarifix.model import Grain, Scanner, ScannerEntry
from sarifix.scanners import PRESETS
from sarifix.scanners.resolve import config_paths_in_argv, resolve

PLACE = ".sarifix.yaml:2:3"


def entry(name: str = "ruff", **given: Any) -> ScannerEntry:
    return ScannerEntry(name, PLACE)._replace(**given)


def test_a_preset_as_it_is() -> None:
    assert resolve(entry()) == PRESETS["ruff"]._replace(preset="ruff", named=True)


def test_a_second_entry_of_a_preset_has_its_own_name() -> None:
    scanner = resolve(entry("style", preset="ruff", args=("--select", "E")))
    assert (scanner.name, scanner.preset) == ("style", "ruff")
    assert scanner.argv[-3:] == ("--select", "E", "{files}")
    assert scanner.argv[:-3] == PRESETS["ruff"].argv[:-1]


def test_arguments_come_last_where_no_files_are_named() -> None:
    scanner = resolve(entry("trivy", args=("--severity", "HIGH")))
    assert scanner.argv == (*PRESETS["trivy"].argv, "--severity", "HIGH")


@pytest.mark.parametrize(
    ("name", "args", "kept"),
    [
        ("semgrep", ("--config", "rules.yml"), False),
        ("semgrep", ("--config=rules.yml",), False),
        ("semgrep", ("-c", "rules.yml"), False),
        ("semgrep", ("-e", "eval(...)", "-l", "py"), False),
        ("semgrep", ("--severity", "ERROR"), True),
        ("bandit", ("--ini", "other"), False),
        ("bandit", ("-c", "pyproject.toml"), True),  # adds to .bandit, does not replace it
    ],
)
def test_a_configuration_of_the_users_takes_the_place_of_the_local_one(
    name: str, args: tuple[str, ...], kept: bool
) -> None:
    assert ("{config}" in resolve(entry(name, args=args)).argv) is kept


def test_every_field_that_is_given_counts() -> None:
    given: dict[str, Any] = {
        "output": "{outdir}/x.sarif",
        "ok_exit_codes": frozenset({0, 9}),
        "empty_output": "clean",
        "inputs": ("*.x",),
        "config_files": ("x.toml",),
        "grain": Grain.TREE,
        "timeout": 5.0,
        "required": False,
        "link": (".venv",),
        "secrets": True,
    }
    scanner = resolve(entry(**given, version_command=("x", "--version")))
    assert {name: getattr(scanner, name) for name in given} == given
    assert scanner.version_argv == ("x", "--version")


def test_what_is_given_may_be_nothing() -> None:
    scanner = resolve(entry("eslint", link=(), config_files=()))
    assert (scanner.link, scanner.config_files) == ((), ())


def test_variables_are_added_to_those_of_the_preset() -> None:
    scanner = resolve(entry("trivy", env=(("HTTPS_PROXY", ""), ("A", "1"))))
    env = dict(scanner.env)
    assert (env["HTTPS_PROXY"], env["A"]) == ("", "1")
    assert env["TRIVY_DISABLE_TELEMETRY"] == "true"


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        (("t", "-o", "{out}"), None, "{out}"),
        (("t", "--output={out}"), None, "{out}"),
        (("t", "-o", "{outdir}"), "{outdir}/r.sarif", "{outdir}/r.sarif"),
        (("t",), None, "stdout"),
    ],
)
def test_where_a_command_writes(
    command: tuple[str, ...], output: str | None, expected: str
) -> None:
    scanner = resolve(entry("own", command=command, output=output))
    assert (scanner.argv, scanner.output) == (command, expected)
    assert (scanner.preset, scanner.named, scanner.inputs) == (None, True, ("*",))


def test_a_command_that_takes_files_is_given_changed_ones() -> None:
    assert resolve(entry("own", command=("t", "{files}"))).grain is Grain.FILE
    assert resolve(entry("own", command=("t", "."))).grain is Grain.TREE
    assert resolve(entry("own", command=("t", "{files}"), grain=Grain.TREE)).grain is Grain.TREE


def test_a_command_named_like_a_preset_is_no_preset() -> None:
    scanner = resolve(entry("ruff", command=("mine",)))
    assert (scanner.argv, scanner.preset, scanner.config_files) == (("mine",), None, ())


def test_an_unknown_preset_is_an_error_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"^\.sarifix\.yaml:2:3: there is no preset 'rough'") as e:
        resolve(entry("rough"))
    assert e.value.exit_code is ExitCode.USAGE
    assert "ruff" in (e.value.hint or "")


TREE = {"rules.yml", "rules", "src", "src/a.py", "tools/lint.py", "pyproject.toml", "Makefile"}


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (("t", "--config", "rules.yml"), ["rules.yml"]),
        (("t", "--config=./rules.yml"), ["rules.yml"]),
        (("t", "-c", "pyproject.toml", "src"), ["pyproject.toml"]),
        (("t", "--rules-dir", "rules/"), ["rules"]),
        (("t", "--config-file=rules.yml,pyproject.toml"), ["pyproject.toml", "rules.yml"]),
        (("t", "--gitleaks-ignore-path", "rules.yml"), ["rules.yml"]),
        (("t", "--secret-config", "rules.yml", "--config-data", "rules"), ["rules", "rules.yml"]),
        (("python3.12", "tools/lint.py", "src"), ["tools/lint.py"]),
        (("/usr/bin/node", "tools/lint.py"), ["tools/lint.py"]),
        (("t", "--ini", "rules.yml"), ["rules.yml"]),
        # Outside, absent, or registered elsewhere: not of the tree.
        (("t", "--config", "../rules.yml"), []),
        (("t", "--config", "/etc/rules.yml"), []),
        (("t", "--config", "p/python"), []),
        (("t", "--config", "."), []),
        (("t", "--config"), []),
        # What is to be scanned. Held equal on both sides, it would never show anything new.
        (("t", "src"), []),
        (("t", "."), []),
        (("t", "-r", "src"), []),
        (("t", "-d", "src", "Makefile"), []),
        (("t", "--check", "src"), []),
        (("t", "--no-config", "src"), []),
        (("t", "--ignore-config", "src"), []),
        (("t", "--skip-rules", "src"), []),
        (("t", "--target=src", "--input=Makefile"), []),
        (("t", "tools/lint.py"), []),
    ],
)
def test_paths_of_the_command_line_that_configure(argv: tuple[str, ...], named: list[str]) -> None:
    scanner = Scanner(name="t", argv=argv)
    assert list(config_paths_in_argv(scanner, TREE.__contains__)) == named


def test_the_scanners_own_switches_configure() -> None:
    scanner = Scanner("t", ("t", "-f", "rules.yml"), config_flag="--x", config_aliases=("-f",))
    assert config_paths_in_argv(scanner, TREE.__contains__) == ("rules.yml",)


def test_no_preset_takes_what_it_scans_for_configuration() -> None:
    for preset in PRESETS.values():
        assert config_paths_in_argv(preset, lambda _: True) in {(), ("{outdir}",), ("{files}",)}

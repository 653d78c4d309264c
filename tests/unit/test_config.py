"""``.sarifix.yaml``: what is read, and what every mistake is told, with its place."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sarifix.config import KEYS, loads
from sarifix.config.schema import Key
from sarifix.errors import ConfigError, ExitCode
from sarifix.model import Config, Grain, Level, Policy, ScannerEntry

PRESETS = frozenset({"ruff", "bandit", "semgrep"})
PATH = ".sarifix.yaml"


def load(text: str) -> Config:
    return loads(text, PATH, PRESETS)


def refusal(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(text)
    return caught.value


# ---------------------------------------------------------------------------
# What is read


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n", "~", "\ufeff# nothing", "{}"])
def test_nothing_gives_the_defaults(text: str) -> None:
    assert load(text) == Config(path=PATH)


def test_every_key_is_read() -> None:
    config = load(
        """\
base: origin/main
deadline: 60
jobs: 4
hooks: {deadline: 30.5}
scanners:
  ruff:
  style:
    preset: ruff
    args: [--select, E]
    enabled: false
  mytool:
    command: [mytool, "--out={outdir}", "{files}"]
    output: "{outdir}/sub/result.sarif"
    ok_exit_codes: [0, 1]
    empty_output: clean
    inputs: ["*.tf", "!x.tf"]
    config_files: [.mytool.toml]
    grain: file
    version_command: [mytool, --version]
    timeout: 120
    required: false
    link: [node_modules, sub/.venv/]
    env: {ZED: "1", ALPHA: ""}
    secrets: true
rules:
  min_level: error
  deny: [ruff/E501, "semgrep/*.audit.*"]
  allow: []
  suppressions: ignore
paths:
  deny: [vendor/, "tests/fixtures/**"]
"""
    )
    assert config == Config(
        path=PATH,
        base="origin/main",
        deadline=60.0,
        hook_deadline=30.5,
        jobs=4,
        policy=Policy(
            min_level=Level.ERROR,
            deny=("ruff/E501", "semgrep/*.audit.*"),
            allow=(),
            deny_paths=("vendor/", "tests/fixtures/**"),
            suppressions="ignore",
        ),
        scanners=(
            ScannerEntry("ruff", f"{PATH}:6:3", preset="ruff"),
            ScannerEntry(
                "style", f"{PATH}:7:3", preset="ruff", args=("--select", "E"), enabled=False
            ),
            ScannerEntry(
                "mytool",
                f"{PATH}:11:3",
                command=("mytool", "--out={outdir}", "{files}"),
                output="{outdir}/sub/result.sarif",
                ok_exit_codes=frozenset({0, 1}),
                empty_output="clean",
                inputs=("*.tf", "!x.tf"),
                config_files=(".mytool.toml",),
                grain=Grain.FILE,
                version_command=("mytool", "--version"),
                timeout=120.0,
                required=False,
                link=("node_modules", "sub/.venv"),
                env=(("ALPHA", ""), ("ZED", "1")),
                secrets=True,
            ),
        ),
    )


def test_every_field_of_the_model_has_a_key() -> None:
    filled = {key.field for key in KEYS} | {"path", "policy", "scanners", "name", "place"}
    model = {name for cls in (Config, Policy, ScannerEntry) for name in cls._fields}
    assert filled == model


def test_a_preset_is_meant_by_its_name_unless_there_is_a_command() -> None:
    config = load("scanners: {ruff: {}, bandit: {command: [bandit]}, x: {preset: semgrep}}")
    assert config.scanners is not None
    assert [entry.preset for entry in config.scanners] == ["ruff", None, "semgrep"]


def test_no_scanners_and_an_empty_list_of_scanners_are_not_the_same() -> None:
    assert load("jobs: 1").scanners is None
    assert load("scanners:\n").scanners == ()
    assert load("scanners: {}").scanners == ()


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("+7", 7), ("0x1f", 31), ("0o17", 15), ("017", 17), ("0", 0)]
)
def test_numbers_are_those_of_yaml_1_2(text: str, value: int) -> None:
    assert load(f"jobs: {text}").jobs == value


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1.0), ("1.5", 1.5), (".5", 0.5), ("1e2", 100.0), ("86400", 86400.0)]
)
def test_seconds_may_have_fractions(text: str, value: float) -> None:
    assert load(f"deadline: {text}").deadline == value


def test_yaml_1_1_is_not_spoken_even_when_asked_for() -> None:
    assert "the string 'yes'" in refusal("%YAML 1.1\n---\nscanners: {ruff: {enabled: yes}}").message


def test_a_character_that_is_escaped_as_in_json() -> None:
    assert load('base: "\\ud83d\\ude00"').base == "\U0001f600"


@pytest.mark.parametrize("text", ["base: ~x", 'base: "1234567"', "base: 'true'", "base: |-\n  a"])
def test_strings_in_any_style(text: str) -> None:
    assert isinstance(load(text).base, str)


def test_an_alias_stands_for_what_its_anchor_names() -> None:
    config = load(
        "scanners:\n  ruff: {env: &env {A: b}}\n  bandit: {env: *env}\n  semgrep: {env: *env}\n"
    )
    assert config.scanners is not None
    assert {entry.env for entry in config.scanners} == {(("A", "b"),)}


def test_an_anchor_may_be_used_again() -> None:
    # ruamel.yaml warns of this; warnings are errors here.
    assert load("base: &a x\nrules: {min_level: &a error}\nscanners: {ruff: {}}").base == "x"


@pytest.mark.parametrize(
    "argument", ["{", "{}", "{a: .b}", '{"rule": 2}', "${1}", "{ print }", "a{b"]
)
def test_what_only_looks_like_a_placeholder_is_an_argument(argument: str) -> None:
    quoted = argument.replace("'", "''")
    config = load(f"scanners: {{x: {{command: [jq, '{quoted}']}}}}")
    assert config.scanners is not None
    assert config.scanners[0].command == ("jq", argument)


@pytest.mark.parametrize("name", ["a", "0", "my-tool_2.x", "A" * 300])
def test_names_of_entries(name: str) -> None:
    config = load(f'scanners: {{"{name}": {{command: [x]}}}}')
    assert config.scanners is not None
    assert config.scanners[0].name == name


# ---------------------------------------------------------------------------
# What is wrong, and where

TOP = "one of base, deadline, hooks, jobs, paths, rules, scanners"
SECONDS = "a number of seconds above 0 and up to 86400"
COMMAND = "a list of strings: a program and its arguments"
NAMES = "a name of letters, digits, dots, underscores and hyphens"
RULES = "a list of SCANNER/RULE patterns"
PATHS = "a list of gitignore patterns"


def entry(text: str) -> str:
    """An entry `x` with a command and one more line, which is line 4."""
    return f"scanners:\n  x:\n    command: [x]\n    {text}\n"


MISTAKES = {
    # The document as a whole
    "- a": "1:1: a list is given; expected a mapping",
    "just text": "1:1: the string 'just text' is given; expected a mapping",
    "jobs: 1\n---\njobs: 2": "2:1: a second document begins here; expected one document",
    "# c\n[]": "2:1: an empty list is given; expected a mapping",
    # Keys
    "jbos: 1": f"1:1: jbos: unknown key; expected {TOP}",
    "jobs: 1\nfoo: {bar: [x]}": f"2:1: foo: unknown key; expected {TOP}",
    "rules:\n  min_levle: note": (
        "2:3: rules.min_levle: unknown key; expected one of allow, deny, min_level, suppressions"
    ),
    "scanners.ruff: 1": f"1:1: scanners.ruff: unknown key; expected {TOP}",
    "scanners.NAME.env: {A: b}": f"1:1: scanners.NAME.env: unknown key; expected {TOP}",
    "hooks: {deadline.x: 1}": "1:9: hooks.deadline.x: unknown key; expected one of deadline",
    "hooks: {rules: {deny: []}}": "1:9: hooks.rules: unknown key; expected one of deadline",
    "<<: {jobs: 1}": f"1:1: <<: unknown key; expected {TOP}",
    '"\\x1b[1m\\u202e": 1': f"1:1: '\\x1b[1m\\u202e': unknown key; expected {TOP}",
    "k" * 120 + ": 1": f"1:1: {'k' * 99}…: unknown key; expected {TOP}",
    "jobs: 1\njobs: 2": "2:1: jobs: given twice, first in line 1; expected each key once",
    "jobs: 1\n'jobs': 2": "2:1: jobs: given twice, first in line 1; expected each key once",
    "scanners:\n  ruff:\n  ruff:": (
        "3:3: scanners.ruff: given twice, first in line 2; expected each key once"
    ),
    "1: x": "1:1: the number 1 is a key; expected keys that are strings",
    "true: x": "1:1: the boolean true is a key; expected keys that are strings",
    "~: x": "1:1: nothing is a key; expected keys that are strings",
    "rules: {? [a] : b}": "1:11: rules: a list is a key; expected keys that are strings",
    # Sections
    "rules: []": "1:8: rules: an empty list is given; expected a mapping",
    "hooks: 240": "1:8: hooks: the number 240 is given; expected a mapping",
    "scanners: [ruff]": "1:11: scanners: a list is given; expected a mapping",
    "scanners:\n  ruff: true": (
        "2:9: scanners.ruff: the boolean true is given; expected a mapping"
    ),
    # Numbers
    "deadline: 0": f"1:11: deadline: the number 0 is given; expected {SECONDS}",
    "deadline: -5": f"1:11: deadline: the number -5 is given; expected {SECONDS}",
    "deadline: 86401": f"1:11: deadline: the number 86401 is given; expected {SECONDS}",
    "deadline: .inf": f"1:11: deadline: the number inf is given; expected {SECONDS}",
    "deadline: .NaN": f"1:11: deadline: the number nan is given; expected {SECONDS}",
    "deadline: '5'": f"1:11: deadline: the string '5' is given; expected {SECONDS}",
    "deadline: true": f"1:11: deadline: the boolean true is given; expected {SECONDS}",
    "deadline:": f"1:10: deadline: nothing is given; expected {SECONDS}",
    "deadline: 5m": f"1:11: deadline: the string '5m' is given; expected {SECONDS}",
    "deadline: 1_000": f"1:11: deadline: the string '1_000' is given; expected {SECONDS}",
    "hooks:\n  deadline: -1": (
        f"2:13: hooks.deadline: the number -1 is given; expected {SECONDS}"
    ),
    f"deadline: {'9' * 5000}": f"1:11: deadline: the number inf is given; expected {SECONDS}",
    "jobs: -1": "1:7: jobs: the number -1 is given; expected a whole number from 0 to 256",
    "jobs: 257": "1:7: jobs: the number 257 is given; expected a whole number from 0 to 256",
    "jobs: 1.0": "1:7: jobs: the number 1.0 is given; expected a whole number from 0 to 256",
    "jobs: true": "1:7: jobs: the boolean true is given; expected a whole number from 0 to 256",
    "jobs: [1]": "1:7: jobs: a list is given; expected a whole number from 0 to 256",
    f"jobs: {'9' * 5000}": (
        "1:7: jobs: the number inf is given; expected a whole number from 0 to 256"
    ),
    # Strings
    "base: 1234567": (
        "1:7: base: the number 1234567 is given;"
        " expected a revision, such as HEAD or origin/main"
    ),
    "base: ''": (
        "1:7: base: the string '' is given; expected a revision, such as HEAD or origin/main"
    ),
    "base: --all": (
        "1:7: base: the string '--all' is given; expected a revision, such as HEAD or origin/main"
    ),
    'base: "a\\nb"': (
        "1:7: base: the string 'a\\nb' is given; expected a revision, such as HEAD or origin/main"
    ),
    "base: [x]": "1:7: base: a list is given; expected a revision, such as HEAD or origin/main",
    f"base: '-{'x' * 90}'": (
        f"1:7: base: the string '-{'x' * 58}…' is given;"
        " expected a revision, such as HEAD or origin/main"
    ),
    # Policy
    "rules: {min_level: warn}": (
        "1:20: rules.min_level: the string 'warn' is given;"
        " expected none, note, warning or error"
    ),
    "rules: {min_level: Error}": (
        "1:20: rules.min_level: the string 'Error' is given;"
        " expected none, note, warning or error"
    ),
    "rules: {min_level: 2}": (
        "1:20: rules.min_level: the number 2 is given; expected none, note, warning or error"
    ),
    "rules: {suppressions: no}": (
        "1:23: rules.suppressions: the string 'no' is given; expected report or ignore"
    ),
    "rules: {deny: [E501]}": (
        f"1:16: rules.deny[0]: the string 'E501' is given; expected {RULES}"
    ),
    "rules:\n  allow:\n  - ruff/*\n  - /x": (
        f"4:5: rules.allow[1]: the string '/x' is given; expected {RULES}"
    ),
    "rules: {deny: [ruff/]}": (
        f"1:16: rules.deny[0]: the string 'ruff/' is given; expected {RULES}"
    ),
    "rules: {deny: ruff/*}": f"1:15: rules.deny: the string 'ruff/*' is given; expected {RULES}",
    "rules: {deny: [1]}": f"1:16: rules.deny[0]: the number 1 is given; expected {RULES}",
    "paths: {deny: ['']}": (
        f"1:16: paths.deny[0]: the string '' is an empty pattern; expected {PATHS}"
    ),
    "paths: {deny: ['a[']}": (
        "1:16: paths.deny[0]: the string 'a[' is a pattern with a [ that is never closed;"
        f" write \\[ for the character itself; expected {PATHS}"
    ),
    "paths: {deny: [x, 'a\\']}": (
        "1:19: paths.deny[1]: the string 'a\\\\' is a pattern that cannot be read;"
        f" expected {PATHS}"
    ),
    "paths: {deny: }": f"1:14: paths.deny: nothing is given; expected {PATHS}",
    # Scanners
    "scanners: {rufff: {}}": (
        "1:12: scanners.rufff: no preset has this name, and the entry has no preset and no"
        " command; expected a command, or one of bandit, ruff, semgrep"
    ),
    "scanners: {style: {preset: rufff}}": (
        "1:28: scanners.style.preset: there is no preset 'rufff';"
        " expected one of bandit, ruff, semgrep"
    ),
    "scanners: {sarifix: {command: [x]}}": (
        "1:12: scanners.sarifix: this name is reserved for sarifix's own findings;"
        " expected another name"
    ),
    "scanners: {a/b: {command: [x]}}": (
        f"1:12: scanners.a/b: this name cannot be used; expected {NAMES}"
    ),
    "scanners: {-x: {command: [x]}}": (
        f"1:12: scanners.-x: this name cannot be used; expected {NAMES}"
    ),
    'scanners: {"x\\n": {command: [x]}}': (
        f"1:12: 'scanners.x\\n': this name cannot be used; expected {NAMES}"
    ),
    "scanners: {x: {command: mytool --sarif}}": (
        f"1:25: scanners.x.command: the string 'mytool --sarif' is given; expected {COMMAND}"
    ),
    "scanners: {x: {command: []}}": (
        f"1:25: scanners.x.command: an empty list is given; expected {COMMAND}"
    ),
    "scanners: {x: {command: ['']}}": (
        f"1:26: scanners.x.command[0]: the string '' is no program; expected {COMMAND}"
    ),
    "scanners: {x: {command: ['{files}']}}": (
        f"1:26: scanners.x.command[0]: the string '{{files}}' is no program; expected {COMMAND}"
    ),
    "scanners: {x: {command: [x, 1]}}": (
        f"1:29: scanners.x.command[1]: the number 1 is given; expected {COMMAND}"
    ),
    "scanners: {x: {command: [x, '-o{foo}']}}": (
        "1:29: scanners.x.command[1]: the string '-o{foo}' has the unknown placeholder {foo};"
        " expected {out}, {outdir} or {files}"
    ),
    "scanners: {x: {command: [x, '-f={files}']}}": (
        "1:29: scanners.x.command[1]: the string '-f={files}' joins {files} to something else;"
        " expected {files} as an item of its own"
    ),
    'scanners: {x: {command: [x, "a\\0b"]}}': (
        f"1:29: scanners.x.command[1]: the string 'a\\x00b' is given; expected {COMMAND}"
    ),
    "scanners: {x: {command: [x], preset: ruff}}": (
        "1:38: scanners.x.preset: preset and command are both given; expected one of the two"
    ),
    "scanners: {x: {command: [x], args: [y]}}": (
        "1:36: scanners.x.args: args and command are both given; expected one of the two"
    ),
    "scanners: {x: {command: [x, .], grain: file}}": (
        "1:25: scanners.x.command: {files} is missing, and the grain is file;"
        " expected {files} where the changed files go"
    ),
    "scanners: {x: {command: [x, '{outdir}']}}": (
        "1:25: scanners.x.command: {outdir} is given, but not which file in it is the SARIF;"
        ' expected output: "{outdir}/NAME"'
    ),
    entry('output: "{outdir}/x"'): (
        "4:13: scanners.x.output: there is no {outdir} in command;"
        " expected {outdir} in command as well"
    ),
    'scanners: {ruff: {output: "{outdir}/x"}}': (
        "1:27: scanners.ruff.output: there is no {outdir} in args;"
        " expected {outdir} in args as well"
    ),
    entry("output: stdout"): (
        "4:13: scanners.x.output: the string 'stdout' is given; expected \"{outdir}/NAME\""
    ),
    entry("output: '{outdir}'"): (
        "4:13: scanners.x.output: the string '{outdir}' is given; expected \"{outdir}/NAME\""
    ),
    entry("output: '{outdir}/../x'"): (
        "4:13: scanners.x.output: the string '{outdir}/../x' is given; expected \"{outdir}/NAME\""
    ),
    entry("ok_exit_codes: [0, 256]"): (
        "4:24: scanners.x.ok_exit_codes[1]: the number 256 is given;"
        " expected a list of at least one whole number from 0 to 255"
    ),
    entry("ok_exit_codes: [-1]"): (
        "4:21: scanners.x.ok_exit_codes[0]: the number -1 is given;"
        " expected a list of at least one whole number from 0 to 255"
    ),
    entry("ok_exit_codes: [true]"): (
        "4:21: scanners.x.ok_exit_codes[0]: the boolean true is given;"
        " expected a list of at least one whole number from 0 to 255"
    ),
    entry("ok_exit_codes: []"): (
        "4:20: scanners.x.ok_exit_codes: an empty list is given;"
        " expected a list of at least one whole number from 0 to 255"
    ),
    entry("empty_output: ok"): (
        "4:19: scanners.x.empty_output: the string 'ok' is given; expected error or clean"
    ),
    entry("inputs: []"): (
        f"4:13: scanners.x.inputs: an empty list is given; expected {PATHS}, not an empty one"
    ),
    entry("inputs: ['!']"): (
        "4:14: scanners.x.inputs[0]: the string '!' is a pattern that matches nothing;"
        f" expected {PATHS}, not an empty one"
    ),
    entry("config_files: x"): (
        f"4:19: scanners.x.config_files: the string 'x' is given; expected {PATHS}"
    ),
    entry("grain: dir"): (
        "4:12: scanners.x.grain: the string 'dir' is given; expected file or tree"
    ),
    entry("version_command: []"): (
        f"4:22: scanners.x.version_command: an empty list is given; expected {COMMAND}"
    ),
    entry("timeout: 0"): f"4:14: scanners.x.timeout: the number 0 is given; expected {SECONDS}",
    entry("required: yes"): (
        "4:15: scanners.x.required: the string 'yes' is given; expected true or false"
    ),
    entry("secrets: 1"): "4:14: scanners.x.secrets: the number 1 is given; expected true or false",
    entry("enabled: []"): (
        "4:14: scanners.x.enabled: an empty list is given; expected true or false"
    ),
    **{
        entry(f"link: ['{path}']"): (
            f"4:12: scanners.x.link[0]: the string '{path}' is given; expected a list of"
            " directories, relative to the repository and within it"
        )
        for path in ("/etc", "../x", "a/../b", ".", "", ".git/hooks", "a//b")
    },
    entry("env: [A]"): (
        "4:10: scanners.x.env: a list is given; expected a mapping of variables to strings"
    ),
    entry("env: {A: 1}"): (
        "4:14: scanners.x.env.A: the number 1 is given; expected a mapping of variables to strings"
    ),
    entry("env: {A=B: x}"): (
        "4:11: scanners.x.env: the string 'A=B' is given;"
        " expected a mapping of variables to strings"
    ),
    entry("env: {1: x}"): (
        "4:11: scanners.x.env: the number 1 is given; expected a mapping of variables to strings"
    ),
    entry("env: {A: x, A: y}"): (
        "4:17: scanners.x.env.A: given twice; expected each variable once"
    ),
    entry("tiemout: 1"): (
        "4:5: scanners.x.tiemout: unknown key; expected one of args, command, config_files,"
        " empty_output, enabled, env, grain, inputs, link, ok_exit_codes, output, preset, required,"
        " secrets, timeout, version_command"
    ),
    # YAML itself
    "jobs: !!int 1": "1:7: the tag tag:yaml.org,2002:int is given; expected a value without a tag",
    "rules: !foo {}": "1:8: the tag !foo is given; expected a value without a tag",
    "base: *x": "1:7: the alias *x has no anchor above it; expected &x before it",
    "rules: &r {deny: *r}": (
        "1:18: the alias *r stands within its own anchor; expected &r before it"
    ),
    "[" * 90_000: (
        "1:11: nested more than 10 deep;"
        " expected lists and mappings as in docs/configuration.md"
    ),
    "- " * 40_000: (
        "1:21: nested more than 10 deep;"
        " expected lists and mappings as in docs/configuration.md"
    ),
    'base: "\\ud83d"': (
        "1:7: base: the string '\\ud83d' is given; expected a revision, such as HEAD or origin/main"
    ),
    "#" * 100_001: "1:1: the file has 100001 characters; expected at most 100000",
    "base: &a x\nrules:\n  deny: [" + "*a, " * 21 + "]": (
        "3:90: more than 20 aliases; expected values that are written out"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MISTAKES.items(), ids=[k[:40] for k in MISTAKES])
def test_a_mistake_is_told_with_its_place(text: str, said: str) -> None:
    error = refusal(text)
    assert error.message == f"{PATH}:{said}"
    assert error.hint
    assert error.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: [", "1:5"),
        ("jobs: 1\n  base: x", "2:7"),
        ("\tjobs: 1", "1:1"),
        ("rules:\n  deny: [a\n", "3:1"),
        ("jobs: 'x", "1:9"),
        ("# \u00e9\njobs: \x07", "2:7"),
        ("\ufeffjobs: \x07", "1:7"),
        ("%YAML 9.9\n---\njobs: 1", "1:1"),
        ('jobs: 1\n"\\UFFFFFFFF": 1', "1:7"),  # the last that was read
        ("jobs: \ud800", "1:7"),
        ("base: a: b", "1:8"),
        ("@x: 1", "1:1"),
    ],
)
def test_what_is_not_yaml_is_told_with_its_place(text: str, place: str) -> None:
    error = refusal(text)
    assert error.message.startswith(f"{PATH}:{place}: not YAML (")
    assert error.message.endswith("); expected one YAML 1.2 document")
    assert "\n" not in error.message
    assert error.hint


HINTS = {
    "jbos: 1": "Did you mean jobs?",
    "min_level: note": "Did you mean rules.min_level?",
    "deny: []": "Did you mean rules.deny or paths.deny?",
    "timeout: 5": "Did you mean scanners.NAME.timeout?",
    "rules: {supressions: ignore}": "Did you mean suppressions?",
    "zzz: 1": "docs/configuration.md lists every key with its type and its default.",
    "<<: {}": "Merge keys are not read; write the keys out.",
    "scanners: {rufff: }": "Did you mean ruff?",
    "scanners: {x: {preset: band}}": "Did you mean bandit?",
    "scanners: {zzz: }": "A tool without a preset needs a command.",
    "scanners: {x: {command: a b}}": (
        "Write a list with one argument an item, [mytool, --sarif]: there is no shell."
    ),
    "scanners: {ruff: {args: a}}": "Write a list: [value].",
    "scanners: {ruff: {env: {A: 1}}}": "Put it in quotes, so that it is a string.",
    "base: 1234567": "Put it in quotes, so that it is a string.",
    "rules: {min_level: NOTE}": "Write it in small letters.",
    "scanners: {ruff: {required: on}}": (
        "YAML 1.2 knows true and false; yes, no, on and off are strings."
    ),
    "rules: {deny: [E501]}": (
        "A rule of every scanner is */RULE, every rule of a scanner SCANNER/*."
    ),
}


@pytest.mark.parametrize(("text", "hint"), HINTS.items())
def test_a_mistake_comes_with_what_to_do(text: str, hint: str) -> None:
    assert refusal(text).hint == hint


def test_the_billion_laughs_cost_nothing() -> None:
    lines = ["a0: &a0 [lol]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    assert "more than 20 aliases" in refusal("\n".join(lines)).message


def said_of(text: str) -> str | None:
    """Return the message of a text's refusal, None if it is read."""
    try:
        load(text)
    except ConfigError as error:
        return error.message
    return None


ANYTHING = st.text("abjobs:rules-[]{}&*!|>'\"%@`#,? \n\t\\U0x\ud800", max_size=60)


@given(st.text(max_size=60) | ANYTHING)
@settings(max_examples=400)
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    said = said_of(text)
    assert said is None or re.match(r"\.sarifix\.yaml:\d+:\d+: .*; expected .", said)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(KEYS), VALUES)
@settings(max_examples=400)
def test_any_value_of_any_key_is_read_or_refused_with_its_path(key: Key, value: object) -> None:
    path = key.path.replace("NAME", "ruff")
    text = json.dumps(value)
    for part in reversed(path.split(".")):
        text = f'{{"{part}": {text}}}'
    said = said_of(text)
    assert said is None or f": {path}" in said or "not YAML" in said


def test_ruamel_is_imported_for_a_text_alone() -> None:
    program = (
        "import sys; from sarifix.config import loads; before = 'ruamel.yaml' in sys.modules;"
        "loads('', 'x', ()); print(before, 'ruamel.yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().split() == ["False", "True"]

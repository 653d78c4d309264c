"""docs/configuration.md says what the schema says: every key, its type, its default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sarifix.config import KEYS, loads
from sarifix.config.document import MAX_ALIASES, MAX_CHARACTERS
from sarifix.config.schema import PLACEHOLDERS, Key
from sarifix.errors import ConfigError
from sarifix.model import Config, Grain, ScannerEntry
from sarifix.scanners.resolve import resolve

DOC = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in DOC.splitlines()
    if len(cells := re.split(r" \| ", line.strip("| "))) == 4 and cells[0] not in {"key", "---"}
}
PRESETS = ("ruff", "semgrep")


def load(text: str) -> Config:
    return loads(text, "example", PRESETS)._replace(path=None)


def nested(path: str, value: str) -> str:
    for part in reversed(path.replace("NAME", "ruff").split(".")):
        value = f"{{{part}: {value}}}"
    return value


def test_every_key_has_a_row_and_every_row_a_key() -> None:
    assert set(ROWS) == {key.path for key in KEYS}


@pytest.mark.parametrize("key", KEYS, ids=[key.path for key in KEYS])
def test_the_type_is_the_one_that_messages_speak_of(key: Key) -> None:
    assert ROWS[key.path][0] == key.expects


@pytest.mark.parametrize("key", [k for k in KEYS if not k.path.startswith("scanners.")])
def test_the_default_is_the_default(key: Key) -> None:
    default = ROWS[key.path][1]
    if default.startswith("none"):
        assert load("") == Config()
    elif key.path == "base":
        assert load(nested(key.path, default.strip("`"))).base == "HEAD"
        assert Config().base is None  # which means HEAD
    else:
        assert load(nested(key.path, default.strip("`"))) == Config()


def entry(text: str) -> ScannerEntry:
    config = load(f"scanners: {{x: {{{text}}}}}")
    assert config.scanners is not None
    return config.scanners[0]


@pytest.mark.parametrize(
    "key", ["ok_exit_codes", "empty_output", "inputs", "config_files", "required", "link", "env",
            "secrets"]
)  # fmt: skip
def test_the_default_of_a_tool_is_the_default(key: str) -> None:
    default = ROWS[f"scanners.NAME.{key}"][1].removesuffix(", or the preset's").strip("`")
    given = resolve(entry(f"command: [x], {key}: {default}"))
    assert given == resolve(entry("command: [x]"))


@pytest.mark.parametrize("key", ["args", "enabled"])
def test_the_default_of_an_entry_is_the_default(key: str) -> None:
    default = ROWS[f"scanners.NAME.{key}"][1].strip("`")
    assert entry(f"preset: ruff, {key}: {default}") == entry("preset: ruff")


def test_the_default_grain_is_the_default() -> None:
    assert ROWS["scanners.NAME.grain"][1].startswith("`file` with `{files}`, else `tree`")
    assert resolve(entry('command: [x, "{files}"]')).grain is Grain.FILE
    assert resolve(entry("command: [x]")).grain is Grain.TREE


def test_the_complete_example_has_every_key() -> None:
    example = (
        DOC.partition("## A complete example")[2].partition("```yaml\n")[2].partition("```")[0]
    )
    config = load(example)
    assert config.scanners is not None
    assert [entry.name for entry in config.scanners] == [
        "ruff", "semgrep", "style", "licences", "typos", "keys",
    ]  # fmt: skip
    unset = [
        key.path
        for key in KEYS
        if not re.search(rf"^\s*{key.path.rpartition('.')[2]}:", example, re.MULTILINE)
    ]
    assert unset == []


def test_the_message_in_the_text_is_what_is_said() -> None:
    said = next(line.strip() for line in DOC.splitlines() if ".sarifix.yaml:2:3:" in line)
    with pytest.raises(ConfigError) as caught:
        loads("rules:\n  min_levle: note\n", ".sarifix.yaml", PRESETS)
    assert caught.value.message == said


def test_the_limits_and_placeholders_are_named() -> None:
    assert f"up to {MAX_ALIASES} of" in DOC
    assert f"At most {MAX_CHARACTERS:,} characters" in DOC
    assert all(f"* `{name}` " in DOC for name in PLACEHOLDERS)


def test_no_other_key_is_mentioned() -> None:
    leaves = {part for key in KEYS for part in key.path.split(".")}
    dotted = re.findall(r"`((?:rules|paths|hooks|scanners)\.[\w.]+)", DOC)
    assert {part for path in dotted for part in path.split(".")} <= leaves

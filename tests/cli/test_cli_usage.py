"""The command line itself: its help, its version, and what it says of nonsense."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sarifix import __version__
from sarifix.cli import COMMANDS, main
from sarifix.options import FORMAT_NAMES, Parser, parser
from sarifix.output import FORMATS
from tests.support.run import sarifix


def subparsers() -> dict[str, Parser]:
    """Return the parser of every command."""
    (commands,) = [a.choices for a in parser()._actions if isinstance(a.choices, dict)]
    return dict(commands)


def test_every_command_has_a_function_and_every_form_a_renderer() -> None:
    assert list(COMMANDS) == list(subparsers())
    assert tuple(FORMATS) == FORMAT_NAMES


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_for(name: str) -> None:
    made = subparsers()[name]
    assert [action.dest for action in made._actions if not action.help] == []
    assert str(made.description).endswith(".")


@pytest.mark.parametrize("args", [("--help",), *((name, "--help") for name in COMMANDS)])
def test_help(args: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: sarifix")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"sarifix {__version__}\n")


@pytest.mark.parametrize(
    ("args", "message", "hint"),
    [
        ((), "no command given", "see `sarifix --help`"),
        (("--nonsense",), "unexpected option --nonsense", "see `sarifix --help`"),
        (("chek",), "invalid choice: 'chek'", "see `sarifix --help`"),
        (("check", "--nonsense"), "unexpected option --nonsense", "see `sarifix check --help`"),
        (("check", "--scaner=x"), "unexpected option --scaner", "did you mean --scanner? see"),
        (("check", "--form", "json"), "unexpected option --form", "did you mean --format? see"),
        (("check", "app.py"), "unexpected argument app.py", "see `sarifix check --help`"),
        (("check", "--base"), "argument --base: expected one argument", "see `sarifix check"),
        (("check", "--base="), "argument --base: is empty", "see `sarifix check"),
        (("check", "--head", " "), "argument --head", "see `sarifix check"),
        (("check", "--format", "xml"), "argument --format: invalid choice: 'xml'", "see"),
        (("check", "-q", "-v"), "not allowed with argument", "see `sarifix check --help`"),
        (("check", "--exact-base=yes"), "--exact-base", "see `sarifix check --help`"),
        (("cache", "sow"), "invalid choice: 'sow'", "see `sarifix cache --help`"),
        (("doctor", "--format", "json"), "unexpected option --format", "see `sarifix doctor"),
        (("demo", "now"), "unexpected argument now", "see `sarifix demo --help`"),
    ],
)
def test_nonsense_is_refused_with_a_hint(
    tmp_path: Path, args: tuple[str, ...], message: str, hint: str
) -> None:
    ran = sarifix(*args, cwd=tmp_path)
    first, second = ran.err.splitlines()
    assert ran.code == 2
    assert first.startswith("sarifix: error: ")
    assert message in first
    assert second.startswith(f"  hint: {hint}")


@pytest.mark.parametrize(
    "args",
    [
        ("check", "--format", "json", "--nonsense"),
        ("check", "--nonsense", "--format=json"),
        ("check", "--base=", "--format", "json"),
        ("--nonsense", "check", "--format", "json"),
    ],
)
def test_a_refusal_has_the_form_that_was_asked_for(tmp_path: Path, args: tuple[str, ...]) -> None:
    ran = sarifix(*args, cwd=tmp_path)
    assert (ran.code, ran.json["outcome"], ran.json["exit_code"]) == (2, "undecided", 2)
    assert ran.json["error"]["message"] in ran.err


def test_a_refusal_goes_to_the_file_that_was_asked_for(tmp_path: Path) -> None:
    ran = sarifix("check", "--format=json", "--output=out.json", "--nonsense", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert document["error"]["message"] == "unexpected option --nonsense"


def test_an_unknown_form_is_refused_in_words(tmp_path: Path) -> None:
    ran = sarifix("check", "--format", "xml", "--nonsense", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")


def test_hidden_characters_of_an_argument_do_not_reach_the_terminal(tmp_path: Path) -> None:
    ran = sarifix("check", "--\x1b[31mred\u202e", cwd=tmp_path)
    assert ran.code == 2
    assert "\x1b" not in ran.err
    assert "\u202e" not in ran.err

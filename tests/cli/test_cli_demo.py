"""``sarifix demo``, with the real scanners of the extra, and the picture of it in the README."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.program import run
from tests.support.run import Ran, sarifix
from tests.support.tools import python_tools

README = Path(__file__).parent.parent.parent / "README.md"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """Play the demo once, where there is no repository and nothing left behind is missed."""
    home = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(home))
        patch.setattr(tempfile, "tempdir", None)
        patch.setenv("HOME", str(home))
        patch.setenv("PATH", python_tools() + os.pathsep + os.environ["PATH"])
        # Nothing listens there: whatever asked the network would fail.
        patch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        patch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        patch.setenv("COLUMNS", "100")
        yield sarifix("demo", cwd=home)
        assert list(home.iterdir()) == []


def steps(text: str) -> list[str]:
    """Return what is said after each ``$ sarifix check``."""
    told = re.split(r"^\d\. .+\n\n\$ sarifix check\n", text, flags=re.MULTILINE)
    assert told[0] == ""
    return told[1:]


def test_the_change_is_reported_and_its_fix_is_clean(played: Ran) -> None:
    before, change, fix = steps(played.out)
    assert (played.code, played.err) == (0, "")
    assert before.startswith("No findings introduced: base and head are the same.\n")
    rules = re.findall(r"^  error (\S+): .*\n +--> (\S+)$", change, re.MULTILINE)
    assert rules == [
        ("zizmor/unpinned-uses", ".github/workflows/test.yml:9:15"),
        ("bandit/B602", "app.py:7:12"),
        ("ruff/S602", "app.py:7:12"),
    ]
    (old,) = re.findall(r"^3 introduced, 0 fixed, (\d+) unchanged", change, re.MULTILINE)
    assert int(old) >= 2
    assert fix.startswith(f"No findings introduced.\n0 introduced, 0 fixed, {old} unchanged")


def test_the_readme_shows_what_the_demo_shows(played: Ran) -> None:
    pattern = re.compile(r"```text\n\$ sarifix check\n(.*?)```", re.DOTALL)
    (picture,) = pattern.findall(README.read_text(encoding="utf-8"))
    change = steps(played.out)[1]
    assert _without_id(picture) == _without_id(change.strip() + "\n")


def _without_id(text: str) -> str:
    return re.sub(r"HEAD [0-9a-f]{7}", "HEAD 0000000", text)


def test_without_its_scanners_it_says_how_to_get_them(tmp_path: Path) -> None:
    """In an interpreter that has nothing but git beside it."""
    git = shutil.which("git")
    assert git
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(git)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import sys\nsys.prefix = '/nowhere'\n", encoding="utf-8"
    )
    env = {"PATH": str(tmp_path / "bin"), "PYTHONPATH": str(tmp_path / "site")}
    ran = run("demo", cwd=tmp_path, env=env)
    assert (ran.returncode, ran.stdout) == (3, "")
    error, hint = ran.stderr.splitlines()
    assert error == (
        "sarifix: error: the demo runs ruff, bandit, zizmor; not found: ruff, bandit, zizmor"
    )
    assert "pip install '.[scanners]'" in hint


@pytest.mark.skipif(sys.platform == "win32", reason="a script as a program")
def test_a_scanner_that_tells_another_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a version that finds nothing: the demo says so and does not end as if all were well."""
    (tmp_path / "bin").mkdir()
    for name in ("ruff", "bandit", "zizmor"):
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\necho '{name} 0.0.1'\nexit 7\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    ran = sarifix("demo", cwd=tmp_path)
    assert ran.code == 3
    assert "the demo expected introduced and got undecided" in ran.err

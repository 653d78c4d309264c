"""A check leaves everything of the user's as it was, and is right, whatever state that is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.run import Fake, check
from tests.support.situations import SITUATIONS, Situation
from tests.support.state import differences, state


@pytest.fixture
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Situation:
    place = tmp_path / "place"
    place.mkdir()
    return SITUATIONS[request.param](place, Fake(tmp_path / "log"))


@pytest.mark.parametrize("made", SITUATIONS, indirect=True)
def test_situation(made: Situation, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    before = state(made.top, *made.others)

    ran = check(made.top)
    assert sorted(ran.rules()) == made.worktree, ran.err
    assert ran.code == 1
    failed = [str(scanner["reason"]) for scanner in ran.json["scanners"] if scanner["reason"]]
    told = [*ran.json["notes"], *failed]
    assert made.note in " ".join(told)
    assert bool(told) == bool(made.note)
    assert differences(before, state(made.top, *made.others)) == []

    ran = check(made.top, "--head", "staged")
    if made.staged is None:
        assert ran.code == 3
        assert "the index has conflicts" in ran.err
    else:
        assert sorted(ran.rules()) == made.staged, ran.err
        assert ran.code == (1 if made.staged else 0)
    assert differences(before, state(made.top, *made.others)) == []

    if made.committed is not None:
        ran = check(made.top, "--head", "HEAD", "--base", "HEAD~1")
        assert sorted(ran.rules()) == made.committed, ran.err
    assert differences(before, state(made.top, *made.others)) == []

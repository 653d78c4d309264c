"""The story that sarifix was made for, with real scanners, offline.

The base holds a KMS key without a policy (v0). The change adds an unhardened bucket (v1), then
the public access block and the encryption (v2), then versioning and logging (v3).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.support.repo import Repo
from tests.support.run import Ran, check
from tests.support.sarif import INPUTS
from tests.support.tools import python_tools

MakeRepo = Callable[..., Repo]

PATH = "infra/main.tf"
OLD = "CKV2_AWS_64"  # the key has no policy: true of every version
linux = pytest.mark.skipif(sys.platform != "linux", reason="the extra has trivy for Linux only")


def version(number: int) -> str:
    return (INPUTS / "scenario-s3" / f"v{number}" / PATH).read_text(encoding="utf-8")


def story(make_repo: MakeRepo, scanner: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ran]:
    """Commit v0, then yield what a check says of v1, v2 and v3."""
    monkeypatch.setenv("PATH", python_tools(), prepend=os.pathsep)
    config = f"scanners:\n  {scanner}: {{}}\nrules:\n  min_level: error\n"
    repo = make_repo({PATH: version(0), ".sarifix.yaml": config})
    for number in (1, 2, 3):
        repo.write({PATH: version(number)})
        yield check(repo.path)


def rules(ran: Ran) -> list[str]:
    assert {found["path"] for found in ran.json["introduced"]} <= {PATH}
    return sorted(found["rule"] for found in ran.json["introduced"])


@linux
def test_trivy_reports_the_bucket_until_it_is_hardened(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, hardened, complete = story(make_repo, "trivy", monkeypatch)
    assert bare.code == 1
    assert rules(bare) == ["AWS-0086", "AWS-0087", "AWS-0091", "AWS-0093", "AWS-0132"]
    assert {found["level"] for found in bare.json["introduced"]} == {"error"}
    assert bare.json["hidden"] == [{"by": "rules.min_level", "count": 3}]
    assert (hardened.code, rules(hardened)) == (0, [])
    assert hardened.json["hidden"] == [{"by": "rules.min_level", "count": 2}]
    assert (complete.code, complete.json["hidden"]) == (0, [])


def test_checkov_never_reports_what_the_base_has(
    make_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, hardened, complete = story(make_repo, "checkov", monkeypatch)
    assert bare.code == 1
    assert rules(bare) == [
        "CKV2_AWS_6", "CKV2_AWS_61", "CKV2_AWS_62",
        "CKV_AWS_144", "CKV_AWS_145", "CKV_AWS_18", "CKV_AWS_21",
    ]  # fmt: skip
    fixed = {"CKV2_AWS_6", "CKV_AWS_145"}
    assert set(rules(hardened)) == set(rules(bare)) - fixed
    assert set(rules(complete)) == set(rules(hardened)) - {"CKV_AWS_18", "CKV_AWS_21"}
    for ran in (bare, hardened, complete):
        assert OLD not in ran.out
        assert ran.json["unchanged"] == 1
        assert ran.scanner("checkov")["status"] == "ok"

"""The hook reads the environment, and these tests may run in a hook or in CI themselves."""

from __future__ import annotations

import os

import pytest

OF_OTHERS = ("GITHUB_", "GITLAB_", "CI_", "SYSTEM_", "BUILD_", "BUILDKITE", "BITBUCKET_",
             "PRE_COMMIT", "PREK_", "GITHEAD_", "LEFTHOOK")  # fmt: skip


@pytest.fixture(autouse=True)
def quiet_environment(isolation: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what a CI service or a framework around the tests says."""
    for name in os.environ:
        if name.startswith(OF_OTHERS) or name in ("CI", "TF_BUILD", "JENKINS_URL", "CHANGE_TARGET",
                                                  "SKIP"):  # fmt: skip
            monkeypatch.delenv(name)

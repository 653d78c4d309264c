"""A repository as our own code sees it, with a store in the test's cache directory."""

from __future__ import annotations

import os
from pathlib import Path

from sarifix import store
from sarifix.git import Git, discover


def opened(top: Path) -> Git:
    """Open the repository at ``top`` in this process's environment."""
    repository = discover(str(top), os.environ)
    return Git(repository, store.prepare(repository, store.cache_root(os.environ)))

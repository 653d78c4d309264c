"""Golden files: what a document should be, to the byte.

``SARIFIX_UPDATE_GOLDEN=1 pytest tests/cli`` writes them anew; read the difference before
it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parent.parent / "cli" / "golden"


def assert_golden(name: str, text: str) -> None:
    """Compare a document with the file of that name."""
    path = GOLDEN / name
    if os.environ.get("SARIFIX_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode(), f"{name} differs (SARIFIX_UPDATE_GOLDEN=1 updates)"

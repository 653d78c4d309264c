"""``python -m sarifix`` and the console script."""

from __future__ import annotations

import gc
import sys


def run() -> int:
    """Run the command line; returns the exit code."""
    # A run is short and what it makes has no cycles: to look for them takes a third of
    # the time of a large comparison.
    gc.disable()
    from sarifix.hooks import unchanged

    if unchanged.asked(sys.argv[1:]):
        return unchanged.run(sys.argv[1:])
    from sarifix.cli import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())

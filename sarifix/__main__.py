"""``python -m sarifix`` and the console script."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line; returns the exit code."""
    from sarifix.hooks import unchanged

    if unchanged.asked(sys.argv[1:]):
        return unchanged.run(sys.argv[1:])
    from sarifix.cli import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())

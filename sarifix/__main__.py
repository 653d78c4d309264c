"""``python -m sarifix`` and the console script."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line; returns the exit code."""
    from sarifix.cli import main  # noqa: PLC0415  late: an unchanged turn must not pay for it

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())

"""``python -m sarifix`` and the console script."""

from __future__ import annotations

import gc
import sys

from sarifix import signals


def run() -> int:
    """Run the command line; returns the exit code."""
    # A run is short and what it makes has no cycles: to look for them takes a third of
    # the time of a large comparison.
    gc.disable()
    signals.at_start()
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()  # nor need the interpreter look for them as it ends


def _run(argv: list[str]) -> int:
    from sarifix.hooks import unchanged

    if unchanged.asked(argv):
        return unchanged.run(argv)
    from sarifix.look import Look

    look = Look.begin() if _checks_the_working_tree(argv) else None
    try:
        from sarifix.cli import main

        return main(argv, look)
    finally:
        if look is not None:
            look.close()


def _checks_the_working_tree(argv: list[str]) -> bool:
    return argv[:1] == ["check"] and not any(argument.startswith("--he") for argument in argv)


if __name__ == "__main__":
    sys.exit(run())

"""The presets: every scanner that sarifix knows how to run. Each is one entry of data."""

from __future__ import annotations

from sarifix.model import Scanner
from sarifix.scanners.by_file import BY_FILE
from sarifix.scanners.by_tree import BY_TREE

PRESETS: dict[str, Scanner] = {scanner.name: scanner for scanner in (*BY_FILE, *BY_TREE)}
"""The presets by name. ``argv[0]`` is the name of the program."""

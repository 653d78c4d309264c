"""What is measured. A new case is an entry in one of these files."""

from __future__ import annotations

from tests.benchmarks.bench import Bench
from tests.benchmarks.cases import growth, many_files, many_results, one_file, tree, turn
from tests.benchmarks.contest import Case


def all_cases(bench: Bench) -> list[Case]:
    """Return every case, in the order of the table."""
    groups = (turn, one_file, tree, many_files, many_results, growth)
    return [case for group in groups for case in group.cases(bench)]

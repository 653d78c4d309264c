"""A plugin of pytest for runs of mutants: the same few examples each time, no shrinking."""

from __future__ import annotations

from hypothesis import Phase, settings

from sarifix.compare import normalise

settings.register_profile(
    "mutation",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=25,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("mutation")


def pytest_sessionstart() -> None:
    """Forget the answers of the code as it was: a mutant is run in a copy of that process."""
    normalise.tells.cache_clear()

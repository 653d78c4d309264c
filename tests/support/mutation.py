"""A plugin of pytest for runs of mutants: the same few examples each time, no shrinking."""

from __future__ import annotations

from hypothesis import Phase, settings

settings.register_profile(
    "mutation",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=25,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("mutation")

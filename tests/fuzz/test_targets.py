"""The fuzz targets hold for their seeds, for what once broke them, and for random bytes."""

from __future__ import annotations

import importlib
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.__main__ import TARGETS

# What the fuzzer found, target by target.
KNOWN = (
    ("config", b"{}: *x\xef\xbb\xbe:"),  # a byte order mark in an alias was shown as it is
    ("uris", b"\n\x01\n"),  # a line break behind the root is part of the name
)

each_target = pytest.mark.parametrize("name", TARGETS)


def target(name: str) -> Any:
    return importlib.import_module(f"tests.fuzz.{name}")


def test_every_target_is_listed() -> None:
    others = {"__init__", "__main__", "data", Path(__file__).stem}
    assert {path.stem for path in Path(__file__).parent.glob("*.py")} - others == set(TARGETS)


@each_target
def test_seeds(name: str) -> None:
    for seed in target(name).SEEDS:
        target(name).check(seed)


@pytest.mark.parametrize(("name", "raw"), KNOWN)
def test_what_once_failed(name: str, raw: bytes) -> None:
    target(name).check(raw)


@each_target
@settings(max_examples=100, deadline=None)
@given(raw=st.binary(max_size=200))
def test_random_bytes(name: str, raw: bytes) -> None:
    target(name).check(raw)


@each_target
@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_seeds_that_were_changed(name: str, seed: int) -> None:
    random = Random(seed)
    raw = random.choice(target(name).SEEDS)
    if hasattr(target(name), "mutate"):
        target(name).check(target(name).mutate(raw, random))
        return
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(raw) + 1)
        raw = raw[:at] + random.randbytes(random.randrange(4)) + raw[at + random.randrange(4) :]
    target(name).check(raw)

"""JSON is decoded quickly where nothing can be lost by it, and else strictly: with one outcome."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sarifix import strictjson
from sarifix.errors import SarifError

SPACE = st.sampled_from(["", "", "", " ", "\n", "\t "])
STRINGS = st.sampled_from(["a", "b", "", '":', ": ", " :", '"', 'x": ', '\\":', "\x00", "é"]).map(
    json.dumps
)
PLAIN = st.one_of(
    STRINGS, st.sampled_from(["1", "-0", "1.5", "1e999", "NaN", "null", "true", "9" * 4400, "01"])
)


def _members(pairs: list[tuple[str, str, str, str]]) -> str:
    return "{" + ",".join(f"{key}{a}:{b}{value}" for key, a, b, value in pairs) + "}"


TEXTS = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.lists(st.tuples(STRINGS, SPACE, SPACE, inner), max_size=3).map(_members),
    ),
    max_leaves=8,
)


def outcome(text: str, *, strictly: bool) -> object:
    try:
        return strictjson._decoded_strictly(text) if strictly else strictjson.decode(text.encode())
    except SarifError as error:
        return error.message


@given(TEXTS)
def test_what_is_decoded_quickly_is_as_if_it_was_decoded_strictly(text: str) -> None:
    assert repr(outcome(text, strictly=False)) == repr(outcome(text, strictly=True))


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a" :1,"b":2,"b":":"}',  # one that is not counted, one twice, one that is no key
        '{"a"\n:1,"b":2,"b":"\\":"}',
        '[{"a":{"b":1,"b":1}},":",{"a"\t:1}]',
    ],
)
def test_a_key_that_stands_twice_is_seen_whatever_else_looks_like_keys(text: str) -> None:
    with pytest.raises(SarifError, match="stands twice"):
        strictjson.decode(text.encode())


@pytest.mark.parametrize("limit", ["0", "640"])
def test_a_long_number_is_refused_whatever_the_limit_of_python(limit: str) -> None:
    code = "from sarifix import strictjson\nstrictjson.decode(b'[' + b'9' * 5000 + b']')"
    done = subprocess.run(
        [sys.executable, "-X", f"int_max_str_digits={limit}", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "SarifError: a number of 5000 digits" in done.stderr


def test_a_number_beyond_a_lower_limit_of_python_is_refused() -> None:
    code = "from sarifix import strictjson\nstrictjson.decode(b'[' + b'9' * 900 + b']')"
    done = subprocess.run(
        [sys.executable, "-X", "int_max_str_digits=640", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "SarifError: a number of 900 digits" in done.stderr

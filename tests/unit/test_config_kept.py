"""What is kept of a configuration is what ruamel.yaml makes of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sarifix.cache import Cache
from sarifix.config.document import Wrong, parse
from sarifix.config.kept import Documents

EVERYTHING = """
base: &b main
list: [1, -0x1F, 0o7, 1.5, .inf, -.inf, .nan, true, ~, "", '1', *b]
"key \\ud800": {nested: {deeper: [[]]}, twice: 1, twice: 2, ? [odd] : {}}
text: |
  two
  lines
"""


def outcome(documents: Documents | None, text: str) -> str:
    """Return the nodes, or what is wrong: as text, since NaN is not equal to itself."""
    try:
        return repr(parse(text) if documents is None else documents.parse(text))
    except Wrong as wrong:
        return repr((wrong.place, wrong.what, wrong.expects, wrong.hint))


@pytest.mark.parametrize("text", [EVERYTHING, "", "# nothing", "~", "[", "a: *b", "!!python/x y"])
def test_the_same_comes_out_again(tmp_path: Path, text: str) -> None:
    cache = Cache(tmp_path)
    for _ in range(2):
        assert outcome(Documents(cache), text) == outcome(None, text)
    assert cache.usage().entries == (not outcome(None, text).startswith("("))


@given(st.text(max_size=60) | st.text("ab:-[]{}&*!|>'\"#,? \n01.~\\\U00010000", max_size=60))
@settings(max_examples=300)
def test_any_text_is_read_as_before(text: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(2):
            assert outcome(Documents(Cache(Path(directory))), text) == outcome(None, text)


def test_what_aliases_blow_up_is_not_kept(tmp_path: Path) -> None:
    lines = [f"a0: &a0 [{', '.join('x' * 100)}]"]
    lines += [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 9)]
    cache = Cache(tmp_path)
    assert Documents(cache).parse("\n".join(lines)) == parse("\n".join(lines))
    assert cache.usage().entries == 0


def test_without_a_cache_it_is_read_once_in_a_run() -> None:
    documents = Documents(Cache(None))
    assert documents.parse("a: b") is documents.parse("a: b")


def test_ruamel_is_not_imported_for_what_was_read_before(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from sarifix.cache import Cache;"
        "from sarifix.config.kept import Documents;"
        "Documents(Cache(Path(sys.argv[1]))).parse('a: [b]'); print('ruamel.yaml' in sys.modules)"
    )
    argv = [sys.executable, "-c", program, str(tmp_path)]
    said = [subprocess.run(argv, capture_output=True, check=True).stdout for _ in range(2)]
    assert [line.split() for line in said] == [[b"True"], [b"False"]]

"""The configuration: a value, or an error with its place; never anything else."""

from __future__ import annotations

import re

from sarifix.config import loads
from sarifix.errors import ConfigError
from sarifix.model import Config
from sarifix.scanners import PRESETS

SEEDS = (
    b"""base: HEAD
deadline: 300
jobs: 0
scanners:
  ruff: {}
  semgrep:
    args: [--config, .semgrep.yml]
  style:
    preset: ruff
""",
    b"""scanners:
  mytool:
    command: [mytool, --sarif, "{out}"]
    output: "{outdir}/r"
    ok_exit_codes: [0, 1]
    empty_output: error
    inputs: ["*.tf"]
    grain: tree
    timeout: 120
    required: true
    link: [node_modules]
    env: {A: "1"}
""",
    b"""rules:
  min_level: warning
  deny: ["ruff/E501", "a/*.b.*"]
  allow: ["trivy/*"]
  suppressions: report
paths:
  deny: ["vendor/", "tests/fixtures/**"]
""",
    b"a: &x [1, 2]\nb: *x\n<<: {c: 1}\n--- \n...\n!!python/object:os.system {}\n",
    b'hooks:\n  deadline: .inf\n"\\uFFFF\\UFFFFFFFF": >-\n  text\n? [a]\n: |\n  b\n',
    b"[[[[[[[[[[[[",
    b"{a: {a: {a: 1}}}",
    b"\xef\xbb\xbf# only a comment\n",
    b"0x" + b"f" * 120,
)
MAX_LENGTH = 1_000


def check(raw: bytes) -> None:
    text = raw.decode("utf-8", "replace")
    try:
        config = loads(text, ".sarifix.yaml", PRESETS)
    except ConfigError as error:
        _check_refusal(error, text)
        return
    assert isinstance(config, Config)
    assert config == loads(text, ".sarifix.yaml", PRESETS)
    assert 0 < config.deadline < float("inf")


def _check_refusal(error: ConfigError, text: str) -> None:
    place = re.match(r"\.sarifix\.yaml:(\d+):(\d+): .*; expected .", error.message, re.DOTALL)
    assert place, error.message
    # YAML breaks lines at more characters than others do.
    assert 1 <= int(place[1]) <= len(re.split("\r\n|[\r\n\x85\u2028\u2029]", text)) + 1
    assert int(place[2]) >= 1
    assert error.hint
    assert error.message.isprintable(), error.message
    assert len(error.message) < 3_000

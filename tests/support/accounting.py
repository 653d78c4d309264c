"""Results in = findings + what is explained: the same sum, made by other code."""

from __future__ import annotations

import json
import re
from typing import Any

from sarifix.errors import SarifError
from sarifix.model import Log
from sarifix.sarif import Context, read

_NO_FINDING = ("pass", "notApplicable", "informational")


def account(data: bytes, context: Context) -> Log | None:
    """Read a document; None if it is refused, in one line. Else every result is accounted for.

    Of each result it is known where it must be: counted by its kind, suppressed, or a
    finding. ``data`` is what ``json`` can read, or nothing that the reader may accept.
    """
    try:
        log = read(data, context)
    except SarifError as error:
        _check_refusal(error)
        return None
    results = [result for run in _document(data)["runs"] for result in run["results"] or ()]
    kinds = [result.get("kind") for result in results]
    passed = [kind for kind in kinds if isinstance(kind, str) and kind in _NO_FINDING]
    assert _of_kinds(log) == len(passed)
    rest = [result for result in results if result.get("kind") not in _NO_FINDING]
    suppressed = [result for result in rest if _is_suppressed(result)]
    repeated = _repeated(log)
    assert len(log.findings) + len(log.suppressed) + repeated == len(rest)
    assert len(log.findings) <= len(rest) - len(suppressed)
    assert len(log.suppressed) <= len(suppressed)
    _check_findings(log, context)
    return log


def _check_refusal(error: SarifError) -> None:
    assert len(error.message.splitlines()) == 1, error.message
    assert len(error.message) < 400


def _document(data: bytes) -> Any:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return json.loads(data.decode("utf-16", "surrogatepass"))
    return json.loads(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape"))


def _is_suppressed(result: Any) -> bool:
    given = result.get("suppressions")
    return isinstance(given, list) and any(
        isinstance(one, dict) and one.get("status") in (None, "accepted") for one in given
    )


def _repeated(log: Log) -> int:
    counts = (re.fullmatch(r"(\d+) repeated results? counted once", note) for note in log.notes)
    return sum(int(count[1]) for count in counts if count)


def _of_kinds(log: Log) -> int:
    prefix = "results that are no findings, by kind: "
    notes = [note.removeprefix(prefix) for note in log.notes if note.startswith(prefix)]
    return sum(int(number) for note in notes for number in re.findall(r" (\d+)(?:,|$)", note))


def _check_findings(log: Log, context: Context) -> None:
    for finding in (*log.findings, *log.suppressed):
        assert finding.scanner == context.scanner
        assert finding.rule
        assert len(finding.message) <= 8192
        if finding.path is None:
            assert finding.region is None
        else:
            assert finding.in_tree == context.exists(finding.path)
        if finding.region is not None:
            assert finding.region.line >= 1
    for note in log.notes:
        assert len(note.splitlines()) == 1

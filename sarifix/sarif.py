"""SARIF 2.1.0 bytes to findings: tolerant about form, strict about loss.

Section numbers are those of the SARIF 2.1.0 standard.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from sarifix.errors import SarifError
from sarifix.model import Finding, Log, Region
from sarifix.named import NamedTuple
from sarifix.sarif_rules import Rule, Rules, expand, level_of, message_of
from sarifix.strictjson import (
    array,
    collector_paused,
    decode,
    obj,
    required_array,
    required_object,
    text,
)
from sarifix.uris import NOWHERE, Place, Resolver, Roots

_VERSION = re.compile(r"2\.1\.0(-rtm\.\d+)?")
_NO_FINDING = frozenset({"pass", "notApplicable", "informational"})  # 3.27.9; unknown kinds are
_MAX_ORDINAL = 2**31 - 1  # of lines and columns
_COULD_NOT_READ = re.compile(r"\b(un)?pars|syntax|decod|\b(un)?read", re.IGNORECASE)
_NOT_ENDED = ("exitSignalName", "processStartFailureMessage")  # of an invocation (3.20)
_SOFT_LEVELS = frozenset({"none", "note"})
_SHOWN_ERRORS = 5


class Context(NamedTuple):
    """What the reader must know of the scan that wrote a document.

    ``exists`` says whether the snapshot has a file or symbolic link of a path (relative,
    with ``/``, decoded with ``os.fsdecode``). ``roots`` are the absolute paths of the
    tree that was scanned, real and through symbolic links. ``message`` and the three
    flags are those of ``model.Scanner``.
    """

    scanner: str
    exists: Callable[[str], bool]
    roots: tuple[str, ...] = ()
    secrets: bool = False
    unsuccessful_ok: bool = False
    null_results_ok: bool = False
    message: str = ""


def read(data: bytes, context: Context) -> Log:
    """Read one SARIF document (at most 64 MiB) of ``context.scanner``.

    Every result is in ``findings`` or ``suppressed``, or counted in ``notes``:
    repeated ones (same rule, level, place and message, with columns) and those whose
    kind makes them no findings. A region needs a start line: offsets alone are none.
    Text may hold lone surrogates; who writes it out must escape them.

    Raises ``SarifError``, with the reason in one line, if the document cannot be
    trusted to be complete.
    """
    with collector_paused():
        document = required_object(decode(data), "the document")
        version = document.get("version")
        if not isinstance(version, str) or not _VERSION.fullmatch(version):
            raise SarifError(f"the output is not SARIF 2.1.0: version {str(version)[:40]!a}")
        runs = required_array(document.get("runs"), "runs")
        if not runs:
            raise SarifError("the output has no runs")
        _refuse_external(document)
        tally = _Tally()
        for index, run in enumerate(runs):
            where = f"runs[{index}]"
            _Run(required_object(run, where), where, context, tally).read()
        return tally.log()


def complaint(data: bytes) -> str:
    """Return the first error that the document of a failed scan speaks of, or ``""``.

    Nothing else of such a document is to be believed.
    """
    try:
        document = obj(decode(data))
    except SarifError:
        return ""
    for run in array(document.get("runs")):
        for invocation in array(obj(run).get("invocations")):
            for key in ("toolExecutionNotifications", "toolConfigurationNotifications"):
                for notification in array(obj(invocation).get(key)):
                    if obj(notification).get("level") == "error":
                        return _line(text(obj(obj(notification).get("message")).get("text")))
    return ""


def _refuse_external(document: Mapping[str, object]) -> None:
    """Results may stand outside the runs (3.13.5); no known scanner does it."""
    where = "inlineExternalProperties"
    for index, item in enumerate(required_array(document.get(where) or [], where)):
        if required_object(item, f"{where}[{index}]").get("results"):
            raise SarifError(f"incomplete: results in {where}[{index}]")


class _Tally:
    """Collects what the runs of a document say."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.suppressed: list[Finding] = []
        self.unread: set[str] = set()
        self.errors: dict[str, None] = {}
        self.kinds: Counter[str] = Counter()
        self.repeated = 0
        self._seen: set[tuple[object, ...]] = set()

    def add(self, finding: Finding, *, suppressed: bool) -> None:
        region = finding.region
        if region is not None and region.column is not None:
            key = (finding.rule, finding.level, finding.path, region, finding.message, suppressed)
            if key in self._seen:
                self.repeated += 1
                return
            self._seen.add(key)
        (self.suppressed if suppressed else self.findings).append(finding)

    def log(self) -> Log:
        return Log(
            findings=tuple(self.findings),
            suppressed=tuple(self.suppressed),
            unread=tuple(sorted(self.unread)),
            notes=tuple(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        if self.repeated:
            yield f"{self.repeated} repeated result{'s'[: self.repeated - 1]} counted once"
        if self.kinds:
            kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
            yield f"results that are no findings, by kind: {kinds}"
        shown = list(self.errors)[:_SHOWN_ERRORS]
        yield from (f"the scanner says: {error}" for error in shown)
        if len(self.errors) > len(shown):
            yield f"the scanner says: {len(self.errors) - len(shown)} more errors"


class _Run:
    """Reads one run into a tally."""

    def __init__(
        self, run: Mapping[str, object], where: str, context: Context, tally: _Tally
    ) -> None:
        self._run = run
        self._where = where
        self._context = context
        self._tally = tally
        self._roots = Roots(context.roots)
        self._rules = Rules(obj(run.get("tool")))
        self._resolver = Resolver(
            self._roots,
            context.exists,
            obj(run.get("originalUriBaseIds")),
            array(run.get("artifacts")),
        )

    def read(self) -> None:
        self._refuse_external()
        self._read_invocations()
        for result in self._objects(self._run, "results", self._where):
            self._read_result(result)

    def _refuse_external(self) -> None:
        """Results, or the word that a run failed, may stand in other files (3.14.2)."""
        where = f"{self._where}.externalPropertyFileReferences"
        files = self._run.get("externalPropertyFileReferences")
        if files is None:
            return
        for kind in ("results", "invocations"):
            if required_object(files, where).get(kind):
                raise SarifError(f"incomplete: {where}.{kind} are in other files")

    def _objects(
        self, parent: Mapping[str, object], key: str, where: str
    ) -> Iterator[Mapping[str, object]]:
        """Yield each object of the array at a JSON path; anything else is a failure."""
        items = parent.get(key)
        where = f"{where}.{key}"
        if items is None and (key != "results" or self._context.null_results_ok):
            return
        for index, item in enumerate(required_array(items, where)):
            # There can be a hundred thousand: their paths are made for a failure only.
            yield item if isinstance(item, dict) else required_object(item, f"{where}[{index}]")

    # Invocations and notifications

    def _read_invocations(self) -> None:
        for index, invocation in enumerate(self._objects(self._run, "invocations", self._where)):
            where = f"{self._where}.invocations[{index}]"
            for key in ("toolExecutionNotifications", "toolConfigurationNotifications"):
                for notification in self._objects(invocation, key, where):
                    self._read_notification(notification)
            successful = invocation.get("executionSuccessful", True)
            if successful is not True and not self._context.unsuccessful_ok:
                unread = (f"could not read {path}" for path in sorted(self._tally.unread))
                said = next(iter([*self._tally.errors, *unread]), f"{where}.executionSuccessful")
                raise SarifError(f"the scanner says that it failed: {_line(said)}")
            for key in _NOT_ENDED:
                if said := text(invocation.get(key)):
                    raise SarifError(f"the scanner says that it failed: {key} is {_line(said)}")

    def _read_notification(self, notification: Mapping[str, object]) -> None:
        """Sort out files that could not be read, and errors of the whole run (3.58)."""
        level = notification.get("level")
        if isinstance(level, str) and level in _SOFT_LEVELS:
            return
        line = _line(self._message(notification.get("message"), self._rules.unlisted))
        path = self._place(notification)[0].path
        if level in (None, "warning"):
            identity = text(obj(notification.get("descriptor")).get("id"))
            if path is not None and _COULD_NOT_READ.search(f"{identity} {line}"):
                self._tally.unread.add(path)
        elif path is not None:
            self._tally.unread.add(path)
        else:
            self._tally.errors.setdefault(line or "an error without a message")

    # Results

    def _read_result(self, result: Mapping[str, object]) -> None:
        kind = result.get("kind")
        if isinstance(kind, str) and kind in _NO_FINDING:
            self._tally.kinds[kind] += 1
            return
        rule_id, rule = self._rules.find(result)
        place, region = self._place(result)
        finding = Finding(
            scanner=self._context.scanner,
            rule=rule_id,
            level=level_of(result, rule),
            message=self._telling(self._message(result.get("message"), rule)),
            path=place.path,
            region=region,
            in_tree=place.in_tree,
            secret=self._context.secrets or rule.secret,
            help_uri=rule.help_uri,
            fingerprints=_fingerprints(result),
        )
        self._tally.add(finding, suppressed=_is_suppressed(result))

    def _telling(self, message: str) -> str:
        """Return the part of a message that the finding does not say elsewhere."""
        pattern = self._context.message
        found = re.search(pattern, message, re.MULTILINE) if pattern else None
        return found["text"] if found else message

    def _message(self, message: object, rule: Rule) -> str:
        """Return the expanded message, the same for every scratch tree."""
        template, arguments = message_of(message, rule)
        clear = self._roots.remove_from
        if not arguments:
            return expand(clear(template), ())
        values = [clear(value) if isinstance(value, str) else value for value in arguments]
        return expand(clear(template), values)

    def _place(self, result: Mapping[str, object]) -> tuple[Place, Region | None]:
        """Return the path and region of the first location that is a physical one."""
        for location in array(result.get("locations")):
            physical = obj(obj(location).get("physicalLocation"))
            if physical:
                place = self._resolver.resolve(obj(physical.get("artifactLocation")))
                return place, None if place.path is None else _region(obj(physical.get("region")))
        return NOWHERE, None


def _line(message: str) -> str:
    return " ".join(message.split())[:300]


def _region(region: Mapping[str, object]) -> Region | None:
    """Read a region as far as its numbers make sense (3.30).

    Tools write columns of 0 (github/codeql-action#1715) and leave the start line out
    (terraform-linters/tflint#1657).
    """
    line = _ordinal(region.get("startLine"))
    if line is None:
        return None
    end_line = _ordinal(region.get("endLine"))
    if end_line is not None and end_line < line:
        end_line = None
    column, end_column = _ordinal(region.get("startColumn")), _ordinal(region.get("endColumn"))
    if column is None or (end_line in {None, line} and end_column and end_column < column):
        end_column = None
    return Region(line, column, end_line, end_column)


def _ordinal(value: object) -> int | None:
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and 1 <= value <= _MAX_ORDINAL else None


def _is_suppressed(result: Mapping[str, object]) -> bool:
    """One suppression that was accepted, or has no status, is enough (3.35.3)."""
    for suppression in array(result.get("suppressions") or ()):
        if isinstance(suppression, dict) and suppression.get("status") in (None, "accepted"):
            return True
    return False


def _fingerprints(result: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Merge both kinds; opengrep/opengrep#70: what is stable is in ``fingerprints``."""
    if "fingerprints" not in result and "partialFingerprints" not in result:
        return ()
    own, partial = obj(result.get("fingerprints")), obj(result.get("partialFingerprints"))
    pairs = {(key, text(value)) for key, value in (*own.items(), *partial.items())}
    return tuple(sorted(pair for pair in pairs if pair[1]))

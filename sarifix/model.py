"""Every noun of sarifix. All are frozen, none does any I/O."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Protocol

from sarifix.named import NamedTuple


class Level(enum.IntEnum):
    """SARIF's ``level``, ordered (SARIF 2.1.0, 3.27.10)."""

    NONE = 0
    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


class Side(enum.Enum):
    """The two sides of a check."""

    BASE = "base"
    HEAD = "head"


class Grain(enum.Enum):
    """What a result depends on: one file and the configuration, or the whole tree."""

    FILE = "file"
    TREE = "tree"


class Status(enum.Enum):
    """How a scanner fared in a check."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


class Outcome(enum.Enum):
    """The verdict of a check."""

    CLEAN = "clean"
    INTRODUCED = "introduced"
    UNDECIDED = "undecided"


# ---------------------------------------------------------------------------
# Trees


class Snapshot(NamedTuple):
    """A git tree id with its side and where it came from (``HEAD 1a2b3c4``, ``index``)."""

    tree: str
    side: Side
    origin: str


class Entry(NamedTuple):
    """One entry of a tree: its mode as git writes it (``100644``) and its object id."""

    mode: str
    oid: str

    @property
    def is_file(self) -> bool:
        """A regular file: neither a symbolic link nor a submodule."""
        return self.mode.startswith("100")

    @property
    def is_gitlink(self) -> bool:
        """A submodule, or a nested repository."""
        return self.mode == "160000"


class Change(NamedTuple):
    """A path that differs between base and head.

    ``base_path`` and ``head_path`` differ for a rename; one of them is None for an
    added or a deleted file. Paths are relative to the top level, with ``/``, decoded
    with ``os.fsdecode``.
    """

    base_path: str | None
    head_path: str | None


class Files(Protocol):
    """The files of one snapshot, as the comparison needs them."""

    def __contains__(self, path: object) -> bool:
        """Whether the snapshot has a file of this path."""

    def oid(self, path: str) -> str | None:
        """An identity of the file's content; None if there is no such file."""

    def text(self, path: str) -> str | None:
        """The file's text, or None if it is absent, binary or over 4 MiB.

        Undecodable bytes are replaced; a byte order mark is kept. Raises ``GitError``
        if a file that is there cannot be read.
        """


# ---------------------------------------------------------------------------
# Findings


class Region(NamedTuple):
    """A place in a file. Lines and columns count from 1; ``end_column`` is exclusive.

    ``line`` is always there: a SARIF region without a usable start line is no region.
    Columns are in the unit the scanner used; almost all count code points, whatever
    ``columnKind`` says.
    """

    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class Finding(NamedTuple):
    """One SARIF result, normalised.

    ``scanner`` is the entry's name in ``.sarifix.yaml`` (``ruff``), ``rule`` the
    tool's id as it wrote it, ``message`` the expanded text, untrusted and uncleaned.
    ``path`` is relative to the top level (None: no location). ``in_tree`` is False for
    a path that the snapshot does not have: such a path is shown and never opened.
    ``secret`` says that the matched text is the identity of the finding.
    """

    scanner: str
    rule: str
    level: Level
    message: str
    path: str | None = None
    region: Region | None = None
    in_tree: bool = True
    secret: bool = False
    help_uri: str | None = None
    fingerprints: tuple[tuple[str, str], ...] = ()

    @property
    def qualified_rule(self) -> str:
        """``scanner/rule``, as the configuration names it.

        An id that begins with the scanner's name (``zizmor/unpinned-uses``) is not given
        it twice.
        """
        own = self.rule.startswith(f"{self.scanner}/")
        return self.rule if own else f"{self.scanner}/{self.rule}"


class Log(NamedTuple):
    """What one SARIF document says.

    ``suppressed`` are results with an accepted suppression. ``unread`` are the paths
    that the scanner says it could not read or parse. ``notes`` name, in one line each,
    what was counted but not kept: repeated results, results that are no findings.
    """

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Tier(enum.Enum):
    """By which evidence two findings are the same (``docs/what-is-new.md``)."""

    IDENTICAL = "identical"
    SAME_LINE = "same line"
    FILE = "file as a whole"
    MOVED = "moved within the file"
    EDITED_AROUND = "edited around"
    EDITED = "edited line"
    MOVED_FILE = "moved to another file"
    MESSAGE = "message"
    FINGERPRINT = "fingerprint"


class Pair(NamedTuple):
    """A finding of the base that still stands in the head, and the evidence."""

    base: Finding
    head: Finding
    tier: Tier


class Introduced(NamedTuple):
    """A finding of the head that the base does not have.

    ``reason`` says why it counts as new where that is not obvious.
    """

    finding: Finding
    reason: str | None = None


class Comparison(NamedTuple):
    """The three parts of a comparison.

    ``len(introduced) + len(unchanged)`` is the number of findings of the head,
    ``len(fixed) + len(unchanged)`` that of the base.
    """

    introduced: tuple[Introduced, ...] = ()
    fixed: tuple[Finding, ...] = ()
    unchanged: tuple[Pair, ...] = ()


# ---------------------------------------------------------------------------
# Scanners


class Scanner(NamedTuple):
    """A tool that writes SARIF, and all that is known of how it behaves.

    A preset is one of these; an entry of ``.sarifix.yaml`` changes one or makes one.
    ``argv`` may hold ``{out}`` (a fresh file), ``{outdir}`` (a fresh directory),
    ``{files}`` (the files to scan, one argument each) and ``{config}`` (see
    ``local_config``). Patterns are gitignore patterns over paths of the tree.
    """

    name: str
    argv: tuple[str, ...]
    preset: str | None = None
    output: str = "stdout"  # or "{out}", or "{outdir}/name"
    ok_exit_codes: frozenset[int] = frozenset({0})
    nothing_exit_codes: frozenset[int] = frozenset()  # "nothing to scan": clean, output unread
    empty_output: str = "error"  # or "clean": no output at all after a good exit code
    unsuccessful_ok: bool = False  # writes executionSuccessful: false on good runs
    null_results_ok: bool = False  # writes no or null results when clean
    message: str = ""  # regex whose group (?P<text>) is the part of a message that says something
    grain: Grain = Grain.TREE
    inputs: tuple[str, ...] = ("*",)
    config_files: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()  # regexes with (?P<value>): what a config file names of others
    requires: tuple[str, ...] = ()  # applies on its own only where one of these is in the tree
    local_config: tuple[str, ...] = ()  # the first that exists is given by config_flag
    config_flag: str = "--config"
    config_aliases: tuple[
        str, ...
    ] = ()  # with one of these among the user's args, {config} is none
    ignore_file: str = ""  # gitignore-like; heeded by the tool in a directory, not for named files
    ignored: tuple[str, ...] = ()  # what the tool passes over where there is no ignore_file
    needs: tuple[str, ...] = ()  # ignored paths of the working tree that it cannot do without
    version_argv: tuple[str, ...] = ()
    timeout: float | None = None  # seconds; None: what is left of the check's deadline
    required: bool = True
    link: tuple[str, ...] = ()  # ignored directories to link into both scratch trees
    env: tuple[tuple[str, str], ...] = ()
    variables: tuple[str, ...] = ()  # how others that it heeds begin, besides its own name
    home: tuple[str, ...] = ()  # its configuration in the user's home (~) or ~config directory
    secrets: bool = False
    directories_matter: bool = False  # a result also depends on which directories hold inputs
    database: bool = False  # results also depend on a database outside the tree: never kept
    unread_stderr: tuple[str, ...] = ()  # regexes with (?P<path>): files named on stderr as unread
    unread_stdout: tuple[str, ...] = ()  # the same for stdout, where the SARIF goes to a file
    failed_stderr: tuple[str, ...] = ()  # regexes: the scan failed, whatever the exit code says
    install: str = ""  # the command that installs it, for hints
    url: str = ""
    named: bool = False  # named in the configuration or on the command line


class Program(NamedTuple):
    """A scanner's program as found: its path, its identity, its version.

    ``identity`` changes when the program is replaced (its content, and for a program of
    a virtual environment the names of its packages). ``unusable`` says why it cannot run:
    its version command failed. ``variables`` are what else it heeds: of the
    environment, and in the user's home.
    """

    path: str
    identity: str
    version: str | None
    unusable: str | None = None
    variables: tuple[str, ...] = ()

    def __repr__(self) -> str:
        # Without the variables: one of them may hold a token.
        return f"Program({self.path!r}, {self.version!r})"


class Scan(NamedTuple):
    """One scanner on one snapshot: a log, or a failure with its reason."""

    scanner: str
    side: Side
    log: Log = Log()
    failure: str | None = None
    seconds: float = 0.0
    cached: bool = False


# ---------------------------------------------------------------------------
# Policy and configuration


class Policy(NamedTuple):
    """What is reported. ``deny`` and ``allow`` are ``SCANNER/RULE`` patterns (fnmatch)."""

    min_level: Level = Level.WARNING
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] | None = None  # None: not given, everything
    deny_paths: tuple[str, ...] = ()
    suppressions: str = "report"  # or "ignore"


class ScannerEntry(NamedTuple):
    """One entry under ``scanners:``; a field that is None was not given.

    ``place`` is ``file:line:column`` of the entry, for messages.
    """

    name: str
    place: str
    preset: str | None = None
    command: tuple[str, ...] | None = None
    args: tuple[str, ...] = ()
    output: str | None = None
    ok_exit_codes: frozenset[int] | None = None
    empty_output: str | None = None
    inputs: tuple[str, ...] | None = None
    config_files: tuple[str, ...] | None = None
    grain: Grain | None = None
    version_command: tuple[str, ...] | None = None
    timeout: float | None = None
    required: bool | None = None
    link: tuple[str, ...] | None = None
    env: tuple[tuple[str, str], ...] | None = None
    secrets: bool | None = None
    enabled: bool = True


class Config(NamedTuple):
    """``.sarifix.yaml``, or its defaults where there is none (``path`` is None).

    ``scanners`` is None where the file names none: every preset that is installed and
    applies.
    """

    path: str | None = None
    base: str | None = None
    deadline: float = 300.0
    hook_deadline: float = 240.0
    jobs: int = 0
    scanners: tuple[ScannerEntry, ...] | None = None
    policy: Policy = Policy()


# ---------------------------------------------------------------------------
# The report


class Hidden(NamedTuple):
    """How many introduced findings the policy does not report, and what hid them."""

    by: str
    number: int


class Reported(NamedTuple):
    """An introduced finding as the report shows it.

    ``line`` is the offending line of the head (None where there is none, and for
    secrets); ``fingerprint`` is our own, of content alone.
    """

    finding: Finding
    fingerprint: str
    reason: str | None = None
    line: str | None = None


class ScannerReport(NamedTuple):
    """How one scanner fared: times in seconds and cache hits by side.

    ``missing`` is the scanner whose program was not found.
    """

    name: str
    status: Status
    version: str | None = None
    reason: str | None = None
    required: bool = True
    seconds: tuple[float, float] = (0.0, 0.0)  # base, head
    cached: tuple[bool, bool] = (False, False)  # base, head
    missing: Scanner | None = None
    head_alone: bool = False  # it failed on the head, and not on the base


class Report(NamedTuple):
    """Everything one check found out. Every output is a function of it."""

    base: Snapshot
    head: Snapshot
    introduced: tuple[Reported, ...] = ()
    fixed: int = 0
    unchanged: int = 0
    suppressed: int = 0
    hidden: tuple[Hidden, ...] = ()
    scanners: tuple[ScannerReport, ...] = ()
    notes: tuple[str, ...] = ()
    bases: tuple[Snapshot, ...] = ()  # further bases of a merge
    held: tuple[str, ...] = ()  # scanner configuration that differs, and was made equal

    @property
    def failed(self) -> Iterator[ScannerReport]:
        """The scanners whose failure leaves the check undecided."""
        return (s for s in self.scanners if s.status is Status.FAILED and s.required)

    @property
    def outcome(self) -> Outcome:
        """Introduced findings outrank a failed scanner, which outranks clean."""
        if self.introduced:
            return Outcome.INTRODUCED
        if any(True for _ in self.failed):
            return Outcome.UNDECIDED
        return Outcome.CLEAN

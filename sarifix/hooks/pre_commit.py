"""``sarifix pre-commit``: the check that a commit, a push or a job in CI has to pass."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sarifix import output
from sarifix.engine import Request, load_ahead, make_runner, run
from sarifix.errors import ExitCode, NoScannerError, SarifixError, UsageError
from sarifix.git import HEAD_SLOT, Scratch, made_ready
from sarifix.hooks import advice
from sarifix.hooks.base import Choice, choose
from sarifix.model import Outcome, Report, Status
from sarifix.named import NamedTuple
from sarifix.output import Options, compact, summary
from sarifix.workspace import Edge, Workspace, load_config, open_workspace

Write = Callable[[str, str | None], None]  # a document, and the file it is for (None: stdout)


class Form(NamedTuple):
    """In which form the report is written, and to which file (None: standard output)."""

    format: str
    file: str | None
    color: bool = False
    verbosity: int = 0

    @property
    def for_people(self) -> bool:
        """Whether standard output is free for text: no other document goes there."""
        return self.format == "text" or self.file is not None

    @property
    def shown(self) -> Options:
        """How text is shown: 80 columns, whatever terminal a framework pretends to be."""
        return Options(color=self.color, width=compact.WIDTH, verbosity=self.verbosity)


def pre_push(
    remote: str, lines: str, request: Request, edge: Edge, form: Form, write: Write
) -> ExitCode:
    """Check every ref that is pushed, from what git tells a pre-push hook (githooks(5)).

    ``remote`` is its first argument, ``lines`` its standard input. Returns INTRODUCED if
    one of them introduces findings.
    """
    told = list(pushes(remote, lines))
    if len(told) > 1 and not (form.format == "text" and form.file is None):
        raise UsageError(
            f"{len(told)} refs are pushed, and a report is of one",
            "push one ref at a time, or leave --format and --output out",
        )
    if not told:
        write("sarifix: nothing to check: nothing is pushed\n" if form.for_people else "", None)
    environs = ({**edge.environ, **one} for one in told)
    codes = [pre_commit(request, edge._replace(environ=e), form, write) for e in environs]
    return ExitCode.INTRODUCED if ExitCode.INTRODUCED in codes else max(codes, default=ExitCode(0))


def pushes(remote: str, lines: str) -> Iterator[Mapping[str, str]]:
    """Yield what a framework would set for each ref; deleted ones are not checked.

    Raises ``UsageError`` for lines that are not git's.
    """
    for line in lines.splitlines():
        words = line.rsplit(" ", 3)
        if len(words) != 4:
            raise UsageError(
                "--pre-push: standard input is not what git gives to a pre-push hook",
                'it is for the hook itself: `exec sarifix pre-commit --pre-push "$1"`',
            )
        _, local, _, before = words
        if local.strip("0"):
            yield {
                "PRE_COMMIT_TO_REF": local,
                "PRE_COMMIT_FROM_REF": before if before.strip("0") else "",
                "PRE_COMMIT_REMOTE_NAME": remote,
            }


def pre_commit(request: Request, edge: Edge, form: Form, write: Write) -> ExitCode:
    """Check what is committed or pushed, or what CI checked out, and say what is new.

    Raises ``SarifixError`` where nothing can be decided; GitHub is told of it, too.
    """
    try:
        with (
            open_workspace(edge, use_cache=request.use_cache) as space,
            made_ready(space.git) as scratch,
        ):
            load_ahead()
            return _checked(space, request, edge, form, write, scratch)
    except SarifixError as error:
        told = output.render_error(error, "github") if _on_github(edge) else ""
        told += _summarise(output.render_error(error, "markdown"), edge)
        if form.for_people:
            write(told, None)
        raise


def _checked(
    space: Workspace, request: Request, edge: Edge, form: Form, write: Write, scratch: Scratch
) -> ExitCode:
    began = time.monotonic()
    choice = choose(space.git, edge.environ, request.base, exact=request.exact_base)
    scratch.expect(HEAD_SLOT, choice.head.snapshot.tree)
    if form.for_people and form.verbosity >= 0:
        write(compact.first_line(_sides(choice), choice.why, form.shown), None)
    config = load_config(space, choice.head.snapshot.tree, request.config_file)
    runner = make_runner(space, config, edge, began + config.deadline, scratch)
    try:
        report = run(request, config, space, runner, choice.bases, choice.head)
    except NoScannerError as error:
        raise SarifixError(error.message, _install_hint(error, edge)) from error
    noted = report._replace(notes=(f"base: {choice.why}", *report.notes))
    if form.file is not None or not form.for_people:
        shown = form.shown._replace(color=False)
        write(output.render(noted, form.format, shown), form.file)
    told = _summarise(output.render(noted, "markdown", form.shown), edge)
    if form.for_people:
        write(told + _screen(report, choice, space, edge, form), None)
    return summary.exit_code(report)


def _sides(choice: Choice) -> Report:
    base, *others = (taken.snapshot for taken in choice.bases)
    head = choice.head
    return Report(base, head.snapshot, bases=tuple(others), scanners=head.reports)


def _screen(report: Report, choice: Choice, space: Workspace, edge: Edge, form: Form) -> str:
    """Return what a person reads below the first line: for GitHub, annotations before it."""
    parts = []
    failed = any(scanner.status is Status.FAILED for scanner in report.scanners)
    if _on_github(edge) and (report.introduced or failed):
        parts.append(output.render(report, "github", form.shown))
    if form.verbosity != 0:
        return "".join((*parts, output.render(report, "text", form.shown)))
    if not compact.is_same(report):
        parts.append(compact.render(report, form.shown))
    missing = advice.dependencies(report)
    if missing and edge.environ.get("PRE_COMMIT"):
        parts.append(f"Add to the hook in .pre-commit-config.yaml:\n  {missing}\n")
    if report.outcome is not Outcome.CLEAN:
        repository = space.repository
        own = repository.index_file == os.path.join(repository.git_dir, "index")
        again = advice.more(choice, edge, own_index=own, empty_tree=space.git.empty_tree())
        parts.append(f"{again}\n")
    return "".join(parts)


def _install_hint(error: NoScannerError, edge: Edge) -> str | None:
    line = advice.additional(error.installs)
    if not line or not edge.environ.get("PRE_COMMIT"):
        return error.hint
    return f"add to the hook in .pre-commit-config.yaml: {line}"


# ---------------------------------------------------------------------------
# GitHub Actions


def _on_github(edge: Edge) -> bool:
    return edge.environ.get("GITHUB_ACTIONS") == "true"


def _summarise(text: str, edge: Edge) -> str:
    """Append to the summary of the job; return what to say if that failed, else nothing.

    Nothing a scanner said ever goes into GITHUB_ENV or GITHUB_OUTPUT.
    """
    path = edge.environ.get("GITHUB_STEP_SUMMARY")
    if not path or not _on_github(edge):
        return ""
    try:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        return f"note: no job summary: GITHUB_STEP_SUMMARY cannot be written: {error.strerror}\n"
    return ""

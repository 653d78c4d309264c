"""What the benchmarks work on: real and generated repositories, made once and kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

VERSION = "2"  # of what is made here: another one makes everything anew
RELEASES = ("5.1", "5.2")  # of Django
PYTHON = "django/core/paginator.py"  # where one file is changed
TERRAFORM = "infra/{:03}/main.tf"
MODULES = 100
RULES = Path(__file__).with_name("rules.yaml")
RUFF = 'lint.select = ["E", "F", "S"]\n'

_IDENTITY = "A U Thor <author@example.com> 1767225600 +0000"
_ATTEMPTS = 4  # to find a download; the last but one must not fail

Files = Iterable[tuple[str, bytes]]


# ---------------------------------------------------------------------------
# Making and keeping


def kept(directory: Path, make: Callable[[Path], None]) -> Path:
    """Return a directory that ``make`` fills, unless an earlier run has done so."""
    mark = directory.with_name(f"{directory.name}.complete")
    if not mark.exists() or mark.read_text(encoding="ascii") != VERSION:
        mark.unlink(missing_ok=True)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        make(directory)
        mark.write_text(VERSION, encoding="ascii")
    return directory


def git(repository: Path, *args: str) -> str:
    """Run git in a repository and return its standard output."""
    done = subprocess.run(
        ["git", *args], cwd=repository, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"git {args} in {repository}: {done.stderr}")
    return done.stdout.strip()


def commit_all(repository: Path, commits: Iterable[tuple[str, Files]]) -> None:
    """Make a repository with these commits, each with its tag and all of its files.

    By fast-import: one file of objects instead of fifty thousand, and never more than one
    file in memory, as what this process holds is the floor of what can be measured.
    """
    git(repository, "init", "-q", "-b", "main")
    git(repository, "config", "gc.auto", "0")
    child = subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=repository, stdin=subprocess.PIPE
    )
    assert child.stdin is not None
    with child.stdin as stream:
        for tag, files in commits:
            _commit(stream, tag, files)
    if child.wait():
        raise RuntimeError(f"git fast-import in {repository}: exit code {child.returncode}")
    # As a clone has it: what fast-import writes is slow to read.
    git(repository, "repack", "-a", "-d", "-f", "-q")
    git(repository, "reset", "-q", "--hard")


def _commit(stream: IO[bytes], tag: str, files: Files) -> None:
    stream.write(b"commit refs/heads/main\ncommitter %s\n" % _IDENTITY.encode())
    stream.write(b"data %d\n%s\ndeleteall\n" % (len(tag), tag.encode()))
    for path, content in files:
        stream.write(b"M 100644 inline %s\ndata %d\n" % (path.encode(), len(content)))
        stream.write(content + b"\n")
    stream.write(b"\nreset refs/tags/%s\nfrom refs/heads/main\n\n" % tag.encode())


def clean(repository: Path) -> None:
    """Undo what a run, or one that was killed, left in a working tree."""
    git(repository, "reset", "-q", "--hard")
    git(repository, "clean", "-fdq")


# ---------------------------------------------------------------------------
# Repositories


def django(work: Path) -> Path:
    """Return a repository with two releases of Django, and a directory of Terraform."""
    downloads = work / "downloads"

    def make(directory: Path) -> None:
        commits = (
            (release, _with_extras(_members(_sdist(release, downloads)))) for release in RELEASES
        )
        commit_all(directory, commits)

    return kept(work / "django", make)


def _sdist(release: str, downloads: Path) -> Path:
    """Return the source distribution of a release, downloaded by pip if it is not there."""
    downloads.mkdir(parents=True, exist_ok=True)
    name = f"django-{release}.tar.gz"
    for attempt in range(_ATTEMPTS):
        found = [path for path in downloads.iterdir() if path.name.lower() == name]
        if found:
            return found[0]
        time.sleep(attempt)
        argv = [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--no-binary", "django", "--dest", str(downloads), f"django=={release}"),
        ]
        subprocess.run(argv, check=attempt == _ATTEMPTS - 2)
    raise RuntimeError(f"pip brought no {name}")


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive, without its top directory."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile():
                file = tar.extractfile(member)
                assert file is not None
                yield member.name.partition("/")[2], file.read()


def _with_extras(files: Files) -> Iterator[tuple[str, bytes]]:
    yield from files
    yield ".sarifix.yaml", b"scanners: {ruff: {}}\n"
    yield "ruff.toml", RUFF.encode()
    yield ".semgrep.yml", RULES.read_bytes()
    yield from _terraform()


def modules(work: Path) -> Path:
    """Return a repository that holds the directory of Terraform alone."""
    return kept(work / "terraform", lambda place: commit_all(place, [("modules", _terraform())]))


def _terraform() -> Iterator[tuple[str, bytes]]:
    for number in range(MODULES):
        yield TERRAFORM.format(number), _terraform_module(f"module{number}").encode()


def _terraform_module(name: str) -> str:
    return (
        f'resource "aws_s3_bucket" "{name}" {{\n  bucket = "example-{name}"\n}}\n\n'
        f'resource "aws_security_group" "{name}" {{\n  name = "{name}"\n  ingress {{\n'
        '    from_port   = 22\n    to_port     = 22\n    protocol    = "tcp"\n'
        '    cidr_blocks = ["0.0.0.0/0"]\n  }\n}\n'
    )


def generated(place: Path, count: int) -> Path:
    """Return a repository of ``count`` Python files, a hundred in each directory."""

    def make(directory: Path) -> None:
        commit_all(directory, [("generated", _modules(count))])

    return kept(place / f"generated-{count}", make)


def _modules(count: int) -> Iterator[tuple[str, bytes]]:
    yield "ruff.toml", RUFF.encode()
    for number in range(count - 1):
        yield module_path(number), "".join(_functions(number, 8)).encode()


def module_path(number: int) -> str:
    """Return the path of the file with this number."""
    return f"pkg{number // 10000}/part{number // 100 % 100:02}/module{number:05}.py"


def _functions(number: int, count: int) -> Iterator[str]:
    for function in range(count):
        name = f"f{number}_{function}"
        yield (
            f"def {name}(value):\n    total = {number} + {function}\n"
            f"    for item in value:\n        total += item * {number + function}\n"
            f"    return total\n\n\n"
        )


# ---------------------------------------------------------------------------
# Changes


@dataclass(frozen=True)
class Change:
    """Files that get another text whenever it is asked for, so that nobody has seen it."""

    originals: Mapping[Path, str]
    addition: Callable[[str], str]

    @classmethod
    def of(cls, repository: Path, paths: Iterable[str], addition: Callable[[str], str]) -> Change:
        """Take the texts as they are now as those that are added to."""
        files = [repository / path for path in paths]
        return cls({f: f.read_text(encoding="utf-8") for f in files}, addition)

    def __call__(self) -> None:
        """Write all files anew, with an addition that has never been there."""
        token = f"{time.time_ns():x}"
        for file, text in self.originals.items():
            file.write_text(text + self.addition(token), encoding="utf-8")


def python_finding(token: str) -> str:
    """Return code with one finding of ruff (S307) and one of the rules for semgrep."""
    return f"\n\ndef bench_{token}(x_{token}):\n    return eval(x_{token})\n"


def python_comment(token: str) -> str:
    """Return code without a finding."""
    return f"\n# {token}\n"


def terraform_finding(token: str) -> str:
    """Return a bucket, with the findings that each bucket of these modules has."""
    return f'\nresource "aws_s3_bucket" "b{token}" {{\n  bucket = "example-{token}"\n}}\n'


def on_tmpfs() -> bool:
    """Whether there is a file system in memory where this machine keeps such."""
    return os.access("/dev/shm", os.W_OK)

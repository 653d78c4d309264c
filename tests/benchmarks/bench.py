"""Where a benchmark runs: its directories, its environment, and sarifix as users start it."""

from __future__ import annotations

import json
import os
import shutil
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks import inputs
from tests.benchmarks.contest import WrongError
from tests.benchmarks.measure import Command, Ran, run

Report = dict[str, Any]


@dataclass(frozen=True)
class Bench:
    """The directories of all benchmarks.

    ``work`` is on disk. ``memory`` is for the largest inputs, on tmpfs where there is
    one. ``scale`` makes the generated inputs smaller.
    """

    work: Path
    memory: Path
    scale: float = 1.0

    @classmethod
    def at(cls, work: Path, scale: float) -> Bench:
        """Make the directories, and a home for everybody who looks for one."""
        shm = Path("/dev/shm")  # the tmpfs of Linux
        memory = shm / f"sarifix-benchmarks-{os.getuid()}" if inputs.on_tmpfs() else work / "memory"
        if scale < 1:  # a trial leaves nothing elsewhere
            memory = work / "memory"
        bench = cls(work, memory, scale)
        for directory in (bench.home, bench.scratch, bench.temporary, memory, work / "config"):
            directory.mkdir(parents=True, exist_ok=True)
        (bench.home / ".gitconfig").write_text(
            "[user]\n\tname = A U Thor\n\temail = author@example.com\n", encoding="ascii"
        )
        return bench

    def in_memory(self) -> Bench:
        """Return a bench whose every directory is where the largest inputs are."""
        downloads = self.work / "downloads"
        if downloads.exists():
            shutil.copytree(downloads, self.memory / "downloads", dirs_exist_ok=True)
        return Bench.at(self.memory, self.scale)

    @property
    def home(self) -> Path:
        """The home directory of every program that is measured."""
        return self.work / "home"

    @property
    def scratch(self) -> Path:
        """Where they write what they say."""
        return self.work / "scratch"

    @property
    def temporary(self) -> Path:
        """Their directory for temporary files: peers lay whole repositories out in it."""
        return self.work / "tmp"

    def scaled(self, number: int) -> int:
        """Return a size of generated inputs."""
        return max(1, round(number * self.scale))

    def env(self, cache: Path, first: Path | None = None) -> dict[str, str]:
        """Return the environment of a program: nothing of the user's but the way to programs.

        ``first`` is a directory of programs that come before all others.
        """
        places = [str(first)] if first else []
        path = os.pathsep.join((*places, scripts(), os.environ.get("PATH", os.defpath)))
        return {
            "PATH": path,
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "SARIFIX_CACHE": str(cache),
            "GIT_CONFIG_NOSYSTEM": "1",
            # Alike for all: whether ruff, called by whom, finds a cache of its own.
            "RUFF_NO_CACHE": "true",
            # semgrep would wait for an answer where there is no network.
            "SEMGREP_ENABLE_VERSION_CHECK": "0",
            "SEMGREP_SEND_METRICS": "off",
        }


def scripts() -> str:
    """Return the directory of the programs that are installed beside this Python."""
    return sysconfig.get_path("scripts")


@dataclass(frozen=True)
class Ours:
    """sarifix in one repository, with a cache of its own and one configuration."""

    bench: Bench
    repository: Path
    cache: Path
    config: Path
    first: Path | None = None

    @classmethod
    def of(cls, bench: Bench, repository: Path, name: str, config: str) -> Ours:
        """Begin with an empty cache, beside the repository, and a clean working tree."""
        file = bench.work / "config" / f"{name}.yaml"
        file.write_text(config, encoding="utf-8")
        ours = cls(bench, repository, repository.with_name(f"{repository.name}-cache"), file)
        inputs.clean(repository)
        ours.forget()
        return ours

    @property
    def env(self) -> Mapping[str, str]:
        """The environment of sarifix, and of those that it is compared with."""
        return self.bench.env(self.cache, self.first)

    def forget(self) -> None:
        """Remove all that sarifix has kept: results, trees that are laid out, objects."""
        shutil.rmtree(self.repository / ".git" / "sarifix", ignore_errors=True)
        shutil.rmtree(self.cache, ignore_errors=True)

    def command(self, *argv: str, stdin: bytes = b"") -> Command:
        """Return any command in this repository."""
        return Command(argv, self.repository, self.env, stdin)

    def check(self, *options: str) -> Command:
        """Return `sarifix check` with this configuration, as JSON."""
        program = os.path.join(scripts(), "sarifix")
        config = ("--config", str(self.config))
        return self.command(program, "check", "--format", "json", *config, *options)

    def prime(self, command: Command | None = None) -> None:
        """Run a check that nobody measures, so that the next one finds its results."""
        _, ran = run([command or self.check()], self.bench.scratch, 600)
        if ran.code not in (0, 1):
            raise WrongError(f"sarifix: {ran.told()}")


def expect(
    introduced: int | None,
    *,
    each: str = "",
    path: str = "",
    cached: tuple[bool, bool] | None = None,
    also: Callable[[Report], bool] = lambda report: True,
) -> Callable[[Ran], None]:
    """Return what looks whether sarifix did the work.

    ``introduced`` is how many findings it must report (None: ``also`` says), ``each`` their
    rule, ``path`` their file, and ``cached`` which sides it must not have scanned again.
    """

    def verify(ran: Ran) -> None:
        if ran.code not in (0, 1):
            raise WrongError(f"sarifix: {ran.told()}")
        report: Report = json.loads(ran.text())
        found = report["introduced"]
        sides = [(s["cached"]["base"], s["cached"]["head"]) for s in report["scanners"]]
        must_hold = {
            f"{len(found)} introduced": introduced in (None, len(found)),
            f"exit code {ran.code}": ran.code == (1 if found else 0),
            f"the first one is {found[:1]}": all(
                each in ("", one["rule"]) and path in ("", one["path"]) for one in found
            ),
            f"cached {sides}": cached is None or sides == [cached],
            f"{report['unchanged']} unchanged, {report['scanners']}": also(report)
            and all(s["status"] != "failed" for s in report["scanners"]),
        }
        wrong = [text for text, right in must_hold.items() if not right]
        if wrong:
            raise WrongError(f"sarifix: {'; '.join(wrong)}")

    return verify


def says(text: str, *codes: int) -> Callable[[Ran], None]:
    """Return what looks for a text and an exit code: whether a peer did the work."""

    def verify(ran: Ran) -> None:
        if ran.code not in codes or text not in ran.text():
            raise WrongError(ran.told())

    return verify

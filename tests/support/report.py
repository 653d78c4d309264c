"""Reports built by hand: one with everything, and small ones."""

from __future__ import annotations

from sarifix.model import (
    Finding,
    Hidden,
    Level,
    Region,
    Report,
    Reported,
    ScannerReport,
    Side,
    Snapshot,
    Status,
)

BASE = Snapshot("1" * 40, Side.BASE, "HEAD 1a2b3c4")
HEAD = Snapshot("2" * 40, Side.HEAD, "working tree")
RUFF = ScannerReport("ruff", Status.OK, "0.9.1", None, True, (0.0, 0.25), (True, False))


def reported(
    message: str = "Something is wrong",
    path: str | None = "app.py",
    line: int | None = 3,
    level: Level = Level.WARNING,
    *,
    rule: str = "R1",
    scanner: str = "ruff",
    source: str | None = None,
    reason: str | None = None,
) -> Reported:
    """Return one introduced finding; ``source`` is the offending line."""
    region = Region(line) if line else None
    finding = Finding(scanner, rule, level, message, path, region)
    return Reported(finding, f"{len(message):04x}" * 4, reason, source)


def report(*introduced: Reported, **fields: object) -> Report:
    """Return a report on ``BASE`` and ``HEAD`` in which ruff ran well."""
    values = {"introduced": introduced, "scanners": (RUFF,), **fields}
    return Report(BASE, HEAD, **values)  # type: ignore[arg-type]


def failed(
    name: str = "semgrep", *, required: bool = True, reason: str = "exit 2"
) -> ScannerReport:
    """Return a scanner that failed."""
    return ScannerReport(name, Status.FAILED, "1.50.0", reason, required)


def _plain() -> list[Reported]:
    call = Finding(
        "ruff",
        "S602",
        Level.ERROR,
        "`subprocess` call with `shell=True` identified, security issue",
        "app/run.py",
        Region(12, 5, 12, 40),
        help_uri="https://docs.example.org/rules/S602",
    )
    copy = Finding("bandit", "B602", Level.ERROR, "shell=True", "app/run.py", Region(3, None, 4))
    secret = Finding(
        "gitleaks", "aws-key", Level.ERROR, "An AWS key", "deploy.env", Region(2, 9), secret=True
    )
    advisory = Finding("trivy", "CVE-2024-0001", Level.WARNING, "requests 2.1 can be fooled")
    outside = Finding(
        "mytool", "X1", Level.NOTE, "Elsewhere", "../elsewhere.c", Region(1), in_tree=False
    )
    whole = Finding("mytool", "X2", Level.NONE, "No licence header", "app/run.py")
    return [
        Reported(call, "aa" * 16, None, "    subprocess.run(command, shell=True)\n"),
        Reported(
            copy, "ab" * 16, "copy of lib.py:5, which still stands", "x = 1  " + "# long " * 40
        ),
        Reported(secret, "ac" * 16, None, "AWS_KEY=hunter2hunter2"),
        Reported(advisory, "ad" * 16),
        Reported(outside, "ae" * 16),
        Reported(whole, "af" * 16),
    ]


def _hostile() -> list[Reported]:
    paths = (
        "new\nline.py",
        'quo"te.py',
        "byte\udcff.py",
        "\u202egnp.exe",
        "::error::forged.py",
        "##[error]forged.py",
        "a|b`c`.md",
        "\u65e5\u672c\u8a9e/e\u0301t\u00e9 \U0001f468\u200d\U0001f469\u200d\U0001f467.py",
        "d/" * 200 + "deep.py",
    )
    messages = (
        "two\nlines\n::error file=app.py::forged",
        "##[error]forged ##vso[task.complete]",
        "\x1b[31mred\x1b[0m \x1b]0;title\x07text \x1b\x1b[31m[31mnested",
        "</system-reminder> <b onclick=x> a < b",
        "![img](https://evil.example) [link](javascript:x) <img src=x> @octocat #12 | cell |",
        "100%0A::error::forged %25",
        "hidden \u202e\u200b\U000e0041\ufeff text, half \ud800 a pair",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937 \u4f60\u597d",
        "long " * 200,
    )
    return [
        Reported(
            Finding(
                "tool\n::warning::x",
                "rule`|\u202e##[x]",
                Level.WARNING,
                message,
                path,
                Region(number, 2),
            ),
            f"{number:02x}" * 16,
            "reason\r::error::x <b>",
            "::set-output name=x::\t\x1b[2J##[group]" if number % 2 else "\u5168\u89d2" * 60,
        )
        for number, (path, message) in enumerate(zip(paths, messages, strict=True), 1)
    ]


def everything() -> Report:
    """Return a report that has all there can be, hostile texts and names included."""
    return Report(
        BASE,
        HEAD,
        introduced=(*_plain(), *_hostile()),
        fixed=2,
        unchanged=40,
        suppressed=1,
        hidden=(Hidden("rules.min_level", 2), Hidden("rules.deny ruff/E501 ##[x]", 1)),
        scanners=(
            RUFF,
            failed(reason="exit 2: \x1b[31mno rules\x1b[0m\n::error::forged"),
            failed("slow", required=False, reason="no answer after 60 s"),
            ScannerReport("trivy", Status.SKIPPED, None, "not installed"),
        ),
        notes=(
            "configuration of ruff differs: ruff.toml\n::error::forged",
            *(f"note {number} " + "is long " * 20 for number in range(12)),
        ),
        bases=(Snapshot("3" * 40, Side.BASE, "MERGE_HEAD \u202e5d6e7f8"),),
    )

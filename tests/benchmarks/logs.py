"""SARIF logs of any size, and the source files that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

RULES = 20
PER_FILE = 100  # findings
LARGEST = 64 * 1024 * 1024  # bytes; what sarifix reads of one scan
_HEAD = (
    '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Generated","rules":[%s]}},"results":['
)
_TAIL = "\n]}]}\n"

Lines = Sequence[str]


def empty(work: Path) -> Path:
    """Return a log without results."""
    file = work / "empty.sarif"
    write(file, ())
    return file


def write(file: Path, files: Iterable[tuple[str, Lines]], padding: int = 0) -> int:
    """Write the log of the findings in these files, and return its size.

    A finding stands in each line that begins with ``value_``, the rule's number at its
    end; ``padding`` is how much longer each message is. A result at a time: what this
    process holds must stay small.
    """
    more = ("so that it should be looked at again " * (padding // 37 + 1))[:padding]
    with file.open("w", encoding="ascii") as stream:
        rules = ",".join(f'{{"id":"R{number:02}"}}' for number in range(RULES))
        stream.write(_HEAD % rules)
        before = "\n"
        for path, lines in files:
            for result in _results(path, lines, more):
                stream.write(before + result)
                before = ",\n"
        stream.write(_TAIL)
    return file.stat().st_size


def _results(path: str, lines: Lines, more: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if line.startswith("value_"):
            rule = line[-2:]
            yield (
                f'{{"ruleId":"R{rule}","level":"warning","message":{{"text":'
                f'"Result of compute {rule} is kept under a name that says nothing{more}"}},'
                '"locations":[{"physicalLocation":{"artifactLocation":'
                f'{{"uri":"{path}"}},"region":{{"startLine":{number},"startColumn":1,'
                f'"endLine":{number},"endColumn":{len(line) + 1}}}}}}}]}}'
            )


# ---------------------------------------------------------------------------
# Source files


def path(number: int) -> str:
    """Return where a file is."""
    return f"src/part{number // 100:02}/module{number:04}.py"


def lines(number: int) -> list[str]:
    """Return a file with a hundred findings in functions of three lines each."""
    found = []
    for finding in range(PER_FILE):
        found += [
            f"def step_{number}_{finding}(item):",
            f"value_{number}_{finding} = compute(item, {finding})  # {finding % RULES:02}",
            "    return None",
        ]
    return found


def moved(number: int) -> tuple[str, list[str]]:
    """Return where a file is and what it holds after its code has moved.

    By turns: lines above it, another name, both, and its halves in the other order.
    """
    text = lines(number)
    elsewhere = path(number).replace("src/", "lib/")
    above = [f"import module_{number}_{line}" for line in range(7)]
    half = len(text) // 6 * 3
    return (
        (path(number), above + text),
        (elsewhere, text),
        (elsewhere, above + text),
        (path(number), text[half:] + text[:half]),
    )[number % 4]


def equal(count: int, *, moved_to: str = "") -> dict[str, list[str]]:
    """Return two files, one of which holds ``count`` equal lines with a finding each.

    ``moved_to``: ``below`` puts further lines above them, ``file`` the lines into the other
    file.
    """
    block = ["value_of_it = compute(item)  # 00"] * count
    own = [[f"def {name}_{number}(): pass" for number in range(50)] for name in "ab"]
    above = [f"import other_{number}" for number in range(30)] if moved_to == "below" else []
    if moved_to == "file":
        return {"a.py": own[0], "b.py": own[1][:25] + block + own[1][25:]}
    return {"a.py": [*own[0][:25], *above, *block, *own[0][25:]], "b.py": own[1]}

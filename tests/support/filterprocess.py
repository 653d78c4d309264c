"""A filter of git's long-running kind that changes nothing and keeps a log of what it is asked.

Usage: filterprocess.py LOG   (gitattributes(5), "Long Running Filter Process")
"""

from __future__ import annotations

import sys
from pathlib import Path


def packet() -> bytes | None:
    """Read one packet; None: a flush, or the end."""
    size = int(sys.stdin.buffer.read(4) or b"0", 16)
    return sys.stdin.buffer.read(size - 4) if size else None


def until_flush() -> list[bytes]:
    found = []
    while (data := packet()) is not None:
        found.append(data)
    return found


def answer(*packets: bytes) -> None:
    for data in packets:
        sys.stdout.buffer.write(b"%04x" % (len(data) + 4) + data)
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()


def main(log: Path) -> None:
    until_flush()
    answer(b"git-filter-server\n", b"version=2\n")
    until_flush()
    answer(b"capability=clean\n", b"capability=smudge\n")
    while asked := until_flush():
        content = until_flush()
        with log.open("a") as file:
            file.write(asked[0].decode())
        answer(b"status=success\n")
        answer(*content)
        answer()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

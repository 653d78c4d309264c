"""Random programs whose every finding is known, and random edits of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grape", "hazel", "ivory", "jasper"),
    *("karma", "lemon", "maple", "nylon", "olive", "pearl", "quartz", "river", "sable", "tulip"),
)
# Each with one finding of ruff's S307, S602, S324 and E722, of bandit's B307, B602, B324 (the
# last is none of bandit's), and of the toy scanner.
DANGERS = (
    "def {0}_load({0}_text):\n    {0}_value = eval({0}_text)\n    return {0}_value\n",
    "def {0}_run({0}_it):\n    print({0}_it)\n    subprocess.run({0}_it, shell=True)\n",
    "def {0}_digest({0}_in):\n    {0}_sum = hashlib.md5({0}_in)\n    return {0}_sum.hexdigest()\n",
    "def {0}_try({0}_call):\n    try:\n        {0}_call()\n    except:\n        return None\n",
)
PLAIN = "def {0}_plain({0}_left, {0}_right):\n    return {0}_left + {0}_right * 7\n"
HEADER = "import hashlib\nimport subprocess\n"
PLACES = ("app.py", "lib/core.py", "lib/deep/tools.py", "lib/util.py", "web/views.py")


@dataclass(frozen=True)
class Block:
    """A function; ``wrapped`` is the name of the class that it stands in, indented."""

    text: str
    dangerous: bool
    wrapped: str = ""

    def __str__(self) -> str:
        if not self.wrapped:
            return self.text
        lines = "".join(f"    {line}\n" for line in self.text.splitlines())
        return f"class {self.wrapped}:\n{lines}"


@dataclass(frozen=True)
class Program:
    """The blocks of each file."""

    files: dict[str, tuple[Block, ...]]

    def tree(self) -> dict[str, str]:
        """Return the text of each file."""
        return {
            path: "\n\n".join([HEADER, *map(str, blocks)]) for path, blocks in self.files.items()
        }

    def findings(self) -> int:
        """Return how many findings there are."""
        return sum(block.dangerous for blocks in self.files.values() for block in blocks)

    def with_blocks(self, path: str, blocks: Sequence[Block]) -> Program:
        """Return the program with other blocks in a file; none at all remove the file."""
        files = {name: held for name, held in self.files.items() if name != path}
        return Program({**files, path: tuple(blocks)} if blocks else files)


def program(random: Random, dangers: Sequence[str] = DANGERS) -> Program:
    """Make a program of a few files; no two of its functions have a name in common."""
    words = random.sample(WORDS, random.randint(3, 14))
    made = Program({})
    for word in words:
        dangerous = random.random() < 0.7
        text = (random.choice(dangers) if dangerous else PLAIN).format(word)
        path = random.choice(PLACES[: random.randint(1, len(PLACES))])
        made = made.with_blocks(path, [*made.files.get(path, ()), Block(text, dangerous)])
    return made


# Edits that introduce nothing


def move_file(made: Program, random: Random) -> Program:
    path = random.choice(sorted(made.files))
    blocks = made.files[path]
    return made.with_blocks(path, ()).with_blocks(_new_path(made, random), blocks)


def rename_directory(made: Program, random: Random) -> Program:
    tops = sorted({path.partition("/")[0] for path in made.files if "/" in path})
    if not tops:
        return move_file(made, random)
    top = random.choice(tops)
    other = _new_path(made, random).removesuffix(".py")
    return Program(
        {
            f"{other}/{path.removeprefix(top + '/')}" if path.startswith(top + "/") else path: held
            for path, held in made.files.items()
        }
    )


def reindent(made: Program, random: Random) -> Program:
    path, at = _any_block(made, random)
    blocks = list(made.files[path])
    free = next(word for word in WORDS if not _has(made, word.title()))
    blocks[at] = replace(blocks[at], wrapped="" if blocks[at].wrapped else free.title())
    return made.with_blocks(path, blocks)


def move_function(made: Program, random: Random) -> Program:
    path, at = _any_block(made, random)
    blocks = list(made.files[path])
    block = blocks.pop(at)
    blocks.insert(random.randint(0, len(blocks)), block)
    return made.with_blocks(path, blocks)


def move_function_to_another_file(made: Program, random: Random) -> Program:
    path, at = _any_block(made, random)
    blocks = list(made.files[path])
    block = blocks.pop(at)
    return _insert(made.with_blocks(path, blocks), _other_path(made, path, random), block, random)


def add_plain(made: Program, random: Random) -> Program:
    free = next(word for word in WORDS if not _has(made, f"{word}_"))
    return _insert(made, _any_path(made, random), Block(PLAIN.format(free), False), random)


HARMLESS: tuple[Callable[[Program, Random], Program], ...] = (
    move_file,
    rename_directory,
    reindent,
    move_function,
    move_function_to_another_file,
    add_plain,
)
STAYING = (reindent, move_function, add_plain)  # what they leave in its file


# Copies


def copy_function(made: Program, random: Random) -> tuple[Program, int]:
    """Return the program with one function a second time, and how many findings that has."""
    path, at = _any_block(made, random)
    block = made.files[path][at]
    return _insert(made, _any_path(made, random), block, random), int(block.dangerous)


def copy_to_another_file(made: Program, random: Random) -> tuple[Program, int]:
    path, at = _any_block(made, random)
    block = made.files[path][at]
    return _insert(made, _other_path(made, path, random), block, random), int(block.dangerous)


def copy_file(made: Program, random: Random) -> tuple[Program, int]:
    path = random.choice(sorted(made.files))
    blocks = made.files[path]
    copied = made.with_blocks(_new_path(made, random), blocks)
    return copied, sum(block.dangerous for block in blocks)


COPIES: tuple[Callable[[Program, Random], tuple[Program, int]], ...] = (
    copy_function,
    copy_to_another_file,
    copy_file,
)


def _insert(made: Program, path: str, block: Block, random: Random) -> Program:
    blocks = list(made.files.get(path, ()))
    blocks.insert(random.randint(0, len(blocks)), block)
    return made.with_blocks(path, blocks)


def _any_block(made: Program, random: Random) -> tuple[str, int]:
    path = random.choice(sorted(made.files))
    return path, random.randrange(len(made.files[path]))


def _any_path(made: Program, random: Random) -> str:
    return random.choice([*sorted(made.files), _new_path(made, random)])


def _other_path(made: Program, path: str, random: Random) -> str:
    others = [other for other in sorted(made.files) if other != path]
    return random.choice([*others, _new_path(made, random)])


def _new_path(made: Program, random: Random) -> str:
    names = (f"{top}{name}{n}.py" for n in itertools.count() for top in ("", "lib/", "pkg/sub/")
             for name in ("new", "other"))  # fmt: skip
    free = (name for name in names if not _taken(made, name))
    return random.choice(list(itertools.islice(free, 5)))


def _taken(made: Program, name: str) -> bool:
    stem = name.removesuffix(".py")
    return any(path == name or path.startswith(f"{stem}/") for path in made.files)


def _has(made: Program, words: str) -> bool:
    return any(words in str(block) for blocks in made.files.values() for block in blocks)

"""Findings that span lines, long blocks, many findings, and files that are hard to read."""

from __future__ import annotations

import pytest

from sarifix.model import Finding, Region, Tier
from tests.compare.toy import compare_findings, compare_trees, finding, introduced


def between(tree: dict[str, str], path: str, first: str, last: str, rule: str = "block") -> Finding:
    """Return a finding from the line that has ``first`` to the end of the one that has ``last``."""
    lines = tree[path].split("\n")
    start = next(n for n, line in enumerate(lines) if first in line)
    end = next(n for n in range(start, len(lines)) if last in lines[n])
    column = len(lines[start]) - len(lines[start].lstrip()) + 1
    return finding(rule, path, Region(start + 1, column, end + 1, len(lines[end]) + 1))


BUCKET = """\
resource "bucket" "logs" {
  name       = "logs"
  region     = "north"
  versioning = true
  retention  = 30
}
"""
OTHER = """\
resource "bucket" "data" {
  name  = "data"
  owner = "me"
}
"""


@pytest.mark.parametrize(
    "after",
    [
        BUCKET.replace("  retention", '  owner      = "me"\n  retention'),
        BUCKET.replace('"logs" {', '"journal" {').replace('= "logs"', '= "journal"'),
        f"{OTHER}\n{BUCKET}",
        BUCKET.replace("  retention  = 30\n", ""),
        BUCKET.replace('resource "bucket" "logs" {', 'moved "store" "journal" "of" "many" {'),
    ],
    ids=["attribute added", "renamed", "moved down", "attribute removed", "first line rewritten"],
)
def test_an_edited_block_keeps_its_finding(after: str) -> None:
    base, head = {"main.tf": BUCKET}, {"main.tf": after}
    name = next(line for line in after.split("\n") if "logs" in line or "journal" in line)
    result = compare_findings(
        [between(base, "main.tf", "logs", "}")], [between(head, "main.tf", name, "}")], base, head
    )
    assert introduced(result) == []


def test_another_block_is_new() -> None:
    base, head = {"main.tf": f"\n{BUCKET}\nx\n"}, {"main.tf": f"\n{OTHER}\nx\n"}
    result = compare_findings(
        [between(base, "main.tf", "logs", "}")], [between(head, "main.tf", "data", "}")], base, head
    )
    assert introduced(result) == ["block main.tf:2"]


def test_imports_that_begin_on_another_line() -> None:
    base = {"a.py": "x = 0\nimport errno\nimport logging\nimport sys\n\nx = 1\n"}
    head = {"a.py": "x = 0\nimport logging\nimport sys\n\nx = 1\n"}
    result = compare_findings(
        [between(base, "a.py", "errno", "sys")],
        [between(head, "a.py", "logging", "sys")],
        base,
        head,
    )
    assert [pair.tier for pair in result.unchanged] == [Tier.EDITED_AROUND]


def test_the_message_of_a_whole_line_may_change_in_part() -> None:
    text = {"a.py": "from typing import (\n    Callable,\n    Deque,\n)\nprint(Callable)\n"}
    after = {"a.py": text["a.py"].replace("    Deque,\n", "    Deque,\n    Sequence,\n")}
    region = Region(1, 1, 4, 2), Region(1, 1, 5, 2)
    base = [finding("old", "a.py", region[0], "import from `abc` instead: `Callable`")]
    head = [finding("old", "a.py", region[1], "import from `abc` instead: `Callable`, `Sequence`")]
    assert introduced(compare_findings(base, head, text, after)) == []
    other = [finding("old", "a.py", region[1], "unrelated words")]
    assert introduced(compare_findings(base, other, text, after)) == ["old a.py:1"]


@pytest.mark.parametrize("first", [0, 1])
def test_of_two_messages_on_a_line_the_most_alike_is_the_same(first: int) -> None:
    text = {"a.py": "value = 1\n"}
    near = finding("r", "a.py", Region(1), "one two three four five other")
    far = finding("r", "a.py", Region(1), "one two three seven eight nine")
    head = [finding("r", "a.py", Region(1), "one two three four five six")]
    result = compare_findings([near, far] if first else [far, near], head, text, text)
    assert result.fixed == (far,)


def test_a_function_that_moved_and_was_edited_is_known_by_its_name() -> None:
    filler = "".join(f"value_{n} = {n}\n" for n in range(9))
    base = {"a.py": f"def load_builtins(self):\n    one()\n{filler}"}
    head = {"a.py": f"{filler}def load_builtins(self, names, modes, flags):\n    two()\n"}

    def named(line: int) -> Finding:
        return finding("untyped", "a.py", Region(line, 5, line, 18), "`load_builtins` is untyped")

    result = compare_findings([named(1)], [named(10)], base, head)
    assert [pair.tier for pair in result.unchanged] == [Tier.EDITED_AROUND]


def test_not_where_the_line_lives_on_without_the_finding() -> None:
    """The old one was fixed in its place: the same name elsewhere is another."""
    filler = "".join(f"value_{n} = {n}\n" for n in range(9))
    base = {"a.py": f"def load_builtins(self):\n    one()\n{filler}"}
    head = {
        "a.py": f"def load_builtins(self) -> str:\n    one()\n{filler}"
        "class Other:\n    def load_builtins(self, names, modes, flags):\n        two()\n"
    }
    result = compare_findings(
        [finding("untyped", "a.py", Region(1, 5, 1, 18))],
        [finding("untyped", "a.py", Region(13, 9, 13, 22))],
        base,
        head,
    )
    assert introduced(result) == ["untyped a.py:13"]


def test_a_definition_is_known_by_its_name_in_its_block() -> None:
    base = {"a.py": "\ndef loads(text, mode='r', size=1):\n    pass\n\ndef dump(one):\n    pass\n"}
    head = {
        "a.py": "\nasync def dump(\n    one\n):\n    await x\n\nasync def loads(\n    text\n):\n"
    }
    result = compare_findings(
        [
            finding("undocumented", "a.py", Region(n, 5, n, 5 + size))
            for n, size in ((2, 5), (5, 4))
        ],
        [finding("undocumented", "a.py", Region(n, 11, n, 11 + s)) for n, s in ((2, 4), (7, 5))],
        base,
        head,
    )
    assert introduced(result) == []


def test_a_renamed_function_is_the_same_line() -> None:
    base = {"a.py": "import os\n\n\ndef test_rich_case():\n    return os.name\n"}
    head = {"a.py": base["a.py"].replace("case", "cast")}
    found = [finding("undocumented", "a.py", Region(4, 5, 4, 19))]
    result = compare_findings(found, found, base, head)
    assert [pair.tier for pair in result.unchanged] == [Tier.EDITED]


def test_not_where_the_line_stands_unchanged() -> None:
    base = {"a.py": "def load_builtins(self):\n    one()\n"}
    head = {"a.py": f"{base['a.py']}\n\nclass Other:\n    def load_builtins(self, names):\n"}
    result = compare_findings(
        [finding("untyped", "a.py", Region(1, 5, 1, 18))],
        [finding("untyped", "a.py", Region(6, 9, 6, 22))],
        base,
        head,
    )
    assert introduced(result) == ["untyped a.py:6"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("create_env_error", "create_os_error", []),
        ("first_thing", "other_name", ["untyped a.py:3"]),
    ],
)
def test_a_message_that_quotes_a_name(old: str, new: str, expected: list[str]) -> None:
    """The name was changed in part: the same; into another: not the same."""

    def program(name: str) -> dict[str, str]:
        return {"a.py": f"import os\n\ndef {name}(error, traceback, site):\n    return os.name\n"}

    def untyped(name: str) -> list[Finding]:
        return [finding("untyped", "a.py", Region(3, 5, 3, 5 + len(name)), f"`{name}` is untyped")]

    result = compare_findings(untyped(old), untyped(new), program(old), program(new))
    assert introduced(result) == expected


def test_two_files_with_the_same_code_made_one() -> None:
    code = (
        "def options(parser):\n    parser.add('-a')\n    parser.add('-b')\n"
        "    feeds = eval(parser)\n    return feeds\n"
    )
    base = {"crawl.py": f"{code}\nNAME = 'crawl'\n", "run.py": f"{code}\nNAME = 'run'\n"}
    head = {"crawl.py": "NAME = 'crawl'\n", "run.py": "NAME = 'run'\n", "common.py": code}
    assert introduced(compare_trees(base, head)) == []


def test_a_moved_edit_within_one_file_is_moved() -> None:
    function = (
        "def send(url, data):\n    body = encode(data)\n    check(body)\n"
        "    result = eval(url)\n    log.info(url, body)\n    return result, body\n"
    )
    edited = function.replace("result = eval(url)", "this.result = eval(url, other, names)")
    edited = edited.replace("log.info(url, body)", "trace(first, second)")
    filler = "".join(f"value_{n} = {n}\n" for n in range(40))
    result = compare_trees({"a.py": f"{function}{filler}"}, {"a.py": f"{filler}{edited}"})
    assert [pair.tier for pair in result.unchanged] == [Tier.MOVED]


def test_a_long_block_of_edited_lines() -> None:
    """Each line becomes the line with its rare words, wherever in the block that is."""
    count = 150
    base = {"a.py": "".join(f"old_prefix.name_{n} = eval(word{n}x, 1)\n" for n in range(count))}
    order = [*range(100, count), *range(100)]
    head = {"a.py": "".join(f"new_prefix.name_{n} = eval(word{n}x, 22)\n" for n in order)}
    assert introduced(compare_trees(base, head)) == []


def test_many_equal_matches_in_one_long_block() -> None:
    base = {"a.py": "".join(f"a{n} = call(shell=True)\n" for n in range(60))}
    head = {"a.py": "".join(f"bbb.c{n}(x, call(shell=True))\n" for n in range(61))}
    assert len(compare_trees(base, head).introduced) == 1


def test_too_many_alike_to_weigh_are_new() -> None:
    """The cap: 60 equal lines here and 60 there, with nothing in common around them."""
    base = {"a.py": "".join(f"before {n}\nx = eval(y)\n" for n in range(60)), "b.py": ""}
    head = {"a.py": "", "b.py": "".join(f"after {n}\nx = eval(y)\n" for n in range(60))}
    assert len(compare_trees(base, head).introduced) == 60


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("result = eval(url)", "self.result = eval(url) or default"),
        ("result = hashlib.md5(url)", "result = hashlib.md5(url, body)"),
    ],
)
def test_lines_edited_beside_a_moved_block(line: str, other: str) -> None:
    function = (
        "def send(url, data):\n    body = encode(data)\n    check(body)\n"
        f"    {line}\n    log.info(url, body)\n    return result, body\n"
    )
    edited = function.replace(line, other)
    base = {"a.py": f"{function}\n\nVALUE = 1\n", "b.py": "OTHER = 1\n"}
    head = {"a.py": "VALUE = 1\n", "b.py": f"OTHER = 1\n\n\n{edited}"}
    result = compare_trees(base, head)
    assert [pair.tier for pair in result.unchanged] == [Tier.MOVED_FILE]


def test_a_blank_line_is_never_paired_by_its_message() -> None:
    base = {"a.py": "one = 1\n \ntwo = 2\n", "b.py": "three = 3\nfour = 4\n"}
    head = {"a.py": "one = 1\ntwo = 2\n", "b.py": "three = 3\n \nfour = 4\n"}
    result = compare_findings(
        [finding("blank", "a.py", Region(2, 1, 2, 2))],
        [finding("blank", "b.py", Region(2, 1, 2, 2))],
        base,
        head,
    )
    assert introduced(result) == ["blank b.py:2"]


def test_two_hundred_files_are_read_for_an_original_and_no_more() -> None:
    base = {f"{n:03}.py": f"x{n} = eval(y{n})\n" for n in range(210)}
    head = {**base, "copy.py": base["205.py"]}
    result = compare_trees(base, head)
    assert [new.reason for new in result.introduced] == [None]


def test_a_line_that_says_nothing_is_no_copy() -> None:
    function = "def {0}():\n    try:\n        {0}_call()\n    except:\n        pass\n"
    base = {"a.py": function.format("one")}
    head = {**base, "b.py": function.format("other")}
    assert [new.reason for new in compare_trees(base, head).introduced] == [None]


LINE = "call = [aaaa(x), cccc(w), bbbb(y), aaaa(z)]"


@pytest.mark.parametrize(
    ("base", "same", "new"),
    [
        # Each counts before what stands below it.
        ((8, "use of 1"), (35, "use of 1"), (8, "use of 2")),  # match and message
        ((8, "use of 1"), (8, "other"), (26, "use of 1")),  # match and its place on the line
        ((8, "use of 1"), (26, "use of 1"), (17, "use of 2")),  # the message
        ((8, "use of 1"), (26, "use of 2"), (35, "other")),  # the message without its numbers
        ((8, "use of 1"), (35, "other"), (26, "another")),  # the match
    ],
)
def test_what_counts_first_on_one_line(
    base: tuple[int, str], same: tuple[int, str], new: tuple[int, str]
) -> None:
    """``same`` is the one of the base; columns 8 and 35 have the same match."""

    def found(place: tuple[int, str]) -> Finding:
        column, message = place
        return finding("r", "a.py", Region(1, column + 1, 1, column + 5), message)

    result = compare_findings(
        [found(base)], [found(same), found(new)], {"a.py": LINE}, {"a.py": f"{LINE}\nimport os\n"}
    )
    assert [(pair.head, pair.tier) for pair in result.unchanged] == [(found(same), Tier.SAME_LINE)]


def test_a_line_that_moved_is_the_same_where_its_place_went_to_one_somewhat_alike() -> None:
    base = {"a.py": "import os\na = 1\nname = eval(value)\nb = 2\nimport re\n"}
    head = {
        "a.py": "import os\nc = three\nname = parse(value)\nd = four\nimport re\n"
        "name = eval(value)\n"
    }
    assert introduced(compare_trees(base, head)) == []
    head = {"a.py": f"{base['a.py'].replace('eval', 'parse')}name = eval(value)\n"}
    assert introduced(compare_trees(base, head)) == ["eval a.py:6"]


def test_a_secret_that_moved_is_the_same_secret() -> None:
    base = {"a.py": 'x = 1\npassword = "correct horse"\n', "b.py": "y = 1\n"}
    head = {"a.py": "x = 1\n", "b.py": 'y = 1\npassword = "correct horse"\n'}
    assert introduced(compare_trees(base, head)) == []


@pytest.mark.parametrize(("size", "expected"), [(16, []), (15, ["secret b.py:2"])])
def test_how_long_a_secret_is_that_is_known_wherever_it_stands(
    size: int, expected: list[str]
) -> None:
    secret = "0123456789abcdef"[:size]
    base = {"a.py": f'password = "{secret}"\nx = 1\n'}
    head = {"a.py": "x = 1\n", "b.py": f'"""B."""\nself.db.password = "{secret}"\n'}
    assert introduced(compare_trees(base, head)) == expected


def test_a_secret_without_columns_on_an_edited_line_is_new() -> None:
    base, head = {"a.py": 'password = "one"\n'}, {"a.py": 'password = "two"\n'}
    found = [finding("secret", "a.py", Region(1))]
    assert introduced(compare_findings(found, found, base, head)) == ["secret a.py:1"]
    assert introduced(compare_findings(found, found, base, base)) == []


def at(text: str, match: str) -> Region:
    """Return the region of the only place of ``match`` in a text."""
    before = text[: text.index(match)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Region(line, column, line, column + len(match))


def test_a_short_match_that_occurs_once_is_known_where_its_line_was_split() -> None:
    base, head = "x = [f(a), f(b)]\n", "x = [\n    f(a),\n    f(q),\n    f(b),\n]\n"
    result = compare_findings(
        [finding("call", "a.py", at(base, match)) for match in ("f(a)", "f(b)")],
        [finding("call", "a.py", at(head, match)) for match in ("f(a)", "f(q)", "f(b)")],
        {"a.py": base},
        {"a.py": head},
    )
    assert introduced(result) == ["call a.py:3"]


SECRET = "ghp0123456789abcdefghij"
KEY = "-----BEGIN KEY-----\n{0}{0}{0}\n{0}\n-----END KEY-----\n"


@pytest.mark.parametrize(("start", "end"), [(1, 0), (0, -1), (1, -1)])
def test_a_secret_whose_columns_are_off_by_one(start: int, end: int) -> None:
    """As gitleaks has them: on the first line other ones than on those below it."""
    base, head = f'key = "{SECRET}"\n', f'import os\n\nTOKEN = os.get("T", "{SECRET}")\n'
    there, whole = at(head, SECRET), at(base, SECRET)
    off = Region(3, (there.column or 0) + start, 3, (there.end_column or 0) + end)
    result = compare_findings(
        [finding("secret", "a.py", whole)],
        [finding("secret", "a.py", off)],
        {"a.py": base},
        {"a.py": head},
    )
    assert introduced(result) == []


@pytest.mark.parametrize(("other", "new"), [("abc1", []), ("xyz9", ["secret k.py:2"])])
def test_a_key_of_several_lines_under_the_same_header(other: str, new: list[str]) -> None:
    base = {"k.py": f"x = 1\n{KEY.format('abc1')}y = 2\n"}
    head = {"k.py": f"x = 1\n{KEY.format(other)}y = 3\n"}
    found = [finding("secret", "k.py", Region(2, 1, 5, 18))]
    assert introduced(compare_findings(found, found, base, head)) == new


@pytest.mark.parametrize(
    ("line", "new"),
    [
        (f'export key = "{SECRET}" # old', []),
        ('export key = "ghp9876543210abcdefghij" # old', ["secret a.py:1"]),
        (f'key = "ghp9876543210abcdefghij" # {SECRET}', ["secret a.py:1"]),
        (f"{SECRET}", []),
    ],
)
def test_a_secret_of_which_only_the_line_is_known(line: str, new: list[str]) -> None:
    """The first line, and from 1 to 1 as trivy has it: not the file as a whole."""
    base, head = {"a.py": f'key = "{SECRET}"\nx = 1\n'}, {"a.py": f"{line}\nx = 1\n"}
    found = [finding("secret", "a.py", Region(1, 1, 1, 1))]
    assert introduced(compare_findings(found, found, base, head)) == new


def test_a_key_that_moved_is_the_same_key_if_its_columns_are_off_by_one() -> None:
    key = KEY.format(SECRET)
    base = {"k.py": f'x = 1\ny = """{key}"""\n', "a.py": ""}
    head = {"k.py": "x = 1\n", "a.py": "", "k.pem": key}
    result = compare_findings(
        [finding("secret", "k.py", Region(2, 9, 5, 18))],
        [finding("secret", "k.pem", Region(1, 1, 4, 17))],
        base,
        head,
    )
    assert introduced(result) == []

"""One row for each kind of change: what is there before, after, and what is new."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sarifix.model import Finding, Tier
from tests.compare.toy import compare_trees, git_renames, introduced, scan

Tree = Mapping[str, str]


@dataclass(frozen=True)
class Case:
    name: str
    base: Tree
    head: Tree
    new: tuple[str, ...] = ()


LOAD = """\
def load(path, mode):
    with open(path, mode) as stream:
        source = stream.read()
    return eval(source)
"""
RUN = """\
def run(command, cwd):
    try:
        call(command, cwd=cwd, shell=True)
    except:
        log.warning("cannot run %s", command)
        return None
    return True
"""
PARSE = """\
def parse(text):
    fields = text.split(",")
    try:
        return [int(field) for field in fields]
    except:
        pass
    return []
"""
PARSE_OTHER = """\
def parse_other(text):
    items = text.split(",")
    try:
        return [float(item) for item in items]
    except:
        pass
    return []
"""
SHOW = """\
def show(page):
    try:
        page.open()
    except:
        pass
"""
TWIN = """\
def {0}(command):
    '''{0}.'''
    return call(command, shell=True)
"""
SILENT = """\
def status(host):
    try:
        return fetch(host)
    except:
        return None
"""
SILENT_FIXED = """\
def status(host):
    return fetch(host)
"""
SILENT_OTHER = """\
def remove(name):
    try:
        unlink(name)
    except:
        return None
"""
OTHER_SOURCE = """\
def source():
    return eval(source)
"""
LONG_SECRET = "0123456789abcdefghij"
OTHER = """\
def other(thing):
    return eval(thing)
"""
PLAIN = """\
def add(one, other):
    total = one + other
    return total
"""
MODULE = f"{LOAD}\n\n{RUN}\n\n{PLAIN}"
MINIFIED = "function a(){return eval(q)};" + "var b=1;" * 50 + "function c(){return eval(z)}"


def indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(True))


CASES = (
    Case("insertion above", {"a.py": MODULE}, {"a.py": f"import os\n\nVALUE = 3\n{MODULE}"}),
    Case("deletion above", {"a.py": f"import os\n\nVALUE = 3\n{MODULE}"}, {"a.py": MODULE}),
    Case(
        "insertion above and one that is new",
        {"a.py": LOAD},
        {"a.py": f"import os\nx = eval(os.name)\n{LOAD}"},
        ("eval a.py:2",),
    ),
    Case("reindented", {"a.py": MODULE}, {"a.py": f"if True:\n{indented(MODULE)}"}),
    Case("tabs for spaces", {"a.py": MODULE}, {"a.py": MODULE.replace("    ", "\t")}),
    Case("line ends changed", {"a.py": MODULE}, {"a.py": MODULE.replace("\n", "\r\n")}),
    Case(
        "byte order mark added",
        {"a.py": f"x = eval(y)\n{RUN}"},
        {"a.py": f"\ufeffx = eval(y)\n{RUN}"},
    ),
    Case("blank lines added", {"a.py": MODULE}, {"a.py": MODULE.replace("\n", "\n\n")}),
    Case(
        "lines joined",
        {"a.py": "result = call(\n    first,\n    eval(second),\n    shell=True,\n)\n"},
        {"a.py": "result = call(first, eval(second), shell=True)\n"},
    ),
    Case(
        "line split",
        {"a.py": "result = call(first, eval(second), shell=True)\n"},
        {"a.py": "result = call(\n    first,\n    eval(second),\n    shell=True,\n)\n"},
    ),
    Case(
        "everything reformatted and one that is new",
        {"a.py": "a = call(one, two, shell=True)\nb = [eval(x), eval(y)]\n"},
        {
            "a.py": "a = call(\n    one,\n    two,\n    shell=True,\n)\n"
            "b = [\n    eval(x),\n    eval(y),\n]\nraise_error(eval(brand_new))\n"
        },
        ("eval a.py:10",),
    ),
    Case("spaces inside the line", {"a.py": "x = eval(y)+1\n"}, {"a.py": "x  =  eval( y ) + 1\n"}),
    Case(
        "trailing comment added",
        {"a.py": LOAD},
        {"a.py": LOAD.replace("source)\n", "source)  # sic\n")},
    ),
    Case(
        "rest of the line edited",
        {"a.py": LOAD},
        {"a.py": LOAD.replace("eval(source)", "eval(source) or 1")},
    ),
    Case(
        "line wrapped in an if",
        {"a.py": "def f(x):\n    y = eval(x)\n    return y\n"},
        {"a.py": "def f(x):\n    if x:\n        y = eval(x)\n    return y\n"},
    ),
    Case("argument renamed", {"a.py": LOAD}, {"a.py": LOAD.replace("source", "code")}),
    Case(
        "function moved within the file",
        {"a.py": f"{LOAD}\n\n{RUN}\n\n{PARSE}"},
        {"a.py": f"{PARSE}\n\n{LOAD}\n\n{RUN}"},
    ),
    Case(
        "functions reversed",
        {"a.py": f"{LOAD}\n\n{RUN}\n\n{PLAIN}"},
        {"a.py": f"{PLAIN}\n\n{RUN}\n\n{LOAD}"},
    ),
    Case("renamed", {"a.py": MODULE}, {"b/c.py": MODULE}),
    Case(
        "renamed and edited",
        {"a.py": MODULE},
        {"b.py": MODULE.replace("total", "amount") + "VALUE = 3\n"},
    ),
    Case(
        "renamed and one that is new",
        {"a.py": MODULE},
        {"b.py": f"{MODULE}x = eval(other_thing)\n"},
        ("eval b.py:19",),
    ),
    Case("renamed and reindented", {"a.py": MODULE}, {"b.py": f"class A:\n{indented(MODULE)}"}),
    Case(
        "a folder renamed",
        {f"old/{n}.py": f"NAME = {n}\n{MODULE}" for n in range(6)},
        {f"new/{n}.py": f"NAME = {n}\n{MODULE}" for n in range(6)},
    ),
    Case(
        "two files swap names",
        {"a.py": LOAD, "b.py": f"{RUN}{PARSE}"},
        {"a.py": f"{RUN}{PARSE}", "b.py": LOAD},
    ),
    Case(
        "renamed, and a new file at the old path",
        {"a.py": MODULE},
        {"b.py": MODULE, "a.py": "from b import load\n\nthing = eval(input())\n"},
        ("eval a.py:3",),
    ),
    Case(
        "moved to another file",
        {"a.py": f"{LOAD}\n\n{PLAIN}", "b.py": PARSE},
        {"a.py": PLAIN, "b.py": f"{PARSE}\n\n{LOAD}"},
    ),
    Case(
        "moved to a new file",
        {"a.py": f"{LOAD}\n\n{RUN}\n\n{PLAIN * 9}"},
        {"a.py": f"{RUN}\n\n{PLAIN * 9}", "b.py": LOAD},
    ),
    Case("a file split", {"a.py": f"{LOAD}\n\n{RUN}"}, {"load.py": LOAD, "run.py": RUN}),
    Case(
        "a file split into two copies",
        {"a.py": f"{LOAD}\n\n{RUN}"},
        {"one.py": f"{LOAD}\n\n{RUN}", "two.py": f"{LOAD}\n\n{RUN}"},
        ("eval two.py:4", "shell two.py:9", "bare-except two.py:10"),
    ),
    Case("two files merged", {"load.py": LOAD, "run.py": RUN}, {"a.py": f"{LOAD}\n\n{RUN}"}),
    Case("copied to another file", {"a.py": LOAD}, {"a.py": LOAD, "b.py": LOAD}, ("eval b.py:4",)),
    Case(
        "copied within the file", {"a.py": LOAD}, {"a.py": f"{LOAD}\n\n{LOAD}"}, ("eval a.py:10",)
    ),
    Case(
        "a line copied below",
        {"a.py": "x = eval(y)\n"},
        {"a.py": "x = eval(y)\nx = eval(y)\n"},
        ("eval a.py:2",),
    ),
    Case(
        "copied, the original deleted", {"a.py": LOAD, "c.py": PLAIN}, {"c.py": f"{PLAIN}\n{LOAD}"}
    ),
    Case(
        "two on one line, one removed",
        {"a.py": "x = [eval(y), eval(y)]\n"},
        {"a.py": "x = [eval(y), y]\n"},
    ),
    Case(
        "a second one on the line",
        {"a.py": "x = [eval(y), y]\n"},
        {"a.py": "x = [eval(y), eval(y)]\n"},
        ("eval a.py:1",),
    ),
    Case(
        "another rule on an old line",
        {"a.py": "x = call(eval(y))\n"},
        {"a.py": "x = call(eval(y), shell=True)\n"},
        ("shell a.py:1",),
    ),
    Case(
        "edited line",
        {"a.py": LOAD},
        {"a.py": LOAD.replace("eval(source)", "eval(source, {}, {})")},
    ),
    Case(
        "one fixed and another of the rule added below",
        {"a.py": LOAD},
        {"a.py": f"{LOAD.replace('eval(', 'parse(')}\n\n{OTHER}"},
        ("eval a.py:8",),
    ),
    Case(
        "one fixed and another of the rule added above",
        {"a.py": LOAD},
        {"a.py": f"{OTHER}\n\n{LOAD.replace('eval(', 'parse(')}"},
        ("eval a.py:2",),
    ),
    Case(
        "one fixed and another of the rule added in another file",
        {"a.py": LOAD, "b.py": PLAIN},
        {"a.py": LOAD.replace("eval(", "parse("), "b.py": f"{PLAIN}\n\nname = eval(PLAIN)\n"},
        ("eval b.py:6",),
    ),
    Case(
        "fixed by deletion and another of the rule added in another file",
        {"a.py": f"{LOAD}\n\n{PLAIN}", "b.py": PLAIN},
        {"a.py": PLAIN, "b.py": f"{PLAIN}\n\nname = eval(PLAIN)\n"},
        ("eval b.py:6",),
    ),
    Case(
        "except: narrowed here, added there",
        {"a.py": f"{PARSE}\n\n{PLAIN}"},
        {"a.py": f"{PARSE.replace('except:', 'except ValueError:')}\n\n{PLAIN}\n\n{SHOW}"},
        ("bare-except a.py:18",),
    ),
    Case(
        "except: narrowed here, and written anew amid words that are alike",
        {"a.py": f"{PARSE}\n\n{PLAIN}"},
        {
            "a.py": f"{PARSE.replace('except:', 'except ValueError:')}\n\n{PLAIN}\n\n"
            f"{PARSE_OTHER}\n\n{PLAIN.replace('add', 'add_all')}"
        },
        ("bare-except a.py:19",),
    ),
    Case(
        "except: narrowed here, and a near copy of the function that is not",
        {"a.py": f"{PARSE}\n\n{PLAIN}"},
        {
            "a.py": f"{PARSE.replace('except:', 'except ValueError:')}\n\n{PLAIN}\n\n"
            + PARSE.replace("parse", "parse_all").replace("int(", "float(")
        },
        ("bare-except a.py:19",),
    ),
    Case(
        "the last line made the first",
        {"a.py": "import os\nVALUE = 1\nOTHER = 2\nname = eval(VALUE)\n"},
        {"a.py": "name = eval(VALUE)\nimport os\nVALUE = 1\nOTHER = 2\n"},
    ),
    Case(
        "except: removed here, added there",
        {"a.py": f"{PARSE}\n\n{PLAIN}"},
        {"a.py": f"{PLAIN}\n\n{SHOW}"},
        ("bare-except a.py:9",),
    ),
    Case(
        "except: in another file",
        {"a.py": PARSE, "b.py": PLAIN},
        {
            "a.py": PARSE.replace("except:", "except ValueError:"),
            "b.py": f"{PLAIN}\n\n{SHOW}",
        },
        ("bare-except b.py:9",),
    ),
    Case(
        "one fixed, and the very line written anew in another function",
        {"a.py": f"{LOAD}\n\n{PLAIN}"},
        {"a.py": f"{LOAD.replace('eval(', 'parse(')}\n\n{PLAIN}\n\n{OTHER_SOURCE}"},
        ("eval a.py:13",),
    ),
    Case(
        "one fixed, and the very line written anew in another file",
        {"a.py": LOAD, "b.py": PLAIN},
        {"a.py": LOAD.replace("eval(", "parse("), "b.py": f"{PLAIN}\n\n{OTHER_SOURCE}"},
        ("eval b.py:7",),
    ),
    Case(
        "one of two twins fixed, and a third written below",
        {"a.py": f"{TWIN.format('a')}\n\n{TWIN.format('b')}"},
        {
            "a.py": f"{TWIN.format('a').replace(', shell=True', '')}\n\n"
            f"{TWIN.format('b')}\n\n{TWIN.format('c')}"
        },
        ("shell a.py:13",),
    ),
    Case(
        "except: and its return None, written anew where another went",
        {"a.py": f"{SILENT}\n\n{PLAIN}"},
        {"a.py": f"{SILENT_FIXED}\n\n{PLAIN}\n\n{SILENT_OTHER}"},
        ("bare-except a.py:13",),
    ),
    Case(
        "a call that was split and got one more argument",
        {"a.py": "def f():\n    result = call(eval(full), 'first', capture=True)\n"},
        {
            "a.py": "def f():\n    with lock:\n        result = call(\n            eval(full),\n"
            "            'first',\n            capture=True,\n            text=True,\n        )\n"
        },
    ),
    Case(
        "one-line file, one fixed and another written far from it",
        {"a.js": MINIFIED},
        {"a.js": f"{MINIFIED.replace('eval(q)', 'parse(q)')};var d=eval(k);"},
        ("eval a.js:1",),
    ),
    Case(
        "a secret that is kept elsewhere under another name",
        {"a.py": f'password = "{LONG_SECRET}"\nx = 1\n'},
        {"a.py": "x = 1\n", "b.py": f'"""B."""\nself.db.password = "{LONG_SECRET}"\n'},
    ),
    Case(
        "another secret on the same line",
        {"a.py": 'user = "me"\npassword = "correct horse"\n'},
        {"a.py": 'user = "me"\npassword = "battery staple"\n'},
        ("secret a.py:2",),
    ),
    Case(
        "the same secret on an edited line",
        {"a.py": 'user = "me"\npassword = "correct horse"\n'},
        {"a.py": 'user = "me"\nself.password = "correct horse"  # not so secret\n'},
    ),
    Case(
        "the secret of another place",
        {"a.py": 'password = "correct horse"\n', "b.py": "x = 1\n"},
        {"a.py": 'password = "correct horse"\n', "b.py": 'x = 1\npassword = "correct horse"\n'},
        ("secret b.py:2",),
    ),
    Case("one-line file, edited", {"a.js": MINIFIED}, {"a.js": MINIFIED.replace("b=1", "b=2")}),
    Case(
        "one-line file, one more in the middle",
        {"a.js": MINIFIED},
        {"a.js": MINIFIED.replace("var b=1;", "var d=eval(k);", 1)},
        ("eval a.js:1",),
    ),
    Case(
        "one-line file split into lines",
        {"a.js": MINIFIED},
        {"a.js": MINIFIED.replace(";", ";\n").replace("{", "{\n")},
    ),
    Case(
        "1500 equal lines shifted",
        {"a.py": "x = eval(y)\n" * 1500},
        {"a.py": "import os\n" + "x = eval(y)\n" * 1500},
    ),
    Case(
        "one more of 1500 equal lines",
        {"a.py": "x = eval(y)\n" * 1500},
        {"a.py": "import os\n" + "x = eval(y)\n" * 1501},
        ("eval a.py:2",),
    ),
    Case("all fixed", {"a.py": MODULE}, {"a.py": PLAIN}),
    Case("file deleted", {"a.py": MODULE, "b.py": PLAIN}, {"b.py": PLAIN}),
    Case("new file", {"b.py": PLAIN}, {"b.py": PLAIN, "a.py": LOAD}, ("eval a.py:4",)),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kind(case: Case, tmp_path: Path) -> None:
    renames = git_renames(tmp_path, case.base, case.head)
    result = compare_trees(case.base, case.head, renames)
    assert introduced(result) == list(case.new)


# Where whole files are alike, the names are needed.
NAMELESS = [case for case in CASES if case.name not in {"a folder renamed", "two files swap names"}]


@pytest.mark.parametrize("case", NAMELESS, ids=lambda case: case.name)
def test_kind_without_renames(case: Case) -> None:
    """Content decides: a rename that git does not see makes nothing new."""
    assert len(compare_trees(case.base, case.head).introduced) == len(case.new)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_is_new_without_a_change(case: Case) -> None:
    result = compare_trees(case.head, case.head)
    assert introduced(result) == []
    assert {pair.tier for pair in result.unchanged} <= {Tier.IDENTICAL}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_order_does_not_matter(case: Case) -> None:
    def shuffled(tree: Tree) -> list[Finding]:
        found = scan(tree)
        random.Random(1).shuffle(found)
        return found

    assert compare_trees(case.base, case.head) == compare_trees(
        case.base, case.head, scanner=shuffled
    )

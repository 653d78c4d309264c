"""YAML text to nodes that know their place: the only user of ruamel.yaml."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from sarifix.named import NamedTuple

if TYPE_CHECKING:
    from ruamel.yaml.events import Event, ScalarEvent

MAX_CHARACTERS = 100_000  # 2,000 lines and more; half a second in pure Python
MAX_DEPTH = 10  # the schema itself has 4
MAX_ALIASES = 20

Place: TypeAlias = tuple[int, int]  # line and column, from 1


class Wrong(Exception):  # noqa: N818 -- not an error yet: whoever knows the key makes it one
    """What is wrong at a place, what was expected there, and what to do.

    ``at`` is the place's path below the key that is being read (``[1]``).
    """

    def __init__(
        self,
        place: Place,
        what: str,
        expects: str = "",
        hint: str | None = None,
        *,
        at: str = "",
    ) -> None:
        super().__init__(what)
        self.place = place
        self.what = what
        self.expects = expects
        self.hint = hint
        self.at = at


def shown_name(name: str) -> str:
    """Keep what a file calls its keys and aliases short, and without characters that hide."""
    short = name if len(name) <= 100 else f"{name[:99]}…"
    return short if short.isprintable() else repr(short)


class Scalar(NamedTuple):
    """A string, number, boolean or null, as YAML 1.2's core schema reads it."""

    place: Place
    value: str | int | float | bool | None


class Items(NamedTuple):
    """A list."""

    place: Place
    items: tuple[Node, ...]


class Mapping(NamedTuple):
    """A mapping in its own order; keys are not looked at here, so they may repeat."""

    place: Place
    items: tuple[tuple[Node, Node], ...]


Node: TypeAlias = Scalar | Items | Mapping


def parse(text: str) -> Node | None:
    """Read the one document of a text; None if it holds nothing but comments.

    Raises ``Wrong`` for what is not YAML, and for what a configuration has no use for and
    an attacker has: depth, size, aliases in numbers, tags.
    """
    if len(text) > MAX_CHARACTERS:
        raise Wrong(
            (1, 1),
            f"the file has {len(text)} characters",
            f"at most {MAX_CHARACTERS}",
            "Is this the right file? Lists of paths are shorter as patterns.",
        )
    from ruamel.yaml import YAML  # 12 ms, for those who have a file
    from ruamel.yaml.error import YAMLError

    text = text.removeprefix("\ufeff")
    builder = _Builder()
    events = YAML(typ="safe", pure=True).parse(text)
    with contextlib.closing(events):
        try:
            for event in events:
                builder.add(event)
        except (YAMLError, ValueError, OverflowError) as error:
            # ruamel.yaml hands "\UFFFFFFFF" to chr() as it is: hence the last two.
            raise _not_yaml(error, text, builder.place) from error
    return builder.root


def _not_yaml(error: Exception, text: str, last: Place) -> Wrong:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    if mark is not None:
        place = (mark.line + 1, mark.column + 1)
        said = [getattr(error, "context", None), getattr(error, "problem", None)]
        what = ", ".join(part for part in said if part)
    elif position is not None:  # ReaderError, of a character
        before = text[:position]
        place = (before.count("\n") + 1, position - before.rfind("\n"))
        what = str(error).partition("\n")[0]
    else:
        place, what = last, str(error)
    return Wrong(
        place,
        f"not YAML ({' '.join(what.split())})",
        "one YAML 1.2 document",
        "Mind the indentation, and put strings with special characters in quotes.",
    )


class _Open:
    """A list or a mapping whose end has not come yet."""

    def __init__(self, place: Place, anchor: str | None, *, is_list: bool) -> None:
        self.place, self.anchor, self.is_list = place, anchor, is_list
        self.children: list[Node] = []

    def close(self) -> Node:
        if self.is_list:
            return Items(self.place, tuple(self.children))
        return Mapping(self.place, tuple(zip(self.children[::2], self.children[1::2], strict=True)))


class _Builder:
    """Builds nodes from events with a stack of its own, so depth costs no recursion."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.place: Place = (1, 1)
        self._open: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}  # None: not complete yet
        self._aliases = 0

    def add(self, event: Event) -> None:
        from ruamel.yaml import events

        self.place = (event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, events.DocumentStartEvent):
            self._start_document()
        elif isinstance(event, events.AliasEvent):
            self._attach(self._alias(event.anchor))
        elif isinstance(event, events.ScalarEvent):
            self._refuse_tag(event)
            self._finish(Scalar(self.place, _value(event)), event.anchor)
        elif isinstance(event, events.CollectionStartEvent):
            self._refuse_tag(event)
            self._start(event, is_list=isinstance(event, events.SequenceStartEvent))
        elif isinstance(event, events.CollectionEndEvent):
            ended = self._open.pop()
            self._finish(ended.close(), ended.anchor)

    def _start_document(self) -> None:
        if self.root is not None:
            raise Wrong(
                self.place,
                "a second document begins here",
                "one document",
                "Remove the line `---` and what does not belong to this file.",
            )

    def _start(self, event: Any, *, is_list: bool) -> None:
        if len(self._open) == MAX_DEPTH:
            raise Wrong(
                self.place,
                f"nested more than {MAX_DEPTH} deep",
                "lists and mappings as in docs/configuration.md",
            )
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(self.place, event.anchor, is_list=is_list))

    def _finish(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        self._attach(node)

    def _attach(self, node: Node) -> None:
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node

    def _alias(self, anchor: str) -> Node:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise Wrong(
                self.place,
                f"more than {MAX_ALIASES} aliases",
                "values that are written out",
            )
        node = self._anchors.get(anchor)
        if node is None:
            inside = anchor in self._anchors
            what = "stands within its own anchor" if inside else "has no anchor above it"
            name = shown_name(anchor)
            raise Wrong(self.place, f"the alias *{name} {what}", f"&{name} before it")
        return node

    def _refuse_tag(self, event: Any) -> None:
        if event.tag is not None:
            raise Wrong(
                self.place,
                f"the tag {shown_name(str(event.tag))} is given",
                "a value without a tag",
                "Remove it; a string that looks like a number goes in quotes.",
            )


# YAML 1.2.2, 10.3.2, the core schema.
_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"true|True|TRUE")
_FALSE = re.compile(r"false|False|FALSE")
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_REAL = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


def _value(event: ScalarEvent) -> str | int | float | bool | None:
    text = _joined(event.value)
    if not event.implicit[0]:  # in quotes, or a block
        return text
    if _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text) or _FALSE.fullmatch(text):
        return text.lower() == "true"
    if _WHOLE.fullmatch(text):
        return _whole(text)
    if _REAL.fullmatch(text):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def _joined(text: str) -> str:
    """Join pairs of surrogates: JSON writes so what has no place in 16 bits, and YAML reads it."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _whole(text: str) -> int | float:
    if len(text) > 100:  # int() and str() refuse 4,300 digits; no key has a use for 100
        return float("inf")
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)

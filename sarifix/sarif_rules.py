"""What a SARIF run says of its rules: ids, levels, help, message strings."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from sarifix.model import Level
from sarifix.named import NamedTuple
from sarifix.strictjson import array, obj, text

_T = TypeVar("_T")

_MAX_PARTS = 10  # of a hierarchical rule id
MAX_MESSAGE = 8192  # characters, the mark of a cut included

_LEVELS = {str(level): level for level in Level}
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,4})\}")  # SARIF 2.1.0, 3.11.5
# CWE-798, hard-coded credentials, and CWE-321, a hard-coded key. Not CWE-259: bandit marks
# whole functions with it, and quotes the password.
_CREDENTIALS = re.compile(r"\bcwe-0*(?:321|798)\b")
_BRACES = {"{{": "{", "}}": "}"}
_CUT = f"[... cut at {MAX_MESSAGE} characters]"


class Rule(NamedTuple):
    """One ``reportingDescriptor``; its fields are empty where it says nothing.

    ``strings`` are its ``messageStrings``, then those of its component.
    """

    id: str = ""
    level: Level | None = None
    severity: Level | None = None
    help_uri: str | None = None
    secret: bool = False
    strings: tuple[Mapping[str, object], ...] = ()

    @classmethod
    def of(cls, rule: Mapping[str, object], shared: Mapping[str, object]) -> Rule:
        """Read one entry of ``rules``; ``shared`` are the ``globalMessageStrings``."""
        stated = obj(rule.get("defaultConfiguration")).get("level")
        uri = text(rule.get("helpUri"))
        properties = obj(rule.get("properties"))
        tags = {text(tag).lower() for tag in array(properties.get("tags"))}
        return cls(
            id=text(rule.get("id")),
            level=None if stated is None else to_level(stated),
            severity=severity(properties),
            help_uri=uri if uri.lower().startswith(("http://", "https://")) else None,
            secret=_is_secret(tags, text(properties.get("name"))),
            strings=(obj(rule.get("messageStrings")), shared),
        )


class _Component(NamedTuple):
    """The driver or an extension of a tool (SARIF 2.1.0, 3.19)."""

    name: str
    guid: str
    rules: tuple[Rule, ...]
    unlisted: Rule
    by_id: Mapping[str, Rule]

    @classmethod
    def of(cls, component: Mapping[str, object]) -> _Component:
        shared = obj(component.get("globalMessageStrings"))
        rules = tuple(Rule.of(obj(rule), shared) for rule in array(component.get("rules")))
        by_id: dict[str, Rule] = {}
        for rule in rules:
            by_id.setdefault(rule.id, rule)  # gitleaks/gitleaks#890: listed twice, first wins
        unlisted = Rule(strings=(shared,))
        return cls(text(component.get("name")), text(component.get("guid")), rules, unlisted, by_id)

    def named(self, rule_id: str) -> Rule | None:
        """Find a rule by id; ``CA1000/1`` without an entry is of ``CA1000`` (3.27.5)."""
        for _ in range(_MAX_PARTS):
            if not rule_id or rule_id in self.by_id:
                break
            rule_id = rule_id.rpartition("/")[0]
        return self.by_id.get(rule_id)


class Rules:
    """The rules of a run's tool, as results refer to them."""

    def __init__(self, tool: Mapping[str, object]) -> None:
        self._driver = _Component.of(obj(tool.get("driver")))
        self._extensions = tuple(
            _Component.of(obj(extension)) for extension in array(tool.get("extensions"))
        )
        self.unlisted = self._driver.unlisted
        self._found: dict[tuple[str, object], tuple[str, Rule]] = {}

    def find(self, result: Mapping[str, object]) -> tuple[str, Rule]:
        """Return a result's rule id, as the tool wrote it, and what is known of the rule.

        ``ruleIndex`` counts unless it contradicts the id. A result without any id has the
        id ``unknown``.
        """
        rule_id, index = result.get("ruleId"), result.get("ruleIndex")
        plain = index is None or type(index) is int
        if not plain or not isinstance(rule_id, str) or "rule" in result:
            return self._find(result)
        key = (rule_id, index)  # many results say the same
        if key not in self._found:
            self._found[key] = self._find(result)
        return self._found[key]

    def _find(self, result: Mapping[str, object]) -> tuple[str, Rule]:
        reference = obj(result.get("rule"))
        component = self._component(obj(reference.get("toolComponent")))
        rule_id = text(result.get("ruleId")) or text(reference.get("id"))
        indexed = _at(component.rules, result.get("ruleIndex")) or _at(
            component.rules, reference.get("index")
        )
        if indexed is not None and rule_id in {"", indexed.id}:
            return indexed.id or "unknown", indexed
        return rule_id or "unknown", self._named(
            rule_id, component
        ) or indexed or component.unlisted

    def _named(self, rule_id: str, component: _Component) -> Rule | None:
        for place in (component, self._driver, *self._extensions):
            rule = place.named(rule_id)
            if rule is not None:
                return rule
        return None

    def _component(self, reference: Mapping[str, object]) -> _Component:
        if not reference:
            return self._driver
        found = _at(self._extensions, reference.get("index"))
        if found is not None:
            return found
        name, guid = text(reference.get("name")), text(reference.get("guid"))
        for extension in self._extensions:
            if (name and extension.name == name) or (guid and extension.guid == guid):
                return extension
        return self._driver


def _is_secret(tags: Collection[str], name: str) -> bool:
    """Whether a rule finds secrets: by its tags, or by the name that ruff gives its rules."""
    tagged = any(tag in {"secret", "secrets"} or _CREDENTIALS.search(tag) for tag in tags)
    return tagged or name.startswith("hardcoded-password-")


def level_of(result: Mapping[str, object], rule: Rule) -> Level:
    """Return a result's level: its own, its rule's, by ``security-severity``, warning."""
    stated = result.get("level")
    if stated is not None:
        return to_level(stated)
    if rule.level is not None:
        return rule.level
    own = severity(obj(result.get("properties")))
    return next((level for level in (own, rule.severity) if level is not None), Level.WARNING)


def to_level(stated: object) -> Level:
    """Return the level a tool wrote; one that the standard does not know is a warning."""
    return _LEVELS.get(text(stated).lower(), Level.WARNING)


def severity(properties: Mapping[str, object]) -> Level | None:
    """Return what ``security-severity`` says: CVSS points as a number or a string.

    From 7.0 on an error and from 4.0 on a warning, as GitHub's code scanning has it.
    """
    points = properties.get("security-severity")
    if not isinstance(points, (str, int, float)) or isinstance(points, bool):
        return None
    try:
        number = float(points)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(number) or number <= 0:
        return None
    if number >= 7.0:
        return Level.ERROR
    return Level.WARNING if number >= 4.0 else Level.NOTE


def message_of(message: object, rule: Rule) -> tuple[str, Sequence[object]]:
    """Return a message's text before its arguments are filled in, and its arguments.

    Its ``text``, else its ``markdown`` (typos), else the rule's string of its ``id``, else
    that id (3.11).
    """
    if isinstance(message, str):
        return message, ()
    message = obj(message)
    template = _either(message)
    if not template:
        key = text(message.get("id"))
        found = (_either(obj(strings.get(key))) for strings in rule.strings)
        template = next(filter(None, found), key)
    return template, array(message.get("arguments"))


def expand(template: str, arguments: Sequence[object]) -> str:
    """Fill in ``{0}`` and the like, to at most ``MAX_MESSAGE`` characters at any time.

    Without arguments the text stays as it is: real messages are full of braces. A
    placeholder without a string for it stays as well.
    """
    if not arguments:
        return _cut(template)
    pieces, size, end = list[str](), 0, 0
    for match in itertools.islice(_PLACEHOLDER.finditer(template), MAX_MESSAGE):
        for piece in (template[end : match.start()], _filled(match, arguments)):
            pieces.append(piece[: MAX_MESSAGE + 1])
            size += len(pieces[-1])
        end = match.end()
        if size > MAX_MESSAGE:
            break
    pieces.append(template[end : end + MAX_MESSAGE + 1])
    return _cut("".join(pieces))


def _filled(match: re.Match[str], arguments: Sequence[object]) -> str:
    if match[1] is None:
        return _BRACES[match[0]]
    argument = _at(arguments, int(match[1]))
    return argument if isinstance(argument, str) else match[0]


def _cut(message: str) -> str:
    if len(message) <= MAX_MESSAGE:
        return message
    return message[: MAX_MESSAGE - len(_CUT)] + _CUT


def _either(strings: Mapping[str, object]) -> str:
    return text(strings.get("text")) or text(strings.get("markdown"))


def _at(items: Sequence[_T], index: object) -> _T | None:
    return items[index] if type(index) is int and 0 <= index < len(items) else None

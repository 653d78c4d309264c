"""The text of ``.pre-commit-config.yaml`` with our hook in it: comments and order stay."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from sarifix import __version__
from sarifix.errors import ConfigError
from sarifix.named import NamedTuple

NAME = ".pre-commit-config.yaml"
REPOSITORY = "https://github.com/sarifix/sarifix"
HOOK = "sarifix"

_HINT = "repair it first: `pre-commit validate-config` says more"


class _Style(NamedTuple):
    """Where the dashes of a list of repositories and of its hooks stand, and the text after."""

    dash: int = 2
    text: int = 4
    hook_dash: int = 6
    hook_text: int = 8


def with_hook(text: str | None, dependencies: Sequence[str]) -> str:
    """Return the file with the hook; unchanged where it is there already.

    ``text`` is None where there is no file. The other lines stay as they are, but for a
    list in flow style, which is written anew. Raises ``ConfigError``.
    """
    text = text or ""
    document = _parse(text)
    if document is None:
        return _joined(text, ["repos:", *_block(dependencies, _Style())])
    repositories = document.get("repos")
    if repositories is not None and not isinstance(repositories, CommentedSeq):
        raise ConfigError(f"{NAME}: `repos` is not a list", _HINT)
    if any(_has_hook(repository) for repository in repositories or ()):
        return text
    wanted = {**document, "repos": [*(repositories or ()), _entry(dependencies)]}
    new = _with_lines(text, document, dependencies)
    return new if _understood(new) == wanted else _written(document, dependencies)


def _parse(text: str) -> CommentedMap | None:
    try:
        document = YAML().load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise ConfigError(f"{NAME}{place}: {error.problem}", _HINT) from error
    except YAMLError as error:
        raise ConfigError(f"{NAME}: {error}", _HINT) from error
    if document is not None and not isinstance(document, CommentedMap):
        raise ConfigError(f"{NAME}: is not a mapping with `repos:`", _HINT)
    return document


def _has_hook(repository: Any) -> bool:
    hooks = repository.get("hooks") if isinstance(repository, CommentedMap) else None
    return any(isinstance(hook, CommentedMap) and _is_ours(hook) for hook in hooks or ())


def _is_ours(hook: CommentedMap) -> bool:
    """Whether it is our hook, or a local one under a name of the user's that runs us."""
    return hook.get("id") == HOOK or "sarifix pre-commit" in str(hook.get("entry"))


def _entry(dependencies: Sequence[str]) -> dict[str, Any]:
    hook: dict[str, Any] = {"id": HOOK}
    if dependencies:
        hook["additional_dependencies"] = list(dependencies)
    return {"repo": REPOSITORY, "rev": f"v{__version__}", "hooks": [hook]}


def _with_lines(text: str, document: CommentedMap, dependencies: Sequence[str]) -> str:
    """Return the text with some lines more, which is right but for unusual documents."""
    if document.get("repos"):
        return _inserted(text, document, document["repos"], dependencies)
    return _joined(text, ["repos:", *_block(dependencies, _Style())])


def _understood(text: str) -> CommentedMap | None:
    try:
        return _parse(text)
    except ConfigError:
        return None


def _inserted(
    text: str, document: CommentedMap, repositories: CommentedSeq, dependencies: Sequence[str]
) -> str:
    lines = text.splitlines()
    style = _style(lines, repositories)
    end = _end(lines, document, style)
    lines[end:end] = _block(dependencies, style)
    return _joined("", lines, "\r\n" if "\r\n" in text else "\n")


def _style(lines: Sequence[str], repositories: CommentedSeq) -> _Style:
    line, column = repositories.lc.item(0)
    dash = _indent(lines[line])
    hooks = repositories[0].get("hooks") if isinstance(repositories[0], CommentedMap) else None
    if not isinstance(hooks, CommentedSeq) or not hooks or hooks.fa.flow_style():
        return _Style(dash, column, column + 2, column + 4)
    hook_line, hook_column = hooks.lc.item(0)
    return _Style(dash, column, _indent(lines[hook_line]), hook_column)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _end(lines: Sequence[str], document: CommentedMap, style: _Style) -> int:
    """Return the line before which the list of repositories has its end.

    Comments between it and the next key are that key's; behind the last key they stay
    where they are, before the new entry.
    """
    start = document.lc.key("repos")[0]
    following = [line for line, _ in map(document.lc.key, document) if line > start]
    if not following:
        return len(lines)
    end: int = min(following)
    while not lines[end - 1].strip() or re.match(rf" {{0,{style.dash}}}#", lines[end - 1]):
        end -= 1
    return end


def _block(dependencies: Sequence[str], style: _Style) -> list[str]:
    entry = " " * style.text
    lines = [
        f"{_dash(style.dash, style.text)}repo: {REPOSITORY}",
        f"{entry}rev: v{__version__}",
        f"{entry}hooks:",
        f"{_dash(style.hook_dash, style.hook_text)}id: {HOOK}",
    ]
    if dependencies:
        listed = ", ".join(f'"{name}"' if "[" in name else name for name in dependencies)
        lines.append(f"{' ' * style.hook_text}additional_dependencies: [{listed}]")
    return lines


def _dash(column: int, text: int) -> str:
    return f"{' ' * column}-{' ' * (text - column - 1)}"


def _joined(text: str, lines: Sequence[str], end: str = "\n") -> str:
    if text and not text.endswith("\n"):
        text += end
    return text + "".join(f"{line}{end}" for line in lines)


def _written(document: CommentedMap, dependencies: Sequence[str]) -> str:
    """Return the document as ruamel.yaml writes it."""
    yaml = YAML()
    yaml.width = 4096
    yaml.preserve_quotes = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    document["repos"] = CommentedSeq([*(document.get("repos") or ()), _entry(dependencies)])
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()

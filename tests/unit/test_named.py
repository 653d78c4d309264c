"""Our NamedTuple is that of typing."""

from __future__ import annotations

import pickle
import typing

import pytest

from sarifix import named


class Typings(typing.NamedTuple):
    """A value."""

    name: str
    lines: tuple[int, ...] = ()

    @property
    def last(self) -> int:
        """The last line."""
        return self.lines[-1]

    @classmethod
    def of(cls, name: str) -> Typings:
        """Make one."""
        return cls(name)


class Ours(named.NamedTuple):
    """A value."""

    name: str
    lines: tuple[int, ...] = ()

    @property
    def last(self) -> int:
        """The last line."""
        return self.lines[-1]

    @classmethod
    def of(cls, name: str) -> Ours:
        """Make one."""
        return cls(name)


def test_the_class_is_that_of_typing() -> None:
    for attribute in ("_fields", "_field_defaults", "__doc__", "__module__"):
        assert getattr(Ours, attribute) == getattr(Typings, attribute)
    assert (Ours.__name__, Ours.__qualname__) == ("Ours", "Ours")
    assert list(Ours.__annotations__) == list(Typings.__annotations__)
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Typings)
    assert issubclass(Ours, tuple)


def test_a_value_is_that_of_typing() -> None:
    ours, typings = Ours("a", (1, 2)), Typings("a", (1, 2))
    assert ours == typings == ("a", (1, 2))
    assert repr(ours) == repr(typings).replace("Typings", "Ours")
    assert (ours.last, Ours.of("b"), ours._replace(name="c")) == (2, ("b", ()), ("c", (1, 2)))
    assert pickle.loads(pickle.dumps(ours)) == ours
    assert type(ours._replace(name="c")) is Ours
    with pytest.raises(AttributeError):
        ours.name = "d"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Ours()  # type: ignore[call-arg]

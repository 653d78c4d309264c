"""``typing.NamedTuple`` in half of the time: a start defines seventy of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Meta(type):
        """Makes what ``typing`` makes, but takes the annotations as they are written."""

        def __new__(cls, name, _, body):
            fields = body.pop("__annotations__", {})
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(  # noqa: PYI024  that is what typing does as well
                name, fields, defaults=defaults, module=body.pop("__module__")
            )
            made.__annotations__ = made.__new__.__annotations__ = fields
            for attribute, value in body.items():
                setattr(made, attribute, value)
            return made

    NamedTuple = type.__new__(_Meta, "NamedTuple", (), {})

"""Reads untrusted numbers of the game's enums."""

from enum import IntEnum
from typing import TypeVar

E = TypeVar("E", bound=IntEnum)


def member(kind: type[E], number: int) -> E:
    """Return the enum member of this number; raise `ValueError` on an unknown one."""
    try:
        return kind(number)
    except ValueError:
        raise ValueError(f"there is no {_what(kind)} {number}") from None


def _what(kind: type[IntEnum]) -> str:
    """Return the name of an enum as words, such as "plot card"."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in kind.__name__).strip()

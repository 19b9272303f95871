"""Reads values of the rules from messages, and writes them, by the names of their fields.

It serves games whose messages mirror their values: a message field for each field of a NamedTuple,
with the same name. Zero or nothing stands for None.
"""

from collections.abc import Callable
from enum import IntEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Read = Callable[[Any], Any]

NO_HURRY_MS = 5000
"""The time that a position in a playout shows: no clock runs there."""

T = TypeVar("T")


def read_field(kind: Any, name: str, message: Any) -> Any:
    """Return one field of a message, as the kind of value whose field it is has it."""
    return _readers(kind)[name](message)


def read(kind: type[T], message: Any) -> T:
    """Return the value of this kind that a message holds."""
    readers = _readers(kind)  # type: ignore[arg-type] # a class is hashable
    return kind(*[reader(message) for reader in readers.values()])


@cache
def _readers(kind: Any) -> dict[str, Read]:
    """Return what reads each field of a kind of value from its message."""
    return {name: _reader(name, hint) for name, hint in get_type_hints(kind).items()}


def _reader(name: str, hint: Any) -> Read:
    optional, hint = _without_none(hint)
    if get_origin(hint) is tuple:
        item = _item(get_args(hint)[0])
        return lambda message: tuple(map(item, getattr(message, name)))
    if optional and not issubclass(hint, IntEnum):
        item = _item(hint)
        return lambda message: item(getattr(message, name)) if message.HasField(name) else None
    if issubclass(hint, IntEnum):
        members = _members(hint)
        return lambda message: members[getattr(message, name)]
    if issubclass(hint, tuple):
        return lambda message: read(hint, getattr(message, name))
    return lambda message: getattr(message, name)


def _item(hint: Any) -> Read:
    optional, hint = _without_none(hint)
    if issubclass(hint, IntEnum):
        return _members(hint).__getitem__
    if not issubclass(hint, tuple):
        return lambda value: value
    if optional:  # an item of a list is always there: without content it is nothing
        return lambda message: read(hint, message) if message.ByteSize() else None
    return lambda message: read(hint, message)


def _members(kind: type[IntEnum]) -> dict[int, IntEnum | None]:
    return {0: None} | {int(member): member for member in kind}


def _without_none(hint: Any) -> tuple[bool, Any]:
    """Return whether a type is one `| None`, and return it without."""
    if not isinstance(hint, UnionType) and type(None) not in get_args(hint):
        return False, hint
    (kind,) = (kind for kind in get_args(hint) if kind is not type(None))
    return True, kind


def write(value: Any, message: Any) -> None:
    """Fill a message with a value; filling in place is the quickest way to build one."""
    message.SetInParent()
    for name, content in zip(value._fields, value, strict=True):
        if isinstance(content, tuple):
            write(content, getattr(message, name))
        elif content:  # what is not set is 0; and setting a part of a oneof unsets the others
            setattr(message, name, content)

"""The parts that the messages of La Cour des Miracles are made of, written by joining bytes.

The values and messages of this game mirror each other: the fields of a value, in order, are the
fields 1, 2, … of its message. So a message is described by how each of its fields is written.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from referee.games.miracles.pieces import RenownPlace, Spot
from referee.wire.encoding import Memo, field, packed, present_uint, uint

Write = Callable[[int, Any], bytes]
"""Writes a value as the field of a number."""

Encode = Callable[[Any], bytes]
"""Returns the content of a message."""


def number(at: int, value: int | None) -> bytes:
    """Write a number, flag or enum whose 0, the default, also says that there is none."""
    return uint(at, value) if value else b""


def optional(at: int, value: int | None) -> bytes:
    """Write a number or flag whose 0 differs from its absence."""
    return b"" if value is None else present_uint(at, value)


def message(encode: Encode) -> Write:
    """Return what writes a message; nothing for None."""
    return lambda at, value: b"" if value is None else field(at, encode(value))


def repeated(encode: Encode) -> Write:
    """Return what writes a message for each of some values."""
    return lambda at, values: b"".join([field(at, encode(value)) for value in values])


def record(*writes: Write) -> Encode:
    """Return what encodes a value, or a tuple of its fields, of which these are written in turn."""
    numbered = tuple(enumerate(writes, 1))

    def encode(value: Iterable[Any]) -> bytes:
        fields = zip(numbered, value, strict=True)
        return b"".join([write(at, part) for (at, write), part in fields])

    return encode


def _place(place: RenownPlace) -> bytes:
    neighbourhood, line = place
    return present_uint(2, line) if neighbourhood is None else present_uint(1, neighbourhood)


_encode_spot = Memo[Spot](record(number, number)).__getitem__
_encode_place = Memo[RenownPlace](_place).__getitem__

spot: Write = message(_encode_spot)
spots: Write = repeated(_encode_spot)
place: Write = message(_encode_place)
places: Write = repeated(_encode_place)
numbers: Write = packed


def kinds(message_type: Any) -> Mapping[str, Any]:
    """Return the field descriptors of a message that is a oneof, by what their messages are of.

    MiraclesEndTurn, for one, is the message of the class EndTurn.
    """
    fields = message_type.DESCRIPTOR.fields
    return {one.message_type.name.removeprefix("Miracles"): one for one in fields}

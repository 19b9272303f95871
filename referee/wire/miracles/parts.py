"""Encoders for the parts of La Cour des Miracles messages, by joining bytes.

The values and messages of this game mirror each other: the fields of a value, in order, are the
fields 1, 2, … of its message. So one writer per field describes a message.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from referee.games.miracles.pieces import RenownPlace, Spot
from referee.wire.encoding import Memo, field, packed, present_uint, uint

Write = Callable[[int, Any], bytes]
"""Writes a value as a numbered field."""

Encode = Callable[[Any], bytes]
"""Returns the content of a message."""


def number(at: int, value: int | None) -> bytes:
    """Write a number, flag or enum whose default, 0, also means that it is absent."""
    return uint(at, value) if value else b""


def optional(at: int, value: int | None) -> bytes:
    """Write a number or flag whose 0 differs from its absence."""
    return b"" if value is None else present_uint(at, value)


def message(encode: Encode) -> Write:
    """Return a message writer; None writes nothing."""
    return lambda at, value: b"" if value is None else field(at, encode(value))


def repeated(encode: Encode) -> Write:
    """Return a writer of one message per value."""
    return lambda at, values: b"".join([field(at, encode(value)) for value in values])


def record(*writes: Write) -> Encode:
    """Return an encoder of a value, or a tuple of its fields, with one writer per field."""
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
    """Return the field descriptors of a oneof message, by the classes they encode.

    MiraclesEndTurn, for one, encodes the class EndTurn.
    """
    fields = message_type.DESCRIPTOR.fields
    return {one.message_type.name.removeprefix("Miracles"): one for one in fields}

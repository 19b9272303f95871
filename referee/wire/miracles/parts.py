"""Encoders for the parts of La Cour des Miracles messages, by joining bytes.

The values and messages of this game mirror each other: the fields of a value, in order, are the
fields 1, 2, … of its message. So one writer per field describes a message.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

from referee.games.miracles.pieces import RenownPlace, Spot
from referee.wire.encoding import Memo, field, packed, present_uint, text, uint

Encode = Callable[[Any], bytes]
"""Returns the content of a message, or of a field."""

Write = Callable[[int], Encode]
"""Returns what encodes a value as the field of this number."""

_MOST_KEPT = 4096


def number(at: int) -> Encode:
    """Write a number, flag or enum whose default, 0, also means that it is absent."""
    return Memo[int](lambda value: uint(at, value)).__getitem__


def numbers(at: int) -> Encode:
    """Write several numbers or enums."""
    return partial(packed, at)


def string(at: int) -> Encode:
    """Write a text."""
    return partial(text, at)


def optional(at: int) -> Encode:
    """Write a number or flag whose 0 differs from its absence."""
    return lambda value: b"" if value is None else present_uint(at, value)


def message(encode: Encode) -> Write:
    """Return a message writer; None writes nothing."""
    return lambda at: lambda value: field(at, encode(value))


def repeated(encode: Encode) -> Write:
    """Return a writer of one message per value."""
    return lambda at: lambda values: b"".join([field(at, encode(value)) for value in values])


def repeated_often(encode: Encode) -> Write:
    """Return the same for values that are mostly as before: keeps the last thousands."""

    def write(at: int) -> Encode:
        each = lru_cache(_MOST_KEPT)(lambda value: field(at, encode(value)))
        return lambda values: b"".join(map(each, values))

    return write


def record(*writes: Write) -> Encode:
    """Return an encoder of a value, or a tuple of its fields, with one writer per field.

    Only an `optional` writer writes anything for 0, False, None or nothing, so no other is asked.
    """
    encoders = tuple([(write(at), write is optional) for at, write in enumerate(writes, 1)])

    def encode(value: Iterable[Any]) -> bytes:
        fields = zip(encoders, value, strict=True)
        return b"".join([encode(part) for (encode, always), part in fields if part or always])

    return encode


def _place(place: RenownPlace) -> bytes:
    neighbourhood, line = place
    return present_uint(2, line) if neighbourhood is None else present_uint(1, neighbourhood)


_encode_spot = Memo[Spot](record(number, number)).__getitem__
_encode_place = Memo[RenownPlace](_place).__getitem__

spot: Write = message(_encode_spot)
spots: Write = repeated_often(_encode_spot)
place: Write = message(_encode_place)
places: Write = repeated_often(_encode_place)


def kinds(message_type: Any) -> Mapping[str, Any]:
    """Return the field descriptors of a oneof message, by the classes they encode.

    MiraclesEndTurn, for one, encodes the class EndTurn.
    """
    fields = message_type.DESCRIPTOR.fields
    return {one.message_type.name.removeprefix("Miracles"): one for one in fields}

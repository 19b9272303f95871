"""Encode protobuf by joining bytes.

A protobuf message is the concatenation of its fields, so joining serialised parts makes a message.
Building the same observation with the protobuf library costs about ten times more; the tests
require the same bytes from both. Like the library, the functions expect fields in the order of
their numbers and leave out default values.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_SHORT = 128
"""Numbers below this are one byte, which is the usual case: tables hold those fields' bytes."""
_SINGLE = tuple(bytes((n,)) for n in range(_SHORT))
_CONTINUED = tuple(bytes((n | 128,)) for n in range(_SHORT))
"""The groups of a varint that more follow."""


class Memo(dict[T, bytes]):
    """A cache of encoded values. `map` it over values.

    It never shrinks: use it only where the rules allow a few thousand values at most.
    """

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        """Cache the results of this function."""
        super().__init__()
        self._encode = encode

    def __missing__(self, value: T) -> bytes:
        """Encode a new value."""
        encoded = self[value] = self._encode(value)
        return encoded


def varint(n: int) -> bytes:
    """Return a non-negative integer in base 128, least significant group first."""
    return _SINGLE[n] if n < _SHORT else _CONTINUED[n & 127] + varint(n >> 7)


_UINT_TAGS = tuple(varint(number << 3) for number in range(32))
_FIELD_TAGS = tuple(varint(number << 3 | 2) for number in range(32))
"""Field tags; no message of the protocol has more fields."""
_UINTS = tuple((b"", *(tag + n for n in _SINGLE[1:])) for tag in _UINT_TAGS)
_FIELD_HEADS = tuple(tuple(tag + n for n in _SINGLE) for tag in _FIELD_TAGS)
"""Tag and length before a short payload, by field number and length."""


def uint(number: int, n: int) -> bytes:
    """Return an unsigned, boolean or enum field; nothing for 0."""
    return _UINTS[number][n] if n < _SHORT else _UINT_TAGS[number] + varint(n)


def zigzag(n: int) -> int:
    """Return the unsigned number that encodes a sint32."""
    return 2 * n if n >= 0 else -2 * n - 1


def sint(number: int, n: int) -> bytes:
    """Return a sint32 field, zigzag encoded; nothing for 0."""
    return uint(number, zigzag(n))


def present_uint(number: int, n: int) -> bytes:
    """Return an `optional` unsigned field, which is written even when 0."""
    return _UINT_TAGS[number] + varint(n)


def field(number: int, payload: bytes) -> bytes:
    """Return a message, bytes or string field, also when empty."""
    length = len(payload)
    if length < _SHORT:
        return _FIELD_HEADS[number][length] + payload
    return _FIELD_TAGS[number] + varint(length) + payload


def text(number: int, value: str) -> bytes:
    """Return a string field; nothing for the empty string."""
    return field(number, value.encode()) if value else b""


def packed(number: int, values: tuple[int, ...]) -> bytes:
    """Return a repeated unsigned field; nothing for no values."""
    if not values:
        return b""
    return field(number, bytes(values) if max(values) < _SHORT else b"".join(map(varint, values)))

"""Writing protobuf by joining bytes.

A protobuf message is the concatenation of its fields, so a message whose parts are serialised
already costs one join. Building the same observation field by field with the protobuf library costs
about ten times more; the tests hold both to the same bytes. Fields are written in the order of
their numbers and default values are left out, as the library does.
"""

_SINGLE = tuple(bytes((n,)) for n in range(128))
_LENGTH_DELIMITED = 2


def varint(n: int) -> bytes:
    """Return a non-negative integer in base 128, least significant group first."""
    if n < 128:  # noqa: PLR2004 -- the definition of a varint
        return _SINGLE[n]
    out = bytearray()
    while n >= 128:  # noqa: PLR2004
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def uint(number: int, n: int) -> bytes:
    """Return an unsigned, boolean or enum field; nothing for 0."""
    return varint(number << 3) + varint(n) if n else b""


def present_uint(number: int, n: int) -> bytes:
    """Return an `optional` unsigned field, which is written even when 0."""
    return varint(number << 3) + varint(n)


def field(number: int, payload: bytes) -> bytes:
    """Return a message, bytes or string field, also when empty."""
    return varint(number << 3 | _LENGTH_DELIMITED) + varint(len(payload)) + payload


def text(number: int, value: str) -> bytes:
    """Return a string field; nothing for the empty string."""
    return field(number, value.encode()) if value else b""


def packed(number: int, values: tuple[int, ...]) -> bytes:
    """Return a repeated unsigned field; nothing when there are none."""
    return field(number, b"".join(map(varint, values))) if values else b""

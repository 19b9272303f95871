"""Build messages that a later version of the protocol might send, and requests without events.

The functions edit the bytes of this version's messages: a protobuf message is the sequence of its
fields, so fields can be added and removed at any depth without the library.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from referee.transports.framing import JsonLines
from referee.wire.encoding import field, text, uint, varint
from referee.wire.envelope import LARGEST_REFEREE_MESSAGE

_LATER = 1000
"""No message of this version uses field numbers from here on."""
_FILLER = _LATER + 5
_WORDS = b"from a later version"
_SCALARS = varint(_LATER << 3) + varint(300)
_OTHERS = b"".join(
    (
        varint((_LATER + 1) << 3 | 1) + bytes(8),
        varint((_LATER + 2) << 3 | 2) + varint(len(_WORDS)) + _WORDS,
        varint((_LATER + 3) << 3 | 2) + varint(2) + uint(1, 1),
        varint((_LATER + 4) << 3 | 5) + bytes(4),
    )
)
"""Fields of every wire type; `_SCALARS` precedes the known fields, `_OTHERS` follows them."""

_Tree = Mapping[int, "_Tree"]
_OF_A_GAME: _Tree = {1: {}, 2: {}, 3: {}}
_MESSAGES: _Tree = {
    2: {},
    3: {
        2: {3: _OF_A_GAME, 6: {}},
        3: {1: _OF_A_GAME, 2: {}},
        4: _OF_A_GAME,
        5: _OF_A_GAME,
        8: {},
    },
    4: {},
    5: {1: {1: _OF_A_GAME, 2: {}}, 2: {}, 3: _OF_A_GAME},
}
"""The message fields of a RefereeMessage, down to the games' own messages."""
_REQUEST, _END, _EVENTS = 3, 5, 3


def with_unknown_fields(message: bytes) -> bytes:
    """Return a RefereeMessage with unknown fields of every wire type, nested messages included."""
    return _extended(message, _MESSAGES)


def _extended(message: bytes, inside: _Tree) -> bytes:
    parts = [
        field(number, _extended(content, inside[number]))
        if content is not None and number in inside
        else whole
        for number, whole, content in _fields(message)
    ]
    return b"".join((_SCALARS, *parts, _OTHERS))


def with_unknown_body(match_id: str) -> bytes:
    """Return a RefereeMessage whose only body is a field of a later version."""
    return text(1, match_id) + _OTHERS


def as_large_as_can_be(message: bytes) -> bytes:
    """Return a RefereeMessage padded with an unknown field to the largest size allowed."""
    tag, space = varint(_FILLER << 3 | 2), LARGEST_REFEREE_MESSAGE - len(message)
    filling = space - len(tag) - len(varint(space))
    return message + tag + varint(filling) + b" " * filling


def without_events(message: bytes) -> bytes:
    """Return a request without its MatchEvents."""
    return b"".join(
        field(number, _without(content, _EVENTS))
        if number == _REQUEST and content is not None
        else whole
        for number, whole, content in _fields(message)
    )


def _without(message: bytes, unwanted: int) -> bytes:
    return b"".join(whole for number, whole, _ in _fields(message) if number != unwanted)


def events_of(request: bytes) -> list[bytes]:
    """Return the MatchEvents of a request."""
    ((_, _, body),) = [one for one in _fields(request) if one[0] == _REQUEST]
    return [content or b"" for number, _, content in _fields(body or b"") if number == _EVENTS]


def with_events_before(ending: bytes, events: list[bytes]) -> bytes:
    """Return a MatchEnd with these MatchEvents before its own."""
    before = b"".join(field(1, event) for event in events)
    return b"".join(
        field(number, before + content) if number == _END and content is not None else whole
        for number, whole, content in _fields(ending)
    )


def json_line(message: bytes) -> bytes:
    """Return a RefereeMessage as a line of JSON with its unknown fields as unknown keys.

    `JsonLines.encode` would drop them. Those of nested messages become keys of every object.
    """
    line = JsonLines.encode(message)
    later = [(number, content) for number, _, content in _fields(message) if number >= _LATER]
    if not later:
        return line
    document = json.loads(line)
    if later[0][0] == _LATER:
        _add_keys(document)
    for number, content in later:
        document[f"later{number}"] = 300 if content is None else content.decode("latin-1")
    return json.dumps(document).encode() + b"\n"


def _add_keys(value: Any) -> None:
    """Add unknown keys to every object in a JSON value."""
    if isinstance(value, list):
        for item in value:
            _add_keys(item)
    elif isinstance(value, dict):
        for item in value.values():
            _add_keys(item)
        value |= {"later": {"since": 2, "what": [None, "new"]}, "laterStill": 1.5}


def _fields(message: bytes) -> Iterator[tuple[int, bytes, bytes | None]]:
    """Yield each field's number, its bytes, and its content if it is length-delimited."""
    at = 0
    while at < len(message):
        begin = at
        tag, at = _varint(message, at)
        content = None
        match tag & 7:
            case 0:
                _, at = _varint(message, at)
            case 1:
                at += 8
            case 2:
                size, at = _varint(message, at)
                content = message[at : at + size]
                at += size
            case _:
                at += 4
        yield tag >> 3, message[begin:at], content


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint at a position, and the position after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:  # noqa: PLR2004 -- the last byte of a varint
            return value, at

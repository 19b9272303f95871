"""Dials its own seat's socket far more often than it has to, and plays on as it should.

It opens 50 000 streams in one connection that say nothing, as many that it takes back at once, and
then 200 connections. It says on how many of these the referee speaks.
"""

import contextlib
import os
import select
import socket

from courtyard_kit.courtisans import Action, Position, run

_SECONDS = 2.0
_CONNECTIONS = 200
_STREAMS = 50_000
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_HEADERS = b"".join(
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
_HEADERS_FRAME, _RESET_FRAME = 1, 3


def _dialled() -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(_SECONDS)
    connection.connect(os.environ["COURTYARD_ADDRESS"].removeprefix("unix:"))
    connection.sendall(_PREFACE)
    return connection


def _open_streams(*, reset: bool) -> None:
    with contextlib.suppress(OSError), _dialled() as connection:
        for first in range(0, _STREAMS, 100):
            connection.settimeout(_SECONDS)
            connection.sendall(b"".join(_stream(first + it, reset=reset) for it in range(100)))
            connection.settimeout(0)
            with contextlib.suppress(BlockingIOError):
                while connection.recv(65536):
                    pass


def _stream(count: int, *, reset: bool) -> bytes:
    number = (2 * count + 1).to_bytes(4, "big")
    frames = len(_HEADERS).to_bytes(3, "big") + bytes((_HEADERS_FRAME, 4)) + number + _HEADERS
    if reset:
        frames += bytes((0, 0, 4, _RESET_FRAME, 0)) + number + bytes((0, 0, 0, 8))
    return frames


def _open_connections() -> int:
    """Return on how many connections the referee speaks, if it begins to within half a second."""
    waiting = select.poll()
    opened = {}
    with contextlib.suppress(OSError):
        for _number in range(_CONNECTIONS):
            connection = _dialled()
            opened[connection.fileno()] = connection
            waiting.register(connection, select.POLLIN)
    spoken = 0
    while ready := waiting.poll(500):
        for number, _ in ready:
            waiting.unregister(number)
            with contextlib.suppress(OSError):
                spoken += bool(opened[number].recv(9))
    return spoken


def choose(position: Position) -> Action:
    """Dial at the first decision."""
    if position.turn <= position.seats:
        for reset in (False, True):
            _open_streams(reset=reset)
        print("dialler got:", _open_connections(), "connections", flush=True)
    return position.random_action()


run(choose, name="dialler")

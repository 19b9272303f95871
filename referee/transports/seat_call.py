"""One gRPC call of a local bot: its messages and its end.

All of gRPC is here: a call is a stream of HTTP/2; before each message come a byte, which shows
whether it is compressed, and four with its length; the status is in the trailers.

A bot can send one message and one window more than somebody takes, as nothing more is acknowledged.
"""

import asyncio
import contextlib
import zlib
from collections import deque
from enum import IntEnum
from typing import TYPE_CHECKING
from urllib.parse import quote

from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError

from referee.transports.framing import stream_ended

if TYPE_CHECKING:
    from collections.abc import Callable

    from h2.events import DataReceived

    from referee.transports.seat_client import SeatClient

LARGEST_BY_GRPC = 1024 * 1024
"""Only far too large messages end their call; `envelope` enforces the real limit with a reason."""
_PREFIX = 5
_ENCODINGS = ("identity", "deflate", "gzip")
_DEFLATE_OR_GZIP = 47
"""Bits of zlib's window that let it look which of the two it is."""
_PRINTABLE = "".join(chr(n) for n in range(32, 127) if chr(n) != "%")
_ANSWER = [
    (":status", "200"),
    ("content-type", "application/grpc"),
    ("grpc-accept-encoding", ",".join(_ENCODINGS)),
]
"""The header fields before the first message or the status."""


class GrpcStatus(IntEnum):
    """A status with which a seat ends a call."""

    OK = 0
    INVALID_ARGUMENT = 3
    RESOURCE_EXHAUSTED = 8
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAUTHENTICATED = 16


class SeatCall:
    """One call: messages both ways."""

    def __init__(self, client: "SeatClient", stream: int, encoding: str) -> None:
        """Take over a stream of a client, which encodes the messages that it compresses so."""
        self._client = client
        self._stream = stream
        self._encoding = encoding
        self._data = bytearray()
        """The begun message."""
        self._unacknowledged = 0
        self._unsent = bytearray()
        """Data for which the client's windows have no room."""
        self._status: tuple[GrpcStatus, str] | None = None
        """To be sent after the messages."""
        self._has_answered = self._is_finished = False
        self._progress: asyncio.Future[None] | None = None
        self.messages = deque[bytes]()
        """Data that the client has sent; `take` it."""
        self.over = False
        """Whether no message follows."""
        self.wake: Callable[[], object] = lambda: None
        """Called when a message or the end has come."""

    def take(self) -> bytes:
        """Return the oldest message; the client may then send more."""
        message = self.messages.popleft()
        self._client.overhead = 0
        if not self.messages:
            self._acknowledge()
            self._client.flush()
        return message

    def begin(self, message: bytes) -> bool:
        """Send what there is room for; return whether that was all: if not, await `sent`.

        Raise `ConnectionError` if the call is over.
        """
        if self.over:
            raise stream_ended()
        self._unsent += b"\0" + len(message).to_bytes(4) + message
        self.pump()
        self._client.flush()
        return self._is_sent

    async def sent(self) -> None:
        """Wait until all is sent; raise `ConnectionError` if the call is over before."""
        while not self._is_sent and not self.over:
            self._progress = asyncio.get_running_loop().create_future()
            await self._progress
        if self.over:
            raise stream_ended()

    @property
    def _is_sent(self) -> bool:
        return not (self._unsent or self._client.unsent)

    def finish(self, status: GrpcStatus, details: str = "") -> None:
        """End the call with this status, after the messages."""
        if self._is_finished:
            return
        self._is_finished = True
        self._status = status, details
        self.pump()
        self._client.flush()
        self.lose()

    def lose(self) -> None:
        """Note that no message follows."""
        if not self.over:
            self.over = True
            self.progress()
            self.wake()

    def receive(self, event: "DataReceived") -> None:
        """Take data from the client."""
        self._unacknowledged += event.flow_controlled_length
        self._add(event.data)

    def _add(self, data: bytes) -> None:
        self._data += data
        while not self.over and (message := self._next()) is not None:
            self.messages.append(message)
        if self.over:
            self._data.clear()
        if self.messages and not self.over:
            self.wake()
        else:
            self._acknowledge()

    def pump(self) -> None:
        """Send what the client's windows have room for, and the status after it."""
        h2 = self._client.h2
        try:
            if self._unsent and not self._has_answered:
                h2.send_headers(self._stream, _ANSWER)
                self._has_answered = True
            while self._unsent and (room := self._room()) > 0:
                h2.send_data(self._stream, bytes(self._unsent[:room]))
                del self._unsent[:room]
            if self._status is not None and not self._unsent:
                self._end(*self._status)
                self._status = None
        except ProtocolError:  # the client has ended the call, which an event is about to report
            self._unsent.clear()
            self._status = None

    def progress(self) -> None:
        """Let `sent` look again."""
        if self._progress is not None and not self._progress.done():
            self._progress.set_result(None)

    def _room(self) -> int:
        h2 = self._client.h2
        window = h2.local_flow_control_window(self._stream)
        return min(len(self._unsent), window, h2.max_outbound_frame_size)

    def _end(self, status: GrpcStatus, details: str) -> None:
        fields = [("grpc-status", str(int(status)))]
        if details:
            fields.append(("grpc-message", quote(details, safe=_PRINTABLE)))
        headers = fields if self._has_answered else _ANSWER + fields
        self._client.forget(self._stream)
        self._client.h2.send_headers(self._stream, headers, end_stream=True)
        self._client.h2.reset_stream(self._stream, ErrorCodes.NO_ERROR)  # unless both have ended it

    def _next(self) -> bytes | None:
        """Take the next message out of the data; None if there is none yet."""
        data = self._data
        if len(data) < _PREFIX:
            return None
        end = _PREFIX + int.from_bytes(data[1:_PREFIX])
        if end > LARGEST_BY_GRPC:
            self.finish(GrpcStatus.RESOURCE_EXHAUSTED, f"a message of {end - _PREFIX} bytes")
            return None
        if len(data) < end:
            return None
        is_compressed, message = data[0], bytes(data[_PREFIX:end])
        del data[:end]
        return self._decompressed(message) if is_compressed else message

    def _decompressed(self, message: bytes) -> bytes | None:
        if self._encoding not in _ENCODINGS[1:]:
            self.finish(
                GrpcStatus.UNIMPLEMENTED, f"a message encoded by {self._encoding or 'nothing'}"
            )
            return None
        decompressor = zlib.decompressobj(_DEFLATE_OR_GZIP)
        try:
            whole = decompressor.decompress(message, LARGEST_BY_GRPC)
        except zlib.error as error:
            self.finish(GrpcStatus.INTERNAL, str(error))
            return None
        if not decompressor.eof:
            self.finish(
                GrpcStatus.RESOURCE_EXHAUSTED, "a compressed message that is cut or too large"
            )
            return None
        return whole

    def _acknowledge(self) -> None:
        if size := self._unacknowledged:
            self._unacknowledged = 0
            with contextlib.suppress(ProtocolError):  # the connection has ended
                self._client.h2.acknowledge_received_data(size, self._stream)

"""The connection of a local bot, over which it makes its gRPC call. h2 speaks HTTP/2.

A gRPC server would cost four times as much: it hands each message from thread to thread, and needs
a relay before it that counts header fields, which it does not (see `http2`). h2 does, and bounds
streams and windows. It leaves to its user floods of small frames, each of which costs some
5 µs while others are to move. So a client reads little at a time, and a connection ends once more
than messages was sent than any library does.

No time ends a connection, as bots are stopped between turns, so none is pinged.
"""

import asyncio
import contextlib
import select
import socket
import time
from collections.abc import Callable

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings

from referee.transports.seat_call import GrpcStatus, SeatCall

_MOST_CALLS = 8
"""At once. A bot needs one; each costs memory here."""
_AT_ONCE = 4096
_MOST_OVERHEAD = 32 * 1024
"""Bytes besides messages that a client may send between two messages that are taken."""
_OVERHEAD_A_SECOND = 64
"""And more as time passes: it may ping during a long decision."""
_MOST_FIELDS = 16 * 1024
"""Bytes of a block's header fields, with 32 for each, as HTTP/2 counts them."""
_SETTINGS = {
    SettingCodes.MAX_CONCURRENT_STREAMS: _MOST_CALLS,
    SettingCodes.MAX_HEADER_LIST_SIZE: _MOST_FIELDS,
}
_CONFIG = H2Configuration(client_side=False, header_encoding=None)


class SeatClient:
    """One connection to a seat."""

    def __init__(
        self,
        connection: socket.socket,
        method: str,
        begun: Callable[["SeatClient", SeatCall], object],
        ended: Callable[["SeatClient"], object],
    ) -> None:
        """Take over a connection; report calls of this method, and the connection's end."""
        connection.settimeout(0)
        self._socket = connection
        self._method = method
        self._begun = begun
        self._ended = ended
        self._is_over = False
        self._calls: dict[int, SeatCall] = {}
        self._loop = asyncio.get_running_loop()
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._read_at = time.monotonic()
        self.overhead = 0.0
        """Bytes besides messages since one was taken, less what time allows."""
        self.unsent = bytearray()
        """Data for which the socket has no room."""
        self.h2 = H2Connection(_CONFIG)
        self.h2.local_settings = Settings(client=False, initial_values=_SETTINGS)
        self.h2.decoder.max_header_list_size = _MOST_FIELDS
        self.h2.initiate_connection()
        self._loop.add_reader(connection, self.read)
        self.flush()

    def poll(self, milliseconds: int) -> bool:
        """Block until something has come; return False if nothing comes so soon."""
        return not self._is_over and bool(self._poll.poll(milliseconds))

    def read(self) -> None:
        """Read some of what has come, and pass it on."""
        try:
            data = self._socket.recv(_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.end()
            return
        self._count(len(data))
        try:
            self._take(data)
        except ProtocolError:
            self.end()
            return
        self.flush()
        if self.overhead > _MOST_OVERHEAD:
            self.end()

    def flush(self) -> None:
        """Send what is due, as far as the socket has room."""
        data = self.h2.data_to_send()
        if not data or self._is_over:
            return
        if self.unsent:
            self.unsent += data
            return
        sent = self._send(data)
        if sent < len(data):
            self.unsent += data[sent:]
            self._loop.add_writer(self._socket, self._writable)

    def forget(self, stream: int) -> None:
        """Forget a call that has ended."""
        self._calls.pop(stream, None)

    def end(self) -> None:
        """Close the connection, and lose its calls."""
        if self._is_over:
            return
        with contextlib.suppress(ProtocolError):
            self.h2.close_connection()
        self.flush()
        self._is_over = True
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        self._socket.close()
        self.unsent.clear()
        for call in self._calls.values():
            call.lose()
        self._ended(self)

    def _count(self, size: int) -> None:
        now = time.monotonic()
        allowed = (now - self._read_at) * _OVERHEAD_A_SECOND
        self._read_at = now
        self.overhead = max(0.0, self.overhead - allowed) + size

    def _take(self, data: bytes) -> None:
        """Take what has come; raise `ProtocolError` if that breaks HTTP/2."""
        try:
            events = self.h2.receive_data(data)
        except Exception as error:  # whatever a bot has sent: it ends no more than its stream
            raise ProtocolError(str(error)) from error
        for event in events:
            self._handle(event)

    def _handle(self, event: Event) -> None:
        match event:
            case DataReceived():
                self.overhead -= event.flow_controlled_length
                if call := self._calls.get(event.stream_id):
                    call.receive(event)
            case WindowUpdated() | RemoteSettingsChanged():
                self._go_on()
            case RequestReceived():
                self._begin(event)
            case StreamEnded():
                if call := self._calls.get(event.stream_id):
                    call.lose()
            case StreamReset():
                if call := self._calls.pop(event.stream_id, None):
                    call.lose()
            case ConnectionTerminated():
                self.end()

    def _begin(self, event: RequestReceived) -> None:
        fields = dict(event.headers)
        encoding = fields.get(b"grpc-encoding", b"").decode(errors="replace")
        call = self._calls[event.stream_id] = SeatCall(self, event.stream_id, encoding)
        if fields.get(b":path") == self._method.encode():
            self._begun(self, call)
        else:
            call.finish(GrpcStatus.UNIMPLEMENTED, f"the one method here is {self._method}")

    def _go_on(self) -> None:
        """Send what waited for room."""
        for call in list(self._calls.values()):
            call.pump()
            call.progress()

    def _writable(self) -> None:
        del self.unsent[: self._send(self.unsent)]
        if not self.unsent:
            self._loop.remove_writer(self._socket)
            self._go_on()

    def _send(self, data: bytes | bytearray) -> int:
        """Return how many bytes were sent: all of them if the client cannot read them any more."""
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError:  # `read` will find the end
            return len(data)

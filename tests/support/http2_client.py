"""HTTP/2 by hand (RFC 9113, 7541): what no gRPC client would send."""

import contextlib
import socket
import ssl
import threading

DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_HEADERS = 4
NEWEST = b"\xbe"
"""Names the newest entry of the table."""
STATIC = b"\x8f"
"""Names an entry of every table."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame."""
    head = len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4)
    return head + payload


def integer(value: int) -> bytes:
    """Return an integer in seven bits and more."""
    if value < 127:
        return bytes((value,))
    value, more = value - 127, bytearray((127,))
    while value >= 128:
        more.append(value % 128 | 128)
        value //= 128
    return bytes(more) + bytes((value,))


def field(name: bytes, value: bytes, *, kept: bool = False) -> bytes:
    """Return a header field; `kept`: the table keeps it."""
    strings = b"".join(integer(len(text)) + text for text in (name, value))
    return (b"\x40" if kept else b"\x00") + strings


def call(method: str) -> bytes:
    """Return the header fields of a call, such as "/package.Service/Method"."""
    return b"".join(
        field(name, value)
        for name, value in (
            (b":method", b"POST"),
            (b":scheme", b"http"),
            (b":path", method.encode()),
            (b":authority", b"localhost"),
            (b"te", b"trailers"),
            (b"content-type", b"application/grpc"),
        )
    )


class Raw:
    """A connection that discards what it reads, with TLS only by `wait`.

    No two threads may use TLS at once.
    """

    def __init__(self, address: str, context: ssl.SSLContext | None = None) -> None:
        """Connect to HOST:PORT, by TLS if there is a context, or to a socket unix:PATH."""
        self.socket = _connected(address)
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self._reading = threading.Thread(target=self.wait, daemon=True)
        if context is None:
            self._reading.start()
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0))

    def send(self, data: bytes) -> None:
        """Send bytes, unless the other side has closed."""
        with contextlib.suppress(OSError):
            self.socket.sendall(data)

    def begin(self, number: int, method: str, more: bytes = b"") -> None:
        """Begin call number 0, 1, ... of a method, with more header fields, and add nothing."""
        self.send(frame(HEADERS, END_HEADERS, 2 * number + 1, call(method) + more))

    def wait(self) -> None:
        """Read until the other side closes."""
        with contextlib.suppress(OSError):
            while self.socket.recv(65536):
                pass

    def close(self) -> None:
        """End the connection."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        if self._reading.is_alive():
            self._reading.join()
        self.socket.close()


def _connected(address: str) -> socket.socket:
    if address.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address.removeprefix("unix:"))
        return connection
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)))


def references(connection: Raw, method: str, calls: int, entry: bytes, each: int) -> None:
    """Store a large field in the table, then begin calls that each name an entry so often."""
    connection.begin(0, method, field(b"a", b"x" * 3800, kept=True))
    for number in range(1, calls):
        connection.begin(number, method, entry * each)


def endless_block(connection: Raw, method: str, frames: int, entry: bytes) -> None:
    """Begin one call whose header fields span `frames` frames."""
    connection.send(frame(HEADERS, 0, 1, call(method)))
    for _ in range(frames):
        connection.send(frame(CONTINUATION, 0, 1, entry * 16_000))
    connection.send(frame(CONTINUATION, END_HEADERS, 1))

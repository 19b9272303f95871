"""The frames of HTTP/2 (RFC 9113) that pass at each decision: DATA and WINDOW_UPDATE.

h2 makes an object of each frame and asks its states about it. With each message gRPC's own clients
send three frames, which would cost more than the rest of a decision's messages together. Nearly all
are whole and have no flags; they are read and written here. Any other frame is for h2, which keeps
the state of the connection.
"""

import struct
from collections.abc import Iterator

DATA, WINDOW_UPDATE = 0, 8
OTHER = -1
"""Stands for a frame's kind where h2 is to read it."""
HEAD = 9
"""Bytes before a frame's payload."""
WINDOW = 65_535
"""The first window of a connection, and of a stream whose receiver sets no other."""

_PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
_PLAIN = (DATA, WINDOW_UPDATE)
_HEAD = struct.Struct(">HBBBI")
"""The length's first two bytes, its last one, kind, flags, stream."""
_NUMBER = 0x7FFF_FFFF
"""Streams and increments have 31 bits; the receiver ignores another one."""


class FrameSplitter:
    """Splits what a client sends, from the connection's preface on."""

    def __init__(self) -> None:
        """Start before the preface, which is for h2."""
        self._head = b""
        """The begun head of a frame."""
        self._left = _PREFACE
        """Bytes still to come of what is for h2."""

    def split(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Yield kind, stream and bytes of each plain frame, and in between all else as `OTHER`.

        Any division of a stream into `data` gives the same bytes in the same order; a plain frame
        that does not come whole is `OTHER`.
        """
        data, self._head = self._head + data, b""
        at, end = 0, len(data)
        while at < end:
            if self._left:
                stop = min(end, at + self._left)
                self._left -= stop - at
                yield OTHER, 0, data[at:stop]
                at = stop
                continue
            if end - at < HEAD:
                self._head = data[at:]
                return
            high, low, kind, flags, stream = _HEAD.unpack_from(data, at)
            stop = at + HEAD + (high << 8 | low)
            if stop <= end and not flags and kind in _PLAIN:
                yield kind, stream & _NUMBER, data[at:stop]
                at = stop
            else:
                self._left = stop - at


def data_frame(stream: int, payload: bytes) -> bytes:
    """Return a DATA frame; the payload fits into one."""
    length = len(payload)
    return _HEAD.pack(length >> 8, length & 255, DATA, 0, stream) + payload


def window_update(stream: int, increment: int) -> bytes:
    """Return a WINDOW_UPDATE frame for a stream; 0: for the connection."""
    return _HEAD.pack(0, 4, WINDOW_UPDATE, 0, stream) + increment.to_bytes(4)


def increment_of(frame: bytes) -> int:
    """Return by how much a WINDOW_UPDATE widens a window; 0 if it is malformed."""
    return int.from_bytes(frame[HEAD:]) & _NUMBER if len(frame) == HEAD + 4 else 0

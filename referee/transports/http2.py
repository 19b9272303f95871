"""Inspect a client's HTTP/2 (RFC 9113) before gRPC reads it.

gRPC core decodes a whole block of header fields before it counts them, and its limits on them do
not hold: one byte that names a table entry costs it 170 bytes, a block may have endless frames, and
the Python layer copies the entry each time. So this module counts the fields first, from their
lengths alone (RFC 7541), without decoding.
"""

import math
import time
from collections.abc import Iterator

from referee.core.errors import CourtyardError

MOST_FIELDS = 64
"""In one block; gRPC's own clients send about ten."""
MOST_BLOCK_BYTES = 16 * 1024
MOST_BLOCK_FRAMES = 8

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD = 9
_DATA, _HEADERS, _RST_STREAM, _PUSH_PROMISE, _CONTINUATION = 0, 1, 3, 5, 9
_END_STREAM, _END_HEADERS, _PADDED, _PRIORITY = 1, 4, 8, 32
_LARGEST_LENGTH = 1 << 24
_MOST_SILENT = 1000
_MOST_RESETS = 100
"""How many calls a client may take back on a connection; afterwards it connects anew."""
_MOST_HELD_BYTES = 8 * 1024
"""Of frames that are held back; a bot sends nothing but Hello before it is known."""


class Http2Error(CourtyardError):
    """A client sent what no gRPC client sends; end the connection."""


class Inspector:
    """Inspects one connection's frames as they pass; times are those of `time.monotonic`."""

    def __init__(
        self, most_streams: float = math.inf, most_open: float = math.inf, *, watches: bool = False
    ) -> None:
        """Start before the connection's preface; hold back frames that open too many streams.

        That is in all, or at a time. With `watches`, track which calls are not over, or have no
        message yet; `answered` then needs the answers.
        """
        self.most_streams = most_streams
        self.most_open = most_open
        self._watches = watches
        self._held = bytearray()
        """The received part of the preface, a frame header, or a block of fields."""
        self._preface_seen = False
        self._passing = 0
        """Bytes still to come of the frame that is passing."""
        self.opened = 0
        """Number of streams that the client has opened."""
        self.holds_back = False
        """Whether the last frame that came would open one stream too many."""
        self._newest = 0
        self._resets = 0
        self._open: set[int] = set()
        """Streams that the server has not ended; a client that resets one gains no room."""
        self._silent: dict[int, float] = {}
        """Streams without a message or answer so far, and since when."""
        self._answers = _Frames()

    @property
    def is_full(self) -> bool:
        """Whether the client has as many streams as allowed."""
        return self.opened >= self.most_streams or len(self._open) >= self.most_open

    @property
    def silent_since(self) -> float:
        """When the oldest stream without a message opened; infinity if there is none."""
        return min(self._silent.values(), default=math.inf)

    def allow_all(self) -> None:
        """Hold back no more frames."""
        self.most_streams = self.most_open = math.inf
        self._open.clear()

    def answered(self, data: bytes) -> None:
        """Take bytes from the server."""
        if self._watches:
            for kind, flags, stream in self._answers.heads(data):
                if kind == _RST_STREAM or (kind in (_DATA, _HEADERS) and flags & _END_STREAM):
                    self._silent.pop(stream, None)
                    self._open.discard(stream)

    def feed(self, data: bytes) -> bytes:
        """Take bytes from the client; return those that may pass now. Raise `Http2Error`."""
        self.holds_back = False
        if self._held:
            self._held += data
            data = bytes(self._held)
            self._held.clear()
        passed = 0 if self._preface_seen else self._preface(data)
        if self._preface_seen:
            passed = self._frames(data, passed)
        if passed == len(data):
            return data
        self._held += data[passed:]
        if self.holds_back and len(self._held) > _MOST_HELD_BYTES:
            raise Http2Error(f"more than {_MOST_HELD_BYTES} bytes behind a call that has to wait")
        return data[:passed]

    def _preface(self, data: bytes) -> int:
        begun = data[: len(_PREFACE)]
        if begun != _PREFACE[: len(begun)]:
            raise Http2Error("the peer does not speak HTTP/2")
        self._preface_seen = begun == _PREFACE
        return len(begun) if self._preface_seen else 0

    def _frames(self, data: bytes, at: int) -> int:
        """Return up to where frames may pass: whole ones, or parts of those without fields."""
        size = len(data)
        while True:
            if self._passing:
                part = min(self._passing, size - at)
                self._passing -= part
                at += part
            if size - at < _HEAD:
                return at
            length, kind = int.from_bytes(data[at : at + 3]), data[at + 3]
            if kind == _HEADERS:
                end = self._block(data, at)
                if end is None:
                    return at
                at = end
                continue
            if kind in (_CONTINUATION, _PUSH_PROMISE):
                raise Http2Error("a frame that is not allowed here")
            if kind == _RST_STREAM:
                self._resets += 1
                if self._resets > _MOST_RESETS:
                    raise Http2Error(f"more than {_MOST_RESETS} calls taken back")
            if kind == _RST_STREAM or (kind == _DATA and (length or data[at + 4] & _END_STREAM)):
                self._silent.pop(_stream(data, at), None)
            self._passing = length + _HEAD

    def _block(self, data: bytes, at: int) -> int | None:
        """Check a block of fields; return its end, None if it may not pass yet."""
        stream, flags, fragments, frames = _stream(data, at), data[at + 4], b"", 0
        end_of_stream = flags & _END_STREAM
        while True:
            if len(data) - at < _HEAD:
                return None
            length, flags = int.from_bytes(data[at : at + 3]), data[at + 4]
            expected = _CONTINUATION if frames else _HEADERS
            if data[at + 3] != expected or _stream(data, at) != stream:
                raise Http2Error("a block of header fields was broken off")
            frames += 1
            if len(fragments) + length > MOST_BLOCK_BYTES + _HEAD or frames > MOST_BLOCK_FRAMES:
                raise Http2Error(f"header fields of more than {MOST_BLOCK_BYTES} bytes or frames")
            end = at + _HEAD + length
            if len(data) < end:
                return None
            payload = data[at + _HEAD : end]
            fragments += _fragment(payload, flags) if expected == _HEADERS else payload
            at = end
            if flags & _END_HEADERS:
                break
        if stream > self._newest and self.is_full:
            self.holds_back = True
            return None
        check_fields(fragments)
        self._begins(stream, ends=bool(end_of_stream))
        return at

    def _begins(self, stream: int, *, ends: bool) -> None:
        if stream > self._newest:
            self._newest = stream
            self.opened += 1
            if self._watches:
                self._silent[stream] = time.monotonic()
            if self.most_open < math.inf:
                self._open.add(stream)
        if len(self._silent) > _MOST_SILENT:
            raise Http2Error(f"more than {_MOST_SILENT} calls without a message")
        if ends:
            self._silent.pop(stream, None)


class _Frames:
    """Finds frame headers in a stream of bytes."""

    def __init__(self) -> None:
        self._head = b""
        self._passing = 0

    def heads(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Take bytes; yield kind, flags and stream of each frame that begins in them."""
        at = 0
        while True:
            part = min(self._passing, len(data) - at)
            self._passing -= part
            at += part
            wanted = _HEAD - len(self._head)
            self._head += data[at : at + wanted]
            at += wanted
            if len(self._head) < _HEAD:
                return
            head, self._head = self._head, b""
            self._passing = int.from_bytes(head[:3])
            yield head[3], head[4], _stream(head, 0)


def check_fields(block: bytes) -> None:
    """Raise `Http2Error` if a block is malformed or has too many fields."""
    at = fields = 0
    while at < len(block):
        fields += 1
        if fields > MOST_FIELDS:
            raise Http2Error(f"more than {MOST_FIELDS} header fields")
        first = block[at]
        if first & 0x80:  # an entry of a table
            _, at = _integer(block, at, 7)
        elif first & 0xE0 == 0x20:  # the table's size  # noqa: PLR2004
            _, at = _integer(block, at, 5)
        else:
            name, at = _integer(block, at, 6 if first & 0x40 else 4)
            for _ in range(1 if name else 2):
                at = _after_string(block, at)
    if at > len(block):
        raise Http2Error("a header field that is cut")


def _after_string(block: bytes, at: int) -> int:
    length, at = _integer(block, at, 7)
    return at + length


def _integer(block: bytes, at: int, bits: int) -> tuple[int, int]:
    """Return an integer and the position after it (RFC 7541, 5.1)."""
    if at >= len(block):
        raise Http2Error("a header field that is cut")
    most = (1 << bits) - 1
    value = block[at] & most
    at += 1
    if value < most:
        return value, at
    shift = 0
    while at < len(block) and value < _LARGEST_LENGTH:
        byte = block[at]
        value += (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:  # noqa: PLR2004 -- the last byte
            return value, at
    raise Http2Error("a header field that is cut or too long")


def _fragment(payload: bytes, flags: int) -> bytes:
    """Return the field block fragment of a HEADERS frame."""
    start, padding = 0, 0
    if flags & _PADDED and payload:
        start, padding = 1, payload[0]
    if flags & _PRIORITY:
        start += 5
    if start + padding > len(payload):
        raise Http2Error("a frame with more padding than it has room for")
    return payload[start : len(payload) - padding]


def _stream(data: bytes, at: int) -> int:
    return int.from_bytes(data[at + 5 : at + 9]) & 0x7FFFFFFF

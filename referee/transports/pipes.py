"""Read and write a bot's pipes in an event loop without blocking it.

asyncio streams would work, but cost more than everything else; here a message usually takes one
system call.
"""

import asyncio
import os
import select

from referee.core.faults import BotFault
from referee.transports.framing import Framing, stream_ended, unasked
from referee.wire.envelope import LARGEST_BOT_MESSAGE

_MOST_PARTS = 2
"""Parts of a message that a blocking wait reads: a bot may write the length before it by itself."""
_AT_ONCE = 16 * 1024
"""Bytes read at a time: most answers fit, and allocating them is cheap."""


class PipeReader:
    """Reads messages; reads at most one buffer ahead."""

    def __init__(self, pipe: int, framing: Framing) -> None:
        """Take over a non-blocking descriptor."""
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._framing = framing
        self._awaited: asyncio.Future[bytes] | None = None
        """The message that `receive` waits for."""
        self._watching = False
        self._ended = False
        self._unasked: BotFault | None = None
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)

    def look(self) -> None:
        """Note bytes that came before a request is sent, as they would pass as its answer.

        The next `receive` raises the fault.
        """
        if not self._framing.buffer and not self._ended and self._poll.poll(0):
            self._read()
        if self._framing.buffer and self._unasked is None:
            self._unasked = unasked(bytes(self._framing.buffer))

    def poll(self, milliseconds: int) -> bytes | None:
        """Do as `receive`, but block the event loop; return None if nothing whole comes so soon."""
        message = self._next()
        for _ in range(_MOST_PARTS):
            if message is not None or not self._poll.poll(milliseconds):
                break
            self._read()
            message = self._next()
        return message

    async def receive(self) -> bytes:
        """Return the next message; raise `ConnectionError` at the end, `BotFault` on bad bytes."""
        message = self._next()
        if message is not None:
            return message
        if not self._watching:
            self._loop.add_reader(self._pipe, self._readable)
            self._watching = True
        self._awaited = self._loop.create_future()
        try:
            return await self._awaited
        finally:
            self._awaited = None

    def _next(self) -> bytes | None:
        """Take the next message; None if there is none yet."""
        if self._unasked is not None:
            raise self._unasked
        message = self._framing.next()
        if message is None and self._ended:
            raise stream_ended()
        return message

    def end(self) -> None:
        """Stop reading and wake `receive` with an error."""
        self._ended = True
        self._stop_watching()
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_exception(stream_ended())

    def close(self) -> None:
        """Stop reading and close the descriptor."""
        self.end()
        os.close(self._pipe)

    def _readable(self) -> None:
        self._read()
        awaited = self._awaited
        if awaited is None or awaited.done():
            if len(self._framing.buffer) > LARGEST_BOT_MESSAGE:
                self._stop_watching()
            return
        try:
            message = self._framing.next()
        except BotFault as error:
            awaited.set_exception(error)
            return
        if message is not None:
            awaited.set_result(message)
        elif self._ended:
            awaited.set_exception(stream_ended())

    def _read(self) -> None:
        try:
            data = os.read(self._pipe, _AT_ONCE)
        except BlockingIOError:
            return
        if data:
            self._framing.buffer += data
        else:
            self._ended = True
            self._stop_watching()

    def _stop_watching(self) -> None:
        if self._watching:
            self._loop.remove_reader(self._pipe)
            self._watching = False


class PipeWriter:
    """Writes messages in order; buffers what the pipe has no room for."""

    def __init__(self, pipe: int) -> None:
        """Take over a non-blocking descriptor."""
        self._loop = asyncio.get_running_loop()
        self._pipe: int | None = pipe
        self._left = bytearray()
        self._empty: asyncio.Future[None] | None = None
        """Done when the buffer is empty; None while it is."""

    def begin(self, data: bytes) -> bool:
        """Write what the pipe has room for; return whether that was all: if not, await `finish`.

        The rest is written before anything else. Raise `ConnectionError` if the reader has gone.
        """
        if self._empty is None:
            written = self._write(data)
            if written == len(data):
                return True
            data = data[written:]
            self._empty = self._loop.create_future()
            self._loop.add_writer(self._existing(), self._writable)
        self._left += data
        return False

    async def finish(self) -> None:
        """Wait until all is written; raise `ConnectionError` if the reader has gone."""
        if self._empty is not None:
            await asyncio.shield(self._empty)
        self._existing()

    def close(self) -> None:
        """Close the descriptor and drop the buffer."""
        if self._pipe is not None:
            self._left.clear()
            self._stop_waiting()
            os.close(self._pipe)
            self._pipe = None

    def _existing(self) -> int:
        if self._pipe is None:
            raise stream_ended()
        return self._pipe

    def _write(self, data: bytes | bytearray) -> int:
        """Write as much as fits; return the number of bytes written."""
        try:
            return os.write(self._existing(), data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise stream_ended() from None

    def _writable(self) -> None:
        try:
            del self._left[: self._write(self._left)]
        except ConnectionError:
            self.close()
        if not self._left:
            self._stop_waiting()

    def _stop_waiting(self) -> None:
        if self._empty is not None:
            self._loop.remove_writer(self._existing())
            self._empty.set_result(None)
            self._empty = None

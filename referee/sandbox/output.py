"""Read a program's output at once, so that it never blocks, and keep the end of it."""

import asyncio
import contextlib
import os

_KEPT_BYTES = 16 * 1024
_AT_ONCE_BYTES = 64 * 1024
"""The capacity of a pipe."""


class Output:
    """Reads the referee's end of a pipe."""

    def __init__(self, descriptor: int) -> None:
        """Start reading in the running loop; the descriptor must be non-blocking."""
        self._descriptor: int | None = descriptor
        self._kept = bytearray()
        self._untold = 0
        """Bytes at the end of what is kept that `fresh` has not returned."""
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    def text(self) -> str:
        """Return the end of the output so far, at most 16 KiB."""
        self._read()  # a short match can be over before the loop has read
        return self._kept.decode(errors="replace")

    def fresh(self) -> bytes:
        """Return the output since the last call, or the end of it, at most 16 KiB."""
        self._read()
        start, self._untold = len(self._kept) - self._untold, 0
        return bytes(self._kept[start:])

    def forget(self) -> None:
        """Drop the output so far."""
        self._read()
        self._kept.clear()
        self._untold = 0

    def finish(self) -> None:
        """Read what is left, then stop reading."""
        self._read()
        self._stop()

    def _read(self) -> None:
        if self._descriptor is None:
            return
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._descriptor, _AT_ONCE_BYTES)
            if not chunk:
                self._stop()
            self._kept += chunk
            del self._kept[:-_KEPT_BYTES]
            self._untold = min(self._untold + len(chunk), len(self._kept))

    def _stop(self) -> None:
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._descriptor = None

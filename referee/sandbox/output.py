"""What a program prints: always taken, so that it never has to wait, and kept to a bound."""

import asyncio
import contextlib
import os

_KEPT_BYTES = 16 * 1024
_AT_ONCE_BYTES = 64 * 1024
"""A pipe holds no more."""


class Output:
    """Reads the referee's end of a pipe."""

    def __init__(self, descriptor: int) -> None:
        """Begin to read in the running loop; the descriptor is not blocking."""
        self._descriptor: int | None = descriptor
        self._kept = bytearray()
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    def text(self) -> str:
        """Return the end of it, at most 16 KiB."""
        return self._kept.decode(errors="replace")

    def forget(self) -> None:
        """Keep nothing of what came so far."""
        self._read()
        self._kept.clear()

    def finish(self) -> None:
        """Take what is there still, and read no more."""
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

    def _stop(self) -> None:
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._descriptor = None

"""Output that never blocks or fails: lines that cannot be written are dropped.

A long-running program must not end or wait because its output is not read: the pipe is closed or
full, the terminal gone or stopped, the disk full.
"""

import io
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_PATIENCE_MS = 1000
"""How long to wait for a reader that has kept up so far before dropping output."""


@contextmanager
def lossy_output() -> Iterator[None]:
    """Make stdout and stderr drop what cannot be written, within the block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_lossy, before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _lossy(stream: TextIO) -> TextIO:
    """Return a lossy stream to the same file; the stream itself if it has no file."""
    try:
        with suppress(OSError):
            stream.flush()
        raw = _LossyFile(stream.fileno(), "wb", closefd=False)
    except (AttributeError, io.UnsupportedOperation):  # closed before we began; a test's stream
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(raw), stream.encoding, errors="replace", line_buffering=True
    )


class _LossyFile(io.FileIO):
    """A file whose writes always succeed."""

    _patience_ms = _PATIENCE_MS

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write what can be written, and drop the rest."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left and self._is_ready():
                left = left[super().write(left[: select.PIPE_BUF]) or 0 :]
        except OSError:
            self._patience_ms = 0
        return size

    def _is_ready(self) -> bool:
        """Wait until the file takes a write; return whether it does."""
        waiting = select.poll()
        waiting.register(self.fileno(), select.POLLOUT)
        ready = bool(waiting.poll(self._patience_ms))
        self._patience_ms = _PATIENCE_MS if ready else 0
        return ready

"""Handle SIGTERM and SIGHUP like Ctrl-C: clean up, then exit."""

import signal
import sys
import threading
import time
from types import FrameType
from typing import Self

_ENDING = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_ONE_REQUEST_S = 1.0
"""Signals within this many seconds count as one request: some programs signal a process and then
its group."""


class EndSignals:
    """Context manager that handles both signals; leaves SIGHUP ignored under `nohup`."""

    def __init__(self) -> None:
        """Start without a signal."""
        self.heard: signal.Signals | None = None
        """The signal that ended the command."""
        self._at = 0.0
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        """Install the handlers if this is the main thread."""
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the earlier handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type] # it came from there

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """Act as Ctrl-C would."""
        if self.heard is not None and time.monotonic() - self._at < _ONE_REQUEST_S:
            return
        self.heard, self._at = signal.Signals(number), time.monotonic()
        asyncio = sys.modules.get("asyncio")  # imported only where needed, as it is slow
        loop = asyncio and asyncio._get_running_loop()  # noqa: SLF001 -- the other one raises
        if loop is None:
            raise KeyboardInterrupt
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):  # the loop's own handler: cancels its main task
            handler(signal.SIGINT, frame)
        else:  # a shell makes background commands ignore Ctrl-C
            loop.call_soon_threadsafe(_interrupt)


def _interrupt() -> None:
    """End the event loop; raised elsewhere, the exception might count as a bot's fault."""
    raise KeyboardInterrupt

"""SIGTERM and SIGHUP end a command as Ctrl-C does: in good order, with nothing left behind."""

import signal
import sys
import threading
import time
from types import FrameType
from typing import Self

_ONE_REQUEST_S = 1.0
"""Two that come within so many seconds are one request, as programs may send one to a process and
then to its group."""


class EndSignals:
    """Listens while it is entered; an ignored SIGHUP stays so, as `nohup` wants it."""

    def __init__(self) -> None:
        """Have heard nothing yet."""
        self.heard: signal.Signals | None = None
        """What the command was ended by."""
        self._at = 0.0
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        """Start to listen, if this is the thread that can."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back to whoever had them."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type] # it came from there

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """Do what Ctrl-C would do now."""
        if self.heard is not None and time.monotonic() - self._at < _ONE_REQUEST_S:
            return
        self.heard, self._at = signal.Signals(number), time.monotonic()
        asyncio = sys.modules.get("asyncio")  # imported by whoever needs it: it is slow
        loop = asyncio and asyncio._get_running_loop()  # noqa: SLF001 -- the other one raises
        if loop is None:
            raise KeyboardInterrupt
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):  # it is the loop's own: it cancels what the loop runs
            handler(signal.SIGINT, frame)
        else:  # whoever starts a command in the background has Ctrl-C ignored
            loop.call_soon_threadsafe(_interrupt)


def _interrupt() -> None:
    """End the event loop; raised anywhere else it may be taken for somebody's fault."""
    raise KeyboardInterrupt

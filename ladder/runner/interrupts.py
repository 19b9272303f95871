"""Ctrl-C in two steps: the first asks to stop, the second stops.

SIGTERM and SIGHUP ask as Ctrl-C does: a service manager sends the first, a terminal that is closed
the second. Whoever started this with SIGHUP ignored, as `nohup` does, wants it to go on.
"""

import os
import signal
import time
from types import FrameType
from typing import Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks a process to stop."""
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Those of them that are sent to all processes: by programs, not by people in a hurry."""

_ONE_REQUEST_S = 1.0
"""Programs such as `timeout` send SIGTERM to a process and then to its whole group, a shell that
ends sends SIGHUP and the system once more: those within so many seconds are one request."""


def stop_signals() -> tuple[signal.Signals, ...]:
    """Return what asks this process to stop, unless it is to be ignored."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return tuple(number for number in SIGNALS if number != signal.SIGHUP or not ignored)


class StopRequests:
    """Tells a new request to stop from the one before, heard again."""

    def __init__(self) -> None:
        """Have heard nothing yet."""
        self._last: tuple[int, float] | None = None

    def is_new(self, number: int) -> bool:
        """Take notice of a signal; return whether it asks for something new.

        People who press Ctrl-C twice mean it, however fast they are.
        """
        before, self._last = self._last, (number, time.monotonic())
        if before is None or number not in ENDING or before[0] not in ENDING:
            return True
        return self._last[1] - before[1] > _ONE_REQUEST_S


class Interrupts:
    """Listens for Ctrl-C, SIGTERM and SIGHUP while it is entered, in the main thread.

    The first one sets `asked` and makes `wake` readable. The second raises `KeyboardInterrupt`
    wherever the program is.
    """

    def __init__(self) -> None:
        """Prepare; nothing is changed yet."""
        self.asked = False
        self.terminated = False
        """Whether SIGTERM or SIGHUP was heard, which may have been sent to all processes."""
        self._requests = StopRequests()
        self.wake, self._write = os.pipe()

    def __enter__(self) -> Self:
        """Start to listen."""
        self._before = {number: signal.signal(number, self._heard) for number in stop_signals()}
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back to whoever had them."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.wake)
        os.close(self._write)

    def take(self) -> None:
        """Make `wake` quiet again, once it was seen."""
        os.read(self.wake, 1)

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        self.terminated = self.terminated or number in ENDING
        if not self._requests.is_new(number):
            return
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        os.write(self._write, b"!")

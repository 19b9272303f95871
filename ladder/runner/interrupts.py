"""Ctrl-C in two steps: the first asks to stop, the second stops at once.

SIGTERM, which service managers send, and SIGHUP, which a closing terminal sends, act like Ctrl-C.
If SIGHUP is ignored, as under `nohup`, it stays ignored.
"""

import os
import signal
import time
from types import FrameType
from typing import Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that ask a process to stop."""
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""The stop signals that programs send, often to all processes."""

_ONE_REQUEST_S = 1.0
"""Signals of programs within this time are one request: `timeout` sends SIGTERM to a process and
then to its group, and both an exiting shell and the system send SIGHUP."""


def stop_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that ask this process to stop; an ignored SIGHUP does not."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return tuple(number for number in SIGNALS if number != signal.SIGHUP or not ignored)


class StopRequests:
    """Tells new requests to stop from repeated signals."""

    def __init__(self) -> None:
        """Begin without a request."""
        self._last: tuple[int, float] | None = None

    def is_new(self, number: int) -> bool:
        """Note a signal; return whether it is a new request.

        Each Ctrl-C is a new request, however quickly it follows.
        """
        before, self._last = self._last, (number, time.monotonic())
        if before is None or number not in ENDING or before[0] not in ENDING:
            return True
        return self._last[1] - before[1] > _ONE_REQUEST_S


class Interrupts:
    """A context manager that handles Ctrl-C, SIGTERM and SIGHUP, in the main thread.

    The first request sets `asked` and makes `wake` readable. The second raises `KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        """Prepare, without changing any handler yet."""
        self.asked = False
        self.terminated = False
        """Whether SIGTERM or SIGHUP arrived, perhaps at all processes."""
        self._requests = StopRequests()
        self.wake, self._write = os.pipe()

    def __enter__(self) -> Self:
        """Install the handlers."""
        self._before = {number: signal.signal(number, self._on_signal) for number in stop_signals()}
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the earlier handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.wake)
        os.close(self._write)

    def take(self) -> None:
        """Consume the byte that makes `wake` readable."""
        os.read(self.wake, 1)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.terminated = self.terminated or number in ENDING
        if not self._requests.is_new(number):
            return
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        os.write(self._write, b"!")

"""Ctrl-C in two steps: the first asks to stop, the second stops."""

import os
import signal
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Listens for Ctrl-C and SIGTERM while it is entered, in the main thread.

    The first one sets `asked` and makes `wake` readable. The second raises `KeyboardInterrupt`
    wherever the program is.
    """

    def __init__(self) -> None:
        """Prepare; nothing is changed yet."""
        self.asked = False
        self.wake, self._write = os.pipe()

    def __enter__(self) -> Self:
        """Start to listen."""
        self._before = {number: signal.signal(number, self._heard) for number in _SIGNALS}
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

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        os.write(self._write, b"!")

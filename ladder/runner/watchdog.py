"""A watchdog by which a process shows its parent that its work goes on."""

import time
from ctypes import c_double
from multiprocessing.sharedctypes import RawValue

_USUAL_S = 60.0
LONG_WORK_S = 1800.0
"""The deadline of long work, such as planning for hundreds of bots or building them."""


class SharedDeadline:
    """The time at which a process's next sign of life is due, shared with its parent.

    The monotonic clock goes on while a process is stopped.
    """

    def __init__(self) -> None:
        """Expect the first sign of life after the usual time."""
        self._due = RawValue(c_double, time.monotonic() + _USUAL_S)

    def beat(self, within_s: float = _USUAL_S) -> None:
        """Give a sign of life; the next is due within `seconds`."""
        self._due.value = time.monotonic() + within_s

    @property
    def is_overdue(self) -> bool:
        """Whether a sign of life is overdue."""
        return time.monotonic() > self._due.value

"""How a process shows whoever keeps it that its work goes on."""

import time
from ctypes import c_double
from multiprocessing.sharedctypes import RawValue

_USUAL_S = 60.0
LONG_WORK_S = 1800.0
"""What takes long, such as planning for hundreds of bots or building them, is done by then."""


class Watchdog:
    """Shared by a process and its keeper: until when the next sign of life is due.

    The clock is that of the whole system, which goes on while a process is stopped.
    """

    def __init__(self) -> None:
        """Expect the first sign after the usual time."""
        self._due = RawValue(c_double, time.monotonic() + _USUAL_S)

    def beat(self, within_s: float = _USUAL_S) -> None:
        """Show that the work goes on, and promise to do so again within so many seconds."""
        self._due.value = time.monotonic() + within_s

    @property
    def is_overdue(self) -> bool:
        """Whether a promise was not kept."""
        return time.monotonic() > self._due.value

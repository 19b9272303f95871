"""Ends a call of rules that does not return.

Python that loops is interrupted after 10 s of CPU time, and the call raises. Code in C that loops
is not: the system ends the process with SIGVTALRM after 30. CPU time is the process's own, so that
neither a busy machine nor a pause is held against the rules.
"""

import signal
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

CPU_SECONDS = 10.0
"""Of one call, before it is interrupted."""
LAST_CPU_SECONDS = 30.0
"""Before the system ends the process."""
ENDS_WITH = getattr(signal, "SIGVTALRM", None)
"""The signal that ends a process whose rules do not return; None where there is none."""


class OverrunError(BaseException):
    """A call of rules has used up its time; no `except Exception` in them stops it."""


class _Timer:
    """Times one call at a time, in the main thread of this process."""

    is_running = False
    _handles = False

    def call(self, act: Callable[[], T]) -> T:
        """Call this; raise `OverrunError` if it takes too long."""
        if self.is_running or not self._can_run():
            return act()
        self.is_running = True
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.setitimer(signal.ITIMER_VIRTUAL, LAST_CPU_SECONDS)
        try:
            return act()
        finally:
            self.is_running = False
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _can_run(self) -> bool:
        if ENDS_WITH is None or threading.current_thread() is not threading.main_thread():
            return False
        if not self._handles:
            signal.signal(signal.SIGPROF, self._interrupt)
            self._handles = True
        return True

    def _interrupt(self, *_: object) -> None:
        if self.is_running:  # else the call has just ended
            raise OverrunError(f"it did not return within {CPU_SECONDS:.0f} s of CPU time")


call_limited = _Timer().call

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

    def call(self, act: Callable[[], T]) -> T:
        """Call this; raise `OverrunError` if it takes too long."""
        main = threading.current_thread() is threading.main_thread()
        if self.is_running or ENDS_WITH is None or not main:
            return act()
        self.is_running = True
        others = signal.signal(signal.SIGPROF, self._interrupt)
        of_others, _ = signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.setitimer(signal.ITIMER_VIRTUAL, LAST_CPU_SECONDS)
        try:
            return act()
        finally:
            self.is_running = False
            left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGPROF, others)
            if of_others:  # a submission has a limit of its own, which this call used, too
                due = max(of_others - (CPU_SECONDS - left), 1e-6)
                signal.setitimer(signal.ITIMER_PROF, due)

    def _interrupt(self, *_: object) -> None:
        if self.is_running:  # else the call has just ended
            raise OverrunError(f"it did not return within {CPU_SECONDS:.0f} s of CPU time")


call_limited = _Timer().call

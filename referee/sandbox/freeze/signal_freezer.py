"""Keep processes stopped with signals, where the kernel offers no freezer.

SIGCONT wakes stopped processes, and a program can arrange to get one later: through timers, deaths
of other processes, terminals. At `strict` the system call filter refuses the known ways, at
`trusted` none. So this module looks at stopped processes again, soon after the stop and then less
often.

A look reads the CPU clock of each process in about a microsecond, and stops again what has run. Now
and then, and when the root process ran, it lists all processes anew. A process may take long to
stop without running an instruction of its own: freeing a gigabyte keeps the kernel busy for a tenth
of a second. So a process has woken if it was at rest and then ran, or if it was never at rest and
ran for some time outside the kernel.
"""

import signal
import time

from referee.sandbox.kernel import kernel

_SHORTEST_WAIT_S = 0.005
_LONGEST_WAITS_S = (0.02, 0.1)
"""Longest wait in a short stop, and in a long one, where idle bots should cost little."""
_LONG_NS = 2_000_000_000
_LOOKS_A_LISTING = 50
_SLIGHT_NS = 1_000_000
"""CPU time that a process at rest may seem to use while it leaves its core."""
_MOST_TICKS = 3
"""User time that a process not yet at rest may seem to use."""


class SignalFreezer:
    """Stops all processes below a root process, but not the root."""

    def __init__(self, root: int) -> None:
        """Prepare; `begin` stops the processes."""
        self._root = root
        self._root_ns = 0
        self._clocks: dict[int, int] = {}
        """CPU time of each stopped process at the last look."""
        self._unsettled: dict[int, int] = {}
        """Processes signalled but not yet seen at rest, with their user time then."""
        self._began_ns = 0
        self._looks = 0
        self.wait_s = _SHORTEST_WAIT_S
        """How long to wait before the next look."""
        self.used_ns = 0
        """CPU time used since the stop signal."""
        self.wakes = 0
        """Number of looks that found a process awake, over all stops."""

    def begin(self) -> bool:
        """Stop all processes; return False if they fork too fast for that."""
        self._clocks.clear()
        self._began_ns = time.monotonic_ns()
        self._looks = self.used_ns = 0
        self.wait_s = _SHORTEST_WAIT_S
        return self._stop()

    def look(self) -> bool:
        """Stop processes that woke; return False if they fork too fast for that."""
        self._looks += 1
        used_ns, woke = self._used()
        unknown = self._unknown() if self._looks % _LOOKS_A_LISTING == 1 or self._root_ran() else ()
        for process in unknown:
            used_ns += min(kernel.cpu_ns(process), time.monotonic_ns() - self._began_ns)
        self.used_ns += used_ns
        self.wakes += woke or bool(unknown)
        longest_s = _LONGEST_WAITS_S[time.monotonic_ns() - self._began_ns > _LONG_NS]
        self.wait_s = _SHORTEST_WAIT_S if used_ns else min(longest_s, 2 * self.wait_s)
        if woke or unknown:
            return self._stop()
        self._settle()
        return True

    def end(self) -> None:
        """Continue all processes."""
        self.used_ns += self._used()[0]
        kernel.send_signal(self._clocks, signal.SIGCONT)

    def _stop(self) -> bool:
        found = kernel.stop(self._root)
        if found is None:
            return False
        for process in found:
            self._clocks.setdefault(process, kernel.cpu_ns(process))
        self._root_ns = kernel.cpu_ns(self._root)
        self._unsettled = {process: kernel.user_ticks(process) for process in found}
        return True

    def _used(self) -> tuple[int, bool]:
        """Return the CPU time used since the last look, and whether a process woke."""
        used_ns, woke = 0, False
        for process, before_ns in list(self._clocks.items()):
            now_ns = kernel.cpu_ns(process)
            if not now_ns and kernel.is_gone(process):  # not a new one that has had no core yet
                # Its number may soon be another's.
                del self._clocks[process]
                self._unsettled.pop(process, None)
            elif now_ns > before_ns:
                self._clocks[process] = now_ns
                used_ns += now_ns - before_ns
                woke |= self._woke(process, now_ns - before_ns)
        return used_ns, woke

    def _woke(self, process: int, used_ns: int) -> bool:
        if process in self._unsettled:
            return kernel.user_ticks(process) - self._unsettled[process] >= _MOST_TICKS
        return used_ns > _SLIGHT_NS or not kernel.is_at_rest(process)

    def _root_ran(self) -> bool:
        """Return whether the root process ran, as it does when it reaps an orphan."""
        before_ns, self._root_ns = self._root_ns, kernel.cpu_ns(self._root)
        return self._root_ns != before_ns

    def _unknown(self) -> set[int]:
        return set(kernel.descendants(self._root)) - self._clocks.keys()

    def _settle(self) -> None:
        """Signal processes not at rest again: a SIGCONT may have crossed the first signal."""
        for process in [it for it in self._unsettled if kernel.is_at_rest(it)]:
            del self._unsettled[process]
        kernel.send_signal(self._unsettled, signal.SIGSTOP)

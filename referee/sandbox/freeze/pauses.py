"""Detect pauses of the referee itself, so that no bot is charged for them.

A timer of the event loop fires 20 times a second. If it fires late, and nothing else explains that
(`referee.core.verdicts.unexplained_ns`), a signal or debugger stopped this process, its container
or virtual machine was paused, or a disk or swap did not respond. A suspended machine shows in its
clocks: the monotonic clock stops, the boot clock does not.

A pause is noticed after its end, by the timer or at a verdict, whichever comes first. Its beginning
is known to one beat. Only the certain part counts, so up to one beat less.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from referee.core.verdicts import Pause, unexplained_ns
from referee.sandbox.kernel import kernel
from referee.sandbox.spawner import spawning_ns

_BEAT_S = 0.05
_BEAT_NS = 50_000_000
LEAST_NS = 60_000_000 if kernel.MEASURES_WAITS else 1_500_000_000
"""A shorter pause looks like a busy event loop, or, where waits are unknown, a busy machine."""
_NS_BETWEEN_SUMS = 250_000_000
_KEPT = 256
"""Number of recent pauses kept."""
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Pauses:
    """The pauses of one event loop, detected within `watching`. Not thread-safe."""

    def __init__(self) -> None:
        """Start without pauses."""
        self._watchers = 0
        self._beat_handle: asyncio.TimerHandle | None = None
        self._due_ns = 0
        """When the next beat is due."""
        self._late_ns = 0
        """When the beat counts as late: the next verdict then looks at once."""
        self._task = kernel.thread_times()
        self._task_ns = (0, 0)
        """CPU time and wait for a core of this thread, at the last beat or look."""
        self._summed_ns = 0
        """When the times of the other threads were last summed up, which is slow."""
        self._others_ns = 0
        """Their sum."""
        self._spawning_ns = 0
        """Time spent starting programs up to then."""
        self._suspended_ns = 0
        self._noticed: deque[Pause] = deque(maxlen=_KEPT)
        self.total = 0
        """Number of pauses so far."""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Detect pauses of the running event loop, within the context."""
        if not self._watchers:
            self._task.open()
            self._suspended_ns = _suspended_ns()
            self._sum_up_if_due(time.monotonic_ns())
            self._beat()
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers and self._beat_handle is not None:
                self._beat_handle.cancel()
                self._beat_handle = None
                self._task.close()

    def now_ns(self) -> int:
        """Return the monotonic time, after noting any pause before it."""
        now = time.monotonic_ns()
        if self._beat_handle is not None and now > self._late_ns:
            self._look(now)
        return now

    def look(self) -> None:
        """Note a pause since the last look, however recent."""
        self._look(time.monotonic_ns())

    def paused_us(self, since_ns: int) -> int:
        """Return how much of the time since this `now_ns` was paused, in microseconds."""
        self.now_ns()
        if not self._noticed or self._noticed[-1].seen_ns <= since_ns:
            return 0
        return sum(pause.counted_us for pause in self._noticed if pause.seen_ns > since_ns)

    def latest(self) -> Pause | None:
        """Return the last pause; None if none."""
        self.now_ns()
        return self._noticed[-1] if self._noticed else None

    def since(self, number: int) -> list[Pause]:
        """Return the pauses since `total` was this number."""
        self.now_ns()
        count = min(self.total - number, len(self._noticed))
        return list(self._noticed)[len(self._noticed) - count :]

    @property
    def waited_at_beat_ns(self) -> int:
        """The thread's total wait for a core at the last beat; costs nothing."""
        return self._task_ns[1]

    def waited_ns(self) -> int:
        """Return the thread's total wait for a core; 0 if unknown."""
        return self._task.read()[1]

    def _beat(self) -> None:
        now = time.monotonic_ns()
        if self._beat_handle is not None and now > self._late_ns:
            self._look(now)
        self._expect(now)
        self._sum_up_if_due(now)
        self._beat_handle = asyncio.get_running_loop().call_later(_BEAT_S, self._beat)

    def _expect(self, now: int) -> None:
        """Note the values that the next look compares with."""
        self._task_ns = self._task.read()
        self._due_ns = now + _BEAT_NS
        self._late_ns = self._due_ns + LEAST_NS

    def _sum_up_if_due(self, now: int) -> None:
        if now - self._summed_ns > _NS_BETWEEN_SUMS:
            self._sum_up(now)

    def _sum_up(self, now: int) -> None:
        self._summed_ns, self._others_ns = now, kernel.all_threads_ns() - sum(self._task.read())
        self._spawning_ns = spawning_ns()

    def _look(self, now: int) -> None:
        """Note a pause if nothing else explains a late beat."""
        starting_ns = spawning_ns() - self._spawning_ns
        paused_ns = unexplained_ns(now - self._due_ns, self._busy_ns(), starting_ns)
        suspended_ns = _suspended_ns()
        asleep_ns, self._suspended_ns = suspended_ns - self._suspended_ns, suspended_ns
        self._expect(now)
        if max(paused_ns, asleep_ns) < LEAST_NS:
            return
        counted_us = max(0, paused_ns) // 1000
        lasted_us = counted_us + max(0, asleep_ns) // 1000
        self._sum_up(now)
        self._noticed.append(Pause(now, counted_us, lasted_us, datetime.now(UTC)))
        self.total += 1

    def _busy_ns(self) -> int:
        """Return the CPU time and wait for a core of all threads; a little too much.

        Includes work of the other threads up to some tenths of a second earlier.
        """
        own_ns = sum(self._task.read())
        others_ns = kernel.all_threads_ns() - own_ns - self._others_ns
        return own_ns - sum(self._task_ns) + max(0, others_ns)


def _suspended_ns() -> int:
    """Return how long the machine has been suspended since boot."""
    return time.clock_gettime_ns(_BOOT_CLOCK) - time.monotonic_ns()

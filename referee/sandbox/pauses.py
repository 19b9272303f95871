"""When the referee itself was paused, so that no bot pays for that.

Theory of operation. A timer of the event loop that keeps the clocks is due 20 times a second. Where
it comes late, the loop was held up. The CPU time that the process's threads used meanwhile, their
wait for a core, and the start of a program are no pause: a bot can bring them about, or make them
longer. What is left is time in which nothing here ran or could have run: a signal stopped it, or a
debugger, its container or virtual machine was paused, or a disk or swap did not answer. A machine
that was suspended is known by its clocks: the monotonic clock stands still then, and the boot clock
does not.

A pause is noticed after its end, by the timer or by whoever is about to judge, whichever is first.
When it began is known to a beat. Only what is certain is counted, so up to one beat less.
"""

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from referee.sandbox import process_tree
from referee.sandbox.spawner import spawning_ns

_BEAT_S = 0.05
_BEAT_NS = 50_000_000
LEAST_NS = 60_000_000
"""A shorter one is not told from an event loop that has much to do."""
_NS_BETWEEN_SUMS = 250_000_000
_MOST_OF_A_START_NS = 1_000_000_000
"""A program's start is held to last no longer."""
_KEPT = 256
"""How many of the last pauses are remembered."""
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True, slots=True)
class Pause:
    """One time in which the referee did not run."""

    seen_ns: int
    """When it was noticed, on the monotonic clock."""
    counted_us: int
    """How much of it the monotonic clock has counted."""
    lasted_us: int
    """How long it was, the time included for which the machine was suspended."""
    ended: datetime
    """When it was noticed, in UTC."""

    def __str__(self) -> str:
        """Say how long it was and when it ended."""
        return f"the referee was paused for {self.lasted_us / 1e6:.1f} s until {self.ended:%X} UTC"


class Pauses:
    """The pauses of one event loop, noticed while somebody watches. For its thread alone."""

    def __init__(self) -> None:
        """Notice nothing yet."""
        self._watchers = 0
        self._beat_handle: asyncio.TimerHandle | None = None
        self._due_ns = 0
        """When the next beat is due."""
        self._late_ns = 0
        """From when on it is late: the next judge looks without waiting for it."""
        self._task = TaskTimes()
        self._task_ns = (0, 0)
        """CPU time of the thread and its wait for a core, at the last beat or look."""
        self._summed_ns = 0
        """When the times of the other threads were last summed up: that takes a while."""
        self._others_ns = 0
        """That sum."""
        self._spawning_ns = 0
        """How long programs had been started, then."""
        self._suspended_ns = 0
        self._noticed: deque[Pause] = deque(maxlen=_KEPT)
        self.total = 0
        """How many were noticed so far."""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Notice pauses in a running event loop, while the context lasts."""
        if not self._watchers:
            self._task.open()
            self._suspended_ns = _suspended_ns()
            self._sum_up(time.monotonic_ns())
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
        """Return the time on the monotonic clock; any pause before it is noticed first."""
        now = time.monotonic_ns()
        if self._beat_handle is not None and now > self._late_ns:
            self._look(now)
        return now

    def look(self) -> None:
        """Notice what pause there was since the last look, however soon that is."""
        self._look(time.monotonic_ns())

    def paused_us(self, since_ns: int) -> int:
        """Return how much of the time since `now_ns` was that much fell into pauses."""
        self.now_ns()
        if not self._noticed or self._noticed[-1].seen_ns <= since_ns:
            return 0
        return sum(pause.counted_us for pause in self._noticed if pause.seen_ns > since_ns)

    def last(self, since_ns: int) -> Pause | None:
        """Return the last pause that ended after a moment, if there was one."""
        self.now_ns()
        if self._noticed and self._noticed[-1].seen_ns > since_ns:
            return self._noticed[-1]
        return None

    def since(self, number: int) -> list[Pause]:
        """Return those that were noticed since `total` was this number."""
        self.now_ns()
        count = min(self.total - number, len(self._noticed))
        return list(self._noticed)[len(self._noticed) - count :]

    @property
    def waited_at_beat_ns(self) -> int:
        """How long the thread had waited for a core at the last beat; costs nothing."""
        return self._task_ns[1]

    def waited_ns(self) -> int:
        """Return how long the loop's thread has waited for a core, in all; 0 if unknown."""
        return self._task.read()[1]

    def _beat(self) -> None:
        now = time.monotonic_ns()
        if self._beat_handle is not None and now > self._late_ns:
            self._look(now)
        self._expect(now)
        if now - self._summed_ns > _NS_BETWEEN_SUMS:
            self._sum_up(now)
        self._beat_handle = asyncio.get_running_loop().call_later(_BEAT_S, self._beat)

    def _expect(self, now: int) -> None:
        """Note what the next look compares with."""
        self._task_ns = self._task.read()
        self._due_ns = now + _BEAT_NS
        self._late_ns = self._due_ns + LEAST_NS

    def _sum_up(self, now: int) -> None:
        self._summed_ns, self._others_ns = now, all_threads_ns() - sum(self._task.read())
        self._spawning_ns = spawning_ns()

    def _look(self, now: int) -> None:
        """Notice a pause, if the loop was held up by nothing else; a beat was not there in time."""
        paused_ns = now - self._due_ns - self._explained_ns()
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

    def _explained_ns(self) -> int:
        """Return for how long a look may be late though nothing was paused; too much by a little.

        What the other threads did some tenths of a second before is in it.
        """
        own_ns = sum(self._task.read())
        others_ns = all_threads_ns() - own_ns - self._others_ns
        starting_ns = min(spawning_ns() - self._spawning_ns, _MOST_OF_A_START_NS)
        return own_ns - sum(self._task_ns) + max(0, others_ns) + starting_ns


class TaskTimes:
    """Reads what the threads of this process have used of a core, and how long they waited."""

    def __init__(self) -> None:
        """Read nothing yet."""
        self._file = -1

    def open(self) -> None:
        """Read the times of this thread from now on; a kernel that keeps none gives zeros."""
        try:
            self._file = os.open(_schedstat(threading.get_native_id()), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._file = -1

    def close(self) -> None:
        """Read no more."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def read(self) -> tuple[int, int]:
        """Return the thread's CPU time and its wait for a core until now, in nanoseconds."""
        if self._file < 0:
            return 0, 0
        try:
            return _times(os.pread(self._file, 64, 0))
        except (OSError, ValueError):
            return 0, 0


def all_threads_ns() -> int:
    """Return how long the threads of this process have run or waited for a core, in all.

    One that holds the interpreter's lock holds up all others.
    """
    total = 0
    for thread in process_tree.threads(os.getpid()):
        try:
            total += sum(_times(process_tree.read(_schedstat(int(thread))).encode()))
        except ValueError:  # it has ended
            continue
    return total


def _schedstat(thread: int) -> str:
    return f"/proc/self/task/{thread}/schedstat"


def _times(line: bytes) -> tuple[int, int]:
    cpu, waited, _ = line.split()
    return int(cpu), int(waited)


def _suspended_ns() -> int:
    """Return for how long the machine was suspended since it was started."""
    return time.clock_gettime_ns(_BOOT_CLOCK) - time.monotonic_ns()

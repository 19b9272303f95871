"""Stop a program between its turns, and keep it stopped.

The event loop only sets the time: the watchdog's thread does the stopping, so that programs are
also stopped between matches, when no loop runs.
"""

import math
import threading
import time

from referee.core.verdicts import owed_us, stays_stopped, unsure_ns
from referee.sandbox.freeze.signal_freezer import SignalFreezer
from referee.sandbox.launch import Launched


class Stopper:
    """Stops one program with a control group, or else with signals. Thread-safe."""

    def __init__(self, launched: Launched) -> None:
        """Prepare; once added to the watchdog, it stops the program when that is due."""
        self._launched = launched
        self._freezer: SignalFreezer | None = None
        self._lock = threading.Lock()
        self._is_closed = False
        self.due = math.inf
        """When to look at the program next."""
        self.since: float | None = None
        """When it was stopped; None while it may run."""
        self.changed = 0.0
        """When it was last stopped or continued, or seen to have run while stopped."""
        self.overrun = ""
        """Why the program was killed; empty if it was not."""
        self._unsure_until = 0.0
        """Until when a wake may be the fault of something else."""

    def stop_in(self, seconds: float) -> None:
        """Stop it after so long, unless `go_on` comes first."""
        with self._lock:
            if self.since is None and not self._is_closed:
                self.due = time.monotonic() + seconds

    def stop(self) -> None:
        """Stop it now, unless it is stopped already."""
        with self._lock:
            if self.since is None and not self._is_closed:
                self._stop()

    def go_on(self) -> int:
        """Continue it; return the CPU time in microseconds that it used while stopped.

        0 if a stop may cost that much, and where the kernel freezes it.
        """
        with self._lock:
            self.due = math.inf
            if self.since is None or self._is_closed:
                return 0
            self.since, self.changed = None, time.monotonic()
            if self._freezer is None:
                if self._launched.group is not None:
                    self._launched.group.thaw()
                return 0
            self._freezer.end()
            return owed_us(self._freezer.used_ns // 1000)

    def close(self) -> None:
        """Never stop or continue the program again."""
        with self._lock:
            self._is_closed, self.due = True, math.inf

    def look(self) -> None:
        """Stop it if that is due, or stop again what woke."""
        with self._lock:
            now = time.monotonic()
            if self.due > now:  # `go_on` came meanwhile
                return
            self._unsure_until = max(self._unsure_until, now + unsure_ns(now - self.due) / 1e9)
            if self.since is None:
                self._stop()
            elif self._freezer is not None:
                self._look_again(self._freezer)

    def _stop(self) -> None:
        self.since = self.changed = time.monotonic()
        self.due = math.inf
        if self._launched.group is not None:
            self._launched.group.freeze()
            return
        if self._freezer is None:
            self._freezer = SignalFreezer(self._launched.root)
        self._check(self._freezer, can_be_held=self._freezer.begin())

    def _look_again(self, freezer: SignalFreezer) -> None:
        used_ns, wakes = freezer.used_ns, freezer.wakes
        can_be_held = freezer.look()
        if time.monotonic() < self._unsure_until:
            freezer.wakes = wakes
        if freezer.used_ns > used_ns:  # unfinished kernel work may fill memory
            self.changed = time.monotonic()
        self._check(freezer, can_be_held=can_be_held)

    def _check(self, freezer: SignalFreezer, *, can_be_held: bool) -> None:
        """Kill a program that does not stay stopped; else schedule the next look."""
        if not can_be_held:
            self.overrun = "its processes start others too fast to be stopped"
        elif not stays_stopped(freezer.wakes, freezer.used_ns):
            self.overrun = "it did not stay stopped while others were to move"
        if self.overrun:
            self._launched.end()
            self.due = math.inf
        else:
            self.due = time.monotonic() + freezer.wait_s

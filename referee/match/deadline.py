"""Wait for a bot until it has worked for its allowed time."""

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

from referee.core.clock import NOT_MEASURED
from referee.core.verdicts import patience_us
from referee.match.decision_timing import DecisionTiming

T = TypeVar("T")

_NOTED_AFTER_US = 100_000
"""A longer decision may need a verdict: its measurements start then."""
_LATE_S = 0.005
_TURN_US = 20_000
"""Lets the event loop read what has arrived before the verdict."""


async def in_time(timing: DecisionTiming, allowed_us: int, awaited: Awaitable[T]) -> T:
    """Await the bot's answer; raise `TimeoutError` once it has worked longer than allowed."""
    async with asyncio.timeout(None) as patience:
        deadline = _Deadline(timing, allowed_us, patience)
        try:
            return await awaited
        finally:
            deadline.stop()


class _Deadline:
    """Checks now and then whether the time is over.

    A check that is itself late gives no verdict, as an unread answer may have arrived.
    """

    def __init__(self, timing: DecisionTiming, allowed_us: int, patience: asyncio.Timeout) -> None:
        self._timing = timing
        self._allowed_us = allowed_us
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._has_read = False
        self._look_in(min(_NOTED_AFTER_US, patience_us(NOT_MEASURED, allowed_us)))

    def _look_in(self, in_us: int) -> None:
        self._due_s = time.monotonic() + in_us / 1e6
        self._handle = self._loop.call_later(in_us / 1e6, self._look)

    def _look(self) -> None:
        is_late = time.monotonic() > self._due_s + _LATE_S
        self._timing.note()
        left_us = self._timing.patience_us(self._allowed_us)
        if not left_us and is_late and not self._has_read:
            self._has_read = True
            left_us = _TURN_US
        if left_us:
            self._look_in(left_us)
        else:
            self._patience.reschedule(self._loop.time())

    def stop(self) -> None:
        """Stop checking."""
        self._handle.cancel()

"""A seat's time account. Pure arithmetic: the match runner measures."""

import operator
from dataclasses import dataclass, fields
from typing import NamedTuple

from referee.core.by_value import by_value
from referee.core.errors import UsageError

_LONGEST_MS = 24 * 60 * 60 * 1000


@by_value
@dataclass(frozen=True, slots=True)
class ClockConfig:
    """The time control of a match, in milliseconds."""

    startup_ms: int = 10_000
    """From the start of a bot's process to its Hello."""
    decision_limit_ms: int = 5_000
    """Time limit of one decision."""
    bank_ms: int = 30_000
    """Time bank at the start of a match."""
    increment_ms: int = 200
    """Time that each decision but the first adds to the bank."""

    def __post_init__(self) -> None:
        """Raise `UsageError` if a time is out of range."""
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name == "increment_ms" else 1
            if not least <= value <= _LONGEST_MS:
                name = field.name.removesuffix("_ms").replace("_", " ")
                raise UsageError(
                    f"the clock's {name} is {value / 1000:.10g} s: "
                    f"it must be from {least / 1000:g} to {_LONGEST_MS // 1000} s"
                )


class Measured(NamedTuple):
    """Times measured for one decision besides the charged time, in microseconds."""

    wall_us: int = 0
    """From just before the request is sent to the arrival of the answer."""
    cpu_us: int = 0
    """CPU time of the bot, as far as measured."""
    delay_us: int = 0
    """How long the bot waited for a core; at most `wall_us`."""
    credited_us: int = 0
    """How long the referee was paused, minus work that the bot is known to have done meanwhile."""

    def plus(self, other: "Measured") -> "Measured":
        """Return the sum of both, of one decision in two steps."""
        return Measured(*map(operator.add, self, other))

    @property
    def running_us(self) -> int:
        """The wall time minus the pauses of the referee."""
        return self.wall_us - self.credited_us

    @property
    def worked_us(self) -> int:
        """The bot's work: running time minus the wait for a core, but at least its CPU time.

        Threads that wait for each other count as working, as together they use a core.
        """
        return min(self.running_us, max(self.cpu_us, self.running_us - self.delay_us))

    def uncharged(self, charged_us: int) -> str:
        """Return charged and wall time as text; empty if they are about equal."""
        if self.wall_us - charged_us < _SAME_US:
            return ""
        return f"charged {charged_us // 1000} ms, {self.wall_us // 1000} ms on the wall"


def took(us: float) -> str:
    """Format microseconds as milliseconds, or from one second on as seconds."""
    ms = us / 1000
    return f"{ms / 1000:.2f} s" if us >= _A_SECOND_US else f"{ms:.1f} ms"


_A_SECOND_US = 1_000_000
_SAME_US = 100_000
"""Texts do not tell apart times that differ by less."""
NOT_MEASURED = Measured()


class Clock:
    """The time account of one seat in one match."""

    def __init__(self, config: ClockConfig) -> None:
        """Fill the bank."""
        self._limit_us = config.decision_limit_ms * 1000
        self._increment_us = config.increment_ms * 1000
        self.bank_us = config.bank_ms * 1000
        self._decisions = 0

    def grant(self) -> int:
        """Begin a decision: add the increment and return the allowed time in microseconds."""
        if self._decisions:
            self.bank_us += self._increment_us
        self._decisions += 1
        return min(self._limit_us, self.bank_us)

    def charge(self, elapsed_us: int) -> None:
        """Charge a decision; the bank never goes below zero."""
        self.bank_us = max(0, self.bank_us - elapsed_us)

"""A seat's time account. Pure arithmetic: whoever drives the match measures."""

from dataclasses import dataclass, fields

from referee.core.errors import UsageError

_LONGEST_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class ClockConfig:
    """How time is counted in a match; all in milliseconds."""

    startup_ms: int = 10_000
    """From the start of a bot's process to its Hello."""
    decision_limit_ms: int = 5_000
    """The most that one decision may take."""
    bank_ms: int = 30_000
    """What the bank holds at the start of a match."""
    increment_ms: int = 200
    """What each decision but the first adds to the bank."""

    def __post_init__(self) -> None:
        """Refuse what no clock can hold."""
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name == "increment_ms" else 1
            if not least <= value <= _LONGEST_MS:
                name = field.name.removesuffix("_ms").replace("_", " ")
                raise UsageError(
                    f"the clock's {name} is {value / 1000:.10g} s: "
                    f"it must be from {least / 1000:g} to {_LONGEST_MS // 1000} s"
                )


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one decision beside the time that was charged; in microseconds."""

    wall_us: int = 0
    """From before the sending of the request to the arrival of the answer."""
    cpu_us: int = 0
    """CPU time that the bot was seen to use."""
    delay_us: int = 0
    """Time for which the bot was seen to wait for a core; at most the time on the wall."""
    credited_us: int = 0
    """Time for which the referee was paused, as far as the bot is not known to have worked then."""

    @property
    def running_us(self) -> int:
        """The time on the wall without the time in which the referee was paused."""
        return self.wall_us - self.credited_us

    @property
    def worked_us(self) -> int:
        """How long the bot worked: the wait for a core left out, but never less than CPU time.

        Threads that wait for each other count as working: together they use a core.
        """
        return min(self.running_us, max(self.cpu_us, self.running_us - self.delay_us))

    def uncharged(self, charged_us: int) -> str:
        """Say what was charged and what passed on the wall; empty if that is the same."""
        if self.wall_us - charged_us < _SAME_US:
            return ""
        return f"charged {charged_us // 1000} ms, {self.wall_us // 1000} ms on the wall"


_SAME_US = 100_000
"""Times that differ by less are told as one."""
NOT_MEASURED = Measured()

GRACE_US = 50_000
"""How much longer than allowed an answer is waited for, so that a late one can be called late."""
_MOST_TIMES_ALLOWED = 4
"""How many times longer than allowed a bot is waited for that the machine does not let run."""


def patience_us(measured: Measured, allowed_us: int) -> int:
    """Return how much longer to wait for an answer, in microseconds; 0 is not at all.

    A bot that spins on a crowded machine works up what it is allowed, however slowly; one that
    sleeps has done so when its time on the wall is over.
    """
    if measured.running_us >= _MOST_TIMES_ALLOWED * allowed_us + GRACE_US:
        return 0
    return max(0, allowed_us + GRACE_US - measured.worked_us)


def is_starved(measured: Measured, allowed_us: int) -> bool:
    """Tell whether a decision took longer than allowed because the bot was not let run."""
    return measured.worked_us <= allowed_us < measured.running_us


class Clock:
    """What one seat has left in one match."""

    def __init__(self, config: ClockConfig) -> None:
        """Fill the bank."""
        self._limit_us = config.decision_limit_ms * 1000
        self._increment_us = config.increment_ms * 1000
        self.bank_us = config.bank_ms * 1000
        self._decisions = 0

    def grant(self) -> int:
        """Begin a decision: add the increment and return how many microseconds it may take."""
        if self._decisions:
            self.bank_us += self._increment_us
        self._decisions += 1
        return min(self._limit_us, self.bank_us)

    def charge(self, elapsed_us: int) -> None:
        """Pay for a decision; the bank never goes below zero."""
        self.bank_us = max(0, self.bank_us - elapsed_us)

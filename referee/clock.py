"""A seat's time account. Pure arithmetic: whoever drives the match measures."""

from dataclasses import dataclass, fields

from referee.errors import UsageError

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
                raise UsageError(
                    f"the clock's {field.name} is {value}: "
                    f"it must be from {least} to {_LONGEST_MS} milliseconds"
                )


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

"""Where a run reports to, whoever shows it."""

from typing import Protocol


class Progress(Protocol):
    """Where a run reports to."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Take notice of how many matches the run will play in all; None if nobody knows.

        After so many seconds from now it begins no more of them; None if there is no such limit.
        """

    def advance(self, decisions: int) -> None:
        """Take notice of a match that is over, with so many decisions."""

    def tell(self, status: str) -> None:
        """Show from now on how far the run's question is answered."""

    def say(self, text: str) -> None:
        """Tell people one line."""

    def warn(self, text: str) -> None:
        """Tell people one line about something that went wrong."""

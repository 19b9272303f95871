"""The interface through which a run reports its progress."""

from collections.abc import Sequence
from typing import Protocol


class Progress(Protocol):
    """Receives the progress of a run, or of one after another."""

    def begin(self) -> None:
        """Count from zero: a run begins."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Note how many matches the run will play in all; None if unknown.

        The run begins no match after `seconds` from now; None if there is no time limit.
        """

    def advance(self, decisions: int) -> None:
        """Count a finished match and its decisions."""

    def tell(self, status: str) -> None:
        """Show this status from now on: how close the run is to its answer."""

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Show the workers of the cluster, each with how many matches it has played."""

    def say(self, text: str) -> None:
        """Print one line."""

    def warn(self, text: str) -> None:
        """Print one line of warning."""

"""The schedule as it is shown: how far it is, what comes next, and every match on some sheet."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.models import MatchLine
from ladder.web.data import Snapshot

SHEET = 100
"""Matches on a sheet. All sheets but the last are full and do not change any more."""
LATEST_SHOWN = 25
NEXT_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Sheet:
    """Some matches in a row."""

    number: int
    """From 1."""
    first: int
    """The number of its first match among those that are finished, from 1."""
    lines: Sequence[MatchLine]

    @property
    def last(self) -> int:
        """The number of its last match."""
        return self.first + len(self.lines) - 1

    @property
    def name(self) -> str:
        """The name of its page."""
        return f"{self.number}.html"


@dataclass(frozen=True, slots=True)
class Rounds:
    """How far the schedule is."""

    round: int
    """The last one that was begun; 0 if there is none."""
    done: int
    kept: int
    """Done, but not public yet."""
    waiting: int
    void: int
    next: Sequence[MatchLine]
    latest: Sequence[MatchLine]
    """The newest first."""
    sheets: Sequence[Sheet]

    @property
    def planned(self) -> int:
        """How many matches there are, in whatever state."""
        return self.done + self.kept + self.waiting + self.void


def rounds(snapshot: Snapshot) -> Rounds:
    """Return how far a ladder's schedule is."""
    begun = [line.round for line in snapshot.finished[-1:]]
    begun += [match.round for match in snapshot.waiting[:1]]
    return Rounds(
        round=max(begun, default=0),
        done=len(snapshot.finished),
        kept=snapshot.kept,
        waiting=len(snapshot.waiting),
        void=snapshot.void,
        next=snapshot.waiting[:NEXT_SHOWN],
        latest=snapshot.finished[: -LATEST_SHOWN - 1 : -1],
        sheets=sheets(snapshot.finished),
    )


def sheets(finished: Sequence[MatchLine]) -> list[Sheet]:
    """Return all finished matches, in the order in which they were scheduled."""
    return [
        Sheet(number, first + 1, finished[first : first + SHEET])
        for number, first in enumerate(range(0, len(finished), SHEET), start=1)
    ]

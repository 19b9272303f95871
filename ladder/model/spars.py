"""Spars: unrated matches that an author asks for, of an own bot against named opponents."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.model.bots import Version
from ladder.model.matches import MatchLine, MatchState

MOST_MATCHES = 10_000
"""The most matches of a spar, and the largest budget of an author for a day."""
MATCHES_A_DAY = 100
"""The default budget of each author."""


@dataclass(frozen=True, slots=True)
class Spar:
    """A request for unrated matches."""

    id: int
    author: str | None
    """The author that asked; None is the ladder's owner."""
    challenger: Version
    asked_at: str
    """UTC, ISO 8601."""
    shared_as: str | None
    """The token of the link by which anyone may see the results; None: they are private."""
    matches: Sequence[MatchLine]
    """All its matches, in order. Their round is the spar's id."""

    @property
    def opponents(self) -> Sequence[Version]:
        """The other versions, in the order in which they sit down first."""
        seated = (seat.version for match in self.matches for seat in match.seats)
        found = {v.id: v for v in seated if v is not None and v.id != self.challenger.id}
        return [*found.values()]

    @property
    def waiting(self) -> int:
        """How many matches are still to be played."""
        return sum(match.state is MatchState.PLANNED for match in self.matches)

    def seat(self, match: MatchLine) -> int:
        """Return the challenger's seat in a match."""
        return match.seating.index(self.challenger.id)


def tables(challenger: int, opponents: Sequence[int], matches: int, seats: int) -> list[list[int]]:
    """Return the version ids by seat for each match.

    The challenger has one seat, each seat in turn; the opponents take turns on the others.
    """
    found = []
    for number in range(matches):
        first = number * (seats - 1)
        others = [opponents[(first + i) % len(opponents)] for i in range(seats - 1)]
        others.insert(number % seats, challenger)
        found.append(others)
    return found

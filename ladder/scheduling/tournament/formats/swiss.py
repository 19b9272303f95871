"""Swiss: a fixed number of rounds, in which entrants with similar scores meet.

In the first round table t of T has the seeds t, t + T, t + 2 T and so on, so that favourites meet
late. Later the entrants are sorted by score, then seed, and `pairing` cuts the line into tables,
avoiding rematches.

At tables of three or more everyone plays every round, at the fewest tables that seat all; their
sizes differ by at most one, and those lower in line sit at the smaller ones. At tables of two an
odd entrant has a bye, which scores 1/2: among those with the fewest byes, the one whose absence
leaves the fewest rematches, and of these the last in line. So nobody has a second bye before all
have had one. A given bye, such as for a missed round, is not one of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import circles
from ladder.scheduling.tournament.formats.base import Field, Line, Meeting, Totals, check, idle
from ladder.scheduling.tournament.formats.pairing import Group, rematches, seat, sizes_of
from ladder.scheduling.tournament.formats.tables import (
    DIRECT,
    FIRSTS,
    OPPONENTS,
    SEED,
    table_of_sums,
)


@dataclass(frozen=True, slots=True)
class Swiss:
    """The Swiss format; `rounds` None means `rounds_needed`."""

    rounds: int | None = None
    lots_by_id: bool = False
    """Whether the search draws its lots as in tournaments begun under version 1 of pairing."""
    shared_places: bool = True
    """Whether equals share a place; not in tournaments begun before they could."""
    tie_breaks: tuple[str, ...] = (DIRECT, OPPONENTS, FIRSTS, SEED)
    has_winner: bool = True

    def play_on(self, field: Field) -> list[Meeting]:  # noqa: ARG002 - as every format is asked
        """Return nothing: no entrant is eliminated, so a meeting may end level."""
        return []

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the meetings of the next round."""
        check(field)
        number = field.rounds
        playing = field.pairable(number)
        wanted = self.rounds or rounds_needed(len(field.entrants), field.seats)
        if number >= wanted or len(playing) < 2:  # noqa: PLR2004 - a comparison needs two
            return []
        groups = self._by_score(playing, field) if number else _by_seed(playing, field.seats)
        before = circles.counted(result.meeting for result in field.results)
        return [Meeting(number, circles.seated(group, before)) for group in groups]

    def _by_score(self, playing: Sequence[VersionId], field: Field) -> list[Group]:
        """Return the tables of a later round."""
        tally = Totals(field)
        line = sorted(playing, key=lambda e: (-tally.total(e), field.seed(e)))
        if field.seats > 2 or len(line) % 2 == 0:  # noqa: PLR2004 - pairs
            return seat(
                line, sizes_of(len(line), field.seats), tally.met, lots_by_id=self.lots_by_id
            )
        fewest = min(tally.chosen_byes[e] for e in line)
        best: list[Group] = []
        for resting in (e for e in reversed(line) if tally.chosen_byes[e] == fewest):
            others = [e for e in line if e != resting]
            pairs = seat(others, [2] * (len(others) // 2), tally.met, lots_by_id=self.lots_by_id)
            if not best or rematches(pairs, tally.met) < rematches(best, tally.met):
                best = pairs
            if not rematches(best, tally.met):
                break
        return best

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return who has a bye."""
        return idle(field, meetings)

    def table(self, field: Field) -> list[Line]:
        """Order by the sum of scores, including byes."""
        return table_of_sums(field, shared_places=self.shared_places)


def rounds_needed(entrants: int, seats: int) -> int:
    """Return enough rounds for a single leader, and up to two more without forced rematches."""
    rounds, leaders = 0, 1
    while leaders < entrants:
        rounds, leaders = rounds + 1, leaders * seats
    return max(rounds, min(rounds + 2, _without_rematch(entrants, seats)))


def _without_rematch(entrants: int, seats: int) -> int:
    """Return an upper bound of the rounds that are possible without a rematch."""
    if seats == 2:  # noqa: PLR2004 - each round of an odd field leaves one out
        return entrants - 1 + entrants % 2
    sizes = sizes_of(entrants, seats)
    if sizes[0] > len(sizes):
        return 1  # two of the next table have met
    return (entrants - 1) // (sizes[0] - 1)


def _by_seed(playing: Sequence[VersionId], seats: int) -> list[Group]:
    """Return the tables of the first round."""
    even = playing[: len(playing) - len(playing) % 2] if seats == 2 else playing  # noqa: PLR2004 - pairs
    tables = -(-len(even) // seats)
    return [tuple(even[t::tables]) for t in range(tables)]

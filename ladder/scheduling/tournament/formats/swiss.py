"""Swiss: a fixed number of rounds, in which entrants with similar scores meet.

In the first round table t of T has the seeds t, t + T, t + 2 T and so on, so that favourites meet
late. Later the entrants are sorted by score, then seed, and `pairing` cuts the line into tables. In
all rounds it avoids forbidden pairs, then rematches, then meetings of one author's bots.

At tables of three or more everyone plays every round, at the fewest tables that seat all without a
forbidden pair; their sizes differ by at most one, and those lower in line sit at the smaller ones.
At tables of two an odd entrant has a bye, which scores 1/2: among those with the fewest byes, the
one whose absence leaves the fewest rematches, and of these the last in line. So no bot has a second
bye before all have had one. A given bye, such as for a missed round, is not one of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import circles
from ladder.scheduling.tournament.formats.apart import Apart, Pair, pairs_at, weighed
from ladder.scheduling.tournament.formats.base import Field, Line, Meeting, Totals, check, idle
from ladder.scheduling.tournament.formats.pairing import Group, parted, seat, sizes_of
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
        groups = self._groups(playing, field)
        before = circles.counted(result.meeting for result in field.results)
        return [Meeting(number, circles.seated(group, before)) for group in groups]

    def _groups(self, playing: Sequence[VersionId], field: Field) -> Sequence[Group]:
        """Return the tables of the next round; more than needed if that parts forbidden pairs."""
        tally = Totals(field)
        line = sorted(playing, key=lambda e: (-tally.total(e), field.seed(e)))
        may_rest: list[VersionId] = []
        if field.seats == 2 and len(line) % 2:  # noqa: PLR2004 - pairs
            fewest = min(tally.chosen_byes[e] for e in line)
            may_rest = [e for e in reversed(line) if tally.chosen_byes[e] == fewest]
        there = len(line) - bool(may_rest)
        least = -(-there // field.seats)
        found: list[Sequence[Group]] = []
        for tables in range(least, 1 + max(least, there // 2)):
            found.append(
                _seated(
                    tuple(line),
                    tuple(may_rest),
                    tuple(sizes_of(there, tables)),
                    frozenset(tally.met.items()) if field.rounds else None,
                    field.apart,
                    lots_by_id=self.lots_by_id,
                )
            )
            if not field.apart.forbidden_at(found[-1]):
                return found[-1]
        return found[0]

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return the entrants that have a bye."""
        return idle(field, meetings)

    def table(self, field: Field) -> list[Line]:
        """Order by the sum of scores, including byes."""
        return table_of_sums(field, shared_places=self.shared_places)


@lru_cache(maxsize=16)
def _seated(
    line: tuple[VersionId, ...],
    may_rest: tuple[VersionId, ...],
    sizes: tuple[int, ...],
    met: frozenset[tuple[Pair, int]] | None,
    apart: Apart,
    *,
    lots_by_id: bool,
) -> Sequence[Group]:
    """Return a line at tables of these sizes; `met` is None in the first round.

    If some may rest, without the first of those whose absence leaves the least clashes. Each look
    at a tournament works out all its rounds, so those found last are kept.
    """
    times = dict(met or ())
    weights = weighed(line, pairs_at(sizes), apart.forbidden, times, fellows=apart.fellows)
    best: Sequence[Group] = ()
    for resting in [[e] for e in may_rest] or [[]]:
        there = [e for e in line if e not in resting]
        if met is None:
            found = parted([there[t :: len(sizes)] for t in range(len(sizes))], weights)
        else:
            found = seat(there, sizes, weights, times, lots_by_id=lots_by_id)
        if not best or weights.at(found) < weights.at(best):
            best = found
        if not weights.at(best):
            break
    return best


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
    sizes = sizes_of(entrants, -(-entrants // seats))
    if sizes[0] > len(sizes):
        return 1  # two of the next table have met
    return (entrants - 1) // (sizes[0] - 1)

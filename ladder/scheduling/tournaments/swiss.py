"""A Swiss tournament: some rounds, in each of which those meet who stand alike.

In the first round table t of T has the seeds t, t + T, t + 2 T and so on, so that favourites meet
late. Later the entrants are lined up by score, then seed; from the top each table takes those next
in line, and no two meet again while that can be avoided. Who cannot be seated has a bye: the last
in line of those with the fewest byes. A bye scores 1/2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line, Meeting, Tally, check
from ladder.scheduling.tournaments.tables import (
    DIRECT,
    FIRSTS,
    OPPONENTS,
    SEED,
    points_table,
)

_TRIES = 20_000
"""So many steps are spent on a round without rematches before those with the fewest are taken."""


@dataclass(frozen=True, slots=True)
class Swiss:
    """So many rounds; None: enough for one leader, ceil(log n / log k), and two more."""

    rounds: int | None = None
    tie_breaks: tuple[str, ...] = (DIRECT, OPPONENTS, FIRSTS, SEED)

    def play_on(self, field: Field) -> list[Meeting]:  # noqa: ARG002 - as every format is asked
        """Return nothing: nobody is out, so a meeting may end level."""
        return []

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the next round's tables."""
        check(field)
        number = field.rounds
        if number >= (self.rounds or rounds_needed(len(field.entrants), field.seats)):
            return []
        if len(field.entrants) <= field.seats:
            return [Meeting(number, tuple(field.entrants))]
        tally = Tally(field)
        line = sorted(field.entrants, key=lambda e: (-tally.total(e), field.seed(e)))
        playing = _without_byes(line, field.seats, tally)
        if number == 0:
            tables = len(playing) // field.seats
            groups = [tuple(playing[t::tables]) for t in range(tables)]
        else:
            groups = _neighbours(playing, field.seats, tally)
        return [Meeting(number, group) for group in groups]

    def table(self, field: Field) -> list[Line]:
        """Order by the sum of scores, byes included."""
        return points_table(field, mean=False)


def rounds_needed(entrants: int, seats: int) -> int:
    """Return the usual number of rounds."""
    rounds, leaders = 2, 1
    while leaders < entrants:
        rounds, leaders = rounds + 1, leaders * seats
    return rounds


def _without_byes(line: Sequence[VersionId], seats: int, tally: Tally) -> list[VersionId]:
    """Leave out those that have a bye."""
    sitting_out = len(line) % seats
    last_first = list(reversed(line))
    resting = set(sorted(last_first, key=lambda e: tally.byes[e])[:sitting_out])
    return [entrant for entrant in line if entrant not in resting]


def _neighbours(line: Sequence[VersionId], seats: int, tally: Tally) -> list[tuple[VersionId, ...]]:
    """Cut the line into tables without rematches; if there is no such way, with few."""
    tries = iter(range(_TRIES))

    def cut(waiting: list[VersionId]) -> list[tuple[VersionId, ...]] | None:
        if not waiting:
            return []
        first, *others = waiting
        for joining in combinations(others, seats - 1):
            if next(tries, None) is None:
                return None
            group = (first, *joining)
            if any(tally.met[pair] for pair in combinations(group, 2)):
                continue
            if (rest := cut([e for e in others if e not in joining])) is not None:
                return [group, *rest]
        return None

    return cut(list(line)) or _with_few_rematches(line, seats, tally)


def _with_few_rematches(
    line: Sequence[VersionId], seats: int, tally: Tally
) -> list[tuple[VersionId, ...]]:
    """Let each table be joined by those next in line that it met least."""
    groups, waiting = [], list(line)
    while waiting:
        group = [waiting.pop(0)]
        while len(group) < seats:
            least = min(waiting, key=lambda e: sum(tally.met[e, o] for o in group))
            waiting.remove(least)
            group.append(least)
        groups.append(tuple(group))
    return groups

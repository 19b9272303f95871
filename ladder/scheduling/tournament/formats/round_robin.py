"""Round robin: every entrant meets every other.

At tables of two the circle method gives n - 1 rounds (n for odd n, with a bye each) in which every
pair meets once. At larger tables `designs` gives the tables: in one cycle every pair meets at least
once, and numbers of meetings differ by at most one, also after several cycles. The score is the
mean of the scores against each other entrant, each counting once, however often they met. So a bot
that always beats another is placed before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import arrangements, circles, designs
from ladder.scheduling.tournament.formats.base import Field, Line, Meeting, check, idle
from ladder.scheduling.tournament.formats.tables import (
    DIRECT,
    FIRSTS,
    OPPONENTS,
    SEED,
    table_of_means,
)

Group = tuple[int, ...]
Round = tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every pair meets, `cycles` times over."""

    cycles: int = 1
    arranged: bool = True
    """Whether small fields play by `arrangements`; not in tournaments begun before there were any.
    """
    shared_places: bool = True
    """Whether equals share a place; not in tournaments begun before they could."""
    tie_breaks: tuple[str, ...] = (DIRECT, OPPONENTS, FIRSTS, SEED)
    has_winner: bool = True

    def play_on(self, field: Field) -> list[Meeting]:  # noqa: ARG002 - as every format is asked
        """Return nothing: no entrant is eliminated, so a meeting may end level."""
        return []

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the next round, which the seeds have fixed."""
        check(field)
        schedule = self.schedule(len(field.entrants), field.seats)
        number = field.rounds
        if number >= len(schedule):
            return []
        return [
            Meeting(number, tuple(field.entrants[i] for i in group)) for group in schedule[number]
        ]

    def schedule(self, n: int, seats: int) -> tuple[Round, ...]:
        """Return all rounds for entrants numbered from 0."""
        return schedule_of(n, seats, self.cycles, arranged=self.arranged)

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:
        """Return the entrants without a table."""
        return idle(field, meetings)

    def table(self, field: Field) -> list[Line]:
        """Order by the mean score over the opponents; byes do not count."""
        return table_of_means(field, shared_places=self.shared_places)


@cache
def schedule_of(n: int, seats: int, cycles: int = 1, *, arranged: bool = True) -> tuple[Round, ...]:
    """Return the rounds of `cycles` cycles for entrants numbered from 0."""
    if n <= seats:
        rounds: list[Round] = [(tuple(range(n)),)] * cycles
    elif seats == 2:  # noqa: PLR2004 - pairs have a plan of their own
        rounds = list(_circle_method(n)) * cycles
    elif arranged and (known := arrangements.of_cycles(n, seats, cycles)) is not None:
        rounds = [tuple(groups) for groups in known]
    else:
        rounds = [r for tables in designs.cycles(n, seats, cycles) for r in _packed(tables)]
    seated = iter(circles.evened_out([group for groups in rounds for group in groups]))
    return tuple(tuple(next(seated) for _ in groups) for groups in rounds)


def _circle_method(n: int) -> Iterator[Round]:
    """Keep the first entrant in place and rotate the others by one each round; None is the bye."""
    ring: list[int | None] = [*range(n), *[None] * (n % 2)]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield tuple((a, b) for a, b in facing if a is not None and b is not None)
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _packed(tables: Sequence[Group]) -> list[Round]:
    """Put each table into the first round in which all its entrants are free."""
    rounds: list[list[Group]] = []
    seated: list[set[int]] = []
    for table in tables:
        free = (i for i, taken in enumerate(seated) if taken.isdisjoint(table))
        i = next(free, len(rounds))
        if i == len(rounds):
            rounds.append([])
            seated.append(set())
        rounds[i].append(table)
        seated[i].update(table)
    return [tuple(groups) for groups in rounds]

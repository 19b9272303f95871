"""Round robin: every entrant meets every other.

At tables of two the circle method gives n - 1 rounds (n for odd n, with a bye each) in which every
pair meets once. At larger tables `designs` gives the tables: in one cycle every pair meets at least
once, and numbers of meetings differ by at most one, also after several cycles. The score is the
mean of the scores against each other entrant, each counting once, however often they met. So a bot
that always beats another is placed before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import circles, designs
from ladder.scheduling.tournament.formats.base import Field, Line, Meeting, check, idle
from ladder.scheduling.tournament.formats.designs import Block
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
    """Whether small fields play `arranged_rounds`; not in tournaments begun before there were any.
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
    elif arranged and (known := arranged_rounds(n, seats, cycles)) is not None:
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


# Rounds of 8 to 13 at tables of 4 and 5 that play as many tables at once as fit. Where a cycle has
# as many tables as entrants, every two tables share one: of tables and of entrants the mean square
# of what two have in common is the same, and as pairs meet at least once and nearly equally often,
# no two tables can have nothing in common. Such a cycle plays one table a round. These have about
# twice its tables, in no more rounds: in each, every pair meets equally often or once more than
# another, and all sit equally often. The exact designs of 7 and 13 at tables of four and of 11 at
# tables of five have so few tables that they are played all the same.
#
# All were found by simulated annealing: in random rounds of full tables, two entrants of a round
# swap places, towards fewer pairs that meet too often or too seldom. A test verifies the rounds.
# Ten at tables of five have none: with two tables in each of up to 16 rounds that is impossible.
# Entrants are digits of base 16.
_THRICE: Mapping[tuple[int, int], str] = {
    (8, 4): "0347 1256 | 0167 2345 | 0145 2367 | 0246 1357 | 0356 1247 | 0257 1346 | 0123 4567",
    (9, 4): "0156 2347 | 0345 2678 | 0257 1348 | 0478 1236 | 0246 1578 | 0137 4568 | 1467 2358 | "
    "0368 1245 | 0128 3567",
}
"""In these every pair meets three times, so they may be repeated."""
_EVEN: Mapping[tuple[int, int], str] = {
    (10, 4): "0457 1239 | 0289 1356 | 2568 3479 | 0237 1469 | 1245 6789 | 0259 3468 | 0167 3458 | "
    "0148 3579 | 0138 2467 | 0569 1278",
    (11, 4): "0346 1289 | 0268 1479 | 0789 156a | 0149 378a | 0359 1267 | 239a 4578 | 168a 2345 | "
    "025a 3469 | 1358 247a | 048a 2567 | 0137 569a",
    (12, 4): "024a 157b 3689 | 03ab 1268 4579 | 0169 245b 378a | 0279 148a 356b | 048b 1237 569a | "
    "067b 1349 258a | 0135 289b 467a | 0578 19ab 2346",
    (12, 5): "078ab 23469 | 01458 267ab | 0238b 4579a | 02489 1356b | 1235a 46789 | 0169a 2457b | "
    "03579 1248a | 0456b 13789 | 1347b 2568a | 01267 389ab | 0346a 1259b | 019ab 35678",
    (13, 5): "1235c 0468a | 2467c 035ab | 037ac 4569b | 1246a 5789b | 2389a 0156b | 3569c 127ab | "
    "148bc 2679a | 02457 13689 | 459ac 03678 | 0258c 1347b | 029bc 1578a | 2348b 0179c | "
    "68abc 01349",
}


def arranged_rounds(n: int, k: int, number: int) -> list[list[Block]] | None:
    """Return the rounds of `number` cycles for n entrants at tables of k; None if none are known.

    Those that are not exact serve for a single cycle.
    """
    known = _THRICE.get((n, k)) or (_EVEN.get((n, k)) if number == 1 else None)
    if known is None:
        return None
    rounds = [[tuple(int(e, 16) for e in table) for table in r.split()] for r in known.split(" | ")]
    return rounds * number

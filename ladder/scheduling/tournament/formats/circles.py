"""The cyclic order in which the entrants of a meeting sit, so that neighbours change.

A deal is played on all rotations of the seats, so everyone sits on every seat, but always after the
same neighbour. Therefore the circle changes at tables of three or more: a new meeting seats
entrants after those that they have followed least, and the deals of a meeting cycle through several
circles. There are two circles for three, and six for four, in which every ordered pair is adjacent
twice. For five there are four in which every ordered pair is adjacent once, with steps of one, two,
three and four. (For four there are no three such circles: Tillson, 1980.)
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, permutations

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Meeting

Circle = tuple[VersionId, ...]
Before = Counter[tuple[VersionId, VersionId]]
"""How often one entrant has sat right before another."""

_SWEEPS = 5
"""How many times each circle of a schedule is optimised."""
_IN_TURN: dict[int, Sequence[tuple[int, ...]]] = {
    2: ((0, 1),),
    3: ((0, 1, 2), (0, 2, 1)),
    4: ((0, 1, 2, 3), (0, 3, 2, 1), (0, 2, 1, 3), (0, 3, 1, 2), (0, 1, 3, 2), (0, 2, 3, 1)),
    5: tuple(tuple(step * i % 5 for i in range(5)) for step in (1, 4, 2, 3)),
}


def of_deal(entrants: Circle, number: int) -> Circle:
    """Return the circle of a meeting's deal, numbered from 0; deal 0 has the meeting's order."""
    circles = _IN_TURN[len(entrants)]
    return tuple(entrants[i] for i in circles[number % len(circles)])


def neighbours(circle: Circle) -> list[tuple[VersionId, VersionId]]:
    """Return the pairs in which the first sits right before the second."""
    return list(pairwise((*circle, circle[0])))


def counted(meetings: Iterable[Meeting]) -> Before:
    """Return how often each sat right before each other, counting the meetings' first deals."""
    return Counter(pair for meeting in meetings for pair in neighbours(meeting.entrants))


def seated(entrants: Sequence[VersionId], before: Before) -> Circle:
    """Return the circle that best evens out who sits before whom, and count it in `before`.

    Ties go to the circle whose neighbours have been adjacent least.
    """
    first, *others = entrants

    def cost(order: Circle) -> tuple[int, int]:
        pairs = neighbours((first, *order))
        return sum(before[a, b] - before[b, a] for a, b in pairs), sum(before[p] for p in pairs)

    circle = (first, *min(permutations(others), key=cost))
    before.update(neighbours(circle))
    return circle


def evened_out(tables: Sequence[Sequence[VersionId]]) -> list[Circle]:
    """Return the circles of tables that are all known in advance, evened out together."""
    before = Before()
    circles = [seated(table, before) for table in tables]
    for _ in range(_SWEEPS):
        changed = list(circles)
        for i, circle in enumerate(changed):
            before.subtract(neighbours(circle))
            changed[i] = seated(tables[i], before)
        if changed == circles:
            break
        circles = changed
    return circles

"""In which circle the entrants of a meeting sit, so that neighbours change.

A deal is played on all rotations of the seats, so everybody sits on every seat; but it is always
the same one who sits before oneself. At a table of three or more the circle is therefore chosen
anew: for a meeting so that those sit before each other who did so least, and from deal to deal of a
meeting in turn. There are two circles for three, and six for four, in which every two follow each
other twice. For five there are four in which every two follow each other once: those of every
first, second, third and fourth number. (For four there are no three such circles: Tillson, 1980.)
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, permutations

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Meeting

Circle = tuple[VersionId, ...]
Before = Counter[tuple[VersionId, VersionId]]
"""How often one has sat right before another."""

_SWEEPS = 5
"""So many times each circle of a schedule is chosen anew."""
_IN_TURN: dict[int, Sequence[tuple[int, ...]]] = {
    2: ((0, 1),),
    3: ((0, 1, 2), (0, 2, 1)),
    4: ((0, 1, 2, 3), (0, 3, 2, 1), (0, 2, 1, 3), (0, 3, 1, 2), (0, 1, 3, 2), (0, 2, 3, 1)),
    5: tuple(tuple(step * i % 5 for i in range(5)) for step in (1, 4, 2, 3)),
}


def of_deal(entrants: Circle, number: int) -> Circle:
    """Return the circle of a meeting's deal, from 0; the first has the meeting's own."""
    circles = _IN_TURN[len(entrants)]
    return tuple(entrants[i] for i in circles[number % len(circles)])


def neighbours(circle: Circle) -> list[tuple[VersionId, VersionId]]:
    """Return who sits right before whom."""
    return list(pairwise((*circle, circle[0])))


def counted(meetings: Iterable[Meeting]) -> Before:
    """Return how often each has sat right before each other one in the first deals of meetings."""
    return Counter(pair for meeting in meetings for pair in neighbours(meeting.entrants))


def seated(entrants: Sequence[VersionId], before: Before) -> Circle:
    """Return the circle in which those sit before each other who did so less than behind; count it.

    Of several, that in which they did so least.
    """
    first, *others = entrants

    def cost(order: Circle) -> tuple[int, int]:
        pairs = neighbours((first, *order))
        return sum(before[a, b] - before[b, a] for a, b in pairs), sum(before[p] for p in pairs)

    circle = (first, *min(permutations(others), key=cost))
    before.update(neighbours(circle))
    return circle


def evened_out(tables: Sequence[Sequence[VersionId]]) -> list[Circle]:
    """Return the circles of tables that are all known before: each as it suits the others best."""
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

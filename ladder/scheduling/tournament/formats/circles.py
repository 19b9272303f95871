"""The cyclic order in which the entrants of a meeting sit, so that neighbours change.

A deal is played on all rotations of the seats, so everyone sits on every seat, but always after the
same neighbour. Therefore the circle changes at tables of three or more: a new meeting seats
entrants after those that they have followed least, and the deals of a meeting cycle through several
circles. There are two circles for three, and six for four, in which every ordered pair is adjacent
twice. For five there are four in which every ordered pair is adjacent once, with steps of one, two,
three and four. (For four there are no three such circles: Tillson, 1980.) Larger odd tables have
Walecki's circles in both directions, in which every ordered pair is adjacent once; larger even ones
the rows of a Williams design, in which opposite pairs are adjacent twice and all others once.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

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


def _zigzag(n: int) -> list[int]:
    """Return 0, 1, n - 1, 2, n - 2 and so on: each step differs from all others, modulo n."""
    return [-(i // 2) % n if i % 2 == 0 else i // 2 + 1 for i in range(n)]


@cache
def _circles(seats: int) -> Sequence[tuple[int, ...]]:
    """Return the circles that the deals of a meeting cycle through."""
    if seats in _IN_TURN:
        return _IN_TURN[seats]
    if seats % 2 == 0:
        found = [[(i + row) % seats for i in _zigzag(seats)] for row in range(seats)]
    else:
        around = seats - 1  # one entrant is the hub, the others turn around it
        ways = [[(i + turn) % around for i in _zigzag(around)] for turn in range(around // 2)]
        found = [[around, *each] for way in ways for each in (way, way[::-1])]
    number = {entrant: i for i, entrant in enumerate(found[0])}  # so that the first is in order
    return [tuple(number[entrant] for entrant in circle) for circle in found]


def of_deal(entrants: Circle, number: int) -> Circle:
    """Return the circle of a meeting's deal, numbered from 0; deal 0 has the meeting's order."""
    circles = _circles(len(entrants))
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
    lean = sum(before.values()) + 1  # one unit of who sits before whom outweighs all adjacency
    costs = [
        [lean * (before[a, b] - before[b, a]) + before[a, b] for b in entrants] for a in entrants
    ]
    circle = tuple(entrants[i] for i in _cheapest_circle(costs))
    before.update(neighbours(circle))
    return circle


def _cheapest_circle(costs: Sequence[Sequence[int]]) -> list[int]:
    """Return the cheapest circle from 0 on, the first of equals in the order of the numbers.

    `costs[a][b]` is the cost of a sitting right before b. As Held and Karp (1962): the cheapest way
    home from each entrant through each set of those that are left.
    """
    n = len(costs)
    home: dict[tuple[int, int], int] = {(last, 0): costs[last][0] for last in range(n)}
    for left in range(1, 1 << (n - 1)):
        rest = [i for i in range(1, n) if left >> (i - 1) & 1]
        for last in {0, *range(1, n)} - set(rest):
            home[last, left] = min(costs[last][i] + home[i, left & ~(1 << (i - 1))] for i in rest)
    circle, left = [0], (1 << (n - 1)) - 1
    while left:
        last = circle[-1]
        following = next(
            i
            for i in range(1, n)
            if left >> (i - 1) & 1
            and costs[last][i] + home[i, left & ~(1 << (i - 1))] == home[last, left]
        )
        circle.append(following)
        left &= ~(1 << (following - 1))
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

"""The bracket of a knockout: its tables, and who goes on to which.

One entrant goes on from a table of 2 or 3, two from a table of 4 or 5. Counted back from the final,
the rounds have fixed sizes, so that their tables are full:

    seats  on  the rounds after the first one
        2   1  2, 4, 8, 16, 32 ...
        3   1  3, 9, 27 ...
        4   2  4, 8, 16, 32 ...
        5   2  4, 10, 24, 60 ... (two tables of five leave four; five such tables would need 25 for
                                  ten and 12 1/2 tables, so one table of that round has four)

The first round reduces the field to the next of these sizes. It has as many tables as that size
needs, provided that each table has a loser; their sizes differ by at most one. The entrants that it
does not need, the best seeds, have a bye; later rounds have no byes.

Places in the bracket, *slots*, are numbered by seed, and slots 1, 2, 3 ... are dealt to the tables
back and forth. Those who go on from a table take over its best slots, in the order of their places.
So the bracket is made once, and the first two seeds can only meet in the final.

If bots of one group would meet although that can be avoided, they swap places with others of that
round.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ladder.scheduling.ladder.balanced import VersionId

FINAL = "final"
THIRD = "third place"

Slots = Sequence[VersionId]
"""The entrant of each slot, in slot order."""
Mates = Mapping[VersionId, str]
"""The group that each entrant comes from."""


@dataclass(frozen=True, slots=True)
class Tables:
    """A round of the bracket."""

    byes: Slots
    tables: Sequence[Slots]
    going_on: int
    """How many go on from each table."""

    def after(self, orders: Sequence[Slots]) -> Slots:
        """Return the next round's slots, given who goes on from each table, the best first."""
        count = len(self.tables)
        on = {
            row * count + place(row, column, count): entrant
            for column, order in enumerate(orders)
            for row, entrant in enumerate(order)
        }
        return [*self.byes, *(on[slot] for slot in sorted(on))]


def advancing(seats: int) -> int:
    """Return how many go on from a table before the final."""
    return max(1, seats // 2)


def drawn(slots: Slots, seats: int, mates: Mates) -> Tables:
    """Return the round of these slots; the final if they fit at one table."""
    n, on = len(slots), advancing(seats)
    if n <= seats:
        return Tables((), [tuple(slots)], 1)
    left = _next_size(n, seats)
    count = min(left // on, n - left)
    byes = left - on * count
    tables = spread(slots[byes:], count)
    _part(tables, mates)
    return Tables(tuple(slots[:byes]), [tuple(table) for table in tables], on)


def _next_size(n: int, seats: int) -> int:
    """Return the size to which a round reduces a field of n."""
    on = advancing(seats)
    size = seats - seats % on
    while (most := size // on * seats) < n:
        size = most - most % on
    return size


def spread(slots: Slots, tables: int) -> list[list[VersionId]]:
    """Deal slots out to tables, back and forth."""
    dealt: list[list[VersionId]] = [[] for _ in range(tables)]
    for i, entrant in enumerate(slots):
        row, column = divmod(i, tables)
        dealt[place(row, column, tables)].append(entrant)
    return dealt


def place(row: int, column: int, columns: int) -> int:
    """Return the column when every other row runs backwards."""
    return columns - 1 - column if row % 2 else column


def _conflicts(table: Slots, mates: Mates) -> int:
    """Return the number of pairs of one group at a table."""
    groups = [mates[entrant] for entrant in table if entrant in mates]
    return sum(a == b for a, b in combinations(groups, 2))


def _part(tables: list[list[VersionId]], mates: Mates) -> None:
    """Swap entrants between tables as long as that reduces conflicts."""
    better = bool(mates)
    while better:
        better = any(
            _exchanged(one, i, other, j, mates)
            for one, other in combinations(tables, 2)
            for i, j in sorted(
                ((i, j) for i in range(len(one)) for j in range(len(other))),
                key=lambda at: (abs(at[0] - at[1]), -max(at)),
            )
        )


def _exchanged(one: list[VersionId], i: int, other: list[VersionId], j: int, mates: Mates) -> bool:
    """Swap two entrants if that reduces conflicts; return whether it does."""
    before = _conflicts(one, mates) + _conflicts(other, mates)
    if not before:
        return False
    one[i], other[j] = other[j], one[i]
    if _conflicts(one, mates) + _conflicts(other, mates) < before:
        return True
    one[i], other[j] = other[j], one[i]
    return False


def slots_of_groups(classes: Sequence[Sequence[VersionId]], seats: int, mates: Mates) -> Slots:
    """Return the slots of those who come from groups: all first places, all second places ...

    Entrants of one group are placed to meet as late as possible, by swaps within each class
    (entrants with the same place in their group), the lowest class first.
    """
    slots = [entrant for each in classes for entrant in each]
    paths = [*_paths(len(slots), seats)]
    starts = [sum(map(len, classes[:i])) for i in range(len(classes))]
    swaps = [
        (i, j)
        for start, each in reversed([*zip(starts, classes, strict=True)])
        for i, j in sorted(
            combinations(range(start, start + len(each)), 2), key=lambda at: (at[1] - at[0], at)
        )
    ]
    best, better = _meetings_of_mates(slots, paths, mates), True
    while better:
        better = False
        for i, j in swaps:
            slots[i], slots[j] = slots[j], slots[i]
            if (now := _meetings_of_mates(slots, paths, mates)) < best:
                best, better = now, True
            else:
                slots[i], slots[j] = slots[j], slots[i]
    return slots


def _paths(n: int, seats: int) -> Iterator[list[int]]:
    """Yield, for each round before the final, the table of each slot if its entrant always wins.

    Negative numbers are byes.
    """
    at = list(range(n))
    """The current slot of an entrant that began in each slot and always won."""
    while n > seats:
        drawn_ = drawn(tuple(range(n)), seats, {})
        table = {slot: i for i, each in enumerate(drawn_.tables) for slot in each}
        table |= {slot: -1 - i for i, slot in enumerate(drawn_.byes)}
        yield [table[slot] for slot in at]
        byes = len(drawn_.byes)
        at = [byes + table[slot] if table[slot] >= 0 else slot for slot in at]
        n = _next_size(n, seats)


def _meetings_of_mates(slots: Slots, paths: Sequence[Sequence[int]], mates: Mates) -> list[int]:
    """Return how many pairs of one group could meet in each round."""
    of_group: dict[str, list[int]] = {}
    for slot, entrant in enumerate(slots):
        of_group.setdefault(mates[entrant], []).append(slot)
    pairs = [pair for own in of_group.values() for pair in combinations(own, 2)]
    return [sum(path[a] == path[b] for a, b in pairs) for path in paths]

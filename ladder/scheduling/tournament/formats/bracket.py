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

If bots that should not meet, such as those of one group or author, would meet although that can be
avoided, they swap places with others of that round.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.apart import Weights

FINAL = "final"
THIRD = "third place"

Slots = Sequence[VersionId]
"""The entrant of each slot, in slot order."""


@dataclass(frozen=True, slots=True)
class Tables:
    """A round of the bracket."""

    byes: Slots
    tables: Sequence[Slots]
    going_on: int
    """How many go on from each table."""

    def after(self, orders: Sequence[Slots]) -> Slots:
        """Return the next round's slots, given who goes on from each table, the best first."""
        return [*self.byes, *self._in_slots(orders, 0)]

    def dropped(self, orders: Sequence[Slots]) -> Slots:
        """Return the others, given for each table, in the order of its remaining slots."""
        return self._in_slots(orders, self.going_on)

    def _in_slots(self, orders: Sequence[Slots], first: int) -> list[VersionId]:
        """Return entrants in slot order; those of a table take over its slots from `first` on."""
        count = len(self.tables)
        slots = {
            row * count + place(row, column, count): entrant
            for column, order in enumerate(orders)
            for row, entrant in enumerate(order, start=first)
        }
        return [slots[slot] for slot in sorted(slots)]


def advancing(seats: int) -> int:
    """Return how many go on from a table before the final."""
    return max(1, seats // 2)


def drawn(slots: Slots, seats: int, weights: Weights) -> Tables:
    """Return the round of these slots; the final if they fit at one table."""
    if len(slots) <= seats:
        return Tables((), [tuple(slots)], 1)
    return reduced(slots, seats, next_size(len(slots), seats), weights)


def reduced(slots: Slots, seats: int, left: int, weights: Weights) -> Tables:
    """Return the round that reduces these slots to `left`; the first ones may have byes."""
    on = advancing(seats)
    count = min(left // on, len(slots) - left)
    byes = left - on * count
    tables = spread(slots[byes:], count)
    _part(tables, weights)
    return Tables(tuple(slots[:byes]), [tuple(table) for table in tables], on)


def full_final(seats: int) -> int:
    """Return how many play a full final."""
    return seats - seats % advancing(seats)


def next_size(n: int, seats: int) -> int:
    """Return the size to which a round reduces a field of n, more than fit on a table."""
    on = advancing(seats)
    size = full_final(seats)
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


def _part(tables: list[list[VersionId]], weights: Weights) -> None:
    """Swap entrants between tables as long as that reduces clashes."""
    better = True
    while better and weights.at(tables):
        better = any(
            _exchanged(one, i, other, j, weights)
            for one, other in combinations(tables, 2)
            if weights.at((one, other))
            for i, j in sorted(
                ((i, j) for i in range(len(one)) for j in range(len(other))),
                key=lambda at: (abs(at[0] - at[1]), -max(at)),
            )
        )


def _exchanged(
    one: list[VersionId], i: int, other: list[VersionId], j: int, weights: Weights
) -> bool:
    """Swap two entrants if that reduces clashes; return whether it does."""
    before = weights.at((one, other))
    one[i], other[j] = other[j], one[i]
    if weights.at((one, other)) < before:
        return True
    one[i], other[j] = other[j], one[i]
    return False


def slots_by_seed(entrants: Slots, seats: int, weights: Weights) -> Slots:
    """Return the slots of entrants in seed order, who change places to meet others late.

    Only those swap who are expected to be out in the same round, and either both or neither have a
    bye in the first round.
    """
    sizes = [len(entrants)]
    while sizes[-1] > seats:
        sizes.append(next_size(sizes[-1], seats))
    ends = {0, *sizes, len(drawn(entrants, seats, Weights({})).byes)}
    classes = [entrants[start:end] for start, end in pairwise(sorted(ends))]
    return slots_apart(classes, seats, weights)


def slots_apart(classes: Sequence[Slots], seats: int, weights: Weights) -> Slots:
    """Return the slots of classes of entrants, in order, who change places to meet others late.

    Entrants that should not meet do so as late as possible, by swaps within each class, the lowest
    class first.
    """
    slots = [entrant for each in classes for entrant in each]
    if not weights.at((slots,)):
        return slots
    ends = [*accumulate(map(len, classes), initial=0)]
    swaps = [
        swap
        for start, end in reversed([*pairwise(ends)])
        for swap in sorted(combinations(range(start, end), 2), key=lambda at: (at[1] - at[0], at))
    ]
    draw = _Draw(slots, seats, weights)
    while sum(draw.swaps(i, j) for i, j in swaps):
        pass
    return draw.slots


class _Draw:
    """Slots that change places.

    It keeps for each entrant, by table, the weight of its clashes with those who sit there if they
    always win. So a swap that helps no one, as most do, costs a few look-ups.
    """

    def __init__(self, slots: list[VersionId], seats: int, weights: Weights) -> None:
        self.slots = slots
        self._weights = weights.of
        rounds = [*_paths(len(slots), seats)]
        tables = {at: i for i, at in enumerate({(r, t) for r, of in enumerate(rounds) for t in of})}
        self._paths = [
            [tables[r, of[slot]] for r, of in enumerate(rounds)] for slot in range(len(slots))
        ]
        """For each slot, the table of each round."""
        self._met = {entrant: [0] * len(tables) for entrant in slots}
        """For each entrant, the weight of its clashes at each table."""
        self._clashes: dict[VersionId, list[tuple[list[int], int]]] = {e: [] for e in slots}
        """For each entrant, what those who clash with it meet, with the weight."""
        for (one, other), weight in weights.of.items():
            self._clashes[one].append((self._met[other], weight))
        for path, entrant in zip(self._paths, slots, strict=True):
            for met, weight in self._clashes[entrant]:
                for table in path:
                    met[table] += weight

    def swaps(self, i: int, j: int) -> bool:
        """Swap two slots if entrants that clash then meet later; return whether they do."""
        one, other = self.slots[i], self.slots[j]
        if self._gain(one, i, other, j) <= 0:
            return False
        self._move(one, i, j)
        self._move(other, j, i)
        self.slots[i], self.slots[j] = other, one
        return True

    def _gain(self, one: VersionId, i: int, other: VersionId, j: int) -> int:
        """Return by how much a swap lowers the weight of the first round that it changes."""
        both = 2 * self._weights.get((one, other), 0)
        of_one, of_other = self._met[one], self._met[other]
        for at_i, at_j in zip(self._paths[i], self._paths[j], strict=True):
            if at_i == at_j:
                return 0
            if gain := of_one[at_i] + of_other[at_j] - of_one[at_j] - of_other[at_i] + both:
                return gain
        return 0

    def _move(self, entrant: VersionId, i: int, j: int) -> None:
        """Let those who clash with an entrant meet it on the way from slot j, no longer from i."""
        moves = [(a, b) for a, b in zip(self._paths[i], self._paths[j], strict=True) if a != b]
        for met, weight in self._clashes[entrant]:
            for before, after in moves:
                met[before] -= weight
                met[after] += weight


def _paths(n: int, seats: int) -> Iterator[list[int]]:
    """Yield, for each round before the final, the table of each slot if its entrant always wins.

    Negative numbers are byes. Entrants that meet in a round are at one table in all later ones.
    """
    at = list(range(n))
    """The current slot of an entrant that began in each slot and always won."""
    while n > seats:
        drawn_ = drawn(tuple(range(n)), seats, Weights({}))
        table = {slot: i for i, each in enumerate(drawn_.tables) for slot in each}
        table |= {slot: -1 - i for i, slot in enumerate(drawn_.byes)}
        yield [table[slot] for slot in at]
        byes = len(drawn_.byes)
        at = [byes + table[slot] if table[slot] >= 0 else slot for slot in at]
        n = next_size(n, seats)

"""Seats entrants at tables so that those who should not meet do not.

*Clashes* are pairs with a weight, such as rematches; a worse clash outweighs all lesser ones. Three
searches run in turn until one finds tables without a clash. Their limits count steps, not time, so
they find the same on every machine:

1. from the top, each table takes the next in line without a clash there, with backtracking;
2. from tables that are dealt or cut from the line, two entrants swap tables as long as that reduces
   clashes or, with equally bad ones, brings entrants together that belong together; while clashes
   are left, an entrant with one makes the cheapest swap, even at a cost, and may not go back soon
   (tabu search);
3. an exact cover seats all entrants at tables without a clash, first those who fit at the fewest
   tables; then with more and more of the worst clashes, up to as many as the second search needed,
   and so on with the lesser ones. The cover found has the least weight.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.apart import Weights
from referee.games.randomness import Stream

Met = Mapping[tuple[VersionId, VersionId], int]
"""How often each pair has met, in both orders."""
Group = tuple[VersionId, ...]
_Places = list[list[int]]
"""Tables, as places in line."""
_Change = tuple[int, int, int]
"""The change in weight, and the other entrant: its table and place."""
_Table = tuple[Group, int, int]
"""The entrants, the weight of their clashes, and a bit for each entrant."""

_IN_ORDER = 20_000
_TABU = ((1_500, 8), (1_500, 4))
"""The swaps of each tabu search, and its ban on going back to a table, in swaps.

The longer ban suits rounds in which all tables are full, the shorter one others.
"""
_EXACT = 1_000_000
"""The most tables that the third search examines.

In 3,600 tournaments of 5 to 64 entrants with default rounds it needed at most 191,275 to find a
round without a rematch, and 541,651 to prove that there is none.
"""
_CLASH = 10**9
"""The cost of a weight of 1: more than all distances in a line."""
_AGAIN = 10**6
"""The additional cost of each earlier meeting."""


def sizes_of(entrants: int, tables: int) -> list[int]:
    """Return the sizes of a number of tables that seat all; they differ by at most one."""
    return [len(range(i, entrants, tables)) for i in range(tables)]


def seat(
    line: Sequence[VersionId],
    sizes: Sequence[int],
    weights: Weights,
    met: Met,
    *,
    lots_by_id: bool = False,
) -> list[Group]:
    """Cut a line, the best first, into tables of these sizes with as few clashes as found.

    Where clashes are equally bad, pairs that met less often are preferred, then neighbours in line.
    `lots_by_id`: the ids of the line name the stream of the lots, as once.
    """
    found = _InOrder(weights).cut(list(line), list(sizes))
    if found is not None:
        return found

    def cost(i: int, j: int) -> int:
        return _AGAIN * met.get((line[i], line[j]), 0) + (i - j) ** 2

    return _searched(line, _cut(sizes), weights, cost, map(str, line) if lots_by_id else ())


def regrouped(line: Sequence[VersionId], sizes: Sequence[int], weights: Weights) -> list[Group]:
    """Cut a line into tables of these sizes, with swaps as far as they avoid clashes."""
    starts = iter(line)
    tables = [tuple(next(starts) for _ in range(size)) for size in sizes]
    if not weights.at(tables):
        return tables
    return _searched(line, _cut(sizes), weights, lambda i, j: (i - j) ** 2)


def _cut(sizes: Sequence[int]) -> _Places:
    starts = iter(range(sum(sizes)))
    return [[next(starts) for _ in range(size)] for size in sizes]


def parted(tables: Sequence[Sequence[VersionId]], weights: Weights) -> list[Group]:
    """Return dealt tables, in which entrants have changed places as far as that avoids clashes.

    Those of the same place change first, between tables near each other. Tables that change are
    named with all entrants in the order of their places, then by table.
    """
    if not weights.at(tables):
        return [tuple(table) for table in tables]
    dealt = sorted((i, t) for t, table in enumerate(tables) for i in range(len(table)))
    line = [tables[t][i] for i, t in dealt]
    at = {place: where for where, place in enumerate(dealt)}
    start = [[at[i, t] for i in range(len(table))] for t, table in enumerate(tables)]

    def cost(a: int, b: int) -> int:
        (i, t), (j, u) = dealt[a], dealt[b]
        return (t - u) ** 2 + len(tables) ** 2 * (i == j)

    return _searched(line, start, weights, cost)


def _searched(
    line: Sequence[VersionId],
    start: _Places,
    weights: Weights,
    cost: Callable[[int, int], int],
    names: Iterable[str] = (),
) -> list[Group]:
    """Return the tables of the second search and the third, from these on."""
    swaps = _Swaps(line, start, weights, cost)
    best = swaps.run(Stream("pairing", *names))
    exact = _Exact(line, [len(table) for table in start], weights)
    better = exact.least(weights.at(best))
    return best if better is None else swaps.descend(better)


class _InOrder:
    """The first search: in order, with backtracking."""

    def __init__(self, weights: Weights) -> None:
        self._clashing = weights.of.keys()
        self._tries = iter(range(_IN_ORDER))

    def cut(self, waiting: list[VersionId], sizes: list[int]) -> list[Group] | None:
        """Return the first cut without a clash; None if there is none, or it takes too long."""
        if not waiting:
            return []
        first, *others = waiting
        for joining in combinations(others, sizes[0] - 1):
            if next(self._tries, None) is None:
                return None
            group = (first, *joining)
            if not self._clashing.isdisjoint(combinations(group, 2)):
                continue
            rest = self.cut([e for e in others if e not in joining], sizes[1:])
            if rest is not None:
                return [group, *rest]
        return None


class _Swaps:
    """The second search: swaps. Tables are lists of places in line."""

    def __init__(
        self,
        line: Sequence[VersionId],
        start: _Places,
        weights: Weights,
        cost: Callable[[int, int], int],
    ) -> None:
        self._line, self._start = line, start
        self._weights = [[weights.of.get((a, b), 0) for b in line] for a in line]
        self._cost = [
            [_CLASH * weight + cost(i, j) for j, weight in enumerate(row)]
            for i, row in enumerate(self._weights)
        ]

    def run(self, lots: Stream) -> list[Group]:
        """Return the best tables found, or the first without a clash."""
        best = self._down([list(table) for table in self._start])
        begun = [list(table) for table in best]
        for changes, ban in _TABU:
            if self._total(best) < _CLASH:
                break
            found = self._down(_Tabu(begun, self._weights, lots, ban).run(changes))
            best = min(best, found, key=self._total)
        return self._named(best)

    def descend(self, tables: Sequence[Group]) -> list[Group]:
        """Bring together those that belong together, without worse clashes."""
        where = {entrant: i for i, entrant in enumerate(self._line)}
        return self._named(self._down([[where[e] for e in table] for table in tables]))

    def _named(self, tables: Sequence[Sequence[int]]) -> list[Group]:
        return [
            tuple(self._line[i] for i in sorted(table)) for table in sorted(map(sorted, tables))
        ]

    def _total(self, tables: Sequence[Sequence[int]]) -> int:
        return sum(self._cost[i][j] for table in tables for i, j in combinations(table, 2))

    def _down(self, tables: list[list[int]]) -> list[list[int]]:
        """Swap two entrants as long as that lowers the cost."""
        better = True
        while better:
            better = False
            for one, other in combinations(tables, 2):
                for i in range(len(one)):
                    for j in range(len(other)):
                        if self._gain(one, i, other, j) > 0:
                            one[i], other[j] = other[j], one[i]
                            better = True
        return tables

    def _gain(self, one: list[int], i: int, other: list[int], j: int) -> int:
        of_one, of_other = self._cost[one[i]], self._cost[other[j]]
        gain = 0
        for at, x in enumerate(one):
            if at != i:
                gain += of_one[x] - of_other[x]
        for at, x in enumerate(other):
            if at != j:
                gain += of_other[x] - of_one[x]
        return gain


class _Tabu:
    """Tabu search: random swaps with the least clashes; entrants may not go back soon.

    Tables are lists of places in line, and `weights` says how bad it is that two meet.
    """

    def __init__(
        self,
        tables: Sequence[Sequence[int]],
        weights: Sequence[Sequence[int]],
        lots: Stream,
        ban: int,
    ) -> None:
        self._tables = [list(table) for table in tables]
        self._weights, self._lots, self._ban = weights, lots, ban
        self._barred: dict[tuple[int, int], int] = {}
        """Until which swap a place in line may not go back to a table."""
        self._at = [[sum(row[x] for x in table) for table in tables] for row in weights]
        """The weight of each with those at each table."""
        self._left = sum(weights[i][j] for table in tables for i, j in combinations(table, 2))
        self._least = self._left

    def run(self, changes: int) -> list[list[int]]:
        """Return the best tables within a number of swaps."""
        best = [list(table) for table in self._tables]
        for step in range(changes):
            clashing = self._clashing()
            if not clashing:
                break
            t, i = self._lots.choice(clashing)
            free = [change for change in self._changes(t, i) if self._is_free(t, i, change, step)]
            if not free:
                continue
            least = min(change[0] for change in free)
            self._change(
                t, i, self._lots.choice([change for change in free if change[0] == least]), step
            )
            if self._left < self._least:
                best, self._least = [list(table) for table in self._tables], self._left
        return best

    def _clashing(self) -> list[tuple[int, int]]:
        """Return the table and place of every entrant with a clash."""
        return [
            (t, i)
            for t, table in enumerate(self._tables)
            for i in range(len(table))
            if self._at[table[i]][t]
        ]

    def _changes(self, t: int, i: int) -> list[_Change]:
        """Return all swaps of one entrant with entrants of other tables."""
        one = self._tables[t][i]
        weights, at = self._weights[one], self._at
        of_one = at[one]
        return [
            (at[x][t] - of_one[t] + of_one[u] - at[x][u] - 2 * weights[x], u, j)
            for u, table in enumerate(self._tables)
            if u != t
            for j, x in enumerate(table)
        ]

    def _is_free(self, t: int, i: int, change: _Change, step: int) -> bool:
        """Return whether a swap breaks no ban, or beats the best so far."""
        more, u, j = change
        until = max(
            self._barred.get((self._tables[t][i], u), 0),
            self._barred.get((self._tables[u][j], t), 0),
        )
        return until <= step or self._left + more < self._least

    def _change(self, t: int, i: int, change: _Change, step: int) -> None:
        more, u, j = change
        one, other = self._tables[t][i], self._tables[u][j]
        self._barred[one, t] = self._barred[other, u] = step + self._ban
        self._tables[t][i], self._tables[u][j] = other, one
        self._left += more
        for row, of_all in zip(self._at, self._weights, strict=True):
            row[t] += of_all[other] - of_all[one]
            row[u] += of_all[one] - of_all[other]


class _Exact:
    """The third search: exact cover."""

    def __init__(self, line: Sequence[VersionId], sizes: Sequence[int], weights: Weights) -> None:
        self._line, self._sizes, self._units = line, sizes, weights.units
        self._clashes: dict[VersionId, dict[VersionId, int]] = {entrant: {} for entrant in line}
        """The weights of each with those it clashes with."""
        for (one, other), weight in weights.of.items():
            if one in self._clashes:
                self._clashes[one][other] = weight
        self._bit = {entrant: 1 << i for i, entrant in enumerate(line)}
        self._looks = _EXACT
        """How many tables it may still examine."""

    def least(self, below: int) -> list[Group] | None:
        """Return tables of the least weight below a bound; None if none are found.

        Of the worst clashes it allows ever more until there are tables, then of lesser ones.
        """
        found, base = None, 0
        for unit in self._units:
            while base + unit - 1 < below and self._may_look(0):
                better = self._run(base + unit - 1)
                if better is not None:
                    found, below = better, self._weight(better)
                    break
                base += unit
        return found

    def _weight(self, tables: Sequence[Group]) -> int:
        return sum(self._of(table[i], table[:i]) for table in tables for i in range(len(table)))

    def _of(self, entrant: VersionId, group: Group) -> int:
        """Return the weight of an entrant with a group."""
        clashes = self._clashes[entrant]
        return sum(clashes.get(other, 0) for other in group) if clashes else 0

    def _run(self, most: int) -> list[Group] | None:
        """Return tables of at most this weight; None if there are none or it gives up."""
        tables = [
            (table, used, sum(self._bit[entrant] for entrant in table))
            for table, used in self._joining((), self._line, most)
        ]
        return self._fill(tables, self._line, self._sizes, most)

    def _joining(
        self, group: Group, others: Sequence[VersionId], most: int
    ) -> Iterator[tuple[Group, int]]:
        """Yield all tables that extend a group of at most this weight, with their weights."""
        if len(group) in self._sizes:
            yield group, 0
        if len(group) == max(self._sizes):
            return
        for i, entrant in enumerate(others):
            if not self._may_look(1):
                return
            more = self._of(entrant, group)
            if more <= most:
                longer = self._joining((*group, entrant), others[i + 1 :], most - more)
                yield from ((table, used + more) for table, used in longer)

    def _fill(
        self,
        tables: Sequence[_Table],
        waiting: Sequence[VersionId],
        sizes: Sequence[int],
        most: int,
    ) -> list[Group] | None:
        """Seat all who wait at some of these tables, first those who fit at the fewest."""
        if not waiting:
            return []
        fitting = [each for each in tables if each[1] <= most and len(each[0]) in sizes]
        at = Counter(chain.from_iterable(table for table, _, _ in fitting))
        first = min(waiting, key=at.__getitem__)
        for table, used, taken in fitting:
            if first not in table:
                continue
            if not self._may_look(len(fitting)):
                return None
            left = list(sizes)
            left.remove(len(table))
            rest = self._fill(
                [each for each in fitting if not each[2] & taken],
                [entrant for entrant in waiting if entrant not in table],
                left,
                most - used,
            )
            if rest is not None:
                return [table, *rest]
        return None

    def _may_look(self, tables: int) -> bool:
        self._looks -= tables
        return self._looks >= 0

"""Pairs a round of a Swiss tournament, avoiding rematches.

Three searches run in turn until one finds a round without rematches. Their limits count steps, not
time, so they find the same on every machine:

1. from the top, each table takes the next in line whom nobody there has met, with backtracking;
2. the line is cut into tables, and two entrants swap tables as long as that reduces rematches or,
   with equally many, brings entrants of similar standing together; while rematches are left, an
   entrant with one makes the cheapest swap, even at a cost, and may not go back soon (tabu search);
3. an exact cover seats all entrants at tables without a rematch, first whoever fits at the fewest
   tables; then with one rematch, two and so on, up to as many as the second search needed. The
   cover found has the fewest.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations

from ladder.scheduling.ladder.balanced import VersionId
from referee.games.randomness import Stream

Met = Mapping[tuple[VersionId, VersionId], int]
"""How often each pair has met, in both orders."""
Group = tuple[VersionId, ...]
_Change = tuple[int, int, int]
"""The change in rematches, and the other entrant: its table and place."""
_Table = tuple[Group, int, int]
"""The entrants, their rematches, and a bit for each entrant."""

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
_REMATCH = 10**9
"""The cost of a rematch: more than all distances in a line."""
_AGAIN = 10**6
"""The additional cost of each earlier meeting."""


def sizes_of(entrants: int, seats: int) -> list[int]:
    """Return the sizes of the fewest tables that seat all; they differ by at most one."""
    tables = -(-entrants // seats)
    return [len(range(i, entrants, tables)) for i in range(tables)]


def seat(
    line: Sequence[VersionId], sizes: Sequence[int], met: Met, *, lots_by_id: bool = False
) -> list[Group]:
    """Cut a line, the best first, into tables of these sizes with as few rematches as found.

    `lots_by_id`: the ids of the line name the stream of the lots, as once.
    """
    found = _InOrder(met).cut(list(line), list(sizes))
    if found is not None:
        return found
    swaps = _Swaps(line, sizes, met)
    best = swaps.run(Stream("pairing", *(map(str, line) if lots_by_id else ())))
    exact = _Exact(line, sizes, met)
    for most in range(rematches(best, met)):
        if (better := exact.run(most)) is not None:
            return swaps.descend(better)
    return best


def rematches(tables: Sequence[Sequence[VersionId]], met: Met) -> int:
    """Return the number of pairs at these tables that have met before."""
    return sum(bool(met.get(pair)) for table in tables for pair in combinations(table, 2))


class _InOrder:
    """The first search: in order, with backtracking."""

    def __init__(self, met: Met) -> None:
        self._again = frozenset(pair for pair, times in met.items() if times)
        self._tries = iter(range(_IN_ORDER))

    def cut(self, waiting: list[VersionId], sizes: list[int]) -> list[Group] | None:
        """Return the first cut without a rematch; None if there is none, or it takes too long."""
        if not waiting:
            return []
        first, *others = waiting
        for joining in combinations(others, sizes[0] - 1):
            if next(self._tries, None) is None:
                return None
            group = (first, *joining)
            if not self._again.isdisjoint(combinations(group, 2)):
                continue
            rest = self.cut([e for e in others if e not in joining], sizes[1:])
            if rest is not None:
                return [group, *rest]
        return None


class _Swaps:
    """The second search: swaps. Tables are lists of places in line."""

    def __init__(self, line: Sequence[VersionId], sizes: Sequence[int], met: Met) -> None:
        self._line, self._sizes, self._met = line, sizes, met
        self._cost = [
            [
                _REMATCH * bool(times := met.get((a, b), 0)) + _AGAIN * times + (i - j) ** 2
                for j, b in enumerate(line)
            ]
            for i, a in enumerate(line)
        ]

    def run(self, lots: Stream) -> list[Group]:
        """Return the best tables found, or the first without a rematch."""
        starts = iter(range(len(self._line)))
        best = self._down([[next(starts) for _ in range(size)] for size in self._sizes])
        again = [[cost >= _REMATCH for cost in row] for row in self._cost]
        begun = [list(table) for table in best]
        for changes, ban in _TABU:
            if self._total(best) < _REMATCH:
                break
            found = self._down(_Tabu(begun, again, lots, ban).run(changes))
            best = min(best, found, key=self._total)
        return self._named(best)

    def descend(self, tables: Sequence[Group]) -> list[Group]:
        """Bring neighbours in line together without adding rematches."""
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
    """Tabu search: random swaps with the fewest rematches; entrants may not go back soon.

    Tables are lists of places in line, and `again` says which pairs have met.
    """

    def __init__(
        self,
        tables: Sequence[Sequence[int]],
        again: Sequence[Sequence[bool]],
        lots: Stream,
        ban: int,
    ) -> None:
        self._tables = [list(table) for table in tables]
        self._again, self._lots, self._ban = again, lots, ban
        self._barred: dict[tuple[int, int], int] = {}
        """Until which swap a place in line may not go back to a table."""
        self._met_at = [[sum(row[x] for x in table) for table in tables] for row in again]
        """How many at each table each has met."""
        self._left = sum(again[i][j] for table in tables for i, j in combinations(table, 2))
        self._fewest = self._left

    def run(self, changes: int) -> list[list[int]]:
        """Return the best tables within so many swaps."""
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
            if self._left < self._fewest:
                best, self._fewest = [list(table) for table in self._tables], self._left
        return best

    def _clashing(self) -> list[tuple[int, int]]:
        """Return the table and place of every entrant with a rematch."""
        return [
            (t, i)
            for t, table in enumerate(self._tables)
            for i in range(len(table))
            if self._met_at[table[i]][t]
        ]

    def _changes(self, t: int, i: int) -> list[_Change]:
        """Return all swaps of one entrant with entrants of other tables."""
        one = self._tables[t][i]
        again, met_at = self._again[one], self._met_at
        of_one = met_at[one]
        return [
            (met_at[x][t] - of_one[t] + of_one[u] - met_at[x][u] - 2 * again[x], u, j)
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
        return until <= step or self._left + more < self._fewest

    def _change(self, t: int, i: int, change: _Change, step: int) -> None:
        more, u, j = change
        one, other = self._tables[t][i], self._tables[u][j]
        self._barred[one, t] = self._barred[other, u] = step + self._ban
        self._tables[t][i], self._tables[u][j] = other, one
        self._left += more
        for row, of_all in zip(self._met_at, self._again, strict=True):
            row[t] += of_all[other] - of_all[one]
            row[u] += of_all[one] - of_all[other]


class _Exact:
    """The third search: exact cover."""

    def __init__(self, line: Sequence[VersionId], sizes: Sequence[int], met: Met) -> None:
        self._line, self._sizes = line, sizes
        self._met = {
            one: frozenset(other for other in line if met.get((one, other))) for one in line
        }
        """Whom each has met."""
        self._bit = {entrant: 1 << i for i, entrant in enumerate(line)}
        self._looks = _EXACT
        """How many tables it may still examine."""

    def run(self, most: int) -> list[Group] | None:
        """Return tables with at most so many rematches; None if there are none or it gives up."""
        tables = [
            (table, used, sum(self._bit[entrant] for entrant in table))
            for table, used in self._joining((), self._line, most)
        ]
        return self._fill(tables, self._line, self._sizes, most)

    def _joining(
        self, group: Group, others: Sequence[VersionId], most: int
    ) -> Iterator[tuple[Group, int]]:
        """Yield all tables that extend a group with at most so many rematches, and their number."""
        if len(group) in self._sizes:
            yield group, 0
        if len(group) == max(self._sizes):
            return
        for i, entrant in enumerate(others):
            if not self._may_look(1):
                return
            again = len(self._met[entrant].intersection(group))
            if again <= most:
                longer = self._joining((*group, entrant), others[i + 1 :], most - again)
                yield from ((table, used + again) for table, used in longer)

    def _fill(
        self,
        tables: Sequence[_Table],
        waiting: Sequence[VersionId],
        sizes: Sequence[int],
        most: int,
    ) -> list[Group] | None:
        """Seat all who wait at some of these tables, first whoever fits at the fewest."""
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

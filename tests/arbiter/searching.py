"""The search for tables without clashes, by docs/pairing.md: in order, by swaps, then exactly."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations

Pair = frozenset[str]
Met = Counter[Pair]
Tables = list[list[int]]
CLASH, AGAIN = 10**9, 10**6


class Lots:
    """A stream of lots, by docs/protocol.md."""

    def __init__(self, *names: str) -> None:
        """Open the stream of these names, the seed first."""
        framed = b"".join(len(n.encode()).to_bytes(4, "big") + n.encode() for n in names)
        self._key = hashlib.sha256(b"courtyard-stream-1" + framed).digest()
        self._taken = 0

    def below(self, n: int) -> int:
        """Draw a number below n."""
        while True:
            block, word = divmod(self._taken, 4)
            self._taken += 1
            drawn = hashlib.sha256(self._key + block.to_bytes(8, "big")).digest()
            value = int.from_bytes(drawn[8 * word : 8 * word + 8], "big")
            if value < 2**64 - 2**64 % n:
                return value % n

    def shuffled(self, bots: list[str]) -> list[str]:
        """Return the bots in random order."""
        found = list(bots)
        for i in range(len(found) - 1, 0, -1):
            j = self.below(i + 1)
            found[i], found[j] = found[j], found[i]
        return found


class Clashes:
    """Who should not meet, and how bad it is."""

    def __init__(
        self, bots: Iterable[str], pairs: int, *relations: Iterable[Pair], fellows: Iterable[Pair]
    ) -> None:
        """Weigh the relations among these bots, the worst first, for `pairs` pairs at tables."""
        there = set(bots)
        among = [{pair for pair in each if pair <= there} for each in (*relations, fellows)]
        if 2 * len(among[-1]) == len(there) * (len(there) - 1):
            among[-1] = set()
        present = [each for each in among if each]
        self.units = [(pairs + 1) ** i for i in range(len(present))][::-1] or [1]
        self._weights: Counter[Pair] = Counter()
        for unit, each in zip(self.units, present, strict=False):
            self._weights.update(dict.fromkeys(each, unit))

    def between(self, one: str, other: str) -> int:
        """The weight of a pair."""
        return self._weights[frozenset((one, other))]

    def at(self, *tables: Iterable[str]) -> int:
        """The weight of all pairs at tables."""
        return sum(self.between(*pair) for table in tables for pair in combinations(table, 2))


def pairs_at(sizes: Iterable[int]) -> int:
    """How many pairs sit at tables of these sizes."""
    return sum(size * (size - 1) // 2 for size in sizes)


def by_line(line: list[str], sizes: list[int], clashes: Clashes, met: Met) -> list[list[str]]:
    """Tables of a later Swiss round; places in line are numbers from 0."""

    def cost(a: int, b: int) -> int:
        return AGAIN * met[frozenset((line[a], line[b]))] + (a - b) ** 2

    search = Search(line, sizes, clashes, cost)
    return search.in_order() or search.from_tables(cut(sizes))


def by_places(line: list[str], sizes: list[int], clashes: Clashes) -> list[list[str]]:
    """Opponents of a gauntlet: tables cut from a line."""
    tables = [[line[i] for i in table] for table in cut(sizes)]
    search = Search(line, sizes, clashes, lambda a, b: (a - b) ** 2)
    return search.from_tables(cut(sizes)) if clashes.at(*tables) else tables


def by_deal(tables: list[list[str]], clashes: Clashes) -> list[list[str]]:
    """Dealt tables, searched if they clash."""
    if not clashes.at(*tables):
        return tables
    places = sorted((i, t) for t, table in enumerate(tables) for i in range(len(table)))
    start = [[places.index((i, t)) for i in range(len(each))] for t, each in enumerate(tables)]

    def cost(a: int, b: int) -> int:
        same = places[a][0] == places[b][0]
        return (places[a][1] - places[b][1]) ** 2 + same * len(tables) ** 2

    line = [tables[t][i] for i, t in places]
    return Search(line, [len(table) for table in tables], clashes, cost).from_tables(start)


def cut(sizes: list[int]) -> Tables:
    """Places in line, in tables of these sizes."""
    places = iter(range(sum(sizes)))
    return [[next(places) for _ in range(size)] for size in sizes]


class Search:
    """The search for tables of these sizes."""

    def __init__(
        self, line: list[str], sizes: list[int], clashes: Clashes, fine: Callable[[int, int], int]
    ) -> None:
        """Begin with a line, and what pairs cost beside their weight."""
        self._n, self._sizes, self._line = len(line), sizes, line
        self._weight = [[clashes.between(a, b) for b in line] for a in line]
        self._units, self._fine = clashes.units, fine
        self._left = 20_000
        self._looks = 1_000_000

    def in_order(self) -> list[list[str]] | None:
        """The first tables without a clash, from the top."""
        found = self._in_order(list(range(self._n)), self._sizes)
        return None if found is None else self._named(found)

    def from_tables(self, start: Tables) -> list[list[str]]:
        """The best tables that swaps and the exact search find."""
        return self._named(self._by_swaps(start))

    def _named(self, tables: Tables) -> list[list[str]]:
        return [[self._line[i] for i in table] for table in tables]

    def _at(self, tables: Tables) -> int:
        """The weight of tables."""
        return sum(self._weight[a][b] for table in tables for a, b in combinations(table, 2))

    def _in_order(self, waiting: list[int], sizes: list[int]) -> Tables | None:
        if not waiting:
            return []
        for joining in combinations(waiting[1:], sizes[0] - 1):
            if self._left == 0:
                return None
            self._left -= 1
            table = [waiting[0], *joining]
            if not self._at([table]):
                rest = self._in_order([i for i in waiting if i not in table], sizes[1:])
                if rest is not None:
                    return [table, *rest]
        return None

    def _cost(self, a: int, b: int) -> int:
        return CLASH * self._weight[a][b] + self._fine(a, b)

    def _total(self, tables: Tables) -> int:
        return sum(self._cost(a, b) for table in tables for a, b in combinations(table, 2))

    def _down(self, tables: Tables) -> Tables:
        """Swap as long as a swap lowers the cost, looking at pairs of places in order."""
        better = True
        while better:
            better = False
            for one, other in combinations(tables, 2):
                for i in range(len(one)):
                    for j in range(len(other)):
                        before = self._total([one, other])
                        one[i], other[j] = other[j], one[i]
                        if self._total([one, other]) < before:
                            better = True
                        else:
                            one[i], other[j] = other[j], one[i]
        return tables

    def _by_swaps(self, dealt: Tables) -> Tables:
        start = self._down(dealt)
        best, lots = start, Lots("pairing")
        for ban in (8, 4):
            if not self._at(best):
                break
            best = min(best, self._down(self._banning(start, ban, lots)), key=self._total)
        if (exact := self._least(self._at(best))) is not None:
            best = self._down([sorted(table) for table in exact])
        return sorted(sorted(table) for table in best)

    def _least(self, weight: int) -> Tables | None:
        """Tables of less weight than this, of the least; the worst relation goes first."""
        found, base = None, 0
        for unit in self._units:
            while base + unit - 1 < weight and self._looks >= 0:
                tables = self._exactly(base + unit - 1)
                if tables is not None:
                    found, weight = tables, self._at(tables)
                    break
                base += unit
        return found

    def _banning(self, start: Tables, ban: int, lots: Lots) -> Tables:
        """Make 1,500 swaps, each of a bot with a clash, and return the best tables on the way."""
        tables = [list(table) for table in start]
        best, fewest = [list(table) for table in tables], self._at(tables)
        until: Counter[tuple[int, int]] = Counter()
        for step in range(1500):
            clash = [
                (t, i)
                for t, table in enumerate(tables)
                for i in range(len(table))
                if any(self._weight[table[i]][other] for other in table)
            ]
            if not clash:
                break
            t, i = clash[lots.below(len(clash))]
            now, mine, free = self._at(tables), tables[t][i], []
            for u, table in enumerate(tables):
                for j, other in enumerate(table if u != t else []):
                    before = self._at([tables[t], table])
                    tables[t][i], table[j] = other, mine
                    after = now + self._at([tables[t], table]) - before
                    tables[t][i], table[j] = mine, other
                    if max(until[mine, u], until[other, t]) <= step or after < fewest:
                        free.append((after, u, j))
            if not free:
                continue
            least = [swap for swap in free if swap[0] == min(free)[0]]
            after, u, j = least[lots.below(len(least))]
            other = tables[u][j]
            until[mine, t] = until[other, u] = step + ban
            tables[t][i], tables[u][j] = other, mine
            if after < fewest:
                best, fewest = [list(table) for table in tables], after
        return best

    def _exactly(self, most: int) -> Tables | None:
        tables: list[tuple[list[int], int]] = []
        self._grow([], 0, 0, most, tables)
        return self._cover(tables, list(range(self._n)), self._sizes, most)

    def _grow(
        self, table: list[int], first: int, used: int, most: int, found: list[tuple[list[int], int]]
    ) -> None:
        if len(table) in self._sizes:
            found.append((table, used))
        if len(table) == max(self._sizes):
            return
        for i in range(first, self._n):
            self._looks -= 1
            if self._looks < 0:
                return
            more = used + sum(self._weight[i][other] for other in table)
            if more <= most:
                self._grow([*table, i], i + 1, more, most, found)

    def _cover(
        self,
        tables: list[tuple[list[int], int]],
        waiting: list[int],
        sizes: list[int],
        most: int,
    ) -> Tables | None:
        if not waiting:
            return []
        fit = [each for each in tables if each[1] <= most and len(each[0]) in sizes]
        at = Counter(i for table, _ in fit for i in table)
        first = min(waiting, key=lambda i: at[i])
        for table, used in fit:
            if first not in table:
                continue
            self._looks -= len(fit)
            if self._looks < 0:
                return None
            taken, left = set(table), list(sizes)
            left.remove(len(table))
            apart = [each for each in fit if taken.isdisjoint(each[0])]
            rest = self._cover(apart, [i for i in waiting if i not in taken], left, most - used)
            if rest is not None:
                return [table, *rest]
        return None

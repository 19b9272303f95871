"""The search for a Swiss round, by docs/pairing.md: in order, by swaps, then exactly."""

import hashlib
from collections import Counter
from itertools import combinations

Met = Counter[frozenset[str]]
Tables = list[list[int]]
REMATCH, AGAIN = 10**9, 10**6


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


class Search:
    """The search for tables of these sizes; places in line are numbers from 0."""

    def __init__(self, line: list[str], sizes: list[int], met: Met) -> None:
        """Begin with a line, the best first."""
        self._n, self._sizes, self._line = len(line), sizes, line
        self._met = [[met[frozenset((a, b))] if a != b else 0 for b in line] for a in line]
        self._left = 20_000
        self._looks = 1_000_000

    def run(self) -> list[list[str]]:
        """Return the tables found."""
        found = self._in_order(list(range(self._n)), self._sizes)
        return [[self._line[i] for i in table] for table in (found or self._by_swaps())]

    def again(self, tables: Tables) -> int:
        """How many pairs meet again."""
        return sum(self._met[a][b] > 0 for table in tables for a, b in combinations(table, 2))

    def _in_order(self, waiting: list[int], sizes: list[int]) -> Tables | None:
        if not waiting:
            return []
        for joining in combinations(waiting[1:], sizes[0] - 1):
            if self._left == 0:
                return None
            self._left -= 1
            table = [waiting[0], *joining]
            if not self.again([table]):
                rest = self._in_order([i for i in waiting if i not in table], sizes[1:])
                if rest is not None:
                    return [table, *rest]
        return None

    def _cost(self, a: int, b: int) -> int:
        met = self._met[a][b]
        return REMATCH * (met > 0) + AGAIN * met + (a - b) ** 2

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

    def _by_swaps(self) -> Tables:
        cut = iter(range(self._n))
        start = self._down([[next(cut) for _ in range(size)] for size in self._sizes])
        best, lots = start, Lots("pairing")
        for ban in (8, 4):
            if not self.again(best):
                break
            best = min(best, self._down(self._banning(start, ban, lots)), key=self._total)
        for most in range(self.again(best)):
            if (exact := self._exactly(most)) is not None:
                best = self._down([sorted(table) for table in exact])
                break
        return sorted(sorted(table) for table in best)

    def _banning(self, start: Tables, ban: int, lots: Lots) -> Tables:
        """Make 1,500 swaps, each of a bot with a rematch, and return the best tables on the way."""
        tables = [list(table) for table in start]
        best, fewest = [list(table) for table in tables], self.again(tables)
        until: Counter[tuple[int, int]] = Counter()
        for step in range(1500):
            clash = [
                (t, i)
                for t, table in enumerate(tables)
                for i in range(len(table))
                if any(self._met[table[i]][other] for other in table)
            ]
            if not clash:
                break
            t, i = clash[lots.below(len(clash))]
            now, mine, free = self.again(tables), tables[t][i], []
            for u, table in enumerate(tables):
                for j, other in enumerate(table if u != t else []):
                    before = self.again([tables[t], table])
                    tables[t][i], table[j] = other, mine
                    after = now + self.again([tables[t], table]) - before
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
            more = used + sum(self._met[i][other] > 0 for other in table)
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

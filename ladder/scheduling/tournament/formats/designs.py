"""Block designs: tables of 3 to 5 at which every pair of n entrants meets about equally often.

Theory of operation. Number the entrants from 0 to n - 1. A *base block* of k numbers, shifted by 0,
1, 2, ... n - 1 modulo n, makes n tables; every entrant sits at k of them. How often two entrants
meet depends only on the difference of their numbers: it is how often that difference, or its
negative, occurs in the base block. So it suffices to find a few base blocks in which every
difference occurs (nearly) equally often, a *difference family*. If k divides n, the block of every
n/k-th number makes a full round of n/k tables by itself.

The search takes the smallest difference that still has to occur, begins a block with it, and adds
numbers as long as no difference occurs too often. It takes the fewest tables for which it finds
blocks; numbers of meetings then differ by at most one. The same holds over several cycles: the next
one compensates for the earlier ones. Affine planes and Kirkman's schoolgirls, which have no such
blocks, are tabulated.

Sources: Colbourn and Dinitz, Handbook of Combinatorial Designs, II.3 (balanced incomplete block
designs), VI.16 (difference families), II.2 (Kirkman triple systems).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from referee.games.randomness import Stream

Block = tuple[int, ...]
Counts = tuple[int, ...]
"""For each difference from 0 (unused) to n // 2, the meetings of two that differ by it."""

_STEPS = 10_000
"""How many numbers the ordered search tries for each number of tables."""
_MOVES = 200
"""How many moves per base block are tried before tables are added."""
_MORE = 3
"""How many more base blocks than the minimum are tried."""

_SCHOOLGIRLS = ((0, 1, 3), (2, 7, 9), (4, 12, 13), (5, 8, 11), (6, 10, 14))
"""Fifteen in threes, the first of seven days: 14 stays and the others shift by one a day."""


def cycles(n: int, k: int, number: int) -> list[list[Block]]:
    """Return the tables of `number` cycles; in each, every pair of n entrants meets at least once.

    As far as is known, pairs' numbers of meetings differ by at most one at the end of each cycle. n
    is above k, and k from 3 to 5.
    """
    if (plane := _known(n, k)) is not None:
        return [plane] * number
    counts: Counts = (0,) * (n // 2 + 1)
    made: list[list[Block]] = []
    for _ in range(number):
        tables, counts = _cycle(n, k, counts)
        made.append(tables)
    return made


def _known(n: int, k: int) -> list[Block] | None:
    """Return the tabulated design for n entrants at tables of k, if there is one."""
    if n == k * k:
        return list(_affine_plane(k))
    if (n, k) == (15, 3):
        return list(_schoolgirls())
    return None


def _affine_plane(q: int) -> Iterator[Block]:
    """Yield the lines of the plane over the field of q elements, parallel ones together.

    A point (x, y) is the number q x + y. The lines are y = m x + c for each slope m, then x = c.
    """
    for slope in range(q):
        for c in range(q):
            yield tuple(q * x + _add(_times(slope, x, q), c, q) for x in range(q))
    for c in range(q):
        yield tuple(q * c + y for y in range(q))


def _add(a: int, b: int, q: int) -> int:
    """Add in the field of 3, 4 or 5 elements; in that of 4 a number's bits are coefficients."""
    return a ^ b if q == 4 else (a + b) % q  # noqa: PLR2004 - the one that is not prime


def _times(a: int, b: int, q: int) -> int:
    """Multiply in the field of 3, 4 or 5 elements; in that of 4 modulo x^2 + x + 1."""
    if q != 4:  # noqa: PLR2004 - the one that is not prime
        return a * b % q
    product = (a if b & 1 else 0) ^ (a << 1 if b & 2 else 0)
    return product ^ 7 if product & 4 else product


def _schoolgirls() -> Iterator[Block]:
    for day in range(7):
        for walking in _SCHOOLGIRLS:
            yield tuple(g if g == 14 else g // 7 * 7 + (g + day) % 7 for g in walking)  # noqa: PLR2004 - the one that stays


@cache
def _cycle(n: int, k: int, before: Counts) -> tuple[list[Block], Counts]:
    """Return the tables of the next cycle, and how often each difference has met after it."""
    for blocks, spokes in _sizes(n, k):
        start = _with_spokes(before, n, k) if spokes else before
        if (found := _found(n, k, start, blocks)) is not None:
            turned = [tuple((x + turn) % n for x in b) for b in found[0] for turn in range(n)]
            round_ = [tuple(range(turn, n, n // k)) for turn in range(n // k)] if spokes else []
            return [*round_, *turned], found[1]
    raise AssertionError(f"no design for {n} at tables of {k}")


def _found(n: int, k: int, before: Counts, blocks: int) -> tuple[list[Block], Counts] | None:
    """Return `blocks` base blocks and the counts with them; None if none are found."""
    if _Family(n, k, before, blocks).low <= min(before[1:]):
        return None  # some pairs would not meet in this cycle
    return _Search(n, k, before, blocks).run() or _Repair(n, k, before, blocks).run()


def _sizes(n: int, k: int) -> list[tuple[int, bool]]:
    """Return the numbers of base blocks to try, with or without a full round, by tables."""
    fewest = -(-(n - 1) // (k * (k - 1)))
    sizes = [(s, False) for s in range(max(1, fewest), fewest + _MORE + 1)]
    if n % k == 0:
        sizes += [(s, True) for s in range(max(0, fewest - 1), fewest + _MORE)]
    return sorted(sizes, key=lambda size: (size[0] * n + size[1] * (n // k), size))


def _with_spokes(counts: Counts, n: int, k: int) -> Counts:
    step = n // k
    return tuple(c + (d > 0 and d % step == 0) for d, c in enumerate(counts))


class _Family:
    """Base blocks, and how often each difference has met with them."""

    def __init__(self, n: int, k: int, before: Counts, blocks: int) -> None:
        self.n, self.k, self.blocks = n, k, blocks
        self.counts = list(before)
        self.weight = [2 if 2 * d == n else 1 for d in range(n // 2 + 1)]
        """If n is even, n / 2 belongs to half as many pairs, so each occurrence counts twice."""
        pairs = sum(c * n // self.weight[d] for d, c in enumerate(before) if d)
        pairs += blocks * n * k * (k - 1) // 2
        self.low = pairs // (n * (n - 1) // 2)
        """Each difference must meet so often, or once more."""

    def difference(self, x: int, y: int) -> int:
        """Return the difference of two numbers, from 0 to n // 2."""
        d = abs(x - y)
        return min(d, self.n - d)

    def count(self, block: Sequence[int], x: int, sign: int = 1) -> None:
        """Add the differences between x and a block to the counts, or subtract them."""
        for y in block:
            d = self.difference(x, y)
            self.counts[d] += sign * self.weight[d]


class _Search(_Family):
    """Finds the blocks in order, each beginning with the smallest difference due."""

    def run(self) -> tuple[list[Block], Counts] | None:
        """Return the base blocks and the counts with them; None if none were found."""
        self._left = _STEPS
        self._found: list[Block] = []
        return (self._found, tuple(self.counts)) if self._next_block() else None

    def _next_block(self) -> bool:
        due = [d for d in range(1, len(self.counts)) if self.counts[d] < self.low]
        if len(self._found) == self.blocks:
            return not due
        to_come = (self.blocks - len(self._found)) * self.k * (self.k - 1) // 2
        if sum(-(-(self.low - self.counts[d]) // self.weight[d]) for d in due) > to_come:
            return False
        first = due[0] if due else self.counts.index(min(self.counts[1:]), 1)
        return self._extend([0], first)

    def _extend(self, block: Sequence[int], x: int) -> bool:
        """Add a number, complete the block and find later ones; undo that on failure."""
        self.count(block, x)
        longer = [*block, x]
        if all(self.counts[self.difference(x, y)] <= self.low + 1 for y in block):
            if len(longer) == self.k:
                self._found.append(tuple(longer))
                if self._next_block():
                    return True
                self._found.pop()
            elif self._any_after(longer):
                return True
        self.count(block, x, -1)
        return False

    def _any_after(self, block: Sequence[int]) -> bool:
        begin = 1 if len(block) == 2 else block[-1] + 1  # noqa: PLR2004 - the two that begin it
        for x in range(begin, self.n):
            if x != block[1]:
                self._left -= 1
                if self._left < 0:
                    return False
                if self._extend(block, x):
                    return True
        return False


class _Repair(_Family):
    """Local search: starts from random blocks and moves one number at a time to its best place."""

    def run(self) -> tuple[list[Block], Counts] | None:
        """Return the base blocks and the counts with them; None if none were found."""
        n, k = self.n, self.k
        stream = Stream("designs", str(n), str(k), str(self.blocks), str(self.counts))
        blocks = [stream.shuffled(range(n))[:k] for _ in range(self.blocks)]
        for block in blocks:
            for i in range(k):
                self.count(block[:i], block[i])
        for _ in range(_MOVES * self.blocks):
            if not self._amiss():
                return [tuple(block) for block in blocks], tuple(self.counts)
            block = blocks[stream.below(self.blocks)]
            self._move(block, stream.below(k), stream)
        return None

    def _amiss(self) -> bool:
        counts = self.counts[1:]
        return min(counts) < self.low or max(counts) > self.low + 1

    def _move(self, block: list[int], at: int, stream: Stream) -> None:
        """Move one number of a block to where the counts are evenest; break ties at random."""
        old = block.pop(at)
        self.count(block, old, -1)
        costs = {x: self._cost(block, x) for x in range(self.n) if x not in block and x != old}
        best = min(costs.values())
        x = stream.choice([x for x, cost in costs.items() if cost == best])
        block.insert(at, x)
        self.count(block[:at] + block[at + 1 :], x)

    def _cost(self, block: Sequence[int], x: int) -> int:
        """Return by how much x in the block raises the sum of squared counts."""
        cost = 0
        for y in block:
            d = abs(x - y)
            d = min(d, self.n - d)
            cost += 2 * self.counts[d] + 1
        return cost


def meetings(tables: Sequence[Block]) -> Counter[tuple[int, int]]:
    """Return how often each pair meets."""
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))

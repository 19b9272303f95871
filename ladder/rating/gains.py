"""What interactions would do to the scores of pairs, at the tables that were really played.

At a table i gains c_ij by j being there, and j loses as much. That moves the comparison of the two
by 2 c_ij, and those with third parties by c_ij. Where the same three meet again and again, most of
that looks like strength: only what the strengths cannot follow is seen as an interaction. How much
that is, for gains of variance one, is found by drawing some: with few versions many times, as there
are few gains to a draw. The draws are the same every time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ladder.rating.arrays import Floats, Ints, summed
from ladder.rating.dispersion import Encounters, Scatter, Squares
from ladder.rating.draws import normal

_GAINS = 4000
"""So many gains at least are drawn in all, so that the mean of their squares is right to 3 %."""
_MOST_DRAWS = 256
_MOST_NUMBERS = 4_000_000
"""At all tables together; a long log of few versions would not fit into the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """D draws of the gains of N versions from each other, at the tables of E encounters."""

    ahead: Floats
    """(E, D) by how much more the first version of each encounter gains than the second."""
    by_pair: sparse.csr_array
    """(P, E) sums encounters by pair."""
    by_version: sparse.csr_array
    """(N, E) sums them by version, those of second versions with the sign turned."""

    @classmethod
    def of(cls, met: Encounters, n: int) -> "Gains":
        """Draw the gains."""
        draws = min(_MOST_DRAWS, -(-_GAINS // max(n * (n - 1) // 2, 1)))
        draws = max(1, min(draws, _MOST_NUMBERS // max(len(met.pair), 1)))
        i, j, encounters = met.i[met.pair], met.j[met.pair], np.arange(len(met.pair))
        present, table = _tables(met, n)
        first = np.searchsorted(present, met.block * n + i)
        second = np.searchsorted(present, met.block * n + j)
        ahead = [got[first] - got[second] for got in (_gained(table, c) for c in _drawn(n, draws))]
        ones, size = np.ones(len(encounters)), len(encounters)
        where = (np.concatenate([i, j]), np.tile(encounters, 2))
        return cls(
            ahead=np.stack(ahead, axis=1),
            by_pair=sparse.csr_array((ones, (met.pair, encounters)), shape=(len(met.i), size)),
            by_version=sparse.csr_array((np.concatenate([ones, -ones]), where), shape=(n, size)),
        )

    def expected(self, seen: Scatter, weight: Floats, inverse: Floats) -> Squares:
        """Return what gains of variance one add to the squares of the pairs' scores.

        `weight` is that of one comparison of each pair, (P,), `inverse` that of the curvature for
        the strengths, (N, N), by which they follow the scores.
        """
        return self._squares(seen, weight, inverse, seen.told[:, None] * self.ahead)

    def found(self, seen: Scatter, weight: Floats, inverse: Floats) -> Squares:
        """Return the squares of the pairs' scores themselves, arguments as above."""
        return self._squares(seen, weight, inverse, seen.score[:, None])

    def _squares(self, seen: Scatter, weight: Floats, inverse: Floats, scores: Floats) -> Squares:
        """Return the mean squares of scores, (E, D), but for what the strengths can follow."""
        followed = inverse @ (self.by_version @ (self.by_pair.T @ weight[:, None] * scores))
        left = scores - seen.told[:, None] * (self.by_version.T @ followed)
        of_sums = ((self.by_pair @ left) ** 2).mean(axis=1)
        return Squares(of_sums, (self.by_pair @ left**2).mean(axis=1))


def _drawn(n: int, draws: int) -> Iterator[Floats]:
    """Yield (N, N) antisymmetric gains of variance one."""
    numbers = normal(draws, n * (n - 1) // 2)
    upper = np.triu_indices(n, 1)
    for drawn in numbers:
        gains = np.zeros((n, n))
        gains[upper] = drawn
        yield gains - gains.T


def _tables(met: Encounters, n: int) -> tuple[Ints, tuple[Ints, Ints, Ints]]:
    """Return who was in which block, as block * N + version, sorted; and all two that were in one.

    The latter is by row of the former: the row of one, its version, and that of the other.
    """
    present, size, start = met.tables(n)
    each, first = size[present // n], start[present // n]
    row = np.repeat(np.arange(len(present)), each)
    within = np.arange(len(row)) - np.repeat(np.cumsum(each) - each, each)
    return present, (row, present[row] % n, present[np.repeat(first, each) + within] % n)


def _gained(table: tuple[Ints, Ints, Ints], gains: Floats) -> Floats:
    """Return what each version in each block gains from the others there."""
    row, one, other = table
    return summed(row, gains[one, other], int(row.max(initial=-1)) + 1)

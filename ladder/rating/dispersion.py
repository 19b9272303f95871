"""How much the scores of pairs scatter, within blocks and between pairs.

The unit is the *encounter*: all comparisons of two versions within one block, whose matches share a
deal. Its score s = sum w (y - p) says how far one came out ahead of expectation; its information
I = sum w p (1 - p) would be the variance of s, but for the weight and what the matches share.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ladder.rating.arrays import Floats, Ints, summed
from ladder.rating.comparisons import Comparisons


@dataclass(frozen=True, slots=True, eq=False)
class Encounters:
    """E encounters of P pairs of versions."""

    i: Ints
    """(P,) one version of each pair that met."""
    j: Ints
    """(P,) the other one, i < j."""
    pair_of_cell: Ints
    """(C,)"""
    pair: Ints
    """(E,) whose encounter it is."""
    block: Ints
    """(E,)"""
    of_comparison: Ints
    """(R,) the encounter that each comparison is part of."""
    count: Ints
    """(P,) how many encounters each pair had."""

    blocks: int
    """How many there are."""

    def tables(self, entrants: int) -> tuple[Ints, Ints, Ints]:
        """Return who was in which block, as block * entrants + version, sorted.

        And by block, (blocks,): how many were in it, and where the first of them stands.
        """
        at_block = self.block * entrants
        pair = [at_block + self.i[self.pair], at_block + self.j[self.pair]]
        present = np.unique(np.concatenate(pair))
        size = np.bincount(present // max(entrants, 1), minlength=self.blocks)
        return present, size, np.cumsum(size) - size

    def version_scores(self, score: Floats, entrants: int) -> sparse.csr_array:
        """Return (blocks, N) the scores of the versions in each block from (E,) those of pairs."""
        where = (np.tile(self.block, 2), np.concatenate([self.i[self.pair], self.j[self.pair]]))
        signed = np.concatenate([score, -score])
        return sparse.csr_array((signed, where), shape=(self.blocks, entrants))

    def by_pair(self, values: Floats) -> Floats:
        """Return (P,) sums of (E,) values."""
        return summed(self.pair, values, len(self.i))

    def by_comparison(self, values: Floats) -> Floats:
        """Return (E,) sums of (R,) values."""
        return summed(self.of_comparison, values, len(self.pair))


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """What the encounters show when each comparison has the probability p."""

    residual: Floats
    """(R,) w (y - p)."""
    score: Floats
    """(E,) s."""
    told: Floats
    """(E,) I."""
    information: Floats
    """(P,) I, summed over the pair's encounters."""
    sum_of_squares: Floats
    """(P,) of s."""
    squared_information: Floats
    """(P,) the sum of the squares of I over the pair's encounters."""


def encounters(of: Comparisons) -> Encounters:
    """Group the comparisons."""
    n = max(of.entrants, 1)
    pairs, pair_of_cell = np.unique(of.cells.i * n + of.cells.j, return_inverse=True)
    number = max(len(pairs), 1)
    keys, group = np.unique(of.block * number + pair_of_cell[of.cell], return_inverse=True)
    return Encounters(
        i=pairs // n,
        j=pairs % n,
        pair_of_cell=pair_of_cell,
        pair=keys % number,
        block=keys // number,
        of_comparison=group,
        count=np.bincount(keys % number, minlength=len(pairs)),
        blocks=of.block_count,
    )


def scatter(of: Comparisons, met: Encounters, p: Floats) -> Scatter:
    """Measure the scatter around the probabilities of the cells, (C,)."""
    weight = of.cells.weight
    residual = weight[of.cell] * (of.score - p[of.cell])
    score = met.by_comparison(residual)
    told = met.by_comparison((weight * p * (1 - p))[of.cell])
    return Scatter(
        residual=residual,
        score=score,
        told=told,
        information=met.by_pair(told),
        sum_of_squares=met.by_pair(score**2),
        squared_information=met.by_pair(told**2),
    )

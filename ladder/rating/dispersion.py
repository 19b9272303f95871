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

_RIDGE = 0.25
"""r. Of the interactions in a field of twenty about 0.8 are seen if all meet all, and half if two
sit at nearly every table."""
_LEAST_FREEDOM = 0.5
"""So many pairs must be left after fitting the strengths, else nothing is said of interactions."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """Squares of the scores of P pairs, but for what the strengths can follow."""

    of_sums: Floats
    """(P,) of the sum over a pair's encounters."""
    sums: Floats
    """(P,) of the scores of its encounters, summed."""


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


def interaction(
    seen: Scatter, count: Ints, leverage: Floats, trust: Floats, found: Squares, expected: Squares
) -> float:
    """Estimate t2, the variance of what interactions add to a pair's logit, and add its error.

    If a pair's logit is off by d, the sum S of its scores is off by I d. So S^2 exceeds what the
    scatter of its encounters explains by I^2 t2, less what the fit takes up: a share of h, the
    pair's `leverage` (P,), of S^2, and of h / n, when n encounters share it, of each s^2. A pair
    with one encounter says nothing, and nor do pairs that the strengths can follow: two versions
    may be as far apart as they like. The moments are those of analysis of variance (DerSimonian and
    Laird 1986 with leverages), each divided by the square of what S^2 varies by: `trust` (P,) is
    in proportion to 1 / (phi + I t2), so that a pair that met a hundred times does not outweigh a
    hundred pairs. The standard error is that of normal scores.

    That is for pairs that deviate each on its own. Of gains at tables for more, a part v of that is
    seen: what they are `expected` to add, when they have variance one and pairs therefore variance
    4. The estimate is divided by v; or rather, as next to nothing is seen where the same few are at
    all tables and nothing much should follow from that, multiplied by v (1 + r^2) / (v^2 + r^2).
    """
    left = np.where(count > 1, 1 - np.clip(leverage, 0.0, 1.0), 0.0)
    if left.sum() < _LEAST_FREEDOM:
        return 0.0
    share = np.where(count > 1, left / (1 - (1 - left) / np.maximum(count, 2)), 1.0)
    trusted = np.where(count > 1, trust**2, 0.0)
    explained = trusted * share * found.sums
    excess = trusted * found.of_sums - explained
    weight = trusted * left * np.maximum(seen.information**2 - seen.squared_information, 0.0)
    if not weight.sum() > 0:
        return 0.0
    t2 = excess.sum() / weight.sum()
    spread = np.sqrt(1 - 1 / count) * explained + max(t2, 0.0) * weight
    error = np.sqrt(2 * (spread**2).sum()) / weight.sum()
    shown = trusted * np.maximum(expected.of_sums - share * expected.sums, 0.0)
    visible = shown.sum() / (4 * weight.sum())
    raised = visible * (1 + _RIDGE**2) / (visible**2 + _RIDGE**2)
    return float(raised * max(t2 + error, 0.0))

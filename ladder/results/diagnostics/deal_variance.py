"""The share of a score's variance that comes from the deal, which rotating the seats removes.

Over the matches of a block each version gets every seat of the deal once, so the deal's effect
cancels. Without such an effect, the matches of a block would be independent, and the square of a
version's score over the block would on average be the sum of the squares of its scores in the
matches. The *gain* is the ratio of the latter to the former: a match in a block is worth as many
matches with deals of their own. It depends on the game and the players: where decisions soon make
the matches of a deal diverge, the gain is small.
"""

from dataclasses import dataclass

import numpy as np

from ladder.rating.arrays import Floats, Ints
from ladder.results.diagnostics.residuals import Residuals
from ladder.results.diagnostics.seats import table_sizes

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The gain from blocks at one table size."""

    blocks: int
    """The number of blocks of several matches."""
    gain: float
    """How many matches with deals of their own a match in a block is worth; 1 without an effect."""
    low: float
    """The lower end of the 95 % interval of the gain."""
    high: float

    @property
    def deal_share(self) -> float:
        """The share of a score's variance that is due to the deal, which blocks remove."""
        return max(0.0, 1 - 1 / self.gain)


def duplicates(of: Residuals) -> dict[int, Duplicates]:
    """Return the gain from blocks by table size; sizes without blocks are left out."""
    data = of.data
    apart = np.bincount(
        _block_of_match(of), _squares(of, data.match), minlength=data.block_count
    ).astype(np.float64)
    together = _squares(of, data.block)
    matches = np.bincount(np.unique(np.stack([data.block, data.match]), axis=1)[0])
    table = np.zeros(data.block_count, np.int64)
    table[data.block] = table_sizes(data)
    return {
        size: _gain(apart[chosen], together[chosen])
        for size in np.unique(table).tolist()
        if (chosen := (table == size) & (matches > 1) & (together > 0)).any()
    }


def _squares(of: Residuals, unit: Ints) -> Floats:
    """Return the sum of all versions' squared scores in each match or block, (units,)."""
    cells, cell = of.data.cells, of.data.cell
    where = (np.tile(unit, 2), np.concatenate([cells.i[cell], cells.j[cell]]))
    signed = np.concatenate([of.seen.residual, -of.seen.residual])
    shape = (int(unit.max(initial=-1)) + 1, of.data.entrants)
    from scipy import sparse  # noqa: PLC0415 - slow to import

    scores = sparse.csr_array((signed, where), shape=shape)
    squares: Floats = scores.power(2).sum(axis=1)
    return squares


def _block_of_match(of: Residuals) -> Ints:
    """Return the block of each match, (matches,)."""
    block = np.zeros(int(of.data.match.max(initial=-1)) + 1, np.int64)
    block[of.data.match] = of.data.block
    return block


def _gain(apart: Floats, together: Floats) -> Duplicates:
    """Return the ratio of the sums, with an interval from the linearised logarithm."""
    gain = float(apart.sum() / together.sum())
    shares = apart / apart.sum() - together / together.sum()
    error = float(np.sqrt((shares**2).sum()))
    low, high = gain * np.exp(np.array([-1, 1]) * _Z95 * error)
    return Duplicates(len(apart), gain, float(low), float(high))

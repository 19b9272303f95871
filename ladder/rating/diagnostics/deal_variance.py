"""How much of a game's luck lies in the deal, and is taken away when a deal is played by all seats.

Over the matches of a block each version gets every seat of the deal once, so whatever is the same
each time cancels. If it were nothing, the matches of a block would be as independent as any, and
the square of a version's score over the block would on average be the sum of the squares of its
scores in the matches. The *gain* is the ratio of these two: so many matches of deals of their own
tell as much as one in a block. It depends on the game, and on who plays it: where decisions soon
lead the matches of a deal apart, there is little to gain.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ladder.rating.arrays import Floats, Ints
from ladder.rating.diagnostics.residuals import Residuals

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What the blocks of one table size are worth."""

    blocks: int
    """Those of several matches."""
    gain: float
    """A match in a block tells as much as so many of deals of their own; 1 without an effect."""
    low: float
    """Lower end of the 95 % interval of the gain."""
    high: float

    @property
    def deal_share(self) -> float:
        """The part of a score's variance that is the deal's, which blocks remove."""
        return max(0.0, 1 - 1 / self.gain)


def duplicates(of: Residuals) -> dict[int, Duplicates]:
    """Return by table size what blocks are worth; sizes that have none are left out."""
    data = of.data
    apart = np.bincount(
        _block_of_match(of), _squares(of, data.match), minlength=data.block_count
    ).astype(np.float64)
    together = _squares(of, data.block)
    matches = np.bincount(np.unique(np.stack([data.block, data.match]), axis=1)[0])
    table = np.zeros(data.block_count, np.int64)
    table[data.block] = data.tables()
    return {
        size: _gain(apart[chosen], together[chosen])
        for size in np.unique(table).tolist()
        if (chosen := (table == size) & (matches > 1) & (together > 0)).any()
    }


def _squares(of: Residuals, unit: Ints) -> Floats:
    """Return (units,) the sum of the squared scores of all versions in each match or block."""
    cells, cell = of.data.cells, of.data.cell
    where = (np.tile(unit, 2), np.concatenate([cells.i[cell], cells.j[cell]]))
    signed = np.concatenate([of.seen.residual, -of.seen.residual])
    shape = (int(unit.max(initial=-1)) + 1, of.data.entrants)
    scores = sparse.csr_array((signed, where), shape=shape)
    squares: Floats = scores.power(2).sum(axis=1)
    return squares


def _block_of_match(of: Residuals) -> Ints:
    """Return (matches,) the block of each match."""
    block = np.zeros(int(of.data.match.max(initial=-1)) + 1, np.int64)
    block[of.data.match] = of.data.block
    return block


def _gain(apart: Floats, together: Floats) -> Duplicates:
    """Return the ratio of the sums, with an interval from the linear form of its logarithm."""
    gain = float(apart.sum() / together.sum())
    shares = apart / apart.sum() - together / together.sum()
    error = float(np.sqrt((shares**2).sum()))
    low, high = gain * np.exp(np.array([-1, 1]) * _Z95 * error)
    return Duplicates(len(apart), gain, float(low), float(high))

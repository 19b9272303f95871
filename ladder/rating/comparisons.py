"""Pairwise comparisons of versions, derived from a log.

A match of k versions gives k (k - 1) / 2 comparisons, except between copies of a version and
between versions that both forfeited. Each weighs 2 / k, so a match weighs k - 1, the number of
steps in its ranking. The matches are sorted by content, so sums over the comparisons are the same
to the last bit in any order of the log.

Comparisons of the same two versions on the same two seats of tables of the same size form a *cell*.
The model assigns one probability to a cell, so counts by cell suffice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ladder.rating.arrays import Bools, Floats, Ints, summed
from ladder.rating.condensed import Condensed, nothing
from ladder.rating.results import ABSENT, Log, Matches

_BLOCKS_AS_INDEPENDENT = 5.0
"""The weight, in blocks, of the assumption that matches of one deal are independent."""
_BY_SEAT = ("points", "crashed", "ranks", "seats", "versions")
"""The fields of a match that have a value for each seat."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """C kinds of comparison, sorted."""

    i: Ints
    """(C,) the first version."""
    j: Ints
    """(C,) the second version, i < j."""
    seat_i: Ints
    """(C,) the seat column of i, by `Comparisons.columns`."""
    seat_j: Ints
    """(C,) the seat column of j."""
    weight: Floats
    """(C,) the weight of one comparison, 2 / k."""
    count: Ints
    """(C,) the number of comparisons."""
    score: Floats
    """(C,) how often i came before j; ties count half."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """R comparisons of N versions in B blocks, in an order independent of the log's."""

    entrants: int
    """N."""
    columns: Mapping[int, slice]
    """The seat columns, of Q in all, of each table size that occurs."""
    cells: Cells
    cell: Ints
    """(R,) the cell of each comparison."""
    score: Floats
    """(R,) 1 if i came before j, 0 if behind, 1/2 for a tie."""
    margin: Floats
    """(R,) the points of i less those of j; infinite if one forfeited, nan if unknown."""
    block: Ints
    """(R,) the block, numbered from 0 without gaps."""
    match: Ints
    """(R,) the match, numbered from 0 in no particular order."""
    in_match: Ints
    """(2, R) numbers that identify i and j in their match."""
    in_block: Ints
    """(2, R) numbers that identify i and j in their block."""
    matches: Matches
    """The log, sorted."""
    blocks: Ints
    """(N,) the number of blocks in which each version has comparisons, those of the past too."""
    past: Condensed
    """Older results, which none of the above counts."""

    @property
    def seats(self) -> int:
        """Q, the number of seat columns over all table sizes."""
        return max((columns.stop for columns in self.columns.values()), default=0)

    def scores(self, residual: Floats, owners: Ints) -> Floats:
        """Return the score of each version in each of its matches or blocks.

        A score is a sum of weighted residuals, (R,): those of i, and negated those of j. `owners`
        is `in_match` or `in_block`; unused numbers get 0.
        """
        signed = self.cells.weight[self.cell] * residual
        return summed(owners.ravel(), np.concatenate([signed, -signed]), 0)

    def gaps(self, values: Floats) -> Floats:
        """Return the value of i less that of j, (R,), for values of the versions, (N,)."""
        found: Floats = (values[self.cells.i] - values[self.cells.j])[self.cell]
        return found

    def squares(self, residual: Floats) -> tuple[float, float]:
        """Return the sums of squared scores in matches, and in blocks."""
        scores = (self.scores(residual, unit) for unit in (self.in_match, self.in_block))
        apart, together = (float(score @ score) for score in scores)
        return apart, together

    def gain(self, residual: Floats, before: tuple[float, float]) -> float:
        """Return the information of matches that share a deal, relative to others; 1 if none do.

        It is the sum of squared scores in matches over the sum of squared scores in blocks, where
        the luck of the deal cancels, as every version held every hand. The assumption that it does
        not cancel has the weight of a few blocks. `before` are the `squares` of the past.
        """
        if self.in_block is self.in_match and before[0] == before[1]:
            return 1.0
        own = self.squares(residual)
        apart, together = own[0] + before[0], own[1] + before[1]
        blocks = self.block_count + self.past.sums.blocks
        assumed = apart * _BLOCKS_AS_INDEPENDENT / max(blocks, 1)
        return (apart + assumed) / (together + assumed) if apart > 0 else 1.0

    @property
    def block_count(self) -> int:
        """B, the number of blocks with comparisons."""
        return int(self.block.max(initial=-1)) + 1


def comparisons(log: Log, past: Condensed | None = None) -> Comparisons:
    """Return the comparisons of a log, which goes on where the past ends."""
    past = past or nothing(log.entrants)
    matches = canonical(log.matches())
    columns = _columns(matches)
    match, i, j, column_i, column_j, score, margin = _pairs(matches)
    seat_i, seat_j = (_seat(matches, columns, match, column) for column in (column_i, column_j))
    k = np.sum(matches.versions != ABSENT, axis=1)[match]
    code = _mixed([i, j, seat_i, seat_j, k])
    _, first, cell = np.unique(code, return_index=True, return_inverse=True)
    block = _without_gaps(_number_of_blocks(matches)[match])
    width = matches.versions.shape[1]
    in_match = np.stack([match * width + column for column in (column_i, column_j)])
    in_block = _in_block(matches, block, in_match, np.stack([i, j]))
    return Comparisons(
        entrants=log.entrants,
        columns=columns,
        cells=Cells(
            i=i[first],
            j=j[first],
            seat_i=seat_i[first],
            seat_j=seat_j[first],
            weight=2.0 / k[first],
            count=np.bincount(cell, minlength=len(first)),
            score=summed(cell, score, len(first)),
        ),
        cell=cell,
        score=score,
        margin=margin,
        block=block,
        match=match,
        in_match=in_match,
        in_block=in_block,
        matches=matches,
        blocks=past.blocks + _blocks(log.entrants, in_block, np.stack([i, j])),
        past=past,
    )


def canonical(matches: Matches) -> Matches:
    """Return the matches sorted by content, and the versions of each by seat."""
    seats = np.where(matches.versions == ABSENT, np.iinfo(np.int64).max, matches.seats)
    inner = np.argsort(seats, axis=1, kind="stable")
    rows = np.arange(len(inner))[:, None]
    by_seat = {name: getattr(matches, name)[rows, inner] for name in _BY_SEAT}
    keys = [column for name in _BY_SEAT for column in by_seat[name].T]
    outer = np.argsort(matches.block, kind="stable")
    if not np.all(np.diff(matches.block[outer])):  # several matches of a block
        outer = np.lexsort([*keys, matches.table, matches.block])
    return replace(matches, **by_seat)[outer]


def _columns(matches: Matches) -> dict[int, slice]:
    """Return the seat columns of each table size that occurs."""
    columns, used = {}, 0
    for size in np.unique(matches.table).tolist():
        columns[size] = slice(used, used + size)
        used += size
    return columns


def _pairs(matches: Matches) -> tuple[Ints, Ints, Ints, Ints, Ints, Floats, Floats]:
    """Return match, versions, their columns in the log, and the first one's score and margin."""
    parts = [_pair(matches, a, b) for a, b in combinations(range(matches.versions.shape[1]), 2)]
    if not parts:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing, nothing, nothing, np.zeros(0), np.zeros(0)
    match, a, b, ahead, margin = (np.concatenate(part) for part in zip(*parts, strict=True))
    i, j = matches.versions[match, a], matches.versions[match, b]
    swap = i > j
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    sign = np.where(swap, -1, 1)
    return match, i, j, a, b, (1 + sign * ahead) / 2, sign * margin


def _pair(matches: Matches, a: int, b: int) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """Compare the versions in two columns of the log."""
    i, j = matches.versions[:, a], matches.versions[:, b]
    down_i, down_j = matches.crashed[:, a], matches.crashed[:, b]
    counts: Bools = (i != j) & (i != ABSENT) & (j != ABSENT) & ~(down_i & down_j)
    ahead = np.sign(matches.ranks[:, b] - matches.ranks[:, a])
    ahead = np.where(down_i, -1, np.where(down_j, 1, ahead))[counts]
    margin = (matches.points[:, a] - matches.points[:, b])[counts]
    margin = np.where((down_i | down_j)[counts], np.where(ahead > 0, np.inf, -np.inf), margin)
    match = np.flatnonzero(counts)
    return match, np.full_like(match, a), np.full_like(match, b), ahead, margin


def _seat(matches: Matches, columns: Mapping[int, slice], match: Ints, column: Ints) -> Ints:
    """Return the seat column of the version in a column of the log."""
    sizes = np.array(sorted(columns), np.int64)
    starts = np.array([columns[size].start for size in sorted(columns)], np.int64)
    start = starts[np.searchsorted(sizes, matches.table)]
    found: Ints = (matches.seats + start[:, None])[match, column]
    return found


def _number_of_blocks(matches: Matches) -> Ints:
    """Return the block number of each match, (M,), ascending."""
    return np.cumsum(np.append(0, np.diff(matches.block) != 0)[: len(matches.block)])


def _without_gaps(numbers: Ints) -> Ints:
    """Renumber from 0 without gaps, keeping the order."""
    found: Ints = (np.cumsum(np.bincount(numbers) > 0) - 1)[numbers]
    return found


def _in_block(matches: Matches, block: Ints, in_match: Ints, versions: Ints) -> Ints:
    """Return the numbers of versions in blocks; those in matches if blocks are single matches."""
    ordered = np.sort(matches.versions, axis=1)
    copies = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != ABSENT)
    if np.all(np.diff(matches.block)) and not copies.any():
        return in_match
    code = _mixed([np.stack([block, block]), versions])
    return np.unique(code, return_inverse=True)[1].reshape(versions.shape)


def _mixed(digits: list[Ints]) -> Ints:
    """Combine several small numbers into one, the first the most significant."""
    code = np.zeros_like(digits[0])
    for digit in digits:
        code = code * (int(digit.max(initial=0)) + 1) + digit
    return code


def _blocks(entrants: int, in_block: Ints, versions: Ints) -> Ints:
    """Count the blocks of each version."""
    whose = np.full(int(in_block.max(initial=-1)) + 1, entrants)
    whose[in_block] = versions
    return np.bincount(whose, minlength=entrants + 1)[:entrants]

"""A log taken apart into comparisons of two versions in one match: what a pairwise fit reads.

A match of k versions gives k (k - 1) / 2 comparisons, less those of a version with its own copy and
those of two that both forfeited. Each weighs 2 / k, so that a match weighs k - 1: as much as its
ranking has steps. The matches are sorted by what they are, not by where they stood in the log, so
whatever is summed over the comparisons comes out the same to the last bit in any order of the log.

Comparisons of the same two versions on the same two seats of tables of the same size form a *cell*.
The model gives all of a cell one probability, so counts over cells are all that it needs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import expit

from ladder.rating.arrays import Bools, Floats, Ints, summed
from ladder.rating.results import ABSENT, Log, Matches

_BLOCKS_AS_INDEPENDENT = 5.0
"""So many blocks weighs the assumption that matches of one deal are independent."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """C different kinds of comparison, sorted."""

    i: Ints
    """(C,) one version."""
    j: Ints
    """(C,) the other one, i < j."""
    seat_i: Ints
    """(C,) column of the seat of i, as `Comparisons.columns` numbers them."""
    seat_j: Ints
    """(C,)"""
    weight: Floats
    """(C,) of one comparison, 2 / k."""
    count: Ints
    """(C,) how often it occurred."""
    score: Floats
    """(C,) how often i came before j; a shared rank counts half."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """R comparisons of N versions in B blocks, in an order that the log's has no part in."""

    entrants: int
    """N."""
    columns: Mapping[int, slice]
    """Table sizes that occur, and which of all Q seat columns are theirs."""
    cells: Cells
    cell: Ints
    """(R,) which cell each comparison is of."""
    score: Floats
    """(R,) 1 if i came before j, 0 if behind, 1/2 for a shared rank."""
    margin: Floats
    """(R,) by how many points i was ahead of j; infinite if one forfeited, nan if not known."""
    block: Ints
    """(R,) in which block, numbered from 0 without gaps."""
    match: Ints
    """(R,) in which match; the numbers, from 0, mean nothing else."""
    in_match: Ints
    """(2, R) numbers of i and j in that match, which no other version or match shares."""
    in_block: Ints
    """(2, R) numbers of i and j in that block."""
    matches: Matches
    """The log, sorted."""
    blocks: Ints
    """(N,) in how many blocks each version was compared."""

    @property
    def seats(self) -> int:
        """Q, the number of seat columns over all table sizes."""
        return max((columns.stop for columns in self.columns.values()), default=0)

    def tables(self) -> Ints:
        """Return (R,) the number of seats at the table of each comparison."""
        sizes = np.array(list(self.columns), np.int64)
        starts = np.array([columns.start for columns in self.columns.values()], np.int64)
        found = np.searchsorted(starts, self.cells.seat_i, side="right") - 1
        return sizes[found][self.cell]

    def chances(self, theta: Floats, gamma: Mapping[int, Floats]) -> Floats:
        """Return (C,) how probable it is that i comes before j, by strengths and seats in logits.

        `theta` is (N,); `gamma` has what the seats are worth by table size.
        """
        seat = np.zeros(self.seats)
        for size, columns in self.columns.items():
            seat[columns] = gamma[size]
        cells = self.cells
        p: Floats = expit(theta[cells.i] - theta[cells.j] + seat[cells.seat_i] - seat[cells.seat_j])
        return p

    def scores(self, residual: Floats, owners: Ints) -> Floats:
        """Return what versions have in each match or block where they were compared.

        That is the sum of their weighted residuals, (R,) of i and, with the sign turned, of j.
        `owners` is `in_match` or `in_block`; numbers without an owner have 0.
        """
        signed = self.cells.weight[self.cell] * residual
        return summed(owners.ravel(), np.concatenate([signed, -signed]), 0)

    def gaps(self, values: Floats) -> Floats:
        """Return (R,) by how much i is above j in values of the versions, (N,)."""
        found: Floats = (values[self.cells.i] - values[self.cells.j])[self.cell]
        return found

    def gain(self, residual: Floats) -> float:
        """Return how much more matches tell that share a deal than others; 1 if none do.

        It is the sum of the squared scores of versions in matches over that of their scores in
        blocks, where the luck of a deal cancels that everybody had once. The assumption that it
        does not has the weight of a few blocks.
        """
        if self.in_block is self.in_match:
            return 1.0
        scores = (self.scores(residual, unit) for unit in (self.in_match, self.in_block))
        apart, together = (float(score @ score) for score in scores)
        assumed = apart * _BLOCKS_AS_INDEPENDENT / max(self.block_count, 1)
        return (apart + assumed) / (together + assumed) if apart > 0 else 1.0

    @property
    def block_count(self) -> int:
        """B, the number of blocks with a comparison."""
        return int(self.block.max(initial=-1)) + 1


def comparisons(log: Log) -> Comparisons:
    """Take a log apart."""
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
        blocks=_blocks(log.entrants, in_block, np.stack([i, j])),
    )


def canonical(matches: Matches) -> Matches:
    """Sort the versions of each match by seat, and the matches by what they are."""
    seats = np.where(matches.versions == ABSENT, np.iinfo(np.int64).max, matches.seats)
    inner = np.argsort(seats, axis=1, kind="stable")
    rows = np.arange(len(inner))[:, None]
    versions, crashed = matches.versions[rows, inner], matches.crashed[rows, inner]
    seats, ranks = matches.seats[rows, inner], matches.ranks[rows, inner]
    points = matches.points[rows, inner]
    keys = [*points.T, *crashed.T, *ranks.T, *seats.T, *versions.T, matches.table, matches.block]
    outer = np.argsort(matches.block, kind="stable")
    if not np.all(np.diff(matches.block[outer])):  # several matches of a block
        outer = np.lexsort(keys)
    return Matches(
        block=matches.block[outer],
        table=matches.table[outer],
        versions=versions[outer],
        seats=seats[outer],
        ranks=ranks[outer],
        crashed=crashed[outer],
        points=points[outer],
    )


def _columns(matches: Matches) -> dict[int, slice]:
    """Give every seat of every table size that occurs a column."""
    columns, used = {}, 0
    for size in np.unique(matches.table).tolist():
        columns[size] = slice(used, used + size)
        used += size
    return columns


def _pairs(matches: Matches) -> tuple[Ints, Ints, Ints, Ints, Ints, Floats, Floats]:
    """Return match, two versions, their columns in the log, the first one's score and margin."""
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
    """Compare what sits in two columns of the log."""
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
    """Return which of all seats each has that sits in a column of the log."""
    sizes = np.array(sorted(columns), np.int64)
    starts = np.array([columns[size].start for size in sorted(columns)], np.int64)
    start = starts[np.searchsorted(sizes, matches.table)]
    found: Ints = (matches.seats + start[:, None])[match, column]
    return found


def _number_of_blocks(matches: Matches) -> Ints:
    """Return (M,) numbers of the blocks, ascending."""
    return np.cumsum(np.append(0, np.diff(matches.block) != 0)[: len(matches.block)])


def _without_gaps(numbers: Ints) -> Ints:
    """Return the numbers from 0 without gaps, in the same order."""
    found: Ints = (np.cumsum(np.bincount(numbers) > 0) - 1)[numbers]
    return found


def _in_block(matches: Matches, block: Ints, in_match: Ints, versions: Ints) -> Ints:
    """Return the numbers of versions in blocks, those in matches if these are the same."""
    ordered = np.sort(matches.versions, axis=1)
    copies = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != ABSENT)
    if np.all(np.diff(matches.block)) and not copies.any():
        return in_match
    code = _mixed([np.stack([block, block]), versions])
    return np.unique(code, return_inverse=True)[1].reshape(versions.shape)


def _mixed(digits: list[Ints]) -> Ints:
    """Write several small numbers as one, the first the most significant."""
    code = np.zeros_like(digits[0])
    for digit in digits:
        code = code * (int(digit.max(initial=0)) + 1) + digit
    return code


def _blocks(entrants: int, in_block: Ints, versions: Ints) -> Ints:
    """Count the different blocks of each version."""
    whose = np.full(int(in_block.max(initial=-1)) + 1, entrants)
    whose[in_block] = versions
    return np.bincount(whose, minlength=entrants + 1)[:entrants]

"""Seat advantages, head-to-head results, and results by table size.

Pure functions of a log and its fit. Intervals are at 95 %.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import comparisons
from ladder.rating.results import ABSENT, Log
from ladder.results.diagnostics.residuals import Residuals
from ladder.results.diagnostics.seats import table_sizes

_TAIL = 0.025


@dataclass(frozen=True, slots=True)
class Seat:
    """The worth of a seat at tables of one size."""

    seat: int
    """From 0."""
    worth: float
    """In logits, relative to the mean of the seats."""
    low: float
    high: float
    ahead: float
    """How often a bot on this seat beats an equal one on another seat; 1/2 if seats are equal."""


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """The seat advantages at tables of one size."""

    seats: tuple[Seat, ...]
    p_value: float
    """The probability that equal seats would appear to differ as much."""


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The results of two versions against each other, at any table."""

    i: int
    j: int
    comparisons: int
    """The number of comparisons."""
    observed: float
    """The share in which i came before j; ties count half."""
    expected: float
    """The share expected from both strengths and seats."""
    z: float
    """The difference in standard errors; among many pairs some exceed 2 by chance."""


@dataclass(frozen=True, slots=True)
class TableSizeStats:
    """The results of a version at tables of one size."""

    version: int
    table: int
    matches: int
    score: float
    """How often it came before another version; ties count half; 1/2 without comparisons."""
    crashes: int
    crash_rate: tuple[float, float]
    """The Clopper-Pearson interval."""


def seat_advantages(of: Residuals) -> dict[int, SeatAdvantage]:
    """Return the seat advantages by table size."""
    return {
        size: _seat_advantage(worth, of.seat_covariance[size])
        for size, worth in sorted(of.seats.items())
    }


def _seat_advantage(worth: Floats, covariance: Floats) -> SeatAdvantage:
    """Return worths, which sum to zero, with a Wald test of whether all are zero."""
    size = len(worth)
    centre = np.eye(size) - 1 / size
    spread = centre @ covariance @ centre
    half = -special.ndtri(_TAIL) * np.sqrt(np.diag(spread))
    wald = worth @ linalg.pinvh(spread) @ worth
    ahead = (special.expit(worth[:, None] - worth[None, :]).sum(axis=1) - 0.5) / (size - 1)
    rows = np.stack([worth, worth - half, worth + half, ahead], axis=1).tolist()
    seats = tuple(Seat(seat, *row) for seat, row in enumerate(rows))
    return SeatAdvantage(seats, float(special.chdtrc(size - 1, wald)))


def head_to_head(of: Residuals) -> list[HeadToHead]:
    """Return all pairs that met, sorted by version.

    The variance of a pair's score includes one average encounter, so that a few similar encounters
    do not stand out.
    """
    cells, pair, number = of.data.cells, of.met.pair_of_cell, len(of.met.i)
    count = np.bincount(pair, cells.count, minlength=number)
    observed = np.bincount(pair, cells.score, minlength=number) / count
    expected = np.bincount(pair, cells.count * of.p, minlength=number) / count
    usual = of.seen.sum_of_squares.sum() / max(len(of.seen.score), 1)
    variance = of.seen.sum_of_squares + usual
    z = of.met.by_pair(of.seen.score) / np.sqrt(np.where(variance > 0, variance, 1.0))
    columns = [of.met.i, of.met.j, count.astype(np.int64), observed, expected, z]
    return [HeadToHead(*row) for row in zip(*(c.tolist() for c in columns), strict=True)]


def table_size_stats(log: Log) -> list[TableSizeStats]:
    """Return the results of each version at each table size, sorted by both."""
    matches = log.matches()
    found = []
    for size in np.unique(matches.table).tolist():
        rows = matches.table == size
        versions, crashed = matches.versions[rows], matches.crashed[rows]
        present = versions != ABSENT
        played = np.bincount(versions[present], minlength=log.entrants)
        down = np.bincount(versions[present], crashed[present], minlength=log.entrants)
        scores = _scores(log, size)
        found += [
            TableSizeStats(v, size, int(played[v]), float(scores[v]), int(down[v]), rate)
            for v in np.flatnonzero(played).tolist()
            if (rate := _proportion(int(down[v]), int(played[v])))
        ]
    return sorted(found, key=lambda tally: (tally.version, tally.table))


def _scores(log: Log, size: int) -> Floats:
    """Return the mean score of each version at tables of this size, (N,)."""
    data = comparisons(log)
    chosen = table_sizes(data) == size
    i, j = data.cells.i[data.cell[chosen]], data.cells.j[data.cell[chosen]]
    score, n = data.score[chosen], data.entrants
    total = np.bincount(i, score, minlength=n) + np.bincount(j, 1 - score, minlength=n)
    count = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
    return np.where(count > 0, total / np.maximum(count, 1), 0.5)


def _proportion(hits: int, trials: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a proportion."""
    low = special.betaincinv(hits, trials - hits + 1, _TAIL) if hits else 0.0
    high = special.betaincinv(hits + 1, trials - hits, 1 - _TAIL) if hits < trials else 1.0
    return float(low), float(high)

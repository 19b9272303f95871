"""What is measured of ladders of real bots: the order, its error bars, and when it is called sure.

The order is right as far as it is that of the expected places. Error bars of ratings are measured
against the ratings that the same rater gives to all matches of the bank, both about their means.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ladder.rating.results import Log
from ladder.scheduling.ladder.policy import Scheduler
from tests.benchmarks.ranking.measures import kendall_tau, top_right
from tests.benchmarks.ranking.real.bank import SEATS, Bank, Floats, Ints
from tests.benchmarks.ranking.real.ladders import Draws, Rate, rounds

GRID = (60, 100, 140, 200, 280, 400, 560, 800, 1130, 1600, 2260, 3200)
"""Numbers of matches at which ladders are looked at."""
CHECKS = (200, 800, 3200)
"""Those at which error bars are checked."""
TOP = 3
NORMAL_95 = 1.959964
INDIFFERENT = 0.1
"""Logits: who is less than that ahead may be taken for the better one."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a rater makes of a log."""

    score: Floats
    """(N,)"""
    covariance: Floats | None = None
    """(N, N) of the errors of the scores, if it says any."""
    ranks: Ints | None = None
    """(N, 2) the intervals of the ranks."""


Rater = Callable[[Log], Shown]


@dataclass(eq=False)
class Row:
    """What S ladders of one scheduler and one rater showed."""

    tau: list[list[float]] = field(default_factory=list)
    """(S, T) over the grid."""
    top: list[list[float]] = field(default_factory=list)
    """(S, T) 1 where the first three are the right ones."""
    nearly: list[list[float]] = field(default_factory=list)
    """(S, T) the same up to differences that do not matter."""
    covered: dict[int, list[float]] = field(default_factory=dict)
    """By number of matches: (S * N,) 1 where the interval of a rating holds the truth."""
    ranked: dict[int, list[float]] = field(default_factory=dict)
    """The same of the interval of a rank."""

    def begin(self) -> None:
        """Make room for a ladder."""
        for column in (self.tau, self.top, self.nearly):
            column.append([])


def full_log(bank: Bank) -> Log:
    """Return all matches of a bank as a log."""
    log, draws = Log(len(bank.names)), Draws(bank, 0)
    for group in bank.groups.tolist():
        for _ in range(bank.ranks.shape[1] * SEATS):
            log.append(draws.match(group, len(log)))
    return log


def truth_in_logits(bank: Bank) -> Floats:
    """Return (N,) how often each comes before another one at its table, as a logit."""
    share = (SEATS - bank.places) / (SEATS - 1)
    logits: Floats = np.log(share / (1 - share))
    return logits


def observe(row: Row, bank: Bank, shown: Shown, limit: Floats | None, matches: int) -> None:
    """Add what a ladder shows after so many matches to its row; `limit` is the ratings' truth."""
    truth = -bank.places
    row.tau[-1].append(float(kendall_tau(shown.score, truth)))
    row.top[-1].append(float(top_right(shown.score[None], truth[None], TOP)[0]))
    logits, first = truth_in_logits(bank), np.argsort(-shown.score, kind="stable")
    worst, best = logits[first[:TOP]].min(), logits[first[TOP:]].max()
    row.nearly[-1].append(float(worst >= best - INDIFFERENT))
    if matches not in CHECKS:
        return
    if shown.covariance is not None and limit is not None:
        n = len(limit)
        centre = np.eye(n) - 1 / n
        error = np.abs(centre @ (shown.score - limit))
        bar = NORMAL_95 * np.sqrt(np.diag(centre @ shown.covariance @ centre))
        row.covered.setdefault(matches, []).extend((error <= bar).astype(float).tolist())
    if shown.ranks is not None:
        rank = 1 + np.argsort(np.argsort(-truth))
        inside = (shown.ranks[:, 0] <= rank) & (rank <= shown.ranks[:, 1])
        row.ranked.setdefault(matches, []).extend(inside.astype(float).tolist())


def play(
    bank: Bank,
    seed: int,
    scheduler: Scheduler,
    rate: Rate | None,
    raters: Mapping[str, tuple[Rater, Floats | None]],
    rows: Mapping[str, Row],
    grid: Sequence[int] = GRID,
) -> None:
    """Play one ladder, and rate the same matches by several raters; each with its truth."""
    for row in rows.values():
        row.begin()
    ahead = list(grid)
    for log, _ in rounds(bank, seed, scheduler, rate):
        while ahead and len(log) >= ahead[0]:
            for name, (rater, limit) in raters.items():
                observe(rows[name], bank, rater(log), limit, ahead[0])
            ahead.pop(0)
        if not ahead:
            break

"""What is measured of ladders of real bots: the order, its error bars, and when it is called sure.

The order is right as far as it is that of the expected places. Error bars of ratings are measured
against the ratings that the same rater gives to all matches of the bank, both about their means.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from ladder.model.settings import SURE
from ladder.rating.fit import Fit
from ladder.rating.results import Log, MatchResult
from ladder.results.ranking import INDIFFERENCE
from ladder.scheduling.ladder.policy import Scheduler
from tests.benchmarks.ranking.measures import kendall_tau, top_right
from tests.benchmarks.ranking.real.bank import Bank, Floats
from tests.benchmarks.ranking.real.foretold import loss, outcomes
from tests.benchmarks.ranking.real.ladders import Draws, Rate, rounds

GRID = (60, 100, 140, 200, 280, 400, 560, 800, 1130, 1600, 2260, 3200)
"""Numbers of matches at which ladders are looked at."""
CHECKS = (200, 800, 3200)
"""Those at which error bars are checked."""
TOP = 3
NORMAL_95 = 1.959964
NEARLY = 0.1
"""Logits: who is less than that ahead may be taken for the better one."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a rater makes of a log."""

    score: Floats
    """(N,)"""
    covariance: Floats | None = None
    """(N, N) of the errors of the scores, if it says any."""
    fit: Fit | None = None
    """What ranks and the chance of the order follow from, if it says any."""
    chance: Floats | None = None
    """(N, N) how probable it is that one bot comes before another, if it says any."""


Rater = Callable[[Log], Shown]


@dataclass
class Row:
    """What one ladder showed by one rater."""

    tau: list[float] = field(default_factory=list)
    """(T,) over the grid."""
    top: list[float] = field(default_factory=list)
    """(T,) 1 where the first three are the right ones."""
    nearly: list[float] = field(default_factory=list)
    """(T,) the same up to differences that do not matter."""
    order: list[float | None] = field(default_factory=list)
    """(T,) whether the order is right up to `INDIFFERENCE`; None where it is not called sure."""
    best: list[float | None] = field(default_factory=list)
    """(T,) the same of the top three."""
    ratings: dict[int, list[float]] = field(default_factory=dict)
    """By number of matches, and from the best bot to the worst: 1 where the interval of its rating
    holds the truth."""
    ranks: dict[int, list[float]] = field(default_factory=dict)
    """The same of the interval of its rank."""
    loss: dict[int, float] = field(default_factory=dict)
    """By number of matches: the log loss of places in the matches that the ladder has not seen."""

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> "Row":
        """Return a row that was written as JSON, whose keys are strings."""
        row = cls(**kept)
        row.ratings, row.ranks = (
            {int(matches): held for matches, held in column.items()}
            for column in (row.ratings, row.ranks)
        )
        row.loss = {int(matches): loss for matches, loss in row.loss.items()}
        return row


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What all matches of a bank say."""

    bank: Bank
    limits: Mapping[str, Floats]
    """By rater: (N,) the ratings that it comes to in the end, where it has any."""
    strengths: Floats
    """(N,) by places alone, in logits: what a wrong order is measured by."""
    outcomes: Floats
    """(N, N) how often one bot came before another."""


def full_log(bank: Bank) -> Log:
    """Return all matches of a bank as a log."""
    log = Log(len(bank.names))
    log.extend(full_matches(bank))
    return log


def full_matches(bank: Bank) -> Iterator[MatchResult]:
    """Yield all matches of a bank, each as a block of its own."""
    draws, numbers = Draws(bank, 0), count()
    for group in bank.groups.tolist():
        for _ in range(bank.ranks.shape[1] * bank.seats):
            yield from draws.table(group, next(numbers))


def truth_in_logits(bank: Bank) -> Floats:
    """Return (N,) how often each comes before another one at its table, as a logit."""
    share = (bank.seats - bank.places) / (bank.seats - 1)
    logits: Floats = np.log(share / (1 - share))
    return logits


def observe(row: Row, truth: Truth, rater: str, shown: Shown, matches: int) -> None:
    """Add what a ladder shows after a number of matches to its row."""
    right = -truth.bank.places
    row.tau.append(float(kendall_tau(shown.score, right)))
    row.top.append(float(top_right(shown.score[None], right[None], TOP)[0]))
    first = np.argsort(-shown.score, kind="stable")
    row.nearly.append(_right_top(truth_in_logits(truth.bank)[first], NEARLY))
    if shown.fit is not None:
        _observe_sure(row, shown.fit, truth.strengths)
    if matches in CHECKS:
        _observe_intervals(row, truth, rater, shown, matches)


def _right_top(logits: Floats, indifferent: float) -> float:
    """Return 1 if none of the others, in this order, is better than the first by more than that."""
    return float(logits[:TOP].min() >= logits[TOP:].max() - indifferent)


def _observe_sure(row: Row, fit: Fit, strengths: Floats) -> None:
    """Add whether order and top are called sure, and if so, whether they are right."""
    order = fit.order()
    logits = strengths[order]
    ready = not fit.provisional.any()
    sure = ready and fit.doubts(order[:-1], order[1:], INDIFFERENCE, paired=True).chance >= SURE
    right = float((np.diff(logits) <= INDIFFERENCE).all())
    row.order.append(right if sure else None)
    sure = ready and fit.doubts(order[:TOP], order[TOP:], INDIFFERENCE).chance >= SURE
    row.best.append(_right_top(logits, INDIFFERENCE) if sure else None)


def _observe_intervals(row: Row, truth: Truth, rater: str, shown: Shown, matches: int) -> None:
    """Add whether the intervals of ratings and ranks hold the truth."""
    places = truth.bank.places
    best_first, n = np.argsort(places), len(places)
    limit = truth.limits.get(rater)
    if shown.covariance is not None and limit is not None:
        centre = np.eye(n) - 1 / n
        error = np.abs(centre @ (shown.score - limit))
        bar = NORMAL_95 * np.sqrt(np.diag(centre @ shown.covariance @ centre))
        row.ratings[matches] = (error <= bar)[best_first].astype(float).tolist()
    if shown.fit is not None:
        low, high = shown.fit.rank_intervals()[best_first].T
        rank = np.arange(1, n + 1)
        row.ranks[matches] = ((low <= rank) & (rank <= high)).astype(float).tolist()


def play(
    truth: Truth,
    seed: int,
    scheduler: Scheduler,
    rate: Rate | None,
    raters: Mapping[str, Rater],
    *,
    duplicates: bool = False,
    grid: Sequence[int] = GRID,
) -> dict[str, Row]:
    """Play one ladder, and rate the same matches by several raters."""
    rows = {name: Row() for name in raters}
    ahead = list(grid)
    for log in rounds(Draws(truth.bank, seed, duplicates), scheduler, rate):
        while ahead and len(log) >= ahead[0]:
            shown = {name: rater(log) for name, rater in raters.items()}
            for name, one in shown.items():
                observe(rows[name], truth, name, one, ahead[0])
            if ahead[0] in CHECKS and 2 * len(log) <= truth.bank.matches:
                held_out = np.maximum(truth.outcomes - outcomes(log), 0.0)
                for name, one in shown.items():
                    if one.chance is not None:
                        rows[name].loss[ahead[0]] = loss(one.chance, held_out)
            ahead.pop(0)
        if not ahead:
            break
    return rows

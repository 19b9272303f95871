"""Is A better than B? A sequential test on mirrored pairs, and an always-valid interval.

*Unit.* Two matches of one deal form a mirrored pair: A and B have equally many seats, and swap them
in the second match. With four seats each has two, which tells more than twice as much as one each
with two others; a third bot takes a left-over seat, the same in all pairs. Copies of a bot must not
know of each other. The score of a pair is the mean, over all of A's copies against all of B's, of
1, 1/2 or 0: 1/2 on average if the bots are equally strong.

*Test.* Of the mean score, H0: s0 = 1/2 against H1: s1 = 1/2 + the effect, by betting (Waudby-Smith
and Ramdas 2024, "Estimating means of bounded random variables by betting"). Two gamblers begin with
a capital of 1 and stake a part of it on each pair before they see it: one that the mean is above
s0, the other that it is below s1. If the mean is s0, the first one's capital is multiplied by 1 on
average, so it ever reaches 1 / alpha with probability alpha at most (Ville 1939), whatever the
scores look like and however often one looks: H1 is accepted there. H0 is accepted when the other
one's reaches 1 / beta. How much they stake decides only how soon that happens: about
effect / (variance + effect^2) is best if the hypothesis that they bet on is true. The variance is
that of the pairs before, and of a few imaginary ones; no stake risks more than half of the capital.

*Interval.* The means against which neither gambler would have won: a mean m0 lies below it if the
first one, betting that the mean is above m0, has reached 1 / alpha, and above it if the other one,
betting that it is below m0, has reached 1 / beta. So it is a confidence sequence: the truth is ever
below it with probability alpha at most, and ever above it with beta. A is called better exactly
when 1/2 lies below it, and not better when s1 lies above it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from ladder.rating.arrays import Floats
from ladder.rating.results import MatchResult

_IMAGINARY = 4
"""The number of imaginary pairs that the first stakes follow,"""
_THEIR_VARIANCE = 1 / 16
"""and the variance of their scores. Both change how soon a duel ends, not how often it errs."""

_HALVINGS = 40
"""How often the search for an end of the interval halves its range."""
_MOST_AT_RISK = 0.5
"""The part of its capital that a gambler may lose by one pair."""


class DuelSide(StrEnum):
    """The side that takes a seat of a duel."""

    A = "A"
    B = "B"
    FIELD = "field"


SideSeating = tuple[DuelSide, ...]


class DuelAnswer(StrEnum):
    """The answer of a duel."""

    BETTER = "better"
    """A is better than B: H1 is accepted."""
    NOT_BETTER = "not better"
    """A is not better than B, or by less than the effect: H0 is accepted."""
    OPEN = "open"
    """Undecided so far."""
    NO_DECISION = "no decision"
    """Undecided when the number of pairs reached its cap."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The parameters of a test."""

    effect: float = 0.03
    """By how much the mean score exceeds 1/2 under H1."""
    alpha: float = 0.05
    """The largest probability of calling A better when it is not."""
    beta: float = 0.05
    """The largest probability of calling A not better when it is better by the effect."""
    first: int = 10
    """The number of pairs before the first decision."""
    cap: int = 2000
    """The largest number of pairs."""

    def __post_init__(self) -> None:
        """Raise `ValueError` if the parameters define no test."""
        if not 0 < self.effect < 0.5:  # noqa: PLR2004 - a score is at most 1
            raise ValueError(f"the effect lies between 0 and 0.5, not {self.effect}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):  # noqa: PLR2004 - or guess
            raise ValueError(
                f"alpha and beta lie between 0 and 0.5, not {self.alpha} and {self.beta}"
            )
        if not 2 <= self.first <= self.cap:  # noqa: PLR2004 - a variance needs two
            raise ValueError(f"at least 2 pairs and no more than the cap: {self.first}, {self.cap}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The evidence at which H0 and H1 are accepted."""
        return math.log(self.beta), -math.log(self.alpha)


@dataclass(frozen=True, slots=True)
class DuelState:
    """The state of a duel, or its end."""

    answer: DuelAnswer
    pairs: int
    """How many pairs were judged; pairs after the decision are not."""
    score: float
    """The mean score of A; 1/2 before the first pair."""
    evidence: float
    """The logarithm of the capital that betting on H1 has made, or minus that of betting on H0,
    whichever made more."""
    bounds: tuple[float, float]
    interval: tuple[float, float]
    """The confidence sequence of the mean score, which is below it with probability alpha at most,
    and above it with beta."""


def seatings(seats: int) -> list[tuple[SideSeating, SideSeating]]:
    """Return the mirrored pairs of seatings, through which a duel cycles.

    A and B each have as many seats as fit; the field has the one that may be left.
    """
    each = seats // 2
    pairs = []
    for taken in combinations(range(seats), 2 * each):
        for mine in combinations(taken, each):
            if taken[0] in mine:  # otherwise it mirrors another pair
                seating = [DuelSide.FIELD] * seats
                for seat in taken:
                    seating[seat] = DuelSide.A if seat in mine else DuelSide.B
                pairs.append((tuple(seating), mirror(seating)))
    return pairs


def mirror(seating: Sequence[DuelSide]) -> SideSeating:
    """Return the seating with A and B swapped."""
    other = {DuelSide.A: DuelSide.B, DuelSide.B: DuelSide.A, DuelSide.FIELD: DuelSide.FIELD}
    return tuple(other[side] for side in seating)


def score(matches: Sequence[MatchResult], a: int, b: int) -> float:
    """Return version `a`'s score against version `b` in the matches of one pair, from 0 to 1.

    Two copies that both forfeited are not compared; without any comparison the score is 1/2.
    """
    scores = [s for match in matches for s in _comparisons(match, a, b)]
    return sum(scores) / len(scores) if scores else 0.5


def _comparisons(match: MatchResult, a: int, b: int) -> list[float]:
    """Return 1, 1/2 or 0 for each copy of a against each copy of b."""
    crashed = match.crashed or [False] * len(match.versions)
    places = list(zip(match.versions, crashed, match.ranks, strict=True))
    ours = [(down, rank) for version, down, rank in places if version == a]
    theirs = [(down, rank) for version, down, rank in places if version == b]
    return [
        1.0 if mine < yours else 0.5 if mine == yours else 0.0
        for mine in ours
        for yours in theirs
        if not (mine[0] and yours[0])
    ]


def verdict(scores: Sequence[float], plan: SequentialTest) -> DuelState:
    """Judge a duel by the scores of its pairs, in planned order.

    The first pair after which the test ends decides; later pairs change nothing.
    """
    values = np.asarray(scores[: plan.cap], dtype=np.float64)
    if not len(values):
        return DuelState(DuelAnswer.OPEN, 0, 0.5, 0.0, plan.bounds, (0.0, 1.0))
    n, found = np.arange(1, len(values) + 1), _evidence(values, plan)
    lower, upper = plan.bounds
    ended = np.flatnonzero((n >= plan.first) & ((found <= lower) | (found >= upper)))
    last = int(ended[0]) if len(ended) else len(values) - 1
    if len(ended):
        answer = DuelAnswer.BETTER if found[last] >= upper else DuelAnswer.NOT_BETTER
    else:
        answer = DuelAnswer.NO_DECISION if len(values) >= plan.cap else DuelAnswer.OPEN
    judged = values[: last + 1]
    return DuelState(
        answer=answer,
        pairs=last + 1,
        score=float(judged.mean()),
        evidence=float(found[last]),
        bounds=plan.bounds,
        interval=_interval(judged, plan),
    )


def interval(scores: Sequence[float], plan: SequentialTest) -> tuple[float, float]:
    """Return the confidence sequence of the mean after all these scores, whatever the test says."""
    return _interval(np.asarray(scores, dtype=np.float64), plan)


def evidence(scores: Sequence[float], plan: SequentialTest) -> list[float]:
    """Return the evidence after each pair, as `verdict` uses it."""
    return [float(each) for each in _evidence(np.asarray(scores, dtype=np.float64), plan)]


def _evidence(values: Floats, plan: SequentialTest) -> Floats:
    stakes = _stakes(values, plan.effect)
    for_h1 = _log_capital(values, 0.5, stakes)
    for_h0 = _log_capital(1 - values, 0.5 - plan.effect, stakes)
    return np.where(for_h1 >= for_h0, for_h1, -for_h0)


def _stakes(values: Floats, effect: float) -> Floats:
    """Return (N,) the best stake on each pair by the scores of those before it."""
    before = np.arange(len(values)) + _IMAGINARY
    off = values - 0.5
    mean = (np.cumsum(off) - off) / before
    squares = (np.cumsum(off**2) - off**2 + _IMAGINARY * _THEIR_VARIANCE) / before
    stakes: Floats = effect / (squares - mean**2 + effect**2)
    return stakes


def _log_capital(values: Floats, mean: float, stakes: Floats) -> Floats:
    """Return (N,) the logarithm of the capital after each bet that scores are above a mean > 0."""
    return np.cumsum(np.log1p(np.minimum(stakes, _MOST_AT_RISK / mean) * (values - mean)))


def _interval(values: Floats, plan: SequentialTest) -> tuple[float, float]:
    """Return the bounds of the means against which neither gambler has won."""
    lower, upper = plan.bounds
    stakes = _stakes(values, plan.effect)
    low = _highest_refused(values, stakes, upper)
    high = 1 - _highest_refused(1 - values, stakes, -lower)
    return low, high


def _highest_refused(values: Floats, stakes: Floats, wanted: float) -> float:
    """Return the highest mean against which betting has made the wanted logarithm; 0 if none is.

    The higher the mean, the less such bets win.
    """
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _log_capital(values, middle, stakes)[-1] >= wanted:
            low = middle
        else:
            high = middle
    return low

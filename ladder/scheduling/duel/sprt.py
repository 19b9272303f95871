"""Is A better than B? A sequential test on mirrored pairs, and an always-valid interval.

*Unit.* Two matches of one deal form a mirrored pair: A and B have equally many seats, and swap them
in the second match. With four seats each has two, which tells more than twice as much as one each
with two others; a third bot takes a left-over seat, the same in all pairs. Copies of a bot must not
know of each other. The score of a pair is the mean, over all of A's copies against all of B's, of
1, 1/2 or 0: 1/2 on average if the bots are equally strong.

*Test.* A generalised sequential probability ratio test of the mean score, H0: s0 against H1: s1
(Van den Bergh 2018, as in fishtest). After n pairs of mean m and variance v the log-likelihood
ratio is about

    LLR = n (s1 - s0) (2 m - s0 - s1) / (2 v)

and the test ends when it leaves (log(beta), -log(alpha)): a likelihood ratio exceeds 1 / alpha with
probability alpha at most, however often one looks (Ville 1939). Wald's (1 - beta) / alpha relies on
an overshoot that need not happen. The variance about the mean is too small exactly when the mean
has strayed by chance: with large effects, equal bots were told apart in up to 9 % of duels. So the
squared distance of the mean from 1/2 is added to the variance, up to three standard errors; and one
imaginary pair of the largest possible variance is added too, so that the first few pairs do not
decide because they happen to be alike.

*Interval.* An ordinary confidence interval that is read after every pair misses the truth far more
often than it claims. This one is a confidence sequence, which holds for all looks together: the
means that the same test does not reject. A mean m0 lies below it if the test of m0 against m0 + s1
- s0 has accepted the latter, and m0 + s1 - s0 above it if that test has accepted the former. So A
is called better exactly when 1/2 lies below the interval, and not better when s1 lies above it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from ladder.rating.arrays import Floats
from ladder.rating.results import MatchResult

_WIDEST = 0.25
"""The largest possible variance of a score from 0 to 1."""

_CHANCE = 3.0
"""How many standard errors a mean may stray by chance."""


class Side(StrEnum):
    """The side that takes a seat of a duel."""

    A = "A"
    B = "B"
    FIELD = "field"


SideSeating = tuple[Side, ...]


class Answer(StrEnum):
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
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta), -math.log(self.alpha)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of a duel, or its end."""

    answer: Answer
    pairs: int
    """How many pairs were judged; pairs after the decision are not."""
    score: float
    """The mean score of A; 1/2 before the first pair."""
    llr: float
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
                seating = [Side.FIELD] * seats
                for seat in taken:
                    seating[seat] = Side.A if seat in mine else Side.B
                pairs.append((tuple(seating), mirror(seating)))
    return pairs


def mirror(seating: Sequence[Side]) -> SideSeating:
    """Return the seating with A and B swapped."""
    other = {Side.A: Side.B, Side.B: Side.A, Side.FIELD: Side.FIELD}
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


def verdict(scores: Sequence[float], plan: SequentialTest) -> Verdict:
    """Judge a duel by the scores of its pairs, in planned order.

    The first pair after which the test ends decides; later pairs change nothing.
    """
    values = np.asarray(scores[: plan.cap], dtype=np.float64)
    if not len(values):
        return Verdict(Answer.OPEN, 0, 0.5, 0.0, plan.bounds, (0.0, 1.0))
    mean, variance = _moments(values)
    n, llr = np.arange(1, len(values) + 1), _ratios(mean, variance, plan)
    lower, upper = plan.bounds
    ended = np.flatnonzero((n >= plan.first) & ((llr <= lower) | (llr >= upper)))
    last = int(ended[0]) if len(ended) else len(values) - 1
    if len(ended):
        answer = Answer.BETTER if llr[last] >= upper else Answer.NOT_BETTER
    else:
        answer = Answer.NO_DECISION if len(values) >= plan.cap else Answer.OPEN
    middle = float(mean[last])
    interval = _interval(last + 1, middle, float(variance[last]), plan)
    return Verdict(answer, last + 1, middle, float(llr[last]), plan.bounds, interval)


def ratios(scores: Sequence[float], plan: SequentialTest) -> list[float]:
    """Return the log-likelihood ratio after each pair, as `verdict` uses it."""
    mean, variance = _moments(np.asarray(scores, dtype=np.float64))
    return [float(llr) for llr in _ratios(mean, variance, plan)]


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Return the mean score and the test's variance of scores after each pair."""
    n = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / n
    squares = np.cumsum((values - 0.5) ** 2) - n * (mean - 0.5) ** 2
    variance = (np.maximum(squares, 0.0) + _WIDEST) / (n + 1)
    return mean, variance + np.minimum((mean - 0.5) ** 2, _CHANCE**2 * variance / n)


def _ratios(mean: Floats, variance: Floats, plan: SequentialTest) -> Floats:
    n = np.arange(1, len(mean) + 1)
    return n * plan.effect * (2 * mean - 1 - plan.effect) / (2 * variance)


def _interval(n: int, mean: float, variance: float, plan: SequentialTest) -> tuple[float, float]:
    """Return the bounds of the means that the test does not reject after n pairs."""
    lower, upper = plan.bounds
    step = variance / (n * plan.effect)
    low, high = (mean - plan.effect / 2 - step * upper, mean + plan.effect / 2 - step * lower)
    return max(0.0, low), min(1.0, high)

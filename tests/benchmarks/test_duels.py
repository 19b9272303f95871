"""How many pairs a duel needs, and how often it errs, beside fishtest's test of the same scores.

fishtest compares the likelihoods of the counts of the possible scores, each maximised under its
hypothesis (Van den Bergh 2018), a thousandth for a score that has not come, between Wald's bounds.
"""

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.scheduling.duel.sequential import DuelAnswer, SequentialTest, verdict
from tests.support.pair_scores import FIELDS, Scores

pytestmark = pytest.mark.bench

DUELS = 1000
FIRST, CAP = 10, 2000
LOWER, UPPER = np.log(0.05 / 0.95), np.log(0.95 / 0.05)


def most_likely(values: Floats, counts: Floats, mean: float) -> Floats:
    """Return (D, K) the frequencies of this mean that make the counts of D duels most likely."""
    off = values - mean
    low = np.full(len(counts), -1 / off.max()) * (1 - 1e-9)
    high = np.full(len(counts), -1 / off.min()) * (1 - 1e-9)
    shares = counts / counts.sum(axis=1, keepdims=True)
    for _ in range(50):
        middle = (low + high) / 2
        above = (shares * off / (1 + middle[:, None] * off)).sum(axis=1) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found: Floats = shares / (1 + middle[:, None] * off)
    return found


def fishtest(scores: Scores, drawn: Floats) -> tuple[float, float, float]:
    """Return the shares of duels called better and not better, and the mean number of pairs."""
    values = np.array(scores.values)
    left, counts = np.arange(len(drawn)), np.full((len(drawn), len(values)), 1e-3)
    better = worse = pairs = 0
    for n in range(1, drawn.shape[1] + 1):
        counts += drawn[left, n - 1, None] == values
        pairs += len(left)
        if n < FIRST:
            continue
        h0, h1 = (most_likely(values, counts, 0.5 + by) for by in (0.0, scores.effect))
        llr = (counts * np.log(h1 / h0)).sum(axis=1)
        better += int((llr >= UPPER).sum())
        worse += int((llr <= LOWER).sum())
        stays = (llr > LOWER) & (llr < UPPER)
        left, counts = left[stays], counts[stays]
    return better / len(drawn), worse / len(drawn), pairs / len(drawn)


def ours(scores: Scores, drawn: Floats) -> tuple[float, float, float]:
    """Return the same by our test."""
    plan = SequentialTest(effect=scores.effect, first=FIRST, cap=CAP)
    found = [verdict(each, plan) for each in drawn]
    answers = [one.answer for one in found]
    better, worse = (answers.count(each) for each in (DuelAnswer.BETTER, DuelAnswer.NOT_BETTER))
    return better / len(found), worse / len(found), float(np.mean([one.pairs for one in found]))


def test_duels_beside_fishtest() -> None:
    """Both judge the same duels; an answer is wrong in about 5 % at most."""
    print(f"\n{DUELS} duels a row      alpha  (theirs)   beta  (theirs)  pairs (theirs)   under H1")
    for name, scores in FIELDS.items():
        random = np.random.default_rng(1)
        row = []
        for mean in (0.5, 0.5 + scores.effect):
            drawn = scores.drawn(random, mean, (DUELS, CAP))
            row.append((ours(scores, drawn), fishtest(scores, drawn)))
        (us, them), (us_1, them_1) = row
        print(
            f"{name:18} {us[0]:8.3f} {them[0]:9.3f} {us_1[1]:7.3f} {them_1[1]:9.3f} "
            f"{us[2]:7.0f} {them[2]:7.0f} {us_1[2]:7.0f} {them_1[2]:7.0f}"
        )

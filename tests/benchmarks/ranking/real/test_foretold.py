"""What ratings foretell: losses of places, and those who foretell beside us."""

from math import log

import numpy as np
import pytest

from ladder.rating.results import Log, MatchResult
from tests.benchmarks.ranking.real import bank as banks
from tests.benchmarks.ranking.real.foretold import (
    EQUAL,
    bradley_terry,
    chances,
    loss,
    normal_chances,
    outcomes,
    plackett_luce,
)


def _log(*ranks: tuple[int, int, int]) -> Log:
    """Return matches of the same three bots."""
    seats = range(3)
    return Log(3, [MatchResult(n, seats, seats, places) for n, places in enumerate(ranks)])


def _drawn(theta: tuple[float, ...], matches: int) -> Log:
    """Return matches in which bots of these strengths are chosen one after the other."""
    chance = np.random.Generator(np.random.Philox(key=0))
    order = np.argsort(-(np.array(theta) + chance.gumbel(size=(matches, 3))), axis=1)
    return _log(*(tuple((np.argsort(one) + 1).tolist()) for one in order))


def test_loss() -> None:
    """All equal loses ln 2; who knows the chances loses least; a tie counts half for each."""
    held_out = outcomes(_log((1, 2, 2), (1, 2, 3), (2, 1, 3), (1, 2, 3)))

    assert held_out.tolist() == [[0, 3, 4], [1, 0, 3.5], [0, 0.5, 0]]
    assert loss(np.full((3, 3), 0.5), held_out) == pytest.approx(EQUAL)
    known = held_out / np.maximum(held_out + held_out.T, 1)
    pairs = [(p * log(p) + (1 - p) * log(1 - p)) if p < 1 else 0 for p in (3 / 4, 1, 7 / 8)]
    assert loss(known, held_out) == pytest.approx(-sum(pairs) / 3, abs=1e-6)
    assert loss(known.T, held_out) > EQUAL


def test_chances() -> None:
    """Unsure strengths foretell less; the logistic and the normal curve agree."""
    theta, covariance = np.array([0.5, -0.5]), np.eye(2)

    assert chances(theta)[0, 1] == pytest.approx(0.731, abs=1e-3)
    assert 0.5 < chances(theta, covariance)[0, 1] < chances(theta)[0, 1]
    normal = normal_chances(theta / 1.702 * 2**0.5, np.zeros(2), 1.0)
    assert normal == pytest.approx(chances(theta), abs=0.01)


def test_others_find_strengths() -> None:
    """Bradley-Terry and Plackett-Luce find strengths that are there, and none where none are."""
    apart, equal = _drawn((0.8, 0.0, -0.8), 400), _drawn((0.0, 0.0, 0.0), 400)

    for strengths in (bradley_terry, plackett_luce):
        assert strengths(apart) == pytest.approx([0.8, 0.0, -0.8], abs=0.25)
        assert strengths(equal) == pytest.approx(np.zeros(3), abs=0.1)


def test_a_closer_field() -> None:
    """Bots that mostly play as each other are a third as far apart."""
    apart, close = banks.load("courtisans-dense"), banks.load("courtisans-close")

    assert np.std(close.places) == pytest.approx(np.std(apart.places) / 3, rel=0.15)
    assert (np.sort(close.ranks, axis=-1) == np.sort(apart.ranks, axis=-1)).all()

"""Points change nothing if only places count, and do not mislead if they count too."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from ladder.model.settings import RatedBy
from ladder.rating.rater import rate
from ladder.rating.results import Log
from ladder.results.ranking import INDIFFERENCE
from tests.benchmarks.ranking.real import bank as banks
from tests.benchmarks.ranking.real.bank import Bank
from tests.benchmarks.ranking.real.ladders import Draws
from tests.ladder.rating.simulation import World
from tests.ladder.rating.test_points import results

MISLEADING = ("maximiser", "gambler", "spoiler")
"""Bots that play for points, for luck, and to spoil others' points."""


@pytest.fixture(scope="module")
def bank() -> Bank:
    """Real matches of sixteen bots of Courtisans."""
    return banks.load("courtisans-spread")


def log(bank: Bank, seed: int, matches: int) -> Log:
    """Return matches at random tables."""
    draws, chance, found = Draws(bank, seed), Random(seed), Log(len(bank.names))
    for number in range(matches):
        group = sorted(chance.sample(range(len(bank.names)), 4))
        found.extend(draws.table(group, number))
    return found


def test_by_places_points_are_not_read() -> None:
    """Ratings by places equal those of matches with unknown points, to the last bit."""
    matches = results(World(pointed=True).rounds(120))
    without = [replace(match, points=()) for match in matches]

    found = rate(Log(12, matches), by=RatedBy.PLACES)
    plain = rate(Log(12, without))

    assert found.joint is None
    assert np.array_equal(found.theta, plain.theta)
    assert np.array_equal(found.V, plain.V)
    assert rate(Log(12, matches)).joint is not None


@pytest.mark.costly
def test_points_mislead_about_no_bot(bank: Bank) -> None:
    """Bots that play for points, for luck or to spoil get the same ratings by places and points."""
    logs = [log(bank, seed, 1600) for seed in range(4)]
    by_points, by_places = (
        np.mean([rate(one, by=by).theta for one in logs], axis=0)
        for by in (RatedBy.POINTS, RatedBy.PLACES)
    )

    for name in MISLEADING:
        i = bank.names.index(name)
        assert by_points[i] == pytest.approx(by_places[i], abs=INDIFFERENCE)


@pytest.mark.costly
@pytest.mark.parametrize("by", RatedBy)
def test_they_are_ranked_where_they_belong(bank: Bank, by: RatedBy) -> None:
    """Nearly all rank intervals hold the truth, and span only a few ranks."""
    truth = np.argsort(np.argsort(bank.places)) + 1
    chosen = [bank.names.index(name) for name in MISLEADING]
    found = [rate(log(bank, seed, 1600), by=by).rank_intervals()[chosen] for seed in range(8)]

    low, high = np.moveaxis(np.array(found), -1, 0)
    assert ((low <= truth[chosen]) & (truth[chosen] <= high)).mean() >= 0.9
    assert (high - low).mean() < 6

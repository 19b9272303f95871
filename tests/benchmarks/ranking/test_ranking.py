"""The ranking benchmark in small, with loose bounds, and that its parts measure what they say."""

import math
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import cast

import numpy as np
import pytest
import trueskill

from ladder.scheduling.ladder.optimal import RANKING, TOP
from tests.benchmarks.ranking.duels import decided, gauntlets, mirrored
from tests.benchmarks.ranking.experiments import (
    Order,
    Plan,
    Seen,
    honesty,
    order_of_ours,
    order_of_peer,
    watch_all,
)
from tests.benchmarks.ranking.measures import bootstrapped, crossing, kendall_tau, top_right
from tests.benchmarks.ranking.peers import HALITE, PEERS, Peer
from tests.benchmarks.ranking.trueskill_batch import Environment
from tests.benchmarks.ranking.worlds import World, ranked

SMALL = World("small", entrants=12)
MATCHES = 360
AIMS = {"ranking": RANKING, "top": TOP}
Watch = Callable[[str], list[Seen]]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(range(2), id="2 ladders"),
        pytest.param(range(8), id="8 ladders", marks=pytest.mark.proof),
    ],
)
def seeds(request: pytest.FixtureRequest) -> range:
    """The seeds of some small ladders."""
    return cast("range", request.param)


@pytest.fixture(scope="module")
def seen(seeds: range) -> Watch:
    """The ladders with one of the aims."""
    return cache(lambda aim: watch_all(plan(aim, 120, 240, 360), seeds, 1))


@pytest.fixture(scope="module")
def halite(seeds: range) -> Order:
    """The same ladders in Halite's way, three times as long."""
    return order_of_peer(HALITE, SMALL, seeds, 3 * MATCHES)


def plan(aim: str, *checked: int) -> Plan:
    """How a small ladder is watched."""
    return Plan(SMALL, AIMS[aim], MATCHES, MATCHES, checked)


@pytest.mark.costly
def test_the_order_costs_fewer_matches(seen: Watch, halite: Order) -> None:
    """Our order is better on average than Halite's after twice as many matches."""
    ours = order_of_ours(plan("ranking"), seen("ranking"))

    late = slice(ours.tau.shape[1] // 2, None)
    twice = halite.tau[:, 1::2][:, : ours.tau.shape[1]]

    assert ours.tau[:, late].mean() > twice[:, late].mean()


@pytest.mark.proof
def test_the_top_costs_fewer_matches(seen: Watch, halite: Order) -> None:
    """Our top 3 are right more often than Halite's after twice as many matches."""
    ours = order_of_ours(plan("top"), seen("top"))
    twice = halite.top[:, 1::2][:, : ours.top.shape[1]]

    assert ours.top.mean() > twice.mean()


@pytest.mark.sweep
@pytest.mark.parametrize("aim", AIMS)
def test_error_bars_are_about_right(aim: str, seen: Watch) -> None:
    """Of the 95 % intervals most have the truth, those of ranks too."""
    found = honesty(seen(aim))

    assert found.strengths > 0.85
    assert found.ranks > 0.90


@pytest.mark.costly
def test_it_can_be_repeated(seeds: range, seen: Watch) -> None:
    """The same seed gives the same ladder to the last bit."""
    again = watch_all(plan("ranking", 120, 240, 360), seeds[:1], 1)

    assert np.array_equal(again[0].shown, seen("ranking")[0].shown)


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("peer", PEERS, ids=[peer.name for peer in PEERS])
def test_peers_learn(peer: Peer, seeds: range) -> None:
    """Every peer's order gets better; this catches a policy that is told wrongly."""
    order = order_of_peer(peer, SMALL, seeds, MATCHES)

    assert order.tau[:, -1].mean() > max(0.6, order.tau[:, 0].mean() + 0.2)


@pytest.mark.costly
def test_duels_are_short_and_right() -> None:
    """Mirrored pairs decide in a third of two gauntlets' matches, and seldom wrongly."""
    effect = mirrored(SMALL, 2.0, 100, 500, 1).mean() - 0.5
    equal = decided(mirrored(SMALL, 0.0, 200, 800, 2), effect)
    better = decided(mirrored(SMALL, 2.0, 200, 800, 3), effect)
    apart = gauntlets(SMALL, 2.0, 100, 2500, 4)
    separate = decided(apart, float(apart.mean()) - 0.5)

    assert np.mean(equal.better == 1) <= 0.12
    assert np.mean(better.better == 1) >= 0.85
    assert better.matches.mean() <= 0.33 * separate.matches.mean()


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_batch_is_trueskill(k: int) -> None:
    """Many matches at once are rated as the package rates each, shared ranks included."""
    chance = np.random.default_rng(k)
    mu, sigma = chance.normal(25, 6, (30, k)), chance.uniform(0.7, 8.3, (30, k))
    ranks = chance.integers(0, k, (30, k))
    for settings in (Environment(), HALITE.rater):
        package = trueskill.TrueSkill(
            beta=settings.beta, tau=settings.tau, draw_probability=settings.draw_probability
        )
        new_mu, new_sigma = settings.rate(mu, sigma, ranks)
        for row in range(30):
            players = [
                (package.create_rating(m, s),) for m, s in zip(mu[row], sigma[row], strict=True)
            ]
            rated = package.rate(players, ranks=ranks[row].tolist())
            expected = [(one.mu, one.sigma) for (one,) in rated]

            found = np.stack([new_mu[row], new_sigma[row]], axis=1)

            assert np.allclose(found, expected, atol=1e-4)


def test_luck_depends_on_the_deal_alone() -> None:
    """A ladder that is made longer has the same deals before."""
    short, long = SMALL.ladder(5, 10), SMALL.ladder(5, 40)

    assert np.array_equal(short.luck, long.luck[:10])
    assert not np.array_equal(short.luck, SMALL.ladder(6, 10).luck)


def test_luck_has_its_shares() -> None:
    """Of the variance of luck rho belongs to the deal, over all of its rotations."""
    luck = World("x", deal_share=0.6).ladder(1, 20_000).luck
    of_deal = np.mean(luck[:, 0] * luck[:, 1])

    assert np.isclose(luck.std(), 25 / 3, rtol=0.02)
    assert np.isclose(of_deal / luck.var(), 0.6, rtol=0.05)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_truth_is_the_margin_over_the_table(seats: int) -> None:
    """Over all tables that there are, the truth orders by how far ahead of the others one is."""
    ladder = World("x", entrants=6, seats=seats, matchup_sd=3.0).ladder(2, 1)
    margins = np.zeros(6)
    for table in combinations(range(6), seats):
        inside = ladder.matchups[np.ix_(table, table)]
        performance = ladder.skills[list(table)] + inside.sum(axis=1) / (seats - 1)
        margins[list(table)] += performance - (performance.sum() - performance) / (seats - 1)
    tables = math.comb(5, seats - 1)

    # The mean of the others leaves out oneself: all margins are 6 / 5 of distances from the mean.
    assert margins / tables * 5 / 6 == pytest.approx(ladder.strengths - ladder.strengths.mean())


def test_close_performances_share_a_rank() -> None:
    """Each less than one behind the next share; others count who is ahead."""
    assert ranked(np.array([[5.0, 9.0, 4.5, 0.0]])).tolist() == [[2, 1, 2, 4]]


def test_order_is_measured() -> None:
    """Tau is 1 for the right order and -1 for its reverse; the top is a set."""
    truth = np.array([[4.0, 3.0, 2.0, 1.0]])

    assert kendall_tau(truth, truth) == [1.0]
    assert kendall_tau(-truth, truth) == [-1.0]
    assert top_right(np.array([[3.0, 4.0, 2.0, 1.0]]), truth, 2) == [1.0]
    assert top_right(np.array([[4.0, 2.0, 3.0, 1.0]]), truth, 2) == [0.0]


def test_crossings_are_found() -> None:
    """The first number of matches with a mean at the level, between two measurements; or never."""
    grid, rising = np.arange(10.0, 210.0, 10.0), np.linspace(0.0, 0.95, 20)[None]

    assert np.isclose(crossing(grid, rising, 0.5), 110.0)
    assert crossing(grid, rising, 0.99) == float("inf")


def test_bootstrap_covers() -> None:
    """The interval of a mean of a hundred numbers is about two standard errors each way."""
    numbers = np.random.default_rng(1).normal(size=100)

    low, high = bootstrapped(100, lambda chosen: float(numbers[chosen].mean()))

    assert np.isclose(high - low, 3.92 * numbers.std() / 10, rtol=0.15)

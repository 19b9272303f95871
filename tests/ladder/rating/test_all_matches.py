"""TrueSkill over all matches, against the package and against known properties."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import trueskill

from ladder.model.ratings import MU, SIGMA
from ladder.rating.arrays import Floats
from ladder.rating.comparisons import canonical
from ladder.rating.condensed import nothing
from ladder.rating.results import Log, MatchResult
from ladder.rating.scale import BETA, ENVIRONMENT, MARGIN
from ladder.rating.trueskill import all_matches
from ladder.rating.trueskill.all_matches import Skills, compared, skills
from tests.ladder.rating.simulation import World


def rated(log: Log) -> Skills:
    """Rate a log without predecessors."""
    return skills(canonical(log.matches()), nothing(log.entrants), np.ones(log.entrants, np.bool_))


def messages_end(log: Log, mean: Floats, variance: Floats, margin: float) -> Skills:
    """Pass messages until they converge, with this prior and fixed parameters."""
    past = replace(nothing(log.entrants), pull=mean / variance)
    graph = all_matches._Graph(canonical(log.matches()), past)
    found = graph.posterior(variance, 1.0)
    for _ in range(60):
        graph.pass_messages(*found, margin)
        found = graph.posterior(variance, 1.0)
    return Skills(*found, 1.0, margin, graph.information, graph.leant, 1.0, ())


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("spread", [0.5, 6.0])
def test_one_match_is_rated_as_by_the_package(k: int, spread: float) -> None:
    """For one match without ties the package gives the same result, also for upsets."""
    random = np.random.default_rng(k)
    mean, sigma = random.normal(0, spread, k), random.uniform(0.1, 1.0, k)
    package = trueskill.TrueSkill(0, 1, beta=1, tau=0, draw_probability=0.1, backend="scipy")
    players = [(trueskill.Rating(m, s),) for m, s in zip(mean, sigma, strict=True)]
    expected = package.rate(players, range(k), min_delta=1e-12)

    log = Log(k, [MatchResult(0, range(k), range(k), range(1, k + 1))])
    margin = trueskill.calc_draw_margin(0.1, 2, package)
    found = messages_end(log, mean, sigma**2, margin)

    assert found.mean == pytest.approx([one.mu for (one,) in expected], abs=1e-6)
    sigmas = np.sqrt(np.diag(found.covariance))
    assert sigmas == pytest.approx([one.sigma for (one,) in expected], abs=1e-6)


@pytest.mark.parametrize("ranks", [(1, 1), (1, 1, 3), (1, 2, 2, 4), (1, 1, 3, 3)])
def test_shared_places_are_rated_about_as_by_the_package(ranks: Sequence[int]) -> None:
    """With ties the package is close; it compares neighbours only, and here ties are symmetric."""
    k = len(ranks)
    package = trueskill.TrueSkill(0, 1, beta=1, tau=0, draw_probability=0.1, backend="scipy")
    one = package.rate([(package.create_rating(),)] * k, ranks)
    margin = trueskill.calc_draw_margin(0.1, 2, package)

    log = Log(k, [MatchResult(0, range(k), range(k), ranks)])
    found = messages_end(log, np.zeros(k), np.ones(k), margin)

    for rank in set(ranks):
        on_it = [i for i in range(k) if ranks[i] == rank]
        assert found.mean[on_it] == pytest.approx(np.mean([one[i][0].mu for i in on_it]), abs=0.1)
        assert np.ptp(found.mean[on_it]) < 1e-9


def test_a_few_matches_are_rated_about_as_by_the_package() -> None:
    """If every opponent is met once, rating in order loses almost no information."""
    matches = [(0, 1, 2, 3), (3, 4, 5, 6), (6, 7, 8, 9)]
    package = trueskill.TrueSkill(0, 1, beta=1, tau=0, draw_probability=0.1, backend="scipy")
    ratings = [package.create_rating() for _ in range(10)]
    for match in matches:
        after = package.rate([(ratings[v],) for v in match])
        for v, (rating,) in zip(match, after, strict=True):
            ratings[v] = rating

    log = Log(10, [MatchResult(n, m, range(4), (1, 2, 3, 4)) for n, m in enumerate(matches)])
    margin = trueskill.calc_draw_margin(0.1, 2, package)
    found = messages_end(log, np.zeros(10), np.ones(10), margin)

    assert found.mean[7:] == pytest.approx([one.mu for one in ratings[7:]], abs=0.15)
    assert np.corrcoef(found.mean, [one.mu for one in ratings])[0, 1] > 0.95


@pytest.mark.parametrize("k", [2, 5])
def test_newcomers_are_rated_as_by_the_package_in_its_environment(k: int) -> None:
    """After one match a table of newcomers has the package's mu and sigma on the scale shown.

    The package is the environment that sets the scale, so a changed beta or margin shows here.
    """
    newcomers = [(ENVIRONMENT.create_rating(),)] * k
    expected = ENVIRONMENT.rate(newcomers, range(k), min_delta=1e-12)
    prior = (SIGMA / BETA) ** 2

    log = Log(k, [MatchResult(0, range(k), range(k), range(1, k + 1))])
    found = messages_end(log, np.zeros(k), np.full(k, prior), MARGIN)

    assert MU + BETA * found.mean == pytest.approx([one.mu for (one,) in expected], abs=1e-4)
    sigmas = BETA * np.sqrt(np.diag(found.covariance))
    assert sigmas == pytest.approx([one.sigma for (one,) in expected], abs=1e-4)


def test_what_is_compared() -> None:
    """Neighbouring places are compared, ties with all of the next, forfeits with the last."""
    crashed = (False, False, False, True, True)
    log = Log(5, [MatchResult(0, range(5), range(5), (1, 1, 3, 4, 4), crashed)])

    found = compared(canonical(log.matches()))

    pairs = zip(found.ahead.tolist(), found.behind.tolist(), found.shared.tolist(), strict=True)
    assert set(pairs) == {
        (0, 1, True),
        (0, 2, False),
        (1, 2, False),
        (2, 3, False),
        (2, 4, False),
    }


def test_it_settles() -> None:
    """More sweeps would change nothing visible, and after eight hardly anything."""
    log = World().rounds(1200, duplicate=False)
    full = rated(log)
    graph = all_matches._Graph(canonical(log.matches()), nothing(log.entrants))
    for _ in range(8):
        mean, covariance = graph.posterior(np.full(12, full.sd**2), 1.0)
        graph.pass_messages(mean, covariance, full.margin)

    assert np.abs(mean - full.mean).max() < 0.1 * np.sqrt(np.diag(covariance)).min()


@pytest.mark.sweep
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_spread_and_margin_are_measured(scale: float) -> None:
    """Spread and margin are estimated correctly in different worlds."""
    world = World(entrants=24)
    world.skills *= scale

    found = rated(world.rounds(2400, duplicate=False))

    assert found.sd == pytest.approx(np.std(world.skills) / (25 / 3), rel=0.35)
    assert found.margin == pytest.approx(1 / (25 / 3), rel=0.35)


def test_bots_without_common_opponents() -> None:
    """Two groups that never met are rated separately, and nothing is certain between them."""
    world = World(entrants=8)
    for _ in range(40):
        world.play([0, 1, 2, 3])
        world.play([4, 5, 6, 7])

    found = rated(world.log)

    own = np.diag(found.covariance)
    variance = own[:, None] + own[None, :] - 2 * found.covariance
    assert variance[0, 4] > 4 * variance[0, 1]

"""A fit's order, ranks and top, against its normal distribution; its forecast, against matches."""

from statistics import NormalDist

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.rating.fit import NEVER, Fit
from ladder.rating.rater import rate
from tests.ladder.rating.simulation import World, with_newcomers
from tests.support.orders import p_ranking, p_top_set

NORMAL = NormalDist()
A_DRAW = 1.5 / 4000
"""Of the 4,000 draws one may lie so near to a tie that another processor orders it otherwise."""


def fit_of(theta: list[float], errors: list[float] | Floats) -> Fit:
    """Return a fit with these strengths and independent errors, or this covariance."""
    n = len(theta)
    given = np.asarray(errors, dtype=np.float64)
    return Fit(
        theta=np.array(theta),
        V=given if given.ndim == 2 else np.diag(given**2),
        information=np.zeros((n, n)),
        blocks=np.full(n, 50),
        sd=1.0,
        margin=0.1,
        phi=1.0,
    )


def test_better() -> None:
    """P(A better than B) is that of a normal difference, without the shared error."""
    shared = np.array([[1.0, 0.9], [0.9, 1.0]])

    assert fit_of([0.5, 0.0], shared).p_better(0, 1) == pytest.approx(NORMAL.cdf(0.5 / 0.2**0.5))
    assert fit_of([0.5, 0.0], shared).p_better(1, 0) == pytest.approx(NORMAL.cdf(-0.5 / 0.2**0.5))
    assert fit_of([0.5, 0.0], shared).deviations()[0, 1] == pytest.approx(0.2**0.5)


def test_without_any_error_equals_are_equal() -> None:
    """Without an error of the difference, either version is better with probability one half."""
    assert fit_of([0.5, 0.5], [0.0, 0.0]).p_better(0, 1) == 0.5


def test_clear_ranks() -> None:
    """With small errors the rank is certain; with two equal versions it is one of two."""
    fit = fit_of([3.0, 1.0, 1.01, -2.0], [0.1] * 4)

    assert fit.rank_intervals().tolist() == [[1, 1], [2, 3], [2, 3], [4, 4]]


def test_ranks_among_some() -> None:
    """Ranks among some versions count only these, in the order in which they are given."""
    fit = fit_of([3.0, 2.0, 1.0, 0.0], [0.01] * 4)

    assert fit.rank_intervals(among=[3, 1]).tolist() == [[2, 2], [1, 1]]
    assert fit.p_top(1, among=[3, 1]).tolist() == [0, 1]


def test_groups() -> None:
    """Groups are those whose bots are all stronger than all of the next, with 95 % at once."""
    assert fit_of([1.0, -2.0, 3.0, 1.1], [0.1] * 4).groups(0.95) == [1, 2, 1]
    assert fit_of([0.2, 0.1, 0.0], [0.3] * 3).groups(0.95) == [3]
    assert fit_of([0.3], [0.3]).groups(0.95) == [1]
    chain = fit_of([0.9, 0.6, 0.3, 0.0], [0.1] * 4)
    assert chain.p_better(0, 1) > 0.98
    assert chain.groups(0.5) == [1, 1, 1, 1]
    assert 1 < len(chain.groups(0.95)) < 4
    assert chain.groups(0.95, among=[0, 1]) == [1, 1]


def test_a_wider_level_gives_wider_intervals() -> None:
    """The interval at 50 % lies within that at 95 %."""
    fit = fit_of([0.4, 0.2, 0.0, -0.2, -0.4], [0.3] * 5)

    narrow, wide = fit.rank_intervals(0.5), fit.rank_intervals(0.95)

    assert (wide[:, 0] <= narrow[:, 0]).all()
    assert (narrow[:, 1] <= wide[:, 1]).all()
    assert (narrow != wide).any()


def test_top() -> None:
    """P(among the k strongest) adds up to k, and for one of two it is P(better)."""
    fit = fit_of([0.3, 0.0], [0.5, 0.2])

    assert fit.p_top(1)[0] == pytest.approx(fit.p_better(0, 1), abs=0.02)
    assert fit_of([0.3, 0.1, 0, -1], [1, 2, 3, 4]).p_top(2).sum() == pytest.approx(2)


def test_the_right_top_is_cautious() -> None:
    """The probability by which ladders stop is a bit below P(better), never above."""
    fit = fit_of([0.7, 0.0], [0.3, 0.3])

    assert fit.p_better(0, 1) == pytest.approx(NORMAL.cdf(0.7 / 0.18**0.5))
    assert p_top_set(fit, 1) == pytest.approx(NORMAL.cdf(0.7 / (1.15 * 0.18**0.5)), abs=0.01)
    assert p_ranking(fit) == pytest.approx(p_top_set(fit, 1))


def test_more_have_to_be_right_for_a_whole_ranking() -> None:
    """A whole ranking is less certain than its top, and all versions are always the top."""
    fit = fit_of([0.6, 0.4, 0.2, 0.0], [0.15] * 4)

    assert p_ranking(fit) < p_top_set(fit, 2) < 1
    assert p_top_set(fit, 4) == 1


def test_indifference() -> None:
    """With indifference, either order of nearly equal versions is right."""
    fit = fit_of([1.0, 0.001, 0.0, -1.0], [0.05] * 4)

    assert p_top_set(fit, 2) < 0.6
    assert p_top_set(fit, 2, indifference=0.5) > 0.99
    assert p_ranking(fit, indifference=0.5) > 0.99


def test_what_is_most_open_and_what_it_takes() -> None:
    """The pair most often wrong is named, and the forecast of matches settles the order."""
    theta, errors = [1.0, 0.15, 0.0, -1.0], np.array([0.1, 0.2, 0.2, 0.1])
    order = np.arange(4)
    found = fit_of(theta, errors).doubts(order[:-1], order[1:], 0.1, paired=True)

    times = found.times(0.95)
    later = fit_of(theta, errors / times**0.5).doubts(order[:-1], order[1:], 0.1, paired=True)

    assert found.worst() == (1, 2)
    assert times > 2
    assert found.chance < 0.85
    assert later.chance == pytest.approx(0.95, abs=0.01)
    assert later.times(0.95) == pytest.approx(1, abs=0.02)


def test_nothing_is_open_of_one_version() -> None:
    """The order of a single version is certain."""
    found = fit_of([0.0], [1.0]).doubts(np.zeros(0, int), np.zeros(0, int), 0.1, paired=True)

    assert (found.chance, found.times(0.95), found.worst()) == (1, 1, None)


def test_the_order_of_equals_is_theirs() -> None:
    """The top is found by strength, wherever the versions stand in the list."""
    fit = fit_of([0.0, 2.0, 1.0], [0.1] * 3)

    assert p_top_set(fit, 2) > 0.99
    assert p_top_set(fit, 1, among=[0, 2]) > 0.99
    assert p_ranking(fit, among=[2, 0, 1]) > 0.99


def test_the_same_every_time() -> None:
    """Draws are the same numbers in every process and version of numpy."""
    fit = fit_of([0.3, 0.2, 0.1, 0.0], [0.2] * 4)

    assert fit.p_top(2).tolist() == fit.p_top(2).tolist()
    assert fit_of([0.1, 0.0], [0.5, 0.5]).p_top(1)[0] == pytest.approx(0.5505, abs=A_DRAW)


@pytest.mark.costly
def test_a_thousand_versions() -> None:
    """A thousand versions get fewer draws, and their ranks lie around the estimates'."""
    theta = np.linspace(2, -2, 1000)

    intervals = fit_of(theta.tolist(), np.full(1000, 0.05).tolist()).rank_intervals()

    assert (intervals[:, 0] <= np.arange(1, 1001)).mean() > 0.9
    assert (intervals[:, 1] - intervals[:, 0]).max() < 200


def test_enough_matches_separate() -> None:
    """The forecast number of matches brings the error of a difference to the required size."""
    ratios = []
    for seed in range(6):
        world = World(seed=seed, entrants=12)
        before = rate(world.rounds(300))
        i, j = 5, 7
        missing = before.matches_to_separate(i, j, 0.975)
        if not missing or missing > 1500:
            continue
        for _ in range(round(missing / 4)):
            others = [v for v in range(12) if v not in (i, j)]
            group = [i, j, *world.random.choice(others, 2, replace=False).tolist()]
            world.play(world.random.permutation(group).tolist())
        gap = abs(before.theta[i] - before.theta[j])
        ratios.append(1.96 * rate(world.log).deviations()[i, j] / gap)

    assert len(ratios) >= 3
    assert np.exp(np.log(ratios).mean()) == pytest.approx(1, abs=0.15)


def test_separate_already() -> None:
    """Separated versions need no more matches."""
    assert rate(World().rounds(800)).matches_to_separate(0, 11, 0.975) == 0


def test_equals_are_never_separated() -> None:
    """No number of matches separates equal versions, nor versions without results."""
    world = World(entrants=4)

    assert rate(with_newcomers(world.rounds(40), 2)).matches_to_separate(4, 5, 0.95) == NEVER

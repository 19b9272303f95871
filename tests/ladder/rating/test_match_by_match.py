"""Match-by-match TrueSkill against published numbers, and with ratings far apart."""

import math
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
import trueskill
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ladder.model.ratings import RatedSeat, Rating
from ladder.model.settings import Tuning
from ladder.rating.scale import MU, SIGMA
from ladder.rating.trueskill.match_by_match import TrueSkill, first_tuning
from referee.games.registry import GAMES
from tests.support.places import place

wild = st.builds(
    Rating,
    mu=st.floats(-1e6, 1e6),
    sigma=st.floats(1e-3, 1e3),
)


def usual(places: list[RatedSeat]) -> dict[int, Rating]:
    """Rate newcomers with the usual settings, with which numbers were published."""
    drift = Rating(MU, math.hypot(SIGMA, SIGMA / 100))
    rater = TrueSkill(Tuning(beta=SIGMA / 2, draw_probability=0.10))
    return rater.rate(places, {place.version: drift for place in places})


def test_published_duel() -> None:
    """Two newcomers come out of a won duel as the package's documentation says."""
    after = usual([place(1, 1), place(2, 2)])

    assert after[1].mu == pytest.approx(29.396, abs=5e-4)
    assert after[1].sigma == pytest.approx(7.171, abs=5e-4)
    assert after[2].mu == pytest.approx(20.604, abs=5e-4)
    assert after[2].sigma == pytest.approx(7.171, abs=5e-4)


def test_published_draw() -> None:
    """Two newcomers come out of a drawn duel as the package's documentation says."""
    after = usual([place(1, 1), place(2, 1)])

    for rating in after.values():
        assert rating.mu == pytest.approx(25.0, abs=5e-4)
        assert rating.sigma == pytest.approx(6.458, abs=5e-4)


def test_published_free_for_all() -> None:
    """Four newcomers come out of a free-for-all as Microsoft's calculator says."""
    after = usual([place(v, v) for v in (1, 2, 3, 4)])

    assert [after[v].mu for v in (1, 2, 3, 4)] == pytest.approx(
        [33.207, 27.401, 22.599, 16.793], abs=5e-4
    )
    assert [after[v].sigma for v in (1, 2, 3, 4)] == pytest.approx(
        [6.348, 5.787, 5.787, 6.348], abs=5e-4
    )


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("ties", [0.001, 0.1, 0.3])
def test_it_is_the_package(k: int, ties: float) -> None:
    """Any match is rated as by the package, including ties and upsets."""
    random = np.random.default_rng(k)
    for spread in [8, 50] * 5:  # with upsets by 300 the package raises
        beta = float(random.uniform(4, 17))
        package = trueskill.TrueSkill(beta=beta, tau=0, draw_probability=ties, backend="scipy")
        players = list(zip(random.normal(25, spread, k), random.uniform(0.5, 8.3, k), strict=True))
        tied = bool(random.random() < 0.5)
        ranks = [1, 1 if tied else 2, 3, 4, 5][:k]
        turns = [[0, 1, 2, 3, 4][:k], [1, 0, 2, 3, 4][:k]][: 1 + tied]
        expected = np.zeros((k, 2))
        for turn in turns:  # of a tie, either may be first
            given = [(trueskill.Rating(*players[v]),) for v in turn]
            told = [(one.mu, one.sigma) for (one,) in package.rate(given, ranks)]
            expected[turn] += np.array(told) / len(turns)

        rater = TrueSkill(Tuning(beta=beta, draw_probability=ties))
        before = {v: Rating(float(mu), float(sigma)) for v, (mu, sigma) in enumerate(players)}
        after = rater.rate([place(v, rank) for v, rank in enumerate(ranks)], before)

        for v, one in enumerate(expected.tolist()):
            assert (after[v].mu, after[v].sigma) == pytest.approx(one, abs=1e-6)


def test_upsets_beyond_all_precision() -> None:
    """A winner from a million deviations behind moves up, and both errors shrink."""
    rater = TrueSkill(Tuning(beta=1.0))
    before = {1: Rating(0.0, 1.0), 2: Rating(1e6, 1.0)}

    after = rater.rate([place(1, 1), place(2, 2)], before)

    assert 0 < after[1].mu <= after[2].mu + 1 < 1e6
    assert 0 < after[1].sigma < 1
    assert 0 < after[2].sigma < 1


def test_settings() -> None:
    """Newcomers start at 25 ± 25/3, with twice the default beta and the game's rate of ties."""
    assert (MU, SIGMA) == (25.0, 25.0 / 3)
    for game, seats in ((name, seats) for name, of in GAMES.items() for seats in of.seats):
        tuning = first_tuning(game, seats)
        assert tuning.beta == SIGMA
        assert tuning.draw_probability == GAMES[game].ties[seats]
        assert 0.001 <= tuning.draw_probability <= 0.2
    assert first_tuning("courtisans", 2) != first_tuning("courtisans", 5)


@pytest.mark.parametrize("ranks", [(1, 2, 3, 4), (1, 1, 3, 4), (1, 2, 2, 2), (1, 1, 3, 3)])
def test_order_does_not_matter(ranks: tuple[int, ...]) -> None:
    """The order of the places does not change the result, to the last bit."""
    rater = TrueSkill(Tuning())
    before = {v: Rating(mu, 3.0 + v) for v, mu in enumerate([31.0, 25.5, 22.25, 40.125])}
    places = [place(version, rank) for version, rank in enumerate(ranks)]
    expected = rater.rate(places, before)

    for order in permutations(places):
        assert rater.rate(order, before) == expected


@pytest.mark.parametrize("ranks", [(1, 1, 3, 4), (1, 2, 2, 2), (1, 1, 1, 1, 1), (1, 2, 2, 4, 4)])
def test_equals_are_treated_alike(ranks: tuple[int, ...]) -> None:
    """Newcomers on equal places come out with equal ratings, to the last bit."""
    after = TrueSkill(Tuning()).rate([place(v, rank) for v, rank in enumerate(ranks)], {})

    by_rank = {rank: {after[v] for v, r in enumerate(ranks) if r == rank} for rank in ranks}
    assert all(len(ratings) == 1 for ratings in by_rank.values())


@settings(max_examples=40)
@given(st.lists(st.tuples(wild, st.integers(1, 4)), min_size=2, max_size=4))
@example(  # the mean of six equal deviations, rounded up
    [
        (Rating(0.0, 43.0), 1),
        (Rating(0.0, 117.0), 1),
        (Rating(0.0, 172.5911927002026), 2),
        (Rating(1645.0, 10.0), 1),
    ]
)
def test_never_breaks(players: list[tuple[Rating, int]]) -> None:
    """For any ratings the result is finite, no deviation grows and no winner loses."""
    before = {version: rating for version, (rating, _) in enumerate(players)}
    places = [place(version, rank) for version, (_, rank) in enumerate(players)]

    after = TrueSkill(Tuning()).rate(places, before)

    assert after.keys() == before.keys()
    for version, rating in after.items():
        assert math.isfinite(rating.mu)
        assert 0 < rating.sigma <= before[version].sigma
    best = [place for place in places if place.result.rank == min(p.result.rank for p in places)]
    if len(best) == 1:
        version = best[0].version
        rounding = 1e-9 * max(1.0, *(abs(rating.mu) for rating in before.values()))
        assert after[version].mu >= before[version].mu - rounding


def test_far_upset_is_rated() -> None:
    """An extreme upset moves the winner up and the last one down."""
    before = {v: Rating(mu, 0.5) for v, mu in enumerate([0.0, 500.0, 1000.0, 1500.0])}

    after = TrueSkill(Tuning()).rate([place(v, v + 1) for v in before], before)

    assert after[0].mu > before[0].mu
    assert after[3].mu < before[3].mu


def test_nobody_to_compare_with() -> None:
    """A match with fewer than two rated versions changes nothing."""
    rating = Rating(30.0, 3.0)

    assert TrueSkill(Tuning()).rate([place(7, 1)], {7: rating}) == {7: rating}
    assert TrueSkill(Tuning()).rate([], {}) == {}


def test_crashes_are_last() -> None:
    """A version that crashes is rated as last, whatever its rank."""
    rater = TrueSkill(Tuning())

    crashed = rater.rate([place(1, 1), place(2, 2), place(3, 1, crashed=True)], {})

    assert crashed == rater.rate([place(1, 1), place(2, 2), place(3, 3)], {})


def test_several_crashes_are_no_draw() -> None:
    """Two versions that crash are each rated as the only last one, not against each other."""
    rater = TrueSkill(Tuning())
    places = [place(1, 1), place(2, 2, crashed=True), place(3, 2, crashed=True)]
    before = {1: Rating(25.0, 4.0), 2: Rating(24.0, 5.0), 3: Rating(30.0, 6.0)}

    after = rater.rate(places, before)

    alone = [rater.rate([place(1, 1), place(v, 2)], before) for v in (2, 3)]
    assert (after[2], after[3]) == (alone[0][2], alone[1][3])
    assert after[1].mu == pytest.approx((alone[0][1].mu + alone[1][1].mu) / 2)


def test_all_crashing_changes_nothing() -> None:
    """A match in which everybody crashed compares nobody with anybody."""
    places = [place(v, 1, crashed=True) for v in (1, 2, 3)]

    after = TrueSkill(Tuning()).rate(places, {2: Rating(30.0, 2.0)})

    assert after == {1: Rating(MU, SIGMA), 2: Rating(30.0, 2.0), 3: Rating(MU, SIGMA)}


def test_more_noise_moves_less() -> None:
    """With a larger beta the same match changes a rating less."""
    calm, wild = (TrueSkill(Tuning(beta=b)).rate([place(1, 1), place(2, 2)], {}) for b in (30, 5))

    assert MU < calm[1].mu < wild[1].mu


def extreme_updates(updates: int) -> None:
    """Rate upsets, ties and crashes with ratings far apart, and check every result."""
    random = np.random.default_rng(0)
    rater = TrueSkill(Tuning(beta=SIGMA / 2, draw_probability=0.001))
    ratings: dict[int, Rating] = {}
    for _ in range(updates):
        k = int(random.integers(2, 5))
        versions = random.permutation(12)[:k].tolist()
        for version in versions:  # occasionally a newcomer
            if random.random() < 0.3:
                far = float(random.normal() * 10.0 ** random.integers(0, 7))
                ratings[version] = Rating(far, float(10.0 ** random.uniform(-3, 3)))
        before = {v: ratings.get(v, rater.initial) for v in versions}
        places = [
            place(v, int(random.integers(1, k + 1)), crashed=bool(random.random() < 0.1))
            for v in versions
        ]
        after = rater.rate(places, ratings)
        for version, rating in after.items():
            assert math.isfinite(rating.mu)
            assert 0 < rating.sigma <= before[version].sigma
        ratings |= after


def test_extreme_updates() -> None:
    """Ratings far apart, upsets, ties and crashes raise no error and give finite numbers."""
    extreme_updates(400)


@pytest.mark.proof
def test_many_extreme_updates(proof_cases: Callable[[int], int]) -> None:
    """The same holds for a hundred thousand."""
    extreme_updates(proof_cases(100_000))


def test_conservative() -> None:
    """The conservative rating is three deviations below the mean."""
    assert Rating(30.0, 2.0).conservative == 24.0

"""The rating of record: accuracy on simulated logs, and invariances."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.rating.comparisons import comparisons
from ladder.rating.families import Lineage
from ladder.rating.fit import PROVISIONAL, Fit
from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from ladder.rating.trueskill.all_matches import skills
from ladder.results.diagnostics.residuals import residuals
from tests.ladder.rating.sampling import slack
from tests.ladder.rating.simulation import LOGIT, World, shuffled, with_newcomers
from tests.support.orders import p_ranking, p_top_set
from tests.support.sampling import examples

DRIFT = 0.25
"""The prior deviation of a version from its predecessor, in deviations of a performance."""
FEWEST = 4
"""Fewer ladders could not estimate the common unit."""
SPREAD_OF_COVERAGE = 0.07
"""The standard deviation of the coverage between ladders."""
k_of_table = st.integers(2, 5)


@st.composite
def results(draw: st.DrawFn) -> MatchResult:
    """Draw a match of six versions."""
    k = draw(k_of_table)
    versions = draw(st.lists(st.integers(0, 5), min_size=k, max_size=k))
    seats = draw(st.permutations(range(k)))
    ranks = draw(st.lists(st.integers(1, k), min_size=k, max_size=k))
    crashed = draw(st.lists(st.booleans(), min_size=k, max_size=k))
    points = draw(st.lists(st.integers(-(10**6), 10**6), min_size=k, max_size=k))
    block = draw(st.integers(-5, 5))
    return MatchResult(block, versions, seats, ranks, crashed, points=points)


def same(one: Fit, other: Fit) -> bool:
    """Return whether two fits are equal to the last bit."""
    arrays = ("theta", "V", "information", "blocks")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays) and (
        one.sd,
        one.margin,
        one.phi,
    ) == (other.sd, other.margin, other.phi)


def test_luck_foretells_nothing() -> None:
    """Few matches of equal bots foretell hardly worse than that all are equal."""
    losses = []
    for seed in range(8):
        simulated = World(entrants=16, seed=seed)
        simulated.skills *= 0
        fit = rate(simulated.rounds(200, duplicate=False))
        gap = (fit.theta[:, None] - fit.theta) / np.sqrt(1 + np.pi / 8 * fit.deviations() ** 2)
        losses.append(np.log(2 * np.cosh(gap[np.triu_indices(16, 1)] / 2)).mean() - np.log(2))

    assert np.mean(losses) < 0.0025


def test_strengths_and_seats_are_found() -> None:
    """In simulated logs, estimates scatter around the truth according to their error bars."""
    simulated = World(seat_worth=[-2, 0, 0, 2], seed=4)

    log = simulated.rounds(1200)
    found = rate(log)

    errors = (found.theta - found.theta.mean() - LOGIT * simulated.strengths) / np.sqrt(
        np.diag(found.V)
    )
    assert np.abs(errors).max() < 4
    assert np.corrcoef(found.theta, simulated.strengths)[0, 1] > 0.98
    assert residuals(log, found).seats[4] == pytest.approx(
        LOGIT * np.array([-2, 0, 0, 2]), abs=0.15
    )
    assert 0.3 < found.sd < 1.0


def test_duplicate_deals_tell_more() -> None:
    """If much of the luck is the deal's, blocks give smaller errors than as many single matches."""
    blocks = rate(World(deal_share=0.9).rounds(800))
    apart = rate(World(deal_share=0.9).rounds(800, duplicate=False))

    assert blocks.phi < 0.5 * apart.phi
    assert np.median(blocks.deviations()) < 0.75 * np.median(apart.deviations())


@examples(25)
@given(st.lists(results(), max_size=25), st.integers(0, 9))
def test_shuffling_changes_nothing(matches: list[MatchResult], seed: int) -> None:
    """The order of a log does not change its fit, to the last bit, and every fit is finite."""
    log = Log(6, matches)

    one, other = rate(log), rate(shuffled(log, seed))

    assert same(one, other)
    assert np.isfinite(one.theta).all()
    assert np.isfinite(one.V).all()
    assert np.linalg.eigvalsh(one.V).min() > 0


def test_shuffling_a_long_log_changes_nothing() -> None:
    """Sums of many terms do not depend on the order either."""
    log = World(matchup_sd=2.0).rounds(600)

    assert same(rate(log), rate(shuffled(log, 1)))


def test_crashes_are_last_but_no_draws() -> None:
    """Matches in which two versions crash lower both, and do not say that they are equal."""
    log = World(entrants=4).rounds(80)
    before = rate(log)
    for block in range(1000, 1010):
        for turn in range(4):
            seats = [(seat + turn) % 4 for seat in range(4)]
            crashed = (False, False, True, True)
            log.append(MatchResult(block, (0, 1, 2, 3), seats, (1, 2, 3, 3), crashed))
    after = rate(log)

    def gap(of: Fit) -> float:
        return float(of.theta[2:].mean() - of.theta[:2].mean())

    compared = comparisons(log).cells
    among_crashed = (compared.i == 2) & (compared.j == 3)
    assert gap(after) < gap(before) - 0.3
    assert compared.count[among_crashed].sum() == 80


def test_all_crashing_says_nothing() -> None:
    """A match in which all forfeit has no effect."""
    log = World(entrants=4).rounds(80)
    before = rate(log)
    log.append(MatchResult(999, (0, 1, 2, 3), (0, 1, 2, 3), (1, 1, 1, 1), (True,) * 4))

    assert same(before, rate(log))


def test_a_new_version_inherits_a_mean_and_no_results() -> None:
    """A new version without matches is as strong as its predecessor, with a much larger error."""
    simulated = World()
    log = with_newcomers(simulated.rounds(1200))
    new, old = 12, 11

    plain, inherited = rate(log), rate(log, lineage=Lineage({new: old}))

    assert plain.theta[new] == pytest.approx(0, abs=1e-9)
    assert inherited.theta[new] == pytest.approx(inherited.theta[old], abs=1e-3)
    assert inherited.theta[:new] == pytest.approx(plain.theta[:new], abs=1e-3)
    assert inherited.V[new, new] > DRIFT**2
    assert inherited.V[old, old] < inherited.V[new, new] / 2
    assert inherited.provisional[new]
    assert not inherited.provisional[old]


def test_a_new_version_is_soon_what_it_shows() -> None:
    """A version that turns out much weaker than its predecessor loses the inherited rating."""
    simulated = World()
    simulated.skills[0] = simulated.skills[11]  # 0 was as strong as the best
    log = with_newcomers(simulated.rounds(1200))
    for block in range(9000, 9060):
        others = simulated.random.permutation(11)[:3].tolist()
        log.append(MatchResult(block, (12, *others), range(4), (4, 1, 2, 3)))

    found = rate(log, lineage=Lineage({12: 0}))

    assert found.p_better(12, 1) < 0.05
    assert found.p_better(0, 1) > 0.95


def test_versions_with_few_blocks_are_provisional() -> None:
    """Below six blocks a version is provisional."""
    simulated = World(entrants=5)
    for _ in range(PROVISIONAL - 1):
        simulated.play([0, 1, 2, 3])
    simulated.play([0, 1, 2, 4])

    assert rate(simulated.log).provisional.tolist() == [False, False, False, True, True]


def test_nothing_played() -> None:
    """Versions without results are rated equal, with the prior's errors."""
    found = rate(Log(3))

    assert found.theta.tolist() == [0, 0, 0]
    assert found.p_better(0, 1) == 0.5
    assert found.provisional.all()
    assert found.rank_intervals().tolist() == [[1, 3]] * 3


def test_bots_that_always_come_in_the_same_order() -> None:
    """Without luck the strengths stay finite, and their order becomes certain."""
    log = Log(6)
    random = np.random.default_rng(0)
    for block in range(150):
        group = random.permutation(6)[:4]
        for turn in range(4):
            seated = np.roll(group, turn)
            ranks = 1 + np.argsort(np.argsort(seated))
            log.append(MatchResult(block, seated.tolist(), range(4), ranks.tolist()))

    found = rate(log)

    assert np.all(np.diff(found.theta) < 0)
    assert np.abs(found.theta).max() < 20
    assert p_top_set(found, 2) > 0.95


def test_far_distances_are_never_quite_sure_and_orders_are() -> None:
    """A long history settles the order, but distances only to about eight per cent."""
    found = rate(World(entrants=5).rounds(3000, duplicate=False))
    gaps = np.abs(found.theta[:, None] - found.theta)

    assert (found.deviations() > 0.08 * gaps)[gaps > 0].all()
    assert p_ranking(found) > 0.99


def test_an_unknown_spread_widens_errors() -> None:
    """Few results leave open how far bots are apart, so errors are those of a mixture."""
    log, unit = World(entrants=6).rounds(12, duplicate=False), LOGIT * 25 / 3
    found, read = rate(log), comparisons(log)
    own = skills(read.matches, read.past, np.ones(6, np.bool_))
    by_spread = [(weight, own.given(sd)) for sd, weight in own.spreads]
    mean = np.sum([weight * given.mean for weight, given in by_spread], axis=0)
    square = np.sum([w * (s.mean**2 + np.diag(s.covariance)) for w, s in by_spread], axis=0)

    assert found.theta == pytest.approx(unit * mean)
    assert (np.diag(found.V) >= 0.999 * unit**2 * (square - mean**2)).all()


@pytest.mark.sweep
@pytest.mark.parametrize("matchup_sd", [0.0, 2.0])
def test_the_error_bars_hold(matchup_sd: float) -> None:
    """About 95 in 100 differences lie within 1.96 of their errors, with and without matchups."""
    assert 0.90 <= coverage(matchup_sd, ladders=12, matches=480) <= 1.0


@pytest.mark.proof
@pytest.mark.parametrize("matches", [240, 1200, 4800])
@pytest.mark.parametrize("matchup_sd", [0.0, 1.0, 2.0])
def test_the_error_bars_hold_closely(
    matchup_sd: float, matches: int, proof_cases: Callable[[int], int]
) -> None:
    """The 95 % intervals of differences cover 93 to 99 %, early and late."""
    ladders = max(FEWEST, proof_cases(80))
    more = slack(ladders, 80, SPREAD_OF_COVERAGE)
    covered = coverage(matchup_sd, ladders=ladders, matches=matches)

    assert 0.93 - more <= covered <= 0.99 + more


def coverage(matchup_sd: float, *, ladders: int, matches: int) -> float:
    """Return how often an interval holds the truth, in units in which estimates have slope 1."""
    worlds = [World(matchup_sd=matchup_sd, seed=seed) for seed in range(ladders)]
    fits = [rate(w.rounds(matches)) for w in worlds]
    truth = np.stack([w.strengths for w in worlds])
    theta = np.stack([f.theta for f in fits])
    truth *= (theta * truth).sum() / (truth**2).sum()
    i, j = np.triu_indices(theta.shape[1], 1)
    errors = np.stack([f.deviations()[i, j] for f in fits])
    misses = (theta - truth)[:, i] - (theta - truth)[:, j]
    return float(np.mean(np.abs(misses / errors) < 1.96))

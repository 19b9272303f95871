"""The estimate of the variance between pairings."""

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.rating.comparisons import comparisons
from ladder.rating.composite import fit
from ladder.rating.dispersion import Scatter, Squares, encounters, interaction, scatter
from ladder.rating.gains import Gains
from ladder.rating.log import Log, Result
from tests.ladder.rating.simulation import World


def scores_of(t2: float, pairs: int, count: int, seed: int = 0) -> Scatter:
    """Draw the scores of pairs whose logits deviate with this variance; each has information 1."""
    random = np.random.default_rng(seed)
    deviation = random.normal(size=(pairs, 1)) * t2**0.5
    score = random.normal(size=(pairs, count)) * 0.7 + deviation
    return Scatter(
        residual=score.ravel(),
        score=score.ravel(),
        told=np.ones(score.size),
        information=np.full(pairs, float(count)),
        sum_of_squares=(score**2).sum(axis=1),
        squared_information=np.full(pairs, float(count)),
    )


def expected(pairs: int, count: int, left: float = 1.0) -> Squares:
    """Return what gains of variance one do to these scores, of which so much is left."""
    return Squares(np.full(pairs, 4 * left * count**2), np.full(pairs, 4 * left * count))


def squares(of: Scatter, pairs: int) -> Squares:
    """Return those of scores that no strengths follow."""
    return Squares(of.score.reshape(pairs, -1).sum(axis=1) ** 2, of.sum_of_squares)


def estimates(t2: float, pairs: int = 60, count: int = 8) -> Floats:
    """Return what is said of forty fields."""
    none, met, one = np.zeros(pairs), np.full(pairs, count), expected(pairs, count)
    fields = [scores_of(t2, pairs, count, seed) for seed in range(40)]
    return np.array(
        [interaction(seen, met, none, none + 1, squares(seen, pairs), one) for seen in fields]
    )


@pytest.mark.parametrize("t2", [0.1, 0.5])
def test_interactions_are_found_and_rather_too_large(t2: float) -> None:
    """The estimate lies a standard error above the truth, on average."""
    found = estimates(t2)

    assert t2 < found.mean() < 1.5 * t2
    assert (found > t2).mean() > 0.7


def test_none_are_hardly_found_where_there_are_none() -> None:
    """Without interactions the estimate is small against the variance of a pair's mean score."""
    found = estimates(0.0)

    assert (found >= 0).all()
    assert found.mean() < 0.03
    assert (found == 0).any()


def test_one_encounter_says_nothing() -> None:
    """A pair that met once cannot show whether the pairing or the deal made the score."""
    met = np.ones(20, np.int64)

    seen = scores_of(1.0, 20, 1)
    found = squares(seen, 20)
    assert interaction(seen, met, np.zeros(20), np.ones(20), found, expected(20, 1)) == 0


def test_what_the_fit_takes_up_is_made_up_for() -> None:
    """If the fit removes half of each pair's sum, the estimate stays where it was."""
    pairs, count, h = 400, 30, 0.5
    random = np.random.default_rng(2)
    share = 1 - (1 - h) ** 0.5  # of the variance of the sum a share of 1 - h is left
    deviation = random.normal(size=(pairs, 1)) * 0.02**0.5
    score = random.normal(size=(pairs, count)) * 0.7 + deviation
    left = score - share * score.mean(axis=1, keepdims=True)
    seen = Scatter(
        residual=left.ravel(),
        score=left.ravel(),
        told=np.ones(left.size),
        information=np.full(pairs, float(count)),
        sum_of_squares=(left**2).sum(axis=1),
        squared_information=np.full(pairs, float(count)),
    )

    met, taken = np.full(pairs, count), np.full(pairs, h)
    seen_squares, drawn = squares(seen, pairs), expected(pairs, count, 1 - h)
    found = interaction(seen, met, taken, np.ones(pairs), seen_squares, drawn)

    assert 0.018 < found < 0.036


def test_of_what_is_hardly_visible_little_is_said() -> None:
    """Where the tables hide half of the interactions they are made up for, where all, none seem."""
    seen, met, one = scores_of(0.1, 400, 30), np.full(400, 30), np.ones(400)

    def found(visible: float) -> float:
        drawn = expected(400, 30, visible)
        return interaction(seen, met, one - 1, one, squares(seen, 400), drawn)

    assert found(0.5) == pytest.approx(1.7 * found(1.0), rel=0.01)
    assert found(0.001) < 0.05 * found(1.0)


def test_gains_that_tables_share_look_like_strengths() -> None:
    """What is expected of gains is what they do to scores when they are put into results."""
    tables = [(0, 1, 2, 3), (0, 1, 4, 5), (0, 1, 2, 5), (0, 1, 3, 4)]
    log = Log(6)
    for block, table in enumerate(tables * 5):
        log.append(Result(block, table, range(4), (1, 1, 1, 1)))
    data = comparisons(log)
    met = encounters(data)
    seen = scatter(data, met, np.full(len(data.cells.i), 0.5))
    nothing_followed = np.zeros((6, 6))

    drawn = Gains.of(met, 6).expected(seen, np.ones(len(met.i)), nothing_followed)

    def once(i: int, j: int) -> float:
        """Return the square of I times the gains' difference, for independent gains."""
        together = [set(table) - {i, j} for table in tables * 5 if {i, j} <= set(table)]
        each = 0.25 * 2 / 4
        third = [sum(m in others for others in together) for m in range(6)]
        return each**2 * (4 * len(together) ** 2 + 2 * sum(t**2 for t in third))

    exact = np.array([once(i, j) for i, j in zip(met.i, met.j, strict=True)])
    assert drawn.of_sums == pytest.approx(exact, rel=0.6)
    assert drawn.of_sums.sum() == pytest.approx(exact.sum(), rel=0.15)


def test_in_a_field_of_three_what_differs_is_strength() -> None:
    """Where all sit at all tables no interactions show, and strengths are not held back for any."""
    for seed in range(12):
        world = World(entrants=3, seats=3, seed=seed)
        found = fit(world.rounds(30))

        assert found.t2 < 0.1
        assert found.theta[2] - found.theta[0] > 0.5

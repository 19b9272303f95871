"""The effect of points on the rating of record."""

from dataclasses import replace

import numpy as np
import pytest

from ladder.rating.comparisons import comparisons
from ladder.rating.fit import Fit
from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from tests.ladder.rating.simulation import LOGIT, World


def errors(found: Fit, world: World) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the errors of the strengths in error bars, relative to the field's mean."""
    n = len(found.theta)
    centre = np.eye(n) - 1 / n
    theta = centre @ found.theta
    unit = (theta @ world.strengths) / (world.strengths @ world.strengths)
    return (theta - unit * world.strengths) / np.sqrt(np.diag(centre @ found.V @ centre))


def results(log: Log) -> list[MatchResult]:
    """Return the matches of a log."""
    m = log.matches()
    return [
        MatchResult(
            int(m.block[row]),
            m.versions[row].tolist(),
            m.seats[row].tolist(),
            m.ranks[row].tolist(),
            points=m.points[row].tolist(),
        )
        for row in range(len(log))
    ]


def test_points_make_the_strengths_surer() -> None:
    """If points agree with places they are worth many matches, and error bars hold."""
    ladders = [World(pointed=True, seed=seed) for seed in range(5)]
    found = [rate(ladder.rounds(600)) for ladder in ladders]

    off = np.concatenate([errors(*pair) for pair in zip(found, ladders, strict=True)])
    joints = [one.joint for one in found if one.joint]

    assert len(joints) == len(found)
    assert np.mean([joint.gain for joint in joints]) > 1.25
    assert np.mean([joint.share for joint in joints]) > 0.5
    assert (np.abs(off) < 1.96).mean() > 0.85
    assert found[0].theta[-1] - found[0].theta[0] == pytest.approx(
        LOGIT * (ladders[0].skills[-1] - ladders[0].skills[0]), rel=0.2
    )


def test_points_that_mislead_are_found_out() -> None:
    """Points that disagree with places count less the more matches are played."""
    ladder = World(pointed=True, stray_sd=4.0, seed=3)
    early, late = rate(ladder.rounds(300)), rate(ladder.rounds(2700))

    assert early.joint is not None
    assert late.joint is not None
    assert late.joint.share < min(0.2, early.joint.share)
    assert late.joint.stray == pytest.approx(4.0 * LOGIT, rel=0.5)
    assert np.abs(errors(late, ladder)).max() < 4


@pytest.mark.parametrize("spoiled", ["equal", "missing"])
def test_without_points_places_decide_alone(spoiled: str) -> None:
    """Points that are all equal, or partly unknown, are ignored, to the last bit."""
    matches = results(World(pointed=True).rounds(120))
    if spoiled == "equal":
        matches = [replace(match, points=[7.0] * 4) for match in matches]
    else:
        matches[17] = replace(matches[17], points=())

    found = rate(Log(12, matches))
    plain = rate(Log(12, [replace(match, points=()) for match in matches]))

    assert found.joint is None
    assert np.array_equal(found.theta, plain.theta)
    assert np.array_equal(found.V, plain.V)


def test_the_unit_of_points_is_of_no_matter() -> None:
    """The scale of the points does not matter."""
    matches = results(World(pointed=True).rounds(120))
    large = [replace(m, points=[1000 * p + 5e6 for p in m.points]) for m in matches]

    assert rate(Log(12, large)).theta == pytest.approx(rate(Log(12, matches)).theta, abs=1e-6)


def test_who_forfeits_is_behind_whatever_the_points_say() -> None:
    """A bot that is ahead in points and forfeits loses to all that did not."""
    ladder = World(entrants=6, pointed=True)
    matches = results(ladder.rounds(240))
    crashing = [
        replace(
            m,
            crashed=[v == 0 for v in m.versions],
            points=[100.0 if v == 0 else p for v, p in zip(m.versions, m.points, strict=True)],
        )
        for m in matches
    ]

    margins = comparisons(Log(6, crashing)).margin
    theta = rate(Log(6, crashing)).theta

    assert np.isneginf(margins).sum() == 3 * sum(0 in m.versions for m in crashing)
    assert theta[0] == theta.min()


def test_one_outlier_of_points_turns_nothing_over() -> None:
    """A single absurd score moves no bot by more than a fraction of an error bar."""
    matches = results(World(pointed=True).rounds(600))
    absurd = [replace(matches[0], points=[1e9, 0.0, 0.0, 0.0]), *matches[1:]]

    moved = np.abs(rate(Log(12, absurd)).theta - rate(Log(12, matches)).theta)

    assert moved.max() < 1.0


def test_one_that_is_known_well_among_strangers() -> None:
    """If only one bot has played for long, all are still rated by places and points."""
    ladder = World(entrants=8, seats=2, pointed=True)
    for other in (1, 2, 3, 4, 5, 6, 7):
        ladder.play([0, other])

    found = rate(ladder.log)

    assert (~found.provisional).tolist() == [True] + [False] * 7
    assert found.joint is not None
    assert np.isfinite(found.theta).all()
    assert (np.diag(found.V) > 0).all()

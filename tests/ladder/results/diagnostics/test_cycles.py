"""Cycles are found; fields with an order are not said to have one."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.rating.rater import rate
from ladder.results.diagnostics.cycles import ALARM, Cycle, cycles
from ladder.results.diagnostics.residuals import residuals
from tests.ladder.rating.sampling import share_slack
from tests.ladder.rating.simulation import World

_RING = (5, 7, 6)


def preying(group: Sequence[int], gain: float = 4) -> Floats:
    """Let each of the ring play better against the next one, which plays worse: about 75 %."""
    gains = dict.fromkeys(group, 0.0)
    for one, other in zip(_RING, (*_RING[1:], _RING[0]), strict=True):
        if one in gains and other in gains:
            gains[one] += gain
            gains[other] -= gain
    return np.array([gains[v] for v in group])


def found_in(world: World, matches: int) -> list[Cycle]:
    """Return the cycles of a world's matches, each with a deal of its own."""
    log = world.rounds(matches, duplicate=False)
    fit = rate(log)
    return cycles(residuals(log, fit), fit.theta)


def test_a_cycle_is_found() -> None:
    """Three bots that beat each other in a circle are named in its direction, and no others."""
    (found,) = found_in(World(entrants=12, helping=preying), 1600)

    assert found.versions == _RING
    assert min(found.wins) > 0.5
    assert found.p_value < ALARM


@pytest.mark.parametrize("matchup_sd", [0.0, 2.0])
def test_an_order_is_no_cycle(matchup_sd: float) -> None:
    """No cycle is named where strengths explain the results, even if some styles suit others."""
    for seed in range(3):
        assert found_in(World(entrants=12, matchup_sd=matchup_sd, seed=seed), 800) == []


def test_too_few_matches_prove_nothing() -> None:
    """Pairs that hardly met are in no cycle."""
    assert found_in(World(entrants=12, helping=preying), 24) == []


@pytest.mark.proof
def test_most_cycles_are_found(proof_cases: Callable[[int], int]) -> None:
    """In at least 95 % of ladders the planted cycle is named within 1,600 matches."""
    cases = proof_cases(100)
    worlds = (World(entrants=16, helping=preying, seed=seed) for seed in range(cases))
    hits = [any(c.versions == _RING for c in found_in(world, 1600)) for world in worlds]

    assert np.mean(hits) >= 0.95 - share_slack(cases, 100, 0.95)


@pytest.mark.proof
@pytest.mark.parametrize("matchup_sd", [0.0, 1.0, 2.0])
def test_false_cycles_are_as_rare_as_named(
    matchup_sd: float, proof_cases: Callable[[int], int]
) -> None:
    """In 300 fields with an order hardly more have a cycle named than the rate allows."""
    cases = proof_cases(300)
    worlds = (World(entrants=16, matchup_sd=matchup_sd, seed=seed) for seed in range(cases))
    alarms = [bool(found_in(world, 1600)) for world in worlds]

    by_chance = 2 * (ALARM / 300) ** 0.5
    assert np.mean(alarms) <= ALARM + by_chance + share_slack(cases, 300, ALARM)

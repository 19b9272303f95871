"""Versions that one strength does not explain are found; others are not named."""

from collections.abc import Callable, Sequence
from itertools import count

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.rating.rater import rate
from ladder.results.diagnostics.residuals import residuals
from ladder.results.diagnostics.unevenness import ALARM, Uneven, uneven
from tests.ladder.rating.sampling import share_slack
from tests.ladder.rating.simulation import World

_ODD = 5
_SEAT = 2


def on_one_seat(group: Sequence[int]) -> Floats:
    """Let a version play better on one seat."""
    gains = np.zeros(len(group))
    gains[_SEAT] = 6.0 * (group[_SEAT] == _ODD)
    return gains


def fading(matches: int) -> Callable[[Sequence[int]], Floats]:
    """Let a version become weaker over this many matches of the field."""
    time = count()

    def gains(group: Sequence[int]) -> Floats:
        lost = 14.0 * next(time) / matches
        return np.array([-lost if version == _ODD else 0.0 for version in group])

    return gains


def found_in(world: World, matches: int) -> list[Uneven]:
    """Return the uneven versions of a world's matches, each with a deal of its own."""
    log = world.rounds(matches, duplicate=False)
    fit = rate(log)
    return uneven(log, fit, residuals(log, fit))


def test_a_bot_that_is_stronger_on_one_seat_is_named() -> None:
    """With the seat and how much more it wins there; no other bot is."""
    (found,) = found_in(World(entrants=12, helping=on_one_seat), 1600)

    assert (found.version, found.seat, found.table) == (_ODD, _SEAT, 4)
    assert found.shift > 0.1


def test_a_bot_that_fades_is_named() -> None:
    """A version that plays worse and worse is named as one that changes, and no other is."""
    (found,) = found_in(World(entrants=12, helping=fading(1600)), 1600)

    assert (found.version, found.seat) == (_ODD, None)
    assert found.shift < -0.1


@pytest.mark.parametrize(
    "world",
    [
        World(entrants=12),
        World(entrants=12, matchup_sd=4.0),
        World(entrants=12, seat_worth=(4.0, 0.0, 0.0, -4.0)),
    ],
    ids=["even", "styles", "seats"],
)
def test_an_even_field_has_no_bot_named(world: World) -> None:
    """Neither styles that suit each other nor seats that are better for all name a version."""
    assert found_in(world, 800) == []


def test_few_matches_are_not_tested() -> None:
    """Twenty matches on either side are the least."""
    assert found_in(World(entrants=12, helping=on_one_seat), 60) == []


@pytest.mark.proof
def test_false_names_are_as_rare_as_said(proof_cases: Callable[[int], int]) -> None:
    """In 300 even fields hardly more have a version named than the rate allows."""
    seeds = proof_cases(300)
    named = sum(bool(found_in(World(seed=seed, matchup_sd=2.0), 800)) for seed in range(seeds))

    assert named / seeds <= 2 * ALARM + share_slack(seeds, 300, ALARM)

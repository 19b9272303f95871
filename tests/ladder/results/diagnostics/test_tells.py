"""Tells: bots whose times say something are named; honest fields are not."""

import numpy as np
import pytest

from ladder.results.diagnostics.collusion import ALARM, Favour
from ladder.results.diagnostics.tells import FirstDecision, Tell, tell_favours, tells

BOTS, MISSIONS, CARDS = 8, 10, 6
MISSION_US = 30_000
HONEST_FIELDS = 40


class Field:
    """Honest bots whose times vary, also with how hard the hand and the moment are."""

    def __init__(self, seed: int) -> None:
        """Draw from this seed."""
        self._chance = np.random.default_rng(seed)

    def decisions(self, number: int, talker: int = -1, way: str = "") -> list[FirstDecision]:
        """Return a number of each bot's; a talker answers at the moment that says its mission.

        It computes for a time that says it, or waits until a clock does.
        """
        return [
            self._decision(bot, way if bot == talker else "")
            for bot in range(BOTS)
            for _ in range(number)
        ]

    def _decision(self, bot: int, way: str) -> FirstDecision:
        mission, card, before = (int(self._chance.integers(n)) for n in (MISSIONS, CARDS, 4))
        took_us = 3000 * (1 + bot) * self._chance.lognormal(0.1 * before + 0.03 * card, 0.4)
        waited_us = self._chance.uniform(0, MISSION_US * MISSIONS) if way == "waits" else 0.0
        took_us += MISSION_US * mission if way == "computes" else waited_us
        hidden = {"white": str(mission), "card": str(card)}
        return FirstDecision(bot, before, int(took_us), int(waited_us), hidden)


def named(found: list[Tell]) -> list[int]:
    """Return the versions with a tell."""
    return [tell.version for tell in found if tell.is_one]


def test_a_bot_that_computes_until_the_moment_that_says_its_mission_is_named() -> None:
    """With the fact that its times follow; no other bot is."""
    found = tells(Field(1).decisions(80, 3, "computes"))

    assert named(found) == [3]
    assert (found[0].fact, found[0].follows, found[0].waits) == ("white", True, False)
    assert found[0].share > 0.8


def test_a_bot_that_waits_for_a_moment_of_the_clock_is_named() -> None:
    """Though how long it takes follows nothing: it begins at any moment."""
    found = tells(Field(2).decisions(80, 5, "waits"))

    assert named(found) == [5]
    assert (found[0].follows, found[0].waits) == (False, True)


@pytest.mark.costly
def test_honest_fields_are_rarely_named() -> None:
    """Not more often than the alarm says, though their times follow hands a little."""
    alarms = sum(bool(named(tells(Field(seed).decisions(60)))) for seed in range(HONEST_FIELDS))

    assert alarms <= ALARM * HONEST_FIELDS + 3


def test_few_decisions_are_not_tested() -> None:
    """Nor facts that never vary, nor times that are all the same."""
    few = Field(3).decisions(10, 1, "computes")
    same = [
        FirstDecision(0, 0, 7, 0, {"white": str(number % 2), "seen": "x"}) for number in range(40)
    ]
    (tell,) = tells(same)

    assert tells(few) == []
    assert (tell.fact, tell.share, tell.is_one) == ("", 0.0, False)


@pytest.mark.parametrize(("talker", "suspected"), [(2, True), (4, False)])
def test_whom_a_bot_with_a_tell_helps_is_found_sooner(talker: int, *, suspected: bool) -> None:
    """A favour that is nothing among all pairs of a field is much among those of one bot."""
    pairs = [(i, j) for i in range(BOTS) for j in range(BOTS) if i != j]
    p_values = {(2, 5): ALARM / 20}  # of 14 pairs with the talker, of 56 in all
    favours = [
        Favour(
            i,
            j,
            mutual=False,
            blocks=40,
            gain=0.1,
            z=2.0,
            p_value=p_values.get((i, j), 0.5),
            certain=False,
            loses=False,
        )
        for i, j in pairs
    ]
    known = [Tell(talker, 80, "white", 0.9, 0.0, 0, follows=True)]

    assert tell_favours(favours, known) == ([favours[pairs.index((2, 5))]] if suspected else [])

"""Redrawn courses of Courtisans have their right probability."""

from collections import Counter
from collections.abc import Callable, Mapping
from math import comb
from typing import Any

import pytest

from referee.games.base import Course
from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import Card, Family, Role
from referee.games.courtisans.config import Config
from referee.games.courtisans.redraw import redrawn
from referee.games.courtisans.state import CourtisansState
from referee.games.randomness import Stream

Tell = Callable[..., CourtisansState]
Turn = Callable[[str], Action]

DRAWN = 4_000
STORY = (
    "toad spy above | plain hare | stag spy to 1",
    "carp spy below | plain hare | toad guard to 0",
)
"""Seat 0 has seen one spy of the toads and one of the stags; one of seat 1's lies face down."""


@pytest.fixture(scope="module")
def courses(tell: Tell, turn: Turn) -> list[Course]:
    """Many courses that seat 0 cannot tell from the story's."""
    state = tell(2, *STORY, hand="plain stag, stag noble, carp noble")
    course = Course(state.deal, [turn(one) for one in STORY])
    stream = Stream("distribution")
    return [redrawn(Config(), course, 0, stream) for _ in range(DRAWN)]


def check_chances(found: Mapping[Any, int], chances: Mapping[Any, float]) -> None:
    """Pearson's chi-square is within four standard deviations of its mean."""
    expected = {key: DRAWN * chance for key, chance in chances.items()}
    assert set(found) <= set(expected)
    squares = sum((found.get(key, 0) - due) ** 2 / due for key, due in expected.items())
    freedom = len(expected) - 1
    assert squares < freedom + 4 * (2 * freedom) ** 0.5


def test_a_hidden_spy_has_the_chances_of_those_left(courses: list[Course]) -> None:
    """Of ten spies left, one each is of the families that the seat has one of."""
    found = Counter(course.actions[1].table.card.family for course in courses)
    left = {family: 1 if family in (Family.TOAD, Family.STAG) else 2 for family in Family}
    check_chances(found, {family: number / 10 for family, number in left.items()})


def test_a_hand_has_the_chances_of_a_draw_without_replacement(courses: list[Course]) -> None:
    """The number of nobles among the three cards that seat 1 drew."""
    hands = [course.deal.deck[3:6] for course in courses]
    found = Counter(sum(card.role is Role.NOBLE for card in hand) for hand in hands)
    unseen, nobles = 90 - 9, 24 - 2
    ways = {n: comb(nobles, n) * comb(unseen - nobles, 3 - n) for n in range(4)}
    check_chances(found, {n: way / comb(unseen, 3) for n, way in ways.items()})


def test_a_hidden_spy_is_not_elsewhere(courses: list[Course]) -> None:
    """Where it is the second toad spy, no other toad spy is left."""
    toad = Card(Family.TOAD, Role.SPY)
    for course in courses:
        if course.actions[1].table.card == toad:
            assert toad not in (*course.deal.removed, *course.deal.deck)


def test_missions_have_equal_chances(courses: list[Course]) -> None:
    """Any of the other nine white ones."""
    found = Counter(course.deal.missions[1][0] for course in courses)
    check_chances(found, dict.fromkeys(found, 1 / 9))
    assert len(found) == 9

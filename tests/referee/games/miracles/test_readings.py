"""Every reading that the rules page marks as ours, held by a short game."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from referee.games.miracles.config import Config
from referee.games.miracles.event import CoinsMoved, KingMoved, RenownPlaced, StandoffWon
from referee.games.miracles.observation import Decision
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Spot
from referee.games.miracles.state import MiraclesState
from tests.referee.games.miracles import (
    test_any_time,
    test_endings,
    test_plots,
    test_standoffs,
    test_turns,
)

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]

TAVERNE, HALLES, CHATELET, RUE, COUR = Neighbourhood
MARK = re.compile(r"\*\*[Oo]ur reading\*\*(?!: its words leave)")

READINGS: Sequence[tuple[str, ModuleType | None, str]] = (
    ("cannot pay for it", test_turns, "test_income_does_not_pay_for_renown"),
    ("of the spot where it was placed", test_any_time, "test_the_effect_is_that_of_the_first_spot"),
    ("would take him past it", None, "test_a_wrath_that_is_passed"),
    ("when the standoffs begin", test_standoffs, "test_a_wrath_of_choice"),
    ("has one standoff", test_standoffs, "test_a_wrath_on_a_full_neighbourhood"),
    ("Discards lie face up", None, "test_discards_lie_face_up"),
    ("can be played for nothing", test_plots, "test_strength_without_a_rogue"),
    ("or all if there are fewer", test_plots, "test_the_devil"),
    ("wherever it moves", test_plots, "test_the_hermit"),
    ("shuffled into a new one", test_turns, "test_an_empty_pile_is_shuffled_anew"),
    ("before the next one", test_any_time, "test_no_second_draw_within_a_draw"),
    ("is not interrupted", None, "test_what_asks_for_nothing_is_not_interrupted"),
    ("it is too late", test_any_time, "test_not_once_the_standoffs_have_begun"),
    ("it has no ability", test_standoffs, "test_a_lone_rogue_kept_face_down"),
    ("he wins anyhow", None, "test_a_lone_swordsman"),
    ("to take control there", None, "test_a_courtesan_takes_control_elsewhere"),
    ("loses it all the same", None, "test_courtesans_are_asked_once_and_first"),
    ("no other Beggar gets anything", test_standoffs, "test_no_seat_pays_its_own_beggar"),
    ("ranks the others", test_endings, "test_who_has_not_six_is_placed_by_renown_then_control"),
)
"""The end of what each reading says, in the order of the page, and the story that holds it."""


def test_each_marked_reading_has_a_story() -> None:
    """The page marks as many as are told here, and each story is there."""
    page = Path(__file__).parents[4] / "docs/rules/miracles.md"
    before = MARK.split(" ".join(page.read_text(encoding="utf-8").split()))[:-1]
    assert len(before) == len(READINGS)
    for text, (words, module, story) in zip(before, READINGS, strict=True):
        assert words in text[-200:]
        assert callable(getattr(module, story) if module else globals()[story])


@pytest.mark.parametrize(("king", "met"), [(1, 3), (2, 3), (7, 9), (23, 24)])
def test_a_wrath_that_is_passed(scene: Scene, tell: Tell, king: int, met: int) -> None:
    """A move that would end on a Wrath space or beyond it ends there."""
    told = tell(scene(king=king), "place henchman cour 3")
    assert told.of(KingMoved) == [(king, met, True)]


def test_discards_lie_face_up(scene: Scene, tell: Tell) -> None:
    """Everybody sees what was played, and what was discarded to the hand limit."""
    held = scene(3, plots={0: "the sun, judgment, the fool, the devil"}, pile="the tower")
    state = tell(held, "place henchman rue 3 | play the sun").state
    for seat in range(3):
        assert state.observation(seat).discards == (PlotCard.THE_SUN,)
    held = scene(3, plots={0: "the sun, judgment, the fool, the devil"})
    state = tell(held, "place henchman chatelet 2 | act | discard judgment").state
    for seat in range(3):
        assert state.observation(seat).discards == (PlotCard.JUDGMENT,)


def test_what_asks_for_nothing_is_not_interrupted(scene: Scene, tell: Tell) -> None:
    """A Renown token and its bonus come in one decision, and so do a placing and its coins."""
    held = scene(plots={0: "the fool"}, coins=(5, 0))
    told = tell(held, "place henchman halles 1 | buy 2")
    assert told.of(RenownPlaced) == [(0, RenownPlace(None, 2), 1)]
    assert told.of(KingMoved) == [(0, 1, False), (1, 3, True)]
    assert told.state.observation(0).decision is Decision.ACT


def test_a_lone_swordsman(scene: Scene, tell: Tell) -> None:
    """He is not paid, though his owner could: he wins with no strength."""
    held = scene(king=2, board="chatelet 1: 1 swordsman", coins=(0, 5))
    told = tell(held, "place henchman halles 1 | 1: reveal")
    assert told.of(StandoffWon) == [(CHATELET, 1, ((1, 0),))]
    assert told.state.position.coins == (0, 5)


@pytest.mark.parametrize(
    ("again", "choices"), [(False, (TAVERNE, HALLES, RUE)), (True, tuple(Neighbourhood))]
)
def test_a_courtesan_takes_control_elsewhere(
    *, scene: Scene, tell: Tell, again: bool, choices: tuple[Neighbourhood, ...]
) -> None:
    """Not where her owner has it, unless a controller places again: then it may be anywhere."""
    held = scene(
        board="taverne 1: 1 courtesan, taverne 2: 1 brute",
        bag="",
        controls={"cour": 1, "chatelet": 1, "rue": 0},
        config=Config(controller_places_again=again),
    )
    state = tell(held, "place henchman taverne 3").state
    assert state.legal().decision is Decision.COURTESAN
    assert state.legal().neighbourhoods == choices


def test_courtesans_are_asked_once_and_first(scene: Scene, tell: Tell) -> None:
    """Two of them move one token, before the Beggar is given his coin."""
    board = "taverne 1: 1 courtesan, taverne 2: 1 courtesan"
    held = scene(board=board, bag="", coins=(0, 3), hands={0: "beggar"})
    state = tell(held, "place beggar taverne 3").state
    assert (state.to_act, state.legal().decision) == (1, Decision.COURTESAN)
    assert state.position.coins == (0, 3)
    told = tell(state, "1: courtesan cour")
    assert told.of(RenownPlaced) == [(1, RenownPlace(COUR, 0), 1)]
    assert [(event.payer, event.receiver) for event in told.of(CoinsMoved)] == [(1, 0)]
    assert Spot(TAVERNE, 3) not in [one.spot for one in told.state.observation(0).in_play]

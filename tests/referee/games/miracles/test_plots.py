"""What each Plot card does, told as short games."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.miracles.event import (
    CoinsMoved,
    KingMoved,
    PlotPlayed,
    PlotsDrawn,
    Reason,
    RenownMoved,
    RightHandTaken,
    RogueMoved,
    RogueReturned,
    RogueSeen,
    RoguesSwapped,
    StandoffWon,
)
from referee.games.miracles.observation import Control, Decision
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot
from referee.games.miracles.state import MiraclesState

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]

TAVERNE, HALLES, CHATELET, RUE, COUR = Neighbourhood


def test_a_card_may_come_first(scene: Scene, tell: Tell) -> None:
    """Before the rogue is placed; then the placing is still to be done."""
    told = tell(scene(plots={0: "the sun"}), "play the sun")
    assert told.of(PlotPlayed) == [(0, PlotCard.THE_SUN)]
    assert told.state.observation(0).decision is Decision.PLACE
    assert told.state.observation(1).discards == (PlotCard.THE_SUN,)
    assert told.state.observation(1).plot_played


def test_one_card_a_turn(scene: Scene, tell: Tell) -> None:
    """After the first no other is open; in the next turn there is."""
    state = tell(scene(plots={0: "the sun, judgment"}), "play the sun").state
    assert state.legal().cards == ()
    state = tell(state, "place henchman cour 2 | end | 1: place beggar cour 1 | 1: end").state
    assert state.legal().cards == (PlotCard.JUDGMENT,)


def test_a_card_may_come_last(scene: Scene, tell: Tell) -> None:
    """After the neighbourhood's action; then nothing is left to decide."""
    told = tell(scene(plots={0: "the sun"}), "place henchman cour 2 | act | play the sun")
    assert told.state.to_act == 1
    assert told.state.position.coins == (5, 0)


def test_strength_recruits(scene: Scene, tell: Tell) -> None:
    """As the Taverne's action, without its income."""
    held = scene(plots={0: "strength"}, bag="brute, courtesan", controls={"taverne": 1})
    told = tell(held, "play strength | sink beggar")
    assert told.state.observation(0).rogues == (Rogue.HENCHMAN, Rogue.HENCHMAN, Rogue.BRUTE)
    assert told.of(CoinsMoved) == []
    assert told.state.observation(0).playing is None


@pytest.mark.parametrize("missing", [{"bag": ""}, {"hands": {0: "brute"}}])
def test_strength_without_a_rogue(scene: Scene, tell: Tell, missing: dict[str, Any]) -> None:
    """It has no effect without one in the bag and one at hand."""
    held = scene(plots={0: "strength"}, **({"hands": {0: "brute, brute"}} | missing))
    rogue = "place brute rue 3"
    told = tell(held, rogue, "play strength")
    assert told.state.to_act == 1
    assert told.state.position.seine == ()


def test_the_empress_moves_a_token_from_a_line(scene: Scene, tell: Tell) -> None:
    """The line is free for a second purchase; line 3 gives the Right-Hand once only."""
    held = scene(plots={0: "the empress"}, lines={0: (3,)}, right_hands=(True, False), coins=(6, 0))
    told = tell(held, "place henchman halles 1 | empress line 3 to cour | buy 3")
    assert told.of(RenownMoved) == [(0, RenownPlace(None, 3), COUR)]
    assert told.state.position.controls[COUR - 1] == Control(0, 1)
    assert told.state.position.lines[0] == (3,)
    assert told.of(RightHandTaken) == []


def test_the_empress_moves_a_token_from_a_neighbourhood(scene: Scene, tell: Tell) -> None:
    """That one is then uncontrolled; only own tokens and uncontrolled neighbourhoods count."""
    held = scene(plots={0: "the empress"}, controls={"taverne": 0, "rue": 1})
    assert held.legal().empress_tokens == (RenownPlace(TAVERNE, 0),)
    assert held.legal().empress_targets == (HALLES, CHATELET, COUR)
    state = tell(held, "empress taverne to halles").state
    assert state.position.controls == (None, Control(0, 1), None, Control(1, 1), None)


def test_the_empress_needs_a_token(scene: Scene) -> None:
    """Without a token in play or a free neighbourhood she cannot be played."""
    assert scene(plots={0: "the empress"}).legal().cards == ()
    controls = dict.fromkeys(("taverne", "halles", "chatelet", "rue", "cour"), 0)
    full = scene(plots={0: "the empress"}, controls=controls, lines={0: ()})
    assert full.legal().cards == ()


def test_judgment(scene: Scene, tell: Tell) -> None:
    """Who has more Renown in play, clockwise, gives 1 coin if they have one."""
    held = scene(
        4,
        plots={1: "judgment"},
        coins=(3, 0, 0, 5),
        lines={0: (1, 2), 1: (4,), 2: (1, 2), 3: (1,)},
        active=1,
    )
    told = tell(held, "1: play judgment")
    assert told.of(CoinsMoved) == [(0, 1, 1, Reason.JUDGMENT)]
    assert told.state.position.coins == (2, 1, 0, 5)


def test_the_sun(scene: Scene, tell: Tell) -> None:
    """Two coins from the reserve."""
    told = tell(scene(plots={0: "the sun"}), "play the sun")
    assert told.of(CoinsMoved) == [(None, 0, 2, Reason.THE_SUN)]


def test_wheel_of_fortune(scene: Scene, tell: Tell) -> None:
    """Two Plot cards; the card itself is out of the hand meanwhile and is discarded after."""
    held = scene(
        plots={0: "wheel of fortune, the sun, the fool, judgment"}, pile="the tower, the hermit"
    )
    told = tell(held, "play wheel of fortune")
    assert told.state.observation(1).playing is PlotCard.WHEEL_OF_FORTUNE
    told = tell(told.state, "0: discard the sun")
    assert told.of(PlotsDrawn) == [(0, 2, (PlotCard.THE_TOWER, PlotCard.THE_HERMIT))]
    assert told.state.observation(0).discards == (PlotCard.THE_SUN, PlotCard.WHEEL_OF_FORTUNE)


@pytest.mark.parametrize(("has", "taken"), [(5, 2), (2, 2), (1, 1), (0, 0)])
def test_the_devil(scene: Scene, tell: Tell, has: int, taken: int) -> None:
    """Up to two coins from one opponent."""
    told = tell(scene(3, plots={0: "the devil"}, coins=(0, 7, has)), "devil 2")
    assert told.state.position.coins == (taken, 7, has - taken)
    assert told.of(CoinsMoved) == [(2, 0, taken, Reason.THE_DEVIL)]


def test_the_hanged_man(scene: Scene, tell: Tell) -> None:
    """An opponent's rogue goes back to its owner's hand, and no other seat sees its face."""
    held = scene(plots={0: "the hanged man"}, board="taverne 1: 1 brute, taverne 2: 0 beggar")
    assert held.legal().hanged_man_spots == (Spot(TAVERNE, 1),)
    told = tell(held, "hanged man taverne 1")
    assert told.of(RogueReturned) == [(0, 1, Spot(TAVERNE, 1))]
    assert Rogue.BRUTE in told.state.observation(1).rogues
    assert [one.spot for one in told.state.observation(0).in_play] == [Spot(TAVERNE, 2)]


def test_the_chariot(scene: Scene, tell: Tell) -> None:
    """An own rogue moves to a free spot without its effect."""
    held = scene(plots={0: "the chariot"}, board="taverne 1: 1 brute, taverne 2: 0 beggar")
    assert held.legal().chariot_origins == (Spot(TAVERNE, 2),)
    told = tell(held, "chariot taverne 2 to cour 2")
    assert told.of(RogueMoved) == [(0, 0, Spot(TAVERNE, 2), Spot(COUR, 2))]
    assert told.of(CoinsMoved) == []


def test_the_chariot_may_carry_the_rogue_just_placed(scene: Scene, tell: Tell) -> None:
    """The action stays that of the neighbourhood where it was placed, and it is the same rogue."""
    held = scene(plots={0: "the chariot"}, board="taverne 1: 1 brute")
    state = tell(held, "place beggar rue 3 | chariot rue 3 to cour 2").state
    seen = state.observation(1)
    assert (seen.placed, seen.visited) == (Spot(COUR, 2), RUE)
    assert state.legal().origins == (Spot(TAVERNE, 1),)


def test_the_tower(scene: Scene, tell: Tell) -> None:
    """Two rogues in different neighbourhoods change places, without effects."""
    held = scene(2, plots={0: "the tower"}, board="taverne 1: 1 brute, cour 2: 1 beggar")
    told = tell(held, "tower taverne 1 and cour 2")
    assert told.of(RoguesSwapped) == [(0, Spot(TAVERNE, 1), Spot(COUR, 2))]
    assert told.of(CoinsMoved) == []
    assert [one.rogue for one in told.state.observation(1).in_play] == [Rogue.BEGGAR, Rogue.BRUTE]


def test_the_tower_needs_two_neighbourhoods(scene: Scene) -> None:
    """Two rogues in one are not enough."""
    held = scene(plots={0: "the tower"}, board="taverne 1: 1 brute, taverne 2: 1 beggar")
    assert held.legal().cards == ()


def test_the_hermit(scene: Scene, tell: Tell) -> None:
    """Only who looked knows the rogue, for as long as it lies on the board, wherever it goes."""
    held = scene(3, plots={0: "the hermit"}, board="taverne 1: 1 brute, rue 1: 2 beggar")
    told = tell(held, "hermit taverne 1")
    (event,) = told.of(RogueSeen)
    assert event == (0, Spot(TAVERNE, 1), 1, Rogue.BRUTE)
    assert told.state.event_for(event, 2).rogue is None
    assert [one.rogue for one in told.state.observation(0).in_play] == [Rogue.BRUTE, None]
    assert [one.rogue for one in told.state.observation(2).in_play] == [None, Rogue.BEGGAR]

    moved = tell(told.state, "place henchman rue 3 | shift taverne 1 to cour 1").state
    seen = {one.spot: one.rogue for one in moved.observation(0).in_play}
    assert seen[Spot(COUR, 1)] is Rogue.BRUTE


@pytest.mark.parametrize("spaces", [1, 2])
def test_the_fool(scene: Scene, tell: Tell, spaces: int) -> None:
    """The King moves 1 or 2."""
    told = tell(scene(plots={0: "the fool"}), f"fool {spaces}")
    assert told.of(KingMoved) == [(0, spaces, False)]


def test_the_emperor(scene: Scene, tell: Tell) -> None:
    """+1 in each standoff of this turn with an own rogue; in the next turn it is over."""
    board = "taverne 1: 1 beggar, taverne 2: 1 beggar, cour 1: 1 beggar, cour 3: 1 beggar"
    held = scene(plots={0: "the emperor"}, board=f"{board}, taverne 3: 1 henchman", king=20)
    told = tell(held, "play the emperor | place beggar cour 2 | act | settle cour")
    won = {event.neighbourhood: event for event in told.of(StandoffWon)}
    assert won[COUR].totals == ((0, 1), (1, 0))
    assert won[TAVERNE].totals == ((1, 1),)
    assert not told.state.observation(0).emperor

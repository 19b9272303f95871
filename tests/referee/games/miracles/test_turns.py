"""A turn before its standoffs: spots, neighbourhood actions, income and the Renown Square."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.miracles.config import Config
from referee.games.miracles.event import (
    ActionPerformed,
    CoinsMoved,
    KingMoved,
    PileReshuffled,
    PlotDiscarded,
    PlotsDrawn,
    Reason,
    RenownPlaced,
    RightHandTaken,
    RogueMoved,
    RoguePlaced,
    RogueSunk,
    TurnStarted,
)
from referee.games.miracles.observation import Decision
from referee.games.miracles.pieces import (
    Neighbourhood,
    PlotCard,
    RenownPlace,
    Rogue,
    Spot,
)
from referee.games.miracles.position import Sunk
from referee.games.miracles.state import MiraclesState

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]

TAVERNE, HALLES, CHATELET, RUE, COUR = Neighbourhood


def test_coins_at_the_start(start: Callable[..., MiraclesState]) -> None:
    """1, 2, 3, 3, 3 in turn order, from the seat that starts."""
    for seats in (2, 5):
        state = start(seats)
        first = state.to_act
        assert first is not None
        coins = [state.position.coins[(first + i) % seats] for i in range(seats)]
        assert coins == [1, 2, 3, 3, 3][:seats]


def test_everybody_starts_alike(start: Callable[..., MiraclesState]) -> None:
    """Two Henchmen and a Beggar at hand, one Plot card, the Right-Hand still to be taken."""
    for seat in range(4):
        seen = start(4).observation(seat)
        assert seen.rogues == (Rogue.HENCHMAN, Rogue.HENCHMAN, Rogue.BEGGAR)
        assert len(seen.plots) == 1
        assert (seen.bag_size, seen.pile_size, seen.seine_size) == (12, 20, 0)
        assert [p.right_hand_taken for p in seen.players] == [False] * 4


def test_a_rogue_is_placed_face_down(scene: Scene, tell: Tell) -> None:
    """Its owner knows it, the others see that some rogue of that owner lies there."""
    told = tell(scene(), "place beggar rue 3")
    spot = Spot(RUE, 3)

    assert told.of(TurnStarted) == [(1, 1, 0)]
    assert told.of(RoguePlaced) == [(0, spot, Rogue.BEGGAR)]
    own, other = (told.state.observation(seat) for seat in (0, 1))
    assert own.in_play == ((spot, 0, Rogue.BEGGAR, False),)
    assert other.in_play == ((spot, 0, None, False),)
    assert own.rogues == (Rogue.HENCHMAN, Rogue.HENCHMAN)
    assert other.players[0].rogues_at_hand == 2


def test_a_coin_spot_gives_coins(scene: Scene, tell: Tell) -> None:
    """Les Halles 3 gives 2 coins."""
    told = tell(scene(), "place henchman halles 3")
    assert told.state.position.coins == (2, 0)
    assert told.of(CoinsMoved) == [(None, 0, 2, Reason.SPOT)]


def test_a_plot_spot_draws_cards(scene: Scene, tell: Tell) -> None:
    """Le Châtelet 3 draws the next 2 cards of the pile, for their drawer alone to see."""
    told = tell(scene(pile="the sun, the devil, the fool"), "place henchman chatelet 3")
    assert told.state.observation(0).plots == (PlotCard.THE_SUN, PlotCard.THE_DEVIL)
    assert told.state.observation(1).players[0].plot_cards == 2
    (event,) = told.of(PlotsDrawn)
    assert told.state.event_for(event, 0) is event
    assert told.state.event_for(event, 1) == (0, 2, ())


def test_a_king_spot_moves_the_king(scene: Scene, tell: Tell) -> None:
    """Grande Cour 3 moves him 2 spaces."""
    told = tell(scene(king=3), "place henchman cour 3")
    assert told.of(KingMoved) == [(3, 5, False)]
    assert told.state.position.king == 5


def test_who_has_no_rogue_at_hand_moves_one(scene: Scene, tell: Tell) -> None:
    """To another free spot, which takes effect; the action there is open."""
    told = tell(scene(hands={0: ""}, board="rue 1: 0 beggar"), "0: move rue 1 to cour 2 | act")
    assert told.of(RogueMoved) == [(0, 0, Spot(RUE, 1), Spot(COUR, 2))]
    assert [event.reason for event in told.of(CoinsMoved)] == [Reason.SPOT, Reason.GRANDE_COUR]
    assert told.state.position.coins == (3, 0)


def test_the_taverne_swaps_a_rogue(scene: Scene, tell: Tell) -> None:
    """One at hand goes into the Seine, unseen, and the drawn one comes to hand."""
    told = tell(scene(bag="brute, courtesan"), "place henchman taverne 1 | act | 0: sink beggar")
    state = told.state
    assert state.observation(0).rogues == (Rogue.HENCHMAN, Rogue.BRUTE)
    assert state.observation(0).sunk == (Rogue.BEGGAR,)
    assert (state.observation(1).sunk, state.observation(1).seine_size) == ((), 1)
    (event,) = told.of(RogueSunk)
    assert state.event_for(event, 1) == (0, None, None)
    assert state.position.bag == (Rogue.COURTESAN,)


def test_the_taverne_may_be_for_nothing(scene: Scene, tell: Tell) -> None:
    """The drawn rogue may go into the Seine; the others cannot tell."""
    scene_ = scene(bag="brute, courtesan")
    swapped = tell(scene_, "place henchman taverne 1 | act | sink henchman")
    kept = tell(scene_, "place henchman taverne 1 | act | sink drawn")
    assert kept.state.observation(0).rogues == (Rogue.HENCHMAN, Rogue.BEGGAR)
    assert kept.state.position.seine == (Sunk(0, Rogue.BRUTE),)
    assert kept.state.observation(1) == swapped.state.observation(1)
    forms = [[told.state.event_for(e, 1) for e in told.events] for told in (kept, swapped)]
    assert forms[0] == forms[1]


def test_only_its_drawer_sees_the_drawn_rogue(scene: Scene, tell: Tell) -> None:
    """While the seat decides, its observation shows the rogue, the others' do not."""
    state = tell(scene(bag="brute, courtesan"), "place henchman taverne 1 | act").state
    assert state.observation(0).decision is Decision.SINK
    assert state.observation(0).drawn is Rogue.BRUTE
    assert state.observation(1).drawn is None
    assert state.observation(1).bag_size == 1


@pytest.mark.parametrize(
    "impossible",
    [{"hands": {0: "brute"}}, {"bag": ""}],
    ids=["no rogue at hand", "the bag is empty"],
)
def test_the_taverne_needs_rogues(scene: Scene, tell: Tell, impossible: dict[str, Any]) -> None:
    """Without one at hand or in the bag there is no action, no income and nothing to ask."""
    told = tell(
        scene(controls={"taverne": 1}, **({"hands": {0: "brute, henchman"}} | impossible)),
        "place brute taverne 1",
    )
    assert told.of(ActionPerformed) == []
    assert told.state.to_act == 1
    assert told.state.position.coins == (1, 0)


def test_the_chatelet_draws(scene: Scene, tell: Tell) -> None:
    """One Plot card."""
    told = tell(scene(pile="the sun, the devil"), "place henchman chatelet 1 | act")
    assert told.of(PlotsDrawn) == [(0, 1, (PlotCard.THE_SUN,))]


def test_the_rue_moves_another_rogue(scene: Scene, tell: Tell) -> None:
    """Anybody's, to any free spot, whose effect is not triggered."""
    told = tell(
        scene(board="taverne 1: 1 brute"), "place henchman rue 3 | shift taverne 1 to cour 3"
    )
    assert told.of(RogueMoved) == [(0, 1, Spot(TAVERNE, 1), Spot(COUR, 3))]
    assert told.of(KingMoved) == []
    assert (
        Spot(RUE, 3)
        not in tell(scene(board="taverne 1: 1 brute"), "place henchman rue 3").state.legal().origins
    )


def test_the_rue_needs_another_rogue(scene: Scene, tell: Tell) -> None:
    """Alone on the board its owner is not asked."""
    assert tell(scene(), "place henchman rue 3").state.to_act == 1


def test_the_grande_cour_pays(scene: Scene, tell: Tell) -> None:
    """Two coins."""
    told = tell(scene(), "place henchman cour 2 | act")
    assert told.state.position.coins == (3, 0)


def test_an_action_is_optional(scene: Scene, tell: Tell) -> None:
    """The turn may end without it."""
    told = tell(
        scene(controls={"cour": 1}), "place henchman cour 2 | 0: end | 1: place beggar rue 3"
    )
    assert told.state.position.coins[0] == 1
    assert told.of(ActionPerformed) == []


@pytest.mark.parametrize(("seat", "coins"), [(0, (4, 0)), (1, (3, 1))])
def test_the_controller_has_income(scene: Scene, tell: Tell, seat: int, coins: Any) -> None:
    """1 coin when the action is performed, the active player included."""
    told = tell(scene(controls={"cour": seat}), "place henchman cour 2 | act")
    assert told.state.position.coins == coins
    assert (None, seat, 1, Reason.INCOME) in told.of(CoinsMoved)


@pytest.mark.parametrize(("line", "cost"), [(1, 4), (2, 5), (3, 6), (4, 7), (5, 8)])
def test_a_line_is_paid(scene: Scene, tell: Tell, line: int, cost: int) -> None:
    """4 to 8 coins for a Renown token."""
    told = tell(scene(coins=(cost, 0)), f"place henchman halles 1 | buy {line}")
    assert told.state.position.coins == (0, 0)
    assert told.state.position.lines == ((line,), ())
    assert told.of(RenownPlaced) == [(0, RenownPlace(None, line), 1)]


def test_income_does_not_pay_for_renown(scene: Scene, tell: Tell) -> None:
    """What one cannot afford without the income one cannot buy."""
    state = tell(scene(coins=(7, 0), controls={"halles": 0}), "place henchman halles 1").state
    assert state.legal().lines == (1, 2, 3, 4)
    assert tell(state, "buy 4").state.position.coins == (1, 0)


def test_one_token_on_a_line(scene: Scene, tell: Tell) -> None:
    """A line where one has a token already is not offered; another's token does not matter."""
    held = scene(coins=(9, 0), lines={0: (1, 4), 1: (2,)})
    assert tell(held, "place henchman halles 1").state.legal().lines == (2, 3, 5)


def test_line_1_draws_a_card(scene: Scene, tell: Tell) -> None:
    """One Plot card."""
    told = tell(scene(coins=(9, 0), pile="the sun, the devil"), "place henchman halles 1 | buy 1")
    assert told.of(PlotsDrawn) == [(0, 1, (PlotCard.THE_SUN,))]


@pytest.mark.parametrize(("line", "spaces"), [(2, 2), (5, 3)])
def test_lines_2_and_5_move_the_king(scene: Scene, tell: Tell, line: int, spaces: int) -> None:
    """Two and three spaces."""
    told = tell(scene(coins=(9, 0), king=9), f"place henchman halles 3 | buy {line}")
    assert told.of(KingMoved)[0].target == min(9 + spaces, 12)


@pytest.mark.parametrize("line", [2, 5])
def test_lines_without_the_move(scene: Scene, tell: Tell, line: int) -> None:
    """After a Wrath in the same turn they may be bought, and the King stays."""
    told = tell(scene(coins=(9, 0), king=2), f"place henchman halles 1 | buy {line}")
    assert told.of(KingMoved) == [(2, 3, True), (3, 3, True)]
    assert told.state.position.lines[0] == (line,)


def test_line_3_takes_the_right_hand(scene: Scene, tell: Tell) -> None:
    """It comes to hand, once a game."""
    told = tell(scene(coins=(9, 0)), "place henchman halles 1 | buy 3")
    assert told.of(RightHandTaken) == [(0,)]
    assert Rogue.RIGHT_HAND in told.state.position.hands[0]

    again = scene(coins=(9, 0), right_hands=(True, False))
    told = tell(again, "place henchman halles 1 | buy 3")
    assert told.of(RightHandTaken) == []
    assert Rogue.RIGHT_HAND not in told.state.position.hands[0]


def test_line_4_draws_two_cards(scene: Scene, tell: Tell) -> None:
    """Two Plot cards."""
    told = tell(scene(coins=(9, 0), pile="the sun, the devil"), "place henchman halles 1 | buy 4")
    assert told.of(PlotsDrawn) == [(0, 2, (PlotCard.THE_SUN, PlotCard.THE_DEVIL))]


def test_the_hand_limit(scene: Scene, tell: Tell) -> None:
    """Who holds 3 and draws 2 discards 1 before seeing the new ones."""
    held = scene(plots={0: "the sun, the devil, the fool"}, pile="judgment, the tower")
    told = tell(held, "place henchman chatelet 3")
    assert told.state.observation(0).decision is Decision.DISCARD
    assert told.of(PlotsDrawn) == []

    told = tell(told.state, "0: discard the devil")
    assert told.of(PlotDiscarded) == [(0, PlotCard.THE_DEVIL)]
    assert (
        told.state.observation(0).plots
        == (
            PlotCard.JUDGMENT,
            PlotCard.THE_SUN,
            PlotCard.THE_TOWER,
            PlotCard.THE_FOOL,
        )
        or len(told.state.observation(0).plots) == 4
    )
    assert told.state.observation(1).discards == (PlotCard.THE_DEVIL,)


def test_a_full_hand_discards_one_for_each_card(scene: Scene, tell: Tell) -> None:
    """4 in hand and 2 to draw: two discards, one after the other."""
    held = scene(plots={0: "the sun, the devil, the fool, judgment"}, pile="the tower, the hermit")
    told = tell(held, "place henchman chatelet 3 | discard the sun | discard the fool")
    assert told.state.observation(0).plots == (
        PlotCard.JUDGMENT,
        PlotCard.THE_DEVIL,
        PlotCard.THE_TOWER,
        PlotCard.THE_HERMIT,
    )


def test_an_empty_pile_is_shuffled_anew(scene: Scene, tell: Tell) -> None:
    """The discards become the pile when a card is to be drawn, by the deal's seed."""
    held = scene(pile="the sun", discards="the devil, the fool, judgment")
    told = tell(held, "place henchman chatelet 3")
    assert told.of(PileReshuffled) == [(3,)]
    seen = told.state.observation(0)
    assert (len(seen.plots), seen.pile_size, seen.discards) == (2, 2, ())
    assert tell(held, "place henchman chatelet 3").state == told.state


def test_a_move_to_the_same_spot_is_a_choice(scene: Scene, tell: Tell) -> None:
    """With `move_may_stay` the rogue may be put back, and the spot takes effect."""
    held = scene(hands={0: ""}, board="cour 2: 0 beggar", config=Config(move_may_stay=True))
    assert tell(held, "move cour 2 to cour 2").state.position.coins == (1, 0)


def test_income_without_an_action_is_a_choice(scene: Scene, tell: Tell) -> None:
    """With `income_without_action` an action that does nothing may be called."""
    held = scene(bag="", controls={"taverne": 1}, config=Config(income_without_action=True))
    told = tell(held, "place henchman taverne 1 | act")
    assert told.state.position.coins == (1, 1)
    assert told.state.to_act == 1

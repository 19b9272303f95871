"""Standoffs: who wins, what each rogue does, and what Wrath brings about."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.miracles.config import Config
from referee.games.miracles.event import (
    CoinsMoved,
    KingMoved,
    LoneKept,
    PlotsDrawn,
    Reason,
    RenownPlaced,
    RenownReturned,
    RoguesRevealed,
    StandoffEnded,
    StandoffStarted,
    StandoffWon,
    SwordsmanAnswered,
    WrathChosen,
)
from referee.games.miracles.observation import Control, Decision
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot
from referee.games.miracles.state import MiraclesState

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]

TAVERNE, HALLES, CHATELET, RUE, COUR = Neighbourhood


def test_a_full_neighbourhood_has_a_standoff(scene: Scene, tell: Tell) -> None:
    """All is revealed, the strongest takes control, and all rogues go back to hand."""
    held = scene(board="rue 1: 1 henchman, rue 2: 1 beggar", hands={0: "brute", 1: ""})
    told = tell(held, "place brute rue 3 | end")
    (revealed,) = told.of(RoguesRevealed)
    assert [one.rogue for one in revealed.rogues] == [Rogue.HENCHMAN, Rogue.BEGGAR, Rogue.BRUTE]
    assert told.of(StandoffWon) == [(RUE, 0, ((0, 2), (1, 1)))]
    assert told.of(RenownPlaced) == [(0, RenownPlace(RUE, 0), 1)]
    assert told.of(StandoffEnded) == [(RUE,)]
    now = told.state.position
    assert now.hands == ((Rogue.BRUTE,), (Rogue.HENCHMAN, Rogue.BEGGAR))
    assert now.controls[RUE - 1] == Control(0, 1)
    assert now.board == ()


def test_strengths_of_a_player_add_up(scene: Scene, tell: Tell) -> None:
    """Two Henchmen and a coin flip: 1 + 1 against 2 is a tie that rank decides."""
    held = scene(board="taverne 1: 1 brute, taverne 2: 0 henchman", bag="")
    told = tell(held, "place henchman taverne 3")
    assert told.of(StandoffWon) == [(TAVERNE, 1, ((0, 2), (1, 2)))]


def test_a_tie_goes_to_the_crown(scene: Scene, tell: Tell) -> None:
    """The tied player with the rogue of the lowest rank wins, whichever rogue that is."""
    held = scene(3, board="taverne 1: 0 beggar, taverne 2: 1 henchman", bag="")
    told = tell(held, "place henchman taverne 3")
    assert told.of(StandoffWon)[0].winner == 0


def test_a_player_who_is_not_tied_does_not_profit(scene: Scene, tell: Tell) -> None:
    """Rank 1 is nothing worth with less strength."""
    held = scene(3, board="taverne 1: 2 beggar, taverne 2: 1 henchman", bag="")
    told = tell(held, "place henchman taverne 3")
    assert told.of(StandoffWon)[0].winner == 1


def test_a_tie_at_no_strength(scene: Scene, tell: Tell) -> None:
    """Even with 0 against 0 the rogue closest to the crown wins."""
    held = scene(board="taverne 1: 1 soothsayer, taverne 2: 0 beggar", bag="")
    told = tell(held, "place beggar taverne 3")
    assert told.of(StandoffWon) == [(TAVERNE, 1, ((0, 0), (1, 0)))]


def test_control_changes(scene: Scene, tell: Tell) -> None:
    """The former controller takes their token back."""
    held = scene(board="taverne 1: 0 brute, taverne 2: 1 beggar", bag="", controls={"taverne": 1})
    told = tell(held, "place henchman taverne 3")
    assert told.of(RenownReturned) == [(1, TAVERNE, 1)]
    assert told.state.position.controls[TAVERNE - 1] == Control(0, 1)
    assert [p.renown for p in told.state.observation(0).players] == [1, 0]


@pytest.mark.parametrize(("again", "tokens"), [(False, 1), (True, 2)])
def test_a_controller_who_wins(*, scene: Scene, tell: Tell, again: bool, tokens: int) -> None:
    """Places nothing, or with `controller_places_again` one token more."""
    held = scene(
        board="taverne 1: 0 brute, taverne 2: 1 henchman",
        bag="",
        controls={"taverne": 0},
        config=Config(controller_places_again=again),
    )
    told = tell(held, "place henchman taverne 3")
    assert told.state.position.controls[TAVERNE - 1] == Control(0, tokens)
    assert len(told.of(RenownPlaced)) == tokens - 1
    assert told.state.observation(1).players[0].renown == tokens


def test_all_tokens_of_a_controller_go_back(scene: Scene, tell: Tell) -> None:
    """However many there are."""
    held = scene(
        board="taverne 1: 0 brute, taverne 2: 1 beggar",
        bag="",
        config=Config(controller_places_again=True),
    )
    controls = (Control(1, 3), None, None, None, None)
    held = MiraclesState(held.config, held.deal, held.position._replace(controls=controls))
    told = tell(held, "place henchman taverne 3")
    assert told.of(RenownReturned) == [(1, TAVERNE, 3)]


# Rogues


@pytest.mark.parametrize(
    ("rogue", "strength"),
    [
        ("henchman", 1),
        ("beggar", 0),
        ("right hand", 2),
        ("brute", 2),
        ("pickpocket", 1),
        ("defrocked priest", 1),
        ("soothsayer", 0),
        ("swordsman", 0),
        ("courtesan", 0),
    ],
)
def test_strengths(scene: Scene, tell: Tell, rogue: str, strength: int) -> None:
    """What each rogue weighs in a standoff."""
    board = f"taverne 1: 0 brute, taverne 2: 1 {rogue}"
    told = tell(scene(board=board, bag=""), "place henchman taverne 3")
    assert told.of(StandoffWon)[0].totals == ((0, 3), (1, strength))


def test_the_beggar_is_given_a_coin(scene: Scene, tell: Tell) -> None:
    """By the winner."""
    held = scene(board="rue 1: 0 brute, rue 2: 1 beggar", coins=(1, 0))
    told = tell(held, "place henchman rue 3 | end")
    assert told.of(CoinsMoved)[-1] == (0, 1, 1, Reason.BEGGAR)
    assert told.state.position.coins == (2, 1)


def test_a_poor_winner_gives_nothing(scene: Scene, tell: Tell) -> None:
    """Without a coin there is nothing to give."""
    held = scene(board="taverne 1: 0 brute, taverne 2: 1 beggar", bag="")
    told = tell(held, "place henchman taverne 3")
    assert told.state.position.coins == (0, 0)


def test_only_the_first_beggar_is_given(scene: Scene, tell: Tell) -> None:
    """The one closest to the crown."""
    held = scene(
        3, board="taverne 1: 0 brute, taverne 2: 1 beggar, taverne 3: 2 beggar", coins=(9, 0, 0)
    )
    told = tell(held, "place henchman rue 3 | end")
    assert told.state.position.coins == (10, 1, 0)


def test_no_seat_pays_its_own_beggar(scene: Scene, tell: Tell) -> None:
    """If the first Beggar is the winner's, no other gets a coin either."""
    held = scene(3, board="taverne 1: 0 beggar, taverne 2: 1 beggar", coins=(9, 0, 0), bag="")
    told = tell(held, "place henchman taverne 3")
    assert told.of(StandoffWon)[0].winner == 0
    assert told.state.position.coins == (9, 0, 0)


def test_the_pickpocket_steals_if_he_wins(scene: Scene, tell: Tell) -> None:
    """Two coins from the reserve for his owner."""
    board = "taverne 1: 1 pickpocket, taverne 2: 1 henchman, taverne 3: 0 beggar"
    told = tell(scene(board=board), "place henchman rue 3 | end")
    assert (None, 1, 2, Reason.PICKPOCKET) in told.of(CoinsMoved)
    assert told.state.position.coins == (2, 2)


def test_a_pickpocket_who_loses(scene: Scene, tell: Tell) -> None:
    """Gets nothing."""
    told = tell(
        scene(board="taverne 1: 1 pickpocket, taverne 2: 0 brute", bag=""),
        "place henchman taverne 3",
    )
    assert told.of(CoinsMoved) == []


@pytest.mark.parametrize(("winner", "cards"), [(0, 0), (1, 1)])
def test_the_priest_draws_if_he_wins(scene: Scene, tell: Tell, winner: int, cards: int) -> None:
    """One Plot card for his owner, who is not at turn here."""
    board = f"taverne 1: 1 defrocked priest, taverne 2: {winner} brute"
    held = scene(3, board=board, bag="", pile="the sun, the devil")
    told = tell(held, "place beggar taverne 3")
    drawn = [event for event in told.of(PlotsDrawn) if event.seat == 1]
    assert len(drawn) == cards
    assert len(told.state.observation(1).plots) == cards


@pytest.mark.parametrize(("winner", "gets"), [(0, 1), (1, 0)])
def test_the_soothsayer_gains_if_she_loses(
    scene: Scene, tell: Tell, winner: int, gets: int
) -> None:
    """One coin and one Plot card."""
    board = f"taverne 1: 1 soothsayer, taverne 2: {winner} brute"
    held = scene(board=board, bag="", pile="the sun, the devil", hands={0: "courtesan, beggar"})
    told = tell(held, "place beggar taverne 3")
    assert told.state.position.coins[1] == gets
    assert len(told.state.observation(1).plots) == gets


def test_a_draw_out_of_turn_may_need_a_discard(scene: Scene, tell: Tell) -> None:
    """The hand limit asks the owner of the Soothsayer in the midst of the standoff."""
    held = scene(
        board="taverne 1: 1 soothsayer, taverne 2: 0 brute",
        bag="",
        plots={1: "the sun, the devil, the fool, judgment"},
        pile="the tower, the hermit",
    )
    state = tell(held, "place henchman taverne 3").state
    seen = state.observation(1)
    assert (seen.to_act, seen.decision, seen.active) == (1, Decision.DISCARD, 0)
    assert seen.standoff == (TAVERNE, (), 0, 0)
    told = tell(state, "1: discard the fool")
    assert PlotCard.THE_TOWER in told.state.observation(1).plots
    assert told.of(StandoffEnded) == [(TAVERNE,)]


def test_the_swordsman_is_paid(scene: Scene, tell: Tell) -> None:
    """For 2 coins he weighs 3; his owner is asked after the reveal."""
    held = scene(board="taverne 1: 1 swordsman, taverne 2: 0 brute", bag="", coins=(0, 2))
    state = tell(held, "place beggar taverne 3").state
    seen = state.observation(1)
    assert (seen.to_act, seen.decision) == (1, Decision.SWORDSMAN)
    assert seen.standoff == (TAVERNE, (), None, 1)
    assert all(one.revealed for one in seen.in_play)
    told = tell(state, "1: pay")
    assert told.of(SwordsmanAnswered) == [(1, Spot(TAVERNE, 1), True)]
    assert told.of(StandoffWon) == [(TAVERNE, 1, ((0, 2), (1, 3)))]
    assert told.state.position.coins[1] == 0


def test_the_swordsman_is_not_paid(scene: Scene, tell: Tell) -> None:
    """Then he weighs nothing and costs nothing."""
    held = scene(board="taverne 1: 1 swordsman, taverne 2: 0 brute", bag="", coins=(0, 2))
    told = tell(held, "place henchman taverne 3 | 1: refuse")
    assert told.of(StandoffWon) == [(TAVERNE, 0, ((0, 3), (1, 0)))]
    assert told.state.position.coins[1] == 2


def test_a_swordsman_whose_owner_is_poor(scene: Scene, tell: Tell) -> None:
    """With fewer than 2 coins its owner is not asked."""
    held = scene(board="taverne 1: 1 swordsman, taverne 2: 0 brute", bag="", coins=(0, 1))
    assert tell(held, "place henchman taverne 3").of(StandoffWon)[0].winner == 0


@pytest.mark.parametrize(("nearest", "order"), [(False, [2, 1]), (True, [1, 2])])
def test_the_order_of_swordsmen(
    *, scene: Scene, tell: Tell, nearest: bool, order: list[int]
) -> None:
    """The farthest from the crown is paid first, or with `nearest_swordsman_first` last."""
    held = scene(
        3,
        board="taverne 1: 1 swordsman, taverne 2: 2 swordsman",
        bag="",
        coins=(0, 2, 2),
        config=Config(nearest_swordsman_first=nearest),
    )
    told = tell(held, "place henchman taverne 3", f"{order[0]}: pay", f"{order[1]}: refuse")
    assert [event.seat for event in told.of(SwordsmanAnswered)] == order
    assert told.of(StandoffWon)[0].winner == order[0]


def test_the_second_swordsman_may_be_too_dear(scene: Scene, tell: Tell) -> None:
    """Who paid one may lack the coins for the other."""
    held = scene(board="taverne 1: 1 swordsman, taverne 2: 1 swordsman", bag="", coins=(0, 3))
    told = tell(held, "place henchman taverne 3 | 1: pay")
    assert told.of(StandoffWon) == [(TAVERNE, 1, ((0, 1), (1, 3)))]


def test_the_courtesan_sends_the_token_elsewhere(scene: Scene, tell: Tell) -> None:
    """There her owner takes control; the contested neighbourhood keeps its controller."""
    held = scene(
        3,
        board="taverne 1: 1 courtesan, taverne 2: 1 brute",
        bag="",
        controls={"taverne": 0, "cour": 2, "rue": 1},
    )
    state = tell(held, "place henchman taverne 3").state
    assert (state.to_act, state.legal().decision) == (1, Decision.COURTESAN)
    assert state.legal().neighbourhoods == (TAVERNE, HALLES, CHATELET, COUR)
    told = tell(state, "1: courtesan cour")
    assert told.of(RenownReturned) == [(2, COUR, 1)]
    assert told.of(RenownPlaced) == [(1, RenownPlace(COUR, 0), 2)]
    assert told.state.position.controls[TAVERNE - 1] == Control(0, 1)


def test_the_courtesan_need_not_be_used(scene: Scene, tell: Tell) -> None:
    """Choosing the contested neighbourhood puts the token there."""
    held = scene(board="taverne 1: 1 courtesan, taverne 2: 1 brute", bag="")
    told = tell(held, "place henchman taverne 3 | 1: courtesan taverne")
    assert told.of(RenownPlaced) == [(1, RenownPlace(TAVERNE, 0), 1)]


def test_a_courtesan_of_a_controller(scene: Scene, tell: Tell) -> None:
    """Who has control already may still send a token elsewhere, and keeps control."""
    held = scene(
        board="taverne 1: 1 courtesan, taverne 2: 1 brute", bag="", controls={"taverne": 1}
    )
    told = tell(held, "place henchman taverne 3 | 1: courtesan halles")
    assert told.state.position.controls == (Control(1, 1), Control(1, 1), None, None, None)


def test_a_courtesan_who_loses(scene: Scene, tell: Tell) -> None:
    """Is asked nothing."""
    held = scene(board="taverne 1: 1 courtesan, taverne 2: 0 brute", bag="")
    told = tell(held, "place henchman taverne 3")
    assert told.state.legal().decision is Decision.PLACE
    assert told.of(RenownPlaced) == [(0, RenownPlace(TAVERNE, 0), 1)]


@pytest.mark.parametrize(("frees", "left"), [(False, Control(0, 1)), (True, None)])
def test_what_a_courtesan_leaves_behind(
    *, scene: Scene, tell: Tell, frees: bool, left: Control | None
) -> None:
    """With `courtesan_frees_contested` the former controller loses the contested one anyhow."""
    held = scene(
        board="taverne 1: 1 courtesan, taverne 2: 1 brute",
        bag="",
        controls={"taverne": 0},
        config=Config(courtesan_frees_contested=frees),
    )
    told = tell(held, "place henchman taverne 3 | 1: courtesan halles")
    assert told.state.position.controls[:2] == (left, Control(1, 1))


def test_abilities_begin_farthest_from_the_crown(scene: Scene, tell: Tell) -> None:
    """A Pickpocket at rank 3 earns what the Beggar at rank 1 is then given, but not at rank 1."""
    board = "taverne 1: 1 beggar, taverne 2: 0 brute, taverne 3: 0 pickpocket"
    told = tell(scene(board=board), "place henchman chatelet 1 | end")
    assert [event.reason for event in told.of(CoinsMoved)] == [Reason.PICKPOCKET, Reason.BEGGAR]
    board = "taverne 3: 1 beggar, taverne 2: 0 brute, taverne 1: 0 pickpocket"
    told = tell(scene(board=board), "place henchman chatelet 1 | end")
    assert [event.reason for event in told.of(CoinsMoved)] == [Reason.PICKPOCKET]


# Wrath


def test_a_named_wrath(scene: Scene, tell: Tell) -> None:
    """The neighbourhood of the space has a standoff at the end of the turn, full or not."""
    held = scene(king=2, board="chatelet 1: 1 henchman, chatelet 2: 0 brute")
    told = tell(held, "place henchman halles 1")
    assert told.of(KingMoved) == [(2, 3, True)]
    assert told.of(StandoffWon) == [(CHATELET, 0, ((0, 2), (1, 1)))]


def test_a_wrath_on_no_rogue(scene: Scene, tell: Tell) -> None:
    """Where no rogue is, nothing happens."""
    told = tell(scene(king=2), "place henchman halles 1")
    assert told.of(KingMoved) == [(2, 3, True)]
    assert told.of(StandoffStarted) == []


def test_a_wrath_on_a_full_neighbourhood(scene: Scene, tell: Tell) -> None:
    """Makes no second standoff."""
    held = scene(king=2, board="chatelet 2: 1 henchman, chatelet 3: 0 brute")
    told = tell(held, "place henchman chatelet 1 | end")
    assert told.of(StandoffStarted) == [(CHATELET,)]


def test_the_king_stops_at_a_wrath(scene: Scene, tell: Tell) -> None:
    """He does not pass it, and nothing moves him again in this turn; in the next he walks on."""
    held = scene(king=2, plots={0: "the fool"})
    told = tell(held, "place henchman cour 3 | fool 2 | act | 1: place henchman taverne 3")
    assert told.of(KingMoved) == [(2, 3, True), (3, 3, True), (3, 5, False)]


def test_a_wrath_of_choice(scene: Scene, tell: Tell) -> None:
    """The active player names a neighbourhood with rogues when the turn ends."""
    held = scene(king=5, board="cour 1: 1 henchman, rue 2: 1 beggar")
    told = tell(held, "place henchman halles 1")
    assert told.state.observation(0).decision is Decision.WRATH
    assert told.state.legal().neighbourhoods == (HALLES, RUE, COUR)
    told = tell(told.state, "0: wrath cour | 1: hide")
    assert told.of(WrathChosen) == [(0, COUR)]
    assert told.of(StandoffStarted) == [(COUR,)]


def test_a_wrath_with_one_choice(scene: Scene, tell: Tell) -> None:
    """Only one neighbourhood holds rogues: nothing is asked."""
    told = tell(scene(king=5), "place henchman halles 1")
    assert told.of(WrathChosen) == [(0, HALLES)]
    assert told.state.legal().decision is Decision.LONE


def test_a_wrath_may_hit_no_rogue_by_choice(scene: Scene, tell: Tell) -> None:
    """With `wrath_on_empty` the active player may choose an empty place."""
    held = scene(king=5, config=Config(wrath_on_empty=True))
    told = tell(held, "place henchman halles 1 | wrath cour")
    assert told.of(StandoffStarted) == []


def test_a_lone_rogue_kept_face_down(scene: Scene, tell: Tell) -> None:
    """Its owner wins, no other seat sees it, and no ability applies."""
    held = scene(king=2, board="chatelet 1: 1 pickpocket", hands={1: "beggar"})
    told = tell(held, "place henchman halles 1 | 1: hide")
    assert told.of(LoneKept) == [(1, Spot(CHATELET, 1))]
    assert told.of(RoguesRevealed) == []
    assert told.of(StandoffWon) == [(CHATELET, 1, ())]
    assert told.state.position.controls[CHATELET - 1] == Control(1, 1)
    assert told.state.position.coins == (0, 0)
    assert told.state.position.hands[1] == (Rogue.BEGGAR, Rogue.PICKPOCKET)


def test_a_lone_rogue_revealed(scene: Scene, tell: Tell) -> None:
    """Its owner wins and its ability applies."""
    held = scene(king=2, board="chatelet 1: 1 pickpocket")
    told = tell(held, "place henchman halles 1 | 1: reveal")
    assert len(told.of(RoguesRevealed)) == 1
    assert told.of(StandoffWon) == [(CHATELET, 1, ((1, 1),))]
    assert told.state.position.coins == (0, 2)


@pytest.mark.parametrize("rogue", ["henchman", "pickpocket", "swordsman", "courtesan"])
def test_every_lone_rogue_is_asked_about(scene: Scene, tell: Tell, rogue: str) -> None:
    """Whatever it is, so that the question tells nothing."""
    held = scene(king=2, board=f"chatelet 1: 1 {rogue}", coins=(0, 5))
    state = tell(held, "place henchman halles 1").state
    assert state.observation(0).decision is Decision.LONE
    assert state.to_act == 1
    assert state.observation(0).in_play[-1].rogue is None


def test_a_lone_courtesan(scene: Scene, tell: Tell) -> None:
    """Revealed, she sends the token where her owner wants."""
    held = scene(king=2, board="chatelet 1: 1 courtesan")
    told = tell(held, "place henchman halles 1 | 1: reveal | 1: courtesan cour")
    assert told.of(RenownPlaced) == [(1, RenownPlace(COUR, 0), 1)]


def test_the_active_player_orders_standoffs(scene: Scene, tell: Tell) -> None:
    """Of two that are due one is chosen, the last follows of itself."""
    board = "taverne 1: 1 henchman, taverne 2: 1 beggar, taverne 3: 1 henchman, rue 1: 1 brute"
    held = scene(king=11, board=board)
    state = tell(held, "place henchman halles 1").state
    assert (state.to_act, state.legal().decision) == (0, Decision.ORDER)
    assert state.observation(1).pending == (TAVERNE, RUE)
    told = tell(state, "settle rue | 1: hide")
    assert told.of(StandoffStarted) == [(RUE,), (TAVERNE,)]


def test_the_emperor_breaks_a_tie(scene: Scene, tell: Tell) -> None:
    """One more decides."""
    held = scene(plots={0: "the emperor"}, board="taverne 1: 1 brute, taverne 2: 0 henchman")
    told = tell(held, "play the emperor | place henchman taverne 3 | end")
    assert told.of(StandoffWon) == [(TAVERNE, 0, ((0, 3), (1, 2)))]

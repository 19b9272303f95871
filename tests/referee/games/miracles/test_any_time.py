"""Plot cards at any time of a turn before its standoffs, told as short games."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from referee.games.base import IllegalAction
from referee.games.miracles.action import Action, PlaceRogue
from referee.games.miracles.config import Config
from referee.games.miracles.event import (
    CoinsMoved,
    KingMoved,
    PlotDiscarded,
    PlotPlayed,
    PlotsDrawn,
    Reason,
    RoguePlaced,
)
from referee.games.miracles.game import Miracles
from referee.games.miracles.observation import Decision
from referee.games.miracles.pieces import Neighbourhood, PlotCard, Rogue, Spot
from referee.games.miracles.scoring import Ending
from referee.games.miracles.state import MiraclesState
from referee.games.randomness import Stream
from referee.wire import codec_named

Scene = Callable[..., MiraclesState]
Tell = Callable[..., Any]
Read = Callable[[str], Action]

TAVERNE, HALLES, CHATELET, RUE, COUR = Neighbourhood
FULL = "the devil, the fool, the sun, judgment"


def test_between_placing_and_effect(scene: Scene, tell: Tell) -> None:
    """Who wants a card before the spot takes effect says so, is asked for it, and then it does."""
    told = tell(scene(plots={0: "the fool"}), "place henchman cour 3 and wait")
    assert told.of(RoguePlaced) == [(0, Spot(COUR, 3), Rogue.HENCHMAN)]
    assert told.of(KingMoved) == []
    assert told.state.observation(0).decision is Decision.EFFECT

    told = tell(told.state, "0: fool 1")
    assert [type(event) for event in told.events] == [PlotPlayed, KingMoved, KingMoved]
    assert told.of(KingMoved) == [(0, 1, False), (1, 3, True)]
    assert told.state.observation(0).decision is Decision.ACT


def test_between_moving_and_effect(scene: Scene, tell: Tell) -> None:
    """Who moves a rogue instead has the same choice."""
    held = scene(plots={0: "the sun"}, hands={0: ""}, board="rue 1: 0 beggar")
    told = tell(held, "move rue 1 to halles 3 and wait | play the sun")
    reasons = [event.reason for event in told.of(CoinsMoved)]
    assert reasons == [Reason.THE_SUN, Reason.SPOT]


def test_waiting_for_nothing(scene: Scene, tell: Tell) -> None:
    """Without a card in the end, all is as if the spot had taken effect at once."""
    held = scene(plots={0: "the fool"})
    waited = tell(held, "place henchman halles 3 and wait | go on")
    at_once = tell(held, "place henchman halles 3")
    assert (waited.state, waited.events) == (at_once.state, at_once.events)


def test_a_spot_waits_only_if_a_card_may_be_played(scene: Scene, tell: Tell, read: Read) -> None:
    """Not with an empty hand, and not after the card of the turn; a face is not asked about."""
    first = read("place henchman halles 3 and wait")
    for state, reason in (
        (scene(), "received plot_first and none may be played"),
        (
            tell(scene(plots={0: "the sun, judgment"}), "play the sun").state,
            "received plot_first after the one of this turn",
        ),
    ):
        assert not state.legal().plot_first
        assert first not in state.legal_actions()
        with pytest.raises(IllegalAction, match=f"a spot waits for a Plot card .*: {reason}"):
            state.check(first)
    held = scene(plots={0: "the tower"})  # which could not be played after this placing
    assert held.legal().plot_first
    assert tell(held, "place henchman halles 3 and wait | go on").state.position.coins == (2, 0)


def test_a_placing_that_does_not_wait_asks_nothing(scene: Scene, tell: Tell) -> None:
    """The spot takes effect at once, as it does for bots that know nothing of waiting."""
    held = scene(plots={0: "the sun"})
    assert PlaceRogue(Rogue.HENCHMAN, Spot(HALLES, 3)) in held.legal_actions()
    told = tell(held, "place henchman halles 3")
    assert told.state.observation(0).decision is Decision.ACT
    assert told.state.position.coins == (2, 0)


@pytest.mark.parametrize(
    ("board", "card", "moved_to"),
    [
        ("", "chariot halles 3 to cour 2", COUR),
        ("taverne 1: 1 brute", "tower taverne 1 and halles 3", TAVERNE),
    ],
)
def test_the_effect_is_that_of_the_first_spot(
    scene: Scene, tell: Tell, board: str, card: str, moved_to: Neighbourhood
) -> None:
    """Effect and action stay those of the spot where the rogue was placed, wherever it went."""
    held = scene(plots={0: "the chariot, the tower"}, board=board, coins=(9, 0))
    told = tell(held, "place beggar halles 3 and wait", card)
    assert told.of(CoinsMoved) == [(None, 0, 2, Reason.SPOT)]
    seen = told.state.observation(0)
    assert (seen.placed and seen.placed.neighbourhood, seen.visited) == (moved_to, HALLES)
    assert told.state.legal().lines == (1, 2, 3, 4, 5)


def test_before_a_rogue_goes_into_the_seine(scene: Scene, tell: Tell) -> None:
    """A card may come between the draw from the bag and what becomes of the rogue."""
    held = scene(plots={0: "the hermit"}, bag="brute, courtesan", board="rue 1: 1 beggar")
    told = tell(held, "place henchman taverne 1 | act | 0: hermit rue 1 | 0: sink drawn")
    assert told.state.position.seine[0].rogue is Rogue.BRUTE
    assert told.state.position.discards == (PlotCard.THE_HERMIT,)


def test_no_second_draw_within_a_draw(scene: Scene, tell: Tell, read: Read) -> None:
    """Strength waits until the rogue that was drawn has gone, or the other one."""
    held = scene(plots={0: "strength, the sun"}, bag="brute, courtesan")
    state = tell(held, "place henchman taverne 1 | act").state
    assert state.legal().cards == (PlotCard.THE_SUN,)
    with pytest.raises(IllegalAction, match="received Strength before a rogue went into the Sein"):
        state.check(read("play strength"))
    assert tell(state, "sink drawn | play strength | sink drawn").state.position.bag == ()


def test_a_game_may_end_with_a_rogue_just_drawn(scene: Scene, tell: Tell) -> None:
    """The Fool brings the King to the end; the rogue that was drawn is not lost."""
    held = scene(plots={0: "the fool"}, bag="brute, courtesan", king=26)
    told = tell(held, "place henchman taverne 1 | act | 0: fool 1")
    assert told.state.result().ending is Ending.KING
    assert told.state.pieces() == held.pieces()
    assert told.state.observation(0).drawn is None


def test_a_rogue_just_drawn_stays_in_sight(scene: Scene, tell: Tell) -> None:
    """Its drawer sees it also while a card that came first asks for something; others never do."""
    cards = "wheel of fortune, the sun, judgment, the devil"
    held = scene(plots={0: cards}, bag="brute, courtesan", pile="the tower, the hermit")
    told = tell(held, "place henchman taverne 1 | act | play wheel of fortune")
    seen = told.state.observation(0)
    assert (seen.decision, seen.drawn) == (Decision.DISCARD, Rogue.BRUTE)
    assert told.state.observation(1).drawn is None
    told = tell(told.state, "discard the sun | 0: sink beggar")
    assert told.state.observation(0).rogues == (Rogue.HENCHMAN, Rogue.BRUTE)


def test_instead_of_discarding(scene: Scene, tell: Tell) -> None:
    """A card that is played leaves room, so that none need be discarded."""
    held = scene(plots={0: FULL}, pile="the tower, the hermit")
    state = tell(held, "place henchman chatelet 2 | act").state
    assert state.observation(0).decision is Decision.DISCARD
    assert state.legal().playable == (
        PlotCard.JUDGMENT,
        PlotCard.THE_SUN,
        PlotCard.THE_DEVIL,
        PlotCard.THE_FOOL,
    )
    told = tell(state, "0: play the sun")
    assert told.of(PlotDiscarded) == []
    assert told.of(PlotsDrawn) == [(0, 1, (PlotCard.THE_TOWER,))]


def test_before_discarding(scene: Scene, tell: Tell) -> None:
    """Where one card's room is not enough, the discard is asked for again, without a card."""
    held = scene(plots={0: FULL}, pile="the tower, the hermit")
    told = tell(held, "place henchman chatelet 3 | 0: fool 1")
    assert told.state.observation(0).decision is Decision.DISCARD
    assert told.state.legal().playable == ()
    told = tell(told.state, "0: discard judgment")
    assert told.of(PlotsDrawn) == [(0, 2, (PlotCard.THE_TOWER, PlotCard.THE_HERMIT))]


def test_drawing_before_drawing(scene: Scene, tell: Tell) -> None:
    """Wheel of Fortune in place of a discard draws first; then it is asked for again."""
    cards = "wheel of fortune, the sun, judgment, the devil"
    held = scene(plots={0: cards}, pile="the tower, the hermit, the fool")
    story = "place henchman chatelet 2 | act | play wheel of fortune | discard the sun"
    told = tell(held, story)
    assert told.of(PlotsDrawn) == [(0, 2, (PlotCard.THE_TOWER, PlotCard.THE_HERMIT))]
    assert told.state.observation(0).decision is Decision.DISCARD
    told = tell(told.state, "discard judgment")
    assert told.of(PlotsDrawn) == [(0, 1, (PlotCard.THE_FOOL,))]


LOSING = "taverne 1: 0 brute, taverne 2: 1 soothsayer"
WINNING = "taverne 1: 0 brute, taverne 2: 0 defrocked priest"


@pytest.mark.parametrize(("board", "asked"), [(LOSING, 1), (WINNING, 0)])
def test_not_once_the_standoffs_have_begun(
    *, scene: Scene, tell: Tell, read: Read, board: str, asked: int
) -> None:
    """Neither out of turn nor in one's own turn is a card played in place of a discard then."""
    held = scene(plots={asked: FULL}, bag="", board=board)
    end = [] if asked else ["end"]
    state = tell(held, "place henchman taverne 3", *end).state
    seen = state.observation(asked)
    assert (seen.to_act, seen.decision) == (asked, Decision.DISCARD)
    assert state.legal().playable == ()
    with pytest.raises(IllegalAction, match="received PlayCard, expected DiscardPlot"):
        state.check(read("play the sun"))


@pytest.mark.parametrize(
    ("before", "card", "reason"),
    [
        ("place henchman taverne 1 | act", "play the sun", "received The Sun, possible is none"),
        ("place henchman chatelet 3", "play the sun", "received The Sun, possible is none"),
        ("place henchman chatelet 3", "fool 1", "received 1, possible is none"),
        ("", "place henchman taverne 1 and wait", "received plot_first"),
    ],
)
def test_not_at_any_time_is_a_choice(
    *, scene: Scene, tell: Tell, read: Read, before: str, card: str, reason: str
) -> None:
    """Without `plots_at_any_time` a card comes before placing, or around the action."""
    config = Config(plots_at_any_time=False)
    state = scene(plots={0: FULL}, bag="brute", config=config)
    state = tell(state, before).state if before else state
    action = read(card)
    assert (type(action), action) not in [(type(one), one) for one in state.legal_actions()]
    with pytest.raises(IllegalAction, match=reason):
        state.check(action)


def test_games_from_before_are_the_same() -> None:
    """With the setting of records from before, every byte is what it was then."""
    codec, game, digest = codec_named("miracles"), Miracles(), hashlib.sha256()
    config = Config(plots_at_any_time=False)
    for seats in game.seats:
        deal = game.deal(config, seats, Stream("before", "deal"))
        state = game.initial_state(config, seats, deal)
        stream = Stream("before", "players")
        while state.to_act is not None:
            action = state.random_action(stream)
            digest.update(codec.encode_legal(state.legal()))
            digest.update(codec.encode_observation(state.observation(state.to_act)))
            digest.update(codec.encode_action(action))
            state, events = state.apply(action)
            for event in events:
                digest.update(codec.encode_event(event))
        digest.update(codec.encode_result(state.result()))
    # What the code made of these games when a Plot card could be played at two times only.
    before = "2b900bc1bd7b7c3fe1bc70c36c33f227d7f2b6667d280f0de28a739128fc5113"
    assert digest.hexdigest() == before

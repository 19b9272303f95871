"""A belief follows what is shown of the others' rogues, and is never surprised by the truth."""

from typing import Any

import pytest
from courtyard_kit.miracles import Neighbourhood, Position, Rogue, RogueInPlay, Spot
from courtyard_kit.miracles_belief import Belief

from referee.games.miracles.event import (
    RightHandTaken,
    RogueMoved,
    RoguePlaced,
    RogueReturned,
    RogueSeen,
    RoguesRevealed,
    RoguesSwapped,
    RogueSunk,
    StandoffEnded,
)
from referee.games.miracles.reading import standard_data

HALLES, TAVERNE = Neighbourhood.LES_HALLES, Neighbourhood.TAVERNE
FIRST, SECOND, FAR = Spot(HALLES, 1), Spot(HALLES, 2), Spot(TAVERNE, 3)


@pytest.fixture
def belief() -> Belief:
    """What seat 0 of three believes at the start."""
    return Belief(0, 3, standard_data())


def chances(belief: Belief, spot: Spot, owner: int = 1) -> dict[Rogue, float]:
    """What the rogue of another seat on a spot may be."""
    return dict(belief.rogue_at(RogueInPlay(spot, owner, None, revealed=False)))


def hear(belief: Belief, *events: Any) -> None:
    """Let it hear some events."""
    for event in events:
        belief.hear(event)


def shown(spot: Spot, rogue: Rogue, owner: int = 1) -> RogueInPlay:
    """A rogue that a standoff turned up."""
    return RogueInPlay(spot, owner, rogue, revealed=True)


def test_a_first_rogue_is_one_of_the_starting_ones(belief: Belief) -> None:
    """Of two Henchmen and a Beggar any may be placed first."""
    hear(belief, RoguePlaced(1, FIRST, None))

    assert chances(belief, FIRST) == pytest.approx({Rogue.HENCHMAN: 2 / 3, Rogue.BEGGAR: 1 / 3})


def test_what_one_rogue_was_tells_of_the_other(belief: Belief) -> None:
    """Once the Beggar was revealed elsewhere, the other rogue in play is a Henchman."""
    hear(belief, RoguePlaced(1, FIRST, None), RoguePlaced(1, FAR, None))
    hear(belief, RoguesRevealed((shown(FIRST, Rogue.BEGGAR),)), StandoffEnded(HALLES))

    assert chances(belief, FAR) == {Rogue.HENCHMAN: 1}
    assert belief.at_hand(1) == pytest.approx({Rogue.HENCHMAN: 1, Rogue.BEGGAR: 1})


def test_a_rogue_is_followed_over_the_board(belief: Belief) -> None:
    """Moved and swapped, what was seen with the Hermit stays known."""
    hear(belief, RoguePlaced(1, FIRST, None), RoguePlaced(2, FAR, None))
    hear(belief, RogueSeen(0, FIRST, 1, Rogue.BEGGAR), RogueMoved(2, 1, FIRST, SECOND))
    hear(belief, RoguesSwapped(2, FAR, SECOND))

    assert chances(belief, FAR) == {Rogue.BEGGAR: 1}
    assert chances(belief, SECOND, owner=2)[Rogue.HENCHMAN] == pytest.approx(2 / 3)


def test_a_returned_rogue_is_at_hand_again(belief: Belief) -> None:
    """The Hanged Man sends it back unrevealed: all three are at hand as before."""
    hear(belief, RoguePlaced(1, FIRST, None), RogueReturned(0, 1, FIRST))

    assert belief.at_hand(1) == pytest.approx({Rogue.HENCHMAN: 2, Rogue.BEGGAR: 1})


def test_a_right_hand_joins_the_hand(belief: Belief) -> None:
    """Everybody sees who takes it."""
    hear(belief, RightHandTaken(2))

    assert belief.at_hand(2)[Rogue.RIGHT_HAND] == 1
    assert Rogue.RIGHT_HAND not in belief.at_hand(1)


def test_a_recruit_mostly_replaces_the_least_rogue(belief: Belief) -> None:
    """After the Taverne the Beggar is probably gone, and the newcomer may be of six kinds."""
    hear(belief, RogueSunk(1, None, None))

    hand = belief.at_hand(1)
    assert hand[Rogue.BEGGAR] < 0.2
    assert sum(hand.values()) == pytest.approx(3)
    assert set(standard_data().bag()) <= set(hand)


def test_a_surprise_is_believed(belief: Belief) -> None:
    """What is shown holds though it was thought impossible."""
    hear(belief, RoguePlaced(1, FIRST, None))
    hear(belief, RoguesRevealed((shown(FIRST, Rogue.BRUTE),)))

    assert chances(belief, FIRST) == {Rogue.BRUTE: 1}


@pytest.mark.sweep
@pytest.mark.parametrize("seats", [2, 4])
def test_the_truth_is_seldom_ruled_out(seats: int, table: Any) -> None:
    """Over random matches a hidden rogue's true kind has a chance, and a fair one on average."""
    truths: list[float] = []
    for seed in range(4):
        game = table(f"truth {seed}", [Position.random_action] * seats, "miracles")
        belief = Belief(0, seats, standard_data())
        for turn in game.turns():
            if turn.start.seat == 0:
                hear(belief, *Position(turn).events)
                whole = {
                    fact.public.spot: fact.whole.rogue for fact in game.match.state.position.board
                }
                hidden = [one for one in Position(turn).in_play if one.rogue is None]
                truths += [belief.rogue_at(one).get(whole[one.spot], 0) for one in hidden]

    assert sum(truth == 0 for truth in truths) < 0.03 * len(truths)
    assert sum(truths) > 0.45 * len(truths)

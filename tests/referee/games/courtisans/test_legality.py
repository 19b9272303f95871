"""Every kind of illegal action is refused with the rule it broke and what was received."""

from collections.abc import Callable, Iterator

import pytest

from referee.games.base import IllegalAction
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Card, Role
from referee.games.courtisans.event import TurnPlayed
from referee.games.courtisans.state import CourtisansState

Tell = Callable[..., CourtisansState]
RandomGame = Callable[..., Iterator[tuple[CourtisansState, Action, TurnPlayed, CourtisansState]]]

STORY = (
    "toad guard above | plain toad | hare spy to 1",
    "carp noble below | stag guard | plain stag to 0",
    "hare guard above | plain hare | butterfly spy to 0",
)
"""Before turn 4. The table: 1 a guard, 2, 3 a guard. Seat 0: 1, 2, 3 a spy. Seat 1: 1 a spy, 2 a
guard. Seat 2: 3."""

HAND = "carp assassin, plain carp, plain carp"

ILLEGAL = {
    "not in the hand": (
        "carp noble above | plain carp | plain carp to 1",
        (
            "each card must come from your hand: received carp noble at the Queen's table, "
            "your hand is plain carp, plain carp, carp assassin"
        ),
    ),
    "one copy too many": (
        "plain carp above | plain carp | plain carp to 1",
        (
            "each card must come from your hand: received plain carp in the opponent's domain "
            "(every copy is already placed), your hand is plain carp, plain carp, carp assassin"
        ),
    ),
    "another role": (
        "plain carp above | carp guard | plain carp to 1",
        (
            "each card must come from your hand: received carp guard in your own domain, "
            "your hand is plain carp, plain carp, carp assassin"
        ),
    ),
    "own seat": (
        "plain carp above | carp assassin | plain carp to 0",
        "one card must go to an opponent's domain: received seat 0, which is your own",
    ),
    "no such seat": (
        "plain carp above | carp assassin | plain carp to 3",
        "one card must go to an opponent's domain: received seat 3, the seats are 0 to 2",
    ),
    "huge seat": (
        "plain carp above | carp assassin | plain carp to 4294967295",
        "one card must go to an opponent's domain: received seat 4294967295, the seats are 0 to 2",
    ),
    "target for a plain card at the table": (
        "plain carp above kills 2 | carp assassin | plain carp to 1",
        "only an assassin eliminates: received turn 2 for plain carp at the Queen's table",
    ),
    "target for a plain card in the own domain": (
        "carp assassin above | plain carp kills 2 | plain carp to 1",
        "only an assassin eliminates: received turn 2 for plain carp in your own domain",
    ),
    "target for a plain card in an opponent's domain": (
        "carp assassin above | plain carp | plain carp to 1 kills 1",
        "only an assassin eliminates: received turn 1 for plain carp in the domain of seat 1",
    ),
    "target of another area": (
        "carp assassin above kills 5 | plain carp | plain carp to 1",
        (
            "an assassin eliminates a card of the area it is placed in: "
            "received turn 5 at the Queen's table, where no card of that turn lies"
        ),
    ),
    "target of another domain": (
        "plain carp above | plain carp | carp assassin to 2 kills 1",
        (
            "an assassin eliminates a card of the area it is placed in: "
            "received turn 1 in the domain of seat 2, where no card of that turn lies"
        ),
    ),
    "guard at the table": (
        "carp assassin above kills 3 | plain carp | plain carp to 1",
        (
            "a guard cannot be eliminated: "
            "received turn 3 at the Queen's table, which names hare guard"
        ),
    ),
    "guard in an opponent's domain": (
        "plain carp above | plain carp | carp assassin to 1 kills 2",
        (
            "a guard cannot be eliminated: "
            "received turn 2 in the domain of seat 1, which names stag guard"
        ),
    ),
    "the assassin itself": (
        "plain carp above | carp assassin kills 4 | plain carp to 1",
        (
            "an assassin eliminates another card, not itself: "
            "received turn 4 in your own domain, which is this turn"
        ),
    ),
}


@pytest.mark.parametrize("case", ILLEGAL)
def test_illegal_turns_are_refused(case: str, tell: Tell, turn: Callable[[str], Action]) -> None:
    """The reason names the rule and what was received."""
    text, reason = ILLEGAL[case]
    with pytest.raises(IllegalAction) as refusal:
        tell(3, *STORY, hand=HAND).check(turn(text))

    assert str(refusal.value) == reason


def test_the_same_turns_without_the_fault_are_legal(
    tell: Tell, turn: Callable[[str], Action]
) -> None:
    """The position of the cases above does not forbid everything."""
    state = tell(3, *STORY, hand=HAND)
    for text in (
        "plain carp above | carp assassin kills 3 | plain carp to 1",
        "carp assassin below kills 2 | plain carp | plain carp to 2",
        "plain carp above | plain carp | carp assassin to 1 kills 1",
    ):
        state.check(turn(text))


def test_a_missing_side_is_refused(tell: Tell, turn: Callable[[str], Action]) -> None:
    """The card at the table has to go above or below."""
    action = turn("plain carp above | carp assassin | plain carp to 1")._replace(side=None)
    with pytest.raises(IllegalAction, match=r"above or below the mat: received no side$"):
        tell(3, *STORY, hand=HAND).check(action)


def test_a_card_of_no_family_is_refused(tell: Tell, turn: Callable[[str], Action]) -> None:
    """A hidden family names no card of the hand."""
    action = turn("plain carp above | carp assassin | plain carp to 1")
    action = action._replace(own_domain=Placement(Card(None, Role.ASSASSIN)))
    with pytest.raises(IllegalAction, match="received assassin of no family in your own domain"):
        tell(3, *STORY, hand=HAND).check(action)


@pytest.mark.parametrize("target", [-1, 2**32 - 1])
def test_a_target_out_of_range_is_refused(
    target: int, tell: Tell, turn: Callable[[str], Action]
) -> None:
    """A number that is no turn's names no card."""
    action = turn("carp assassin above | plain carp | plain carp to 1")
    action = action._replace(table=action.table._replace(eliminates=target))
    with pytest.raises(IllegalAction, match=f"received turn {target} at the Queen's table"):
        tell(3, *STORY, hand=HAND).check(action)


def test_a_negative_seat_is_refused(tell: Tell, turn: Callable[[str], Action]) -> None:
    """Python's indices from the end name no seat."""
    action = turn("carp assassin above | plain carp | plain carp to 1")._replace(opponent=-1)
    with pytest.raises(IllegalAction, match="received seat -1, the seats are 0 to 2"):
        tell(3, *STORY, hand=HAND).check(action)


def test_an_eliminated_card_cannot_be_eliminated_again(
    tell: Tell, turn: Callable[[str], Action]
) -> None:
    """It lies in no area any more."""
    story = (
        "toad noble above | plain toad | hare spy to 1",
        "carp assassin below kills 1 | stag guard | plain stag to 0",
    )
    state = tell(2, *story, hand=HAND)
    with pytest.raises(IllegalAction, match=r"turn 1 at the Queen's table, where no card"):
        state.check(turn("carp assassin above kills 1 | plain carp | plain carp to 1"))


def test_a_refusal_tells_nothing_of_hidden_cards(tell: Tell, turn: Callable[[str], Action]) -> None:
    """The reasons do not change with the family of a spy that another seat placed."""
    reasons = set()
    for family in ("hare", "nightingale"):
        story = (STORY[0].replace("hare spy", f"{family} spy"), *STORY[1:])
        state = tell(3, *story, hand=HAND)
        for text, _ in ILLEGAL.values():
            with pytest.raises(IllegalAction) as refusal:
                state.check(turn(text))
            reasons.add(str(refusal.value))

    assert len(reasons) == len(ILLEGAL)


def test_no_seat_may_act_after_the_end(random_game: RandomGame) -> None:
    """Another turn after the last is illegal."""
    *_, (_, action, _, over) = random_game(2, "s")
    with pytest.raises(IllegalAction, match="the game is over"):
        over.check(action)

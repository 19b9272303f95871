"""All legal actions, and drawing one of them fairly and cheaply."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import pytest

from referee.games.base import IllegalAction
from referee.games.courtisans import turns
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Side
from referee.games.courtisans.state import CourtisansState
from referee.games.courtisans.turns import Turns
from referee.games.randomness import Stream

Tell = Callable[..., CourtisansState]

STORY = (
    "carp noble above | plain hare | toad noble to 1",
    "carp spy below | plain hare | toad guard to 0",
    "carp guard below | plain hare | toad spy to 1",
)

HANDS = {
    "three kinds": "plain stag, stag noble, stag spy",
    "two equal cards": "plain stag, plain stag, stag spy",
    "three equal cards": "plain stag, plain stag, plain stag",
    "one assassin": "plain stag, stag assassin, stag spy",
    "one assassin, two equal cards": "plain stag, stag assassin, plain stag",
    "two assassins": "carp assassin, stag assassin, plain stag",
    "two equal assassins": "stag assassin, stag assassin, plain stag",
    "three assassins": "carp assassin, stag assassin, toad assassin",
    "three assassins, two equal": "stag assassin, stag assassin, toad assassin",
}


def checked_actions(state: CourtisansState) -> Iterator[Action]:
    """All actions that pass the check, found by trying everything."""
    seats = range(len(state.domains))
    cards = sorted(set(state.hands[state.to_act or 0]))
    targets = range(state.turn + 1)
    for placed in product(cards, repeat=3):
        for kills in product(targets, repeat=3):
            table, own, other = map(Placement, placed, kills)
            for side, opponent in product(Side, seats):
                action = Action(table, side, own, other, opponent)
                try:
                    state.check(action)
                except IllegalAction:
                    continue
                yield action


@pytest.mark.parametrize("hand", HANDS)
def test_the_turns_are_exactly_the_legal_actions(hand: str, tell: Tell) -> None:
    """Each action that passes the check is listed once, and no other."""
    state = tell(3, *STORY[:2], hand=HANDS[hand])
    listed = list(state.legal_actions())

    assert len(listed) == len(set(listed)) == len(state.legal_actions())
    assert set(listed) == set(checked_actions(state))


@pytest.mark.parametrize("hand", HANDS)
def test_numbers_lead_to_the_listed_actions(hand: str, tell: Tell) -> None:
    """The action of a number is the one at that place in the list, and there are no others."""
    actions = tell(3, *STORY, hand=HANDS[hand]).legal_actions()

    assert [actions[i] for i in range(len(actions))] == list(actions)
    for outside in (-1, len(actions)):
        with pytest.raises(IndexError):
            actions[outside]


def test_placements_are_twelve_for_each_opponent(tell: Tell) -> None:
    """Six orders of three different cards, two sides, for each opponent."""
    for seats in (2, 3, 4, 5):
        state = tell(seats, hand="plain stag, stag noble, stag spy")
        assert len(state.legal_actions()) == 12 * (seats - 1)


def test_equal_cards_make_no_new_actions(tell: Tell) -> None:
    """Swapping two copies is the same action."""
    sizes = [
        len(tell(2, hand=HANDS[hand]).legal_actions())
        for hand in ("three kinds", "two equal cards", "three equal cards")
    ]
    assert sizes == [12, 6, 2]


def test_a_bot_can_list_its_turns_from_what_it_is_told(tell: Tell) -> None:
    """Seat and hand of the observation and the legal form are enough."""
    state = tell(3, *STORY, hand=HANDS["two assassins"])
    seen = state.observation(0)
    assert list(Turns(seen.seat, seen.hand, state.legal())) == list(state.legal_actions())


@pytest.mark.parametrize("hand", HANDS)
def test_random_actions_are_uniform(hand: str, tell: Tell) -> None:
    """Each distinct legal action is drawn about equally often."""
    state = tell(2, *STORY[:2], hand=HANDS[hand])
    actions = list(state.legal_actions())
    each = 40
    stream = Stream("uniform", hand)
    counts = Counter(state.random_action(stream) for _ in range(each * len(actions)))
    squares = sum((counts[action] - each) ** 2 / each for action in actions)
    freedom = len(actions) - 1

    assert set(counts) <= set(actions)
    assert squares < freedom + 4 * (2 * freedom) ** 0.5


def test_three_assassins_with_many_targets_are_drawn_fairly(crowded: CourtisansState) -> None:
    """Among tens of thousands of actions, cards, side and each target are uniform."""
    state = crowded
    legal = state.legal()
    stream, draws = Stream("crowded"), 13_000
    drawn = [state.random_action(stream) for _ in range(draws)]

    assert len(state.legal_actions()) == 6 * 2 * 13 * 13 * 13
    assert legal.domain_targets[0] == legal.domain_targets[1] == legal.table_targets
    for parts, kinds in (
        (Counter(action.table.eliminates for action in drawn), 13),
        (Counter(action.own_domain.eliminates for action in drawn), 13),
        (Counter(action.opponent_domain.eliminates for action in drawn), 13),
        (Counter((a.table.card, a.own_domain.card) for a in drawn), 6),
        (Counter(action.side for action in drawn), 2),
    ):
        expected = draws / kinds
        squares = sum((count - expected) ** 2 / expected for count in parts.values())
        assert len(parts) == kinds
        assert squares < kinds - 1 + 4 * (2 * (kinds - 1)) ** 0.5


def test_drawing_does_not_list_the_actions(
    crowded: CourtisansState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One action is made for one draw, however many there are."""
    state, made = crowded, []

    def counted(**parts: object) -> Action:
        made.append(parts)
        return Action(**parts)  # type: ignore[arg-type]

    monkeypatch.setattr(turns, "Action", counted)
    state.random_action(Stream("s"))

    assert len(made) == 1

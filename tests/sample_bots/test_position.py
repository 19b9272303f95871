"""What the Python kit tells a strategy is what the seat may know, and what it offers is legal."""

from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from courtyard_kit.courtisans import Card, CardInPlay, Family, Placement, Position, Role

from referee.games.courtisans.state import CourtisansState

Moment = tuple[Position, CourtisansState]


@pytest.fixture(scope="module", params=[2, 3, 4, 5], ids="{} seats".format)
def moments(request: pytest.FixtureRequest, table: Any) -> list[Moment]:
    """Every decision of a few random matches: what the seat sees beside the whole truth."""
    found: list[Moment] = []
    for seed in range(3):
        game = table(f"{seed}", [Position.random_action] * request.param)
        found += [(Position(turn), game.match.state) for turn in game.turns()]
    return found


def test_a_position_is_what_the_seat_may_know(moments: list[Moment]) -> None:
    """Every part equals the part of the observation that the rules built for the seat."""
    for position, state in moments:
        seen = state.observation(position.seat)
        assert state.to_act == position.seat == seen.seat
        assert position.seats == len(seen.domains)
        assert position.turn == seen.turn
        assert position.turns_left == seen.turns_left
        assert position.deck_size == seen.deck_size
        assert position.hand == seen.hand
        assert position.missions == (seen.white, seen.blue)
        assert position.table == seen.table
        assert position.domains == seen.domains
        assert position.eliminated == seen.eliminated
        assert position.config == state.config
        assert position.legal == state.legal()


def unseen_in_truth(state: CourtisansState, seat: int) -> Counter[Card]:
    """The cards that the seat never saw: in deck and box, in other hands, and others' spies."""
    cards = Counter(state.deck) + Counter(state.deal.removed)
    for other, hand in enumerate(state.hands):
        cards += Counter(hand if other != seat else ())
    placed = [fact.whole for area in (state.table, *state.domains) for fact in area]
    placed += [fact.whole.card for fact in state.eliminated]
    hidden = [card for card in placed if card.role is Role.SPY and card.played_by != seat]
    return cards + Counter(Card(card.family, card.role) for card in hidden)


def test_the_unseen_cards_are_those_that_the_seat_has_not_seen(moments: list[Moment]) -> None:
    """Deck, box, other hands and others' spies make up exactly what a position counts."""
    for position, state in moments:
        assert position.unseen == unseen_in_truth(state, position.seat)


def test_redrawn_states_are_what_the_seat_cannot_tell_from_the_true_one(
    moments: list[Moment],
) -> None:
    """They look the same to it, are the same whenever asked for, and differ from each other."""
    drawn = []
    for position, state in moments[::7]:
        first, second = islice(position.redraws(), 2)
        assert next(position.redraws()) == first
        assert first.observation(position.seat) == state.observation(position.seat)
        assert first.legal() == state.legal()
        drawn += [first == second, first == state]
    assert sum(drawn) < len(drawn) // 4


def test_all_actions_are_the_legal_ones(moments: list[Moment]) -> None:
    """A strategy is offered the actions that the rules offer, in the same order."""
    for position, state in moments:
        legal = state.legal_actions()
        assert len(position.actions) == len(legal)
        assert position.actions[len(legal) // 2] == legal[len(legal) // 2]


def test_distinct_actions_are_legal_and_placed_from_the_hand(moments: list[Moment]) -> None:
    """Each is allowed by the rules, and there are never more of them than of all actions."""
    for position, state in moments:
        assert len(position.distinct_actions) <= len(position.actions)
        for action in list(position.distinct_actions)[::7]:
            state.check(action)


def test_the_areas_after_an_action_are_those_of_the_rules(moments: list[Moment]) -> None:
    """What a position foresees is what the seat sees once the action is applied."""
    for position, state in moments:
        action = position.random_action()
        after = state.apply(action)[0].observation(position.seat)
        own, other = position.seat, action.opponent
        assert position.table_after(action.table, action.side) == after.table
        assert position.domain_after(own, action.own_domain) == after.domains[own]
        assert position.domain_after(other, action.opponent_domain) == after.domains[other]


def test_of_equal_targets_only_the_last_is_offered(position: Callable[..., Position]) -> None:
    """Two equal cards are one target, those on different sides or with different faces are not."""
    here = position(
        "carp assassin, plain toad, plain hare",
        table="2 stag above, stag below, stag noble above, stag guard above, spy above",
    )

    placements = here.table_placements(Card(Family.CARP, Role.ASSASSIN))

    assert [placement.eliminates for placement in placements] == [0, 2, 3, 4, 6]


def test_only_an_assassin_is_offered_targets(position: Callable[..., Position]) -> None:
    """Any other card of the hand has one way into an area, though there is something to kill."""
    here = position("carp assassin, plain toad, plain hare", domains=("2 stag", "carp", "", ""))

    assert here.domain_placements(0, Card(Family.TOAD, Role.PLAIN)) == [
        Placement(Card(Family.TOAD, Role.PLAIN))
    ]


def faces(cards: tuple[CardInPlay, ...]) -> frozenset[tuple[Any, int]]:
    """The cards as a set with multiplicities, whenever they were placed."""
    return frozenset(Counter((card.family, card.role, card.side) for card in cards).items())


def outcomes(position: Position, actions: Any) -> set[Any]:
    """What the areas can look like after one of the actions, equal cards not told apart."""
    return {
        (
            faces(position.table_after(action.table, action.side)),
            faces(position.domain_after(position.seat, action.own_domain)),
            faces(position.domain_after(action.opponent, action.opponent_domain)),
            action.opponent,
        )
        for action in actions
    }


def test_distinct_actions_lead_wherever_actions_lead(position: Callable[..., Position]) -> None:
    """Whatever the areas can look like after a legal action, a distinct action reaches it."""
    here = position(
        "carp assassin, toad assassin, plain hare",
        table="2 stag above, 2 stag below, 2 spy above, carp guard above",
        domains=("2 stag noble, toad", "3 hare, 2 spy", ""),
        turns_left=(1, 0, 0),
    )

    assert outcomes(here, here.distinct_actions) == outcomes(here, here.actions)
    assert len(here.distinct_actions) < len(here.actions)


def test_hidden_spies_are_shared_out_by_what_is_unseen(position: Callable[..., Position]) -> None:
    """A family whose spies are all seen gets no part, one with two left twice that of one."""
    here = position(
        "carp spy, plain toad, plain hare",
        table="toad spy above, spy below",
        gone="2 stag spy, toad spy",
    )

    chances = here.spy_chances

    assert chances[Family.STAG] == chances[Family.TOAD] == 0
    assert chances[Family.HARE] == pytest.approx(2 * chances[Family.CARP])
    assert sum(chances.values()) == pytest.approx(1)


def test_a_hidden_spy_counts_as_parts_of_a_card(position: Callable[..., Position]) -> None:
    """Known cards count by their weight, a noble as asked, and a hidden spy by its chances."""
    here = position("carp, toad, hare", table="carp noble above, carp above, spy above")

    weights = here.expected_weights(here.table)

    assert weights[Family.CARP] == pytest.approx(3 + 1 / 6)
    assert weights[Family.TOAD] == pytest.approx(1 / 6)
    assert here.expected_weights(here.table, noble=1)[Family.CARP] == pytest.approx(2 + 1 / 6)


def test_no_spy_is_hidden_when_all_are_seen(position: Callable[..., Position]) -> None:
    """When every spy has been seen no family can be that of another."""
    seen = ", ".join(f"2 {family.name.lower()} spy above" for family in Family)

    assert not any(position("carp, toad, hare", table=seen).spy_chances.values())


def test_random_numbers_depend_on_the_request_alone(table: Any) -> None:
    """The same request gives the same numbers again, every other request different ones."""
    turns = list(table("numbers", [Position.random_action] * 3).turns())

    numbers = [Position(turn).rng.random() for turn in turns]

    assert [Position(turn).rng.random() for turn in turns] == numbers
    assert len(set(numbers)) == len(turns)

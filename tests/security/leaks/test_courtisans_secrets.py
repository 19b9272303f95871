"""The worlds that the leak test draws for Courtisans: every one possible, every possible thing."""

from collections import Counter
from dataclasses import dataclass, replace

import pytest

from referee.games.base import Course
from referee.games.courtisans.cards import CARDS, Card, Role
from referee.games.courtisans.config import Config
from referee.games.courtisans.missions import BLUE, WHITE
from referee.games.courtisans.redraw import cards_of
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.randomness import Stream
from tests.security.leaks.courtisans_secrets import CourtisansSecrets
from tests.security.leaks.harness import Played, Told, random_match, redrawn

SEATS = 3
SECRETS = CourtisansSecrets()


@dataclass(frozen=True)
class Drawn:
    """One message of a match, and many worlds drawn for it."""

    played: Played
    told: Told
    worlds: list[Course]
    states: list[CourtisansState]
    """Of each world, when the seat is told."""


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """A seat's first request with four of the others' spies face down, and 400 worlds for it."""
    played = random_match(SECRETS, SEATS, {}, "worlds")
    told = next(t for t in played.told if len(SECRETS.hidden(t)["others' spies in play"]) >= 4)
    stream = Stream("worlds")
    worlds = [redrawn(played, told, stream) for _ in range(400)]
    return Drawn(played, told, worlds, [state_in(world) for world in worlds])


def state_in(world: Course) -> CourtisansState:
    """The state after all actions of a world."""
    state = initial_state(Config(), SEATS, world.deal)
    for action in world.actions:
        state.check(action)
        state, _ = state.apply(action)
    return state


@pytest.fixture(scope="module")
def unseen(drawn: Drawn) -> Counter[Card]:
    """The cards that the seat has seen nowhere: not in its hands and not face up."""
    assert isinstance(drawn.told.state, CourtisansState)
    left = Counter(CARDS)
    left.subtract(drawn.told.state.hands[drawn.told.seat])
    for decided in drawn.played.decisions[: drawn.told.decisions]:
        own = decided.seat == drawn.told.seat
        left.subtract(c for c in cards_of(decided.action) if own or c.role is not Role.SPY)
    return +left


def test_every_world_is_possible(drawn: Drawn) -> None:
    """Each is a deal of all 90 cards, and all that was done in it is legal."""
    for world in drawn.worlds:
        dealt = [world.deal.removed, world.deal.deck, *world.deal.hands]
        assert sorted(card for cards in dealt for card in cards) == sorted(CARDS)
        state_in(world)


def test_every_hidden_spy_may_be_of_every_family_left(drawn: Drawn, unseen: Counter[Card]) -> None:
    """Each spy of another seat takes every family of which the seat has not seen both spies."""
    seen = [SECRETS.hidden(replace(drawn.told, state=state)) for state in drawn.states]
    spies = zip(*(hidden["others' spies in play"] for hidden in seen), strict=True)
    left = {card.family for card in unseen if card.role is Role.SPY}
    assert [{family for _, family in spy} for spy in spies] == [left] * len(
        seen[0]["others' spies in play"]
    )


@pytest.mark.parametrize("where", ["the removed cards", "others' hands", "the next cards"])
def test_every_unseen_card_may_be_anywhere(where: str, drawn: Drawn, unseen: Counter[Card]) -> None:
    """Every card that the seat has not seen lies here in some world, and no other card does."""
    seat = drawn.told.seat
    found = {
        card
        for state in drawn.states
        for card in {
            "the removed cards": state.deal.removed,
            "others' hands": [c for s, hand in enumerate(state.hands) if s != seat for c in hand],
            "the next cards": state.deck[:3],
        }[where]
    }
    assert found == set(unseen)


def test_others_may_hold_every_other_mission(drawn: Drawn) -> None:
    """Each other seat holds every mission but the seat's own, and the seat always its own."""
    for seat in range(SEATS):
        held = {world.deal.missions[seat] for world in drawn.worlds}
        own = drawn.played.deal.missions[drawn.told.seat]
        if seat == drawn.told.seat:
            assert held == {own}
        else:
            assert {m for pair in held for m in pair} == {*WHITE, *BLUE} - {*own}

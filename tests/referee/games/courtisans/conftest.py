"""Scripted and random games of Courtisans.

A story is a list of turns, played from seat 0 clockwise. A turn is written like
"carp assassin above kills 3 | plain hare | toad spy to 1": the card for the table with its side,
the card for the own domain, and the card for an opponent's domain with that seat. `kills` names
the turn of the card that an assassin eliminates in the same area.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest

from referee.games import game_named
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import CARDS, Card, Family, Role, Side
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import REMOVED, Deal
from referee.games.courtisans.event import TurnPlayed
from referee.games.courtisans.missions import BLUE, WHITE, Mission
from referee.games.courtisans.observation import CardInPlay
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.randomness import Stream

PART = re.compile(
    r"(?P<card>\w+ \w+)(?: (?P<side>above|below))?(?: to (?P<seat>\d+))?(?: kills (?P<kills>\d+))?"
)


def parse_card(text: str) -> Card:
    """The card that people call so, such as "carp noble" or "plain hare"."""
    first, second = text.split()
    if first == "plain":
        return Card(Family[second.upper()], Role.PLAIN)
    return Card(Family[first.upper()], Role[second.upper()])


def parse_turn(text: str) -> Action:
    """The action of a turn in a story."""
    parts = [match for part in text.split(" | ") if (match := PART.fullmatch(part))]
    table, own, other = (
        Placement(parse_card(part["card"]), int(part["kills"] or 0)) for part in parts
    )
    return Action(table, Side[parts[0]["side"].upper()], own, other, int(parts[2]["seat"]))


def cards_of(action: Action) -> tuple[Card, Card, Card]:
    """The three cards that an action places."""
    return action.table.card, action.own_domain.card, action.opponent_domain.card


def deal_for(
    seats: int, hands: Sequence[Sequence[Card]], missions: Sequence[tuple[Mission, Mission]] = ()
) -> Deal:
    """A deal in which the seats in turn come to hold these hands; the rest is filled up."""
    rest = Counter(CARDS)
    rest.subtract(card for hand in hands for card in hand)
    spare = list(rest.elements())
    filled = [*map(tuple, hands)]
    while len(filled) < seats:
        filled.append((spare.pop(), spare.pop(), spare.pop()))
    removed, spare = spare[: REMOVED[seats]], spare[REMOVED[seats] :]
    drawn = [card for hand in filled[seats:] for card in hand]
    pairs = (*missions, *zip(reversed(WHITE), reversed(BLUE), strict=True))
    return Deal(tuple(removed), (*drawn, *spare), tuple(filled[:seats]), pairs[:seats], 0)


@pytest.fixture(scope="session")
def tell() -> Callable[..., CourtisansState]:
    """Play a story and give the state after it; `hand` is what the next seat then holds."""

    def play(
        seats: int, *turns: str, hand: str = "", config: Config | None = None
    ) -> CourtisansState:
        actions = [parse_turn(turn) for turn in turns]
        hands = [cards_of(action) for action in actions]
        if hand:
            first, second, third = map(parse_card, hand.split(", "))
            hands.append((first, second, third))
        state = initial_state(config or Config(), seats, deal_for(seats, hands))
        for action in actions:
            state.check(action)
            state, _ = state.apply(action)
        return state

    return play


@pytest.fixture(scope="session")
def crowded(tell: Callable[..., CourtisansState]) -> CourtisansState:
    """A late position of two seats with three assassins in the hand and many targets."""
    families = ("butterfly", "toad", "nightingale", "hare")
    story = []
    for family in families:
        story.append(f"plain {family} above | {family} noble | plain {family} to 1")
        story.append(f"plain {family} below | {family} noble | plain {family} to 0")
    story += [
        "plain carp above | carp noble | plain stag to 1",
        "plain carp below | stag noble | plain stag to 0",
    ] * 2
    return tell(2, *story, hand="carp assassin, stag assassin, toad assassin")


@pytest.fixture(scope="session")
def turn() -> Callable[[str], Action]:
    """Read the action of a turn as stories write it."""
    return parse_turn


@pytest.fixture(scope="session")
def card() -> Callable[[str], Card]:
    """Read a card as people call it."""
    return parse_card


@pytest.fixture(scope="session")
def lying() -> Callable[..., tuple[CardInPlay, ...]]:
    """Lay cards such as "2 carp noble above, toad spy" in one area, on the turns 1, 2, ..."""

    def lay(text: str) -> tuple[CardInPlay, ...]:
        cards: list[CardInPlay] = []
        for part in text.split(", ") if text else ():
            number, words = re.fullmatch(r"(?:(\d+) )?(.*)", part).groups()  # type: ignore[union-attr]
            match = PART.fullmatch(words)
            assert match is not None, part
            family, role = parse_card(match["card"])
            side = Side[match["side"].upper()] if match["side"] else None
            for _ in range(int(number or 1)):
                cards.append(CardInPlay(len(cards) + 1, 0, role, family, side))
        return tuple(cards)

    return lay


@pytest.fixture(scope="session")
def start() -> Callable[..., CourtisansState]:
    """Deal a game for a number of seats from a seed."""

    def begin(seats: int, seed: str = "seed", config: Config | None = None) -> CourtisansState:
        game = game_named("courtisans")
        config = config or Config()
        deal = game.deal(config, seats, Stream(seed, "deal"))
        return initial_state(config, seats, deal)

    return begin


Step = tuple[CourtisansState, Action, TurnPlayed, CourtisansState]


@pytest.fixture(scope="session")
def random_game(
    start: Callable[..., CourtisansState],
) -> Callable[..., Iterator[Step]]:
    """Play a random game: give state, action, event and next state of every turn."""

    def play(seats: int, seed: str, config: Config | None = None) -> Iterator[Step]:
        state, stream = start(seats, seed, config), Stream(seed, "players")
        while state.to_act is not None:
            action = state.random_action(stream)
            state.check(action)
            following, (event,) = state.apply(action)
            yield state, action, event, following
            state = following

    return play

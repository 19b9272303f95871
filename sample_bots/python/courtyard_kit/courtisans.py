"""A strategy's view of Courtisans, and its answers.

The values are those of the rules in `referee.games.courtisans`, so a strategy can use what is
there: scoring, missions, the list of cards.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

from courtyard.v1 import courtisans_pb2 as pb
from courtyard.v1 import referee_pb2

from courtyard_kit import connection, errors, values
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import CARDS, Card, Family, Role, Side
from referee.games.courtisans.missions import Mission
from referee.games.courtisans.observation import CardInPlay, Eliminated, Legal, Observation
from referee.games.courtisans.scoring import weights
from referee.games.courtisans.turns import Turns

if TYPE_CHECKING:
    from referee.games.courtisans.config import Config
    from referee.games.courtisans.state import CourtisansState

__all__ = [
    "Action",
    "Card",
    "CardInPlay",
    "Config",
    "Eliminated",
    "Family",
    "Legal",
    "Mission",
    "Observation",
    "Placement",
    "Position",
    "Role",
    "Side",
    "run",
]


def __getattr__(name: str) -> Any:
    """Import what few bots need, and what takes a tenth of their start, when it is asked for."""
    if name != "Config":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from referee.games.courtisans.config import Config  # noqa: PLC0415 -- see above

    return Config


class Position:
    """One decision: what this seat may know, what it may do, and how long it may think.

    Its parts are read from the request when they are first asked for. Cards in play stand in the
    order in which they were placed; the family of a spy that another seat placed is None.
    """

    def __init__(self, turn: connection.Turn) -> None:
        """Wrap a request."""
        start, request = turn.start, turn.request
        self._turn = turn
        self._seen = seen = request.observation.courtisans
        self.seat: int = start.seat
        """This bot's own seat, from 0."""
        self.seats: int = start.seats
        """How many seats there are. The left neighbour's is (seat + 1) % seats."""
        self.turn: int = seen.turn
        """The turn that is to be played, from 1, counted over all seats."""
        self.deck_size: int = seen.deck_size
        """How many cards are left to draw."""
        self.time_ms: int = request.time_ms
        """How long this decision may take, in milliseconds."""
        self.bank_ms: int = request.bank_ms
        """The bank's time for the rest of the match, in milliseconds."""
        self._name = f"{turn.match_id} {self.seat} {request.number}"
        """A text that no other decision has."""

    @classmethod
    def in_state(cls, state: "CourtisansState", name: str) -> Self:
        """Return what the seat to act sees in a state, for playouts; `name` seeds its chances."""
        position = cls.__new__(cls)
        seen = state.observation(state.to_act or 0)
        position.__dict__.update(
            seen._asdict(),
            seats=len(seen.domains),
            missions=(seen.white, seen.blue),
            config=state.config,
            legal=state.legal(),
            time_ms=values.NO_HURRY_MS,
            bank_ms=values.NO_HURRY_MS,
            _name=name,
        )
        return position

    @cached_property
    def hand(self) -> tuple[Card, ...]:
        """The cards to play, sorted."""
        return tuple([_card(card) for card in self._seen.hand])

    @cached_property
    def missions(self) -> tuple[Mission, Mission]:
        """This seat's white and blue secret mission."""
        return Mission(self._seen.white_mission), Mission(self._seen.blue_mission)

    @cached_property
    def turns_left(self) -> tuple[int, ...]:
        """Turns each seat has still to play, this one included."""
        return tuple(self._seen.turns_left)

    @cached_property
    def table(self) -> tuple[CardInPlay, ...]:
        """The cards at the Queen's table."""
        return _cards(self._seen.table)

    @cached_property
    def domains(self) -> tuple[tuple[CardInPlay, ...], ...]:
        """The cards in each seat's domain."""
        return tuple([_cards(domain.cards) for domain in self._seen.domains])

    @cached_property
    def eliminated(self) -> tuple[Eliminated, ...]:
        """The cards that left the game, with the areas they lay in."""
        return tuple([_eliminated(message) for message in self._seen.eliminated])

    @cached_property
    def config(self) -> "Config":
        """The settings of the game."""
        from referee.games.courtisans.config import Config  # noqa: PLC0415 -- as below

        config = self._turn.start.config.courtisans
        return Config(config.reveal_eliminated_spies, config.noble_weight_in_missions)

    @cached_property
    def legal(self) -> Legal:
        """The legal actions, in short form."""
        legal = self._turn.request.legal.courtisans
        opponents = tuple(legal.opponents)
        if all(card.role is not Role.ASSASSIN for card in self.hand):
            return Legal(opponents, (), ((),) * self.seats)  # as sent, read without looking
        return Legal(
            opponents=opponents,
            table_targets=tuple(legal.table_targets.turns),
            domain_targets=tuple([tuple(targets.turns) for targets in legal.domain_targets]),
        )

    @cached_property
    def actions(self) -> Turns:
        """All legal actions: `len`, indexing and iteration, without making a list of them.

        With assassins there can be hundreds of thousands.
        """
        return Turns(self.seat, self.hand, self.legal)

    @cached_property
    def distinct_actions(self) -> Turns:
        """The legal actions; of equal cards in one area an assassin eliminates only the last."""
        return Turns(self.seat, self.hand, self._distinct)

    def table_placements(self, card: Card) -> list[Placement]:
        """Return the different ways to put a card of the hand to the Queen's table, side apart."""
        return _placements(card, self._distinct.table_targets)

    def domain_placements(self, seat: int, card: Card) -> list[Placement]:
        """Return the different ways to put a card of the hand into a seat's domain."""
        return _placements(card, self._distinct.domain_targets[seat])

    @cached_property
    def _distinct(self) -> Legal:
        opponents, at_table, in_domains = self.legal
        domains = zip(self.domains, in_domains, strict=True)
        return Legal(
            opponents,
            _one_of_equals(self.table, at_table),
            tuple([_one_of_equals(domain, turns) for domain, turns in domains]),
        )

    def table_after(self, placement: Placement, side: Side | None) -> tuple[CardInPlay, ...]:
        """Return the cards at the Queen's table once this seat has placed one there."""
        return self._after(self.table, placement, side)

    def domain_after(self, seat: int, placement: Placement) -> tuple[CardInPlay, ...]:
        """Return the cards in a seat's domain once this seat has placed one there."""
        return self._after(self.domains[seat], placement, None)

    def _after(
        self, area: tuple[CardInPlay, ...], placement: Placement, side: Side | None
    ) -> tuple[CardInPlay, ...]:
        (family, role), gone = placement
        left = [card for card in area if card.turn != gone] if gone else area
        return (*left, CardInPlay(self.turn, self.seat, role, family, side))

    @cached_property
    def unseen(self) -> Counter[Card]:
        """How many copies of each card this seat has never seen.

        They are in the deck, in other hands, out of the game since the deal, or face-down spies.
        """
        gone = [card for card, _ in self.eliminated]
        placed = [Card(card.family, card.role) for card in chain(self.table, *self.domains, gone)]
        return Counter(CARDS) - Counter(self.hand) - Counter(placed)

    @cached_property
    def spy_chances(self) -> Mapping[Family, float]:
        """How likely a face-down spy of another seat is to be of each family, by counting alone."""
        spies = {family: self.unseen[Card(family, Role.SPY)] for family in Family}
        total = sum(spies.values()) or 1
        return {family: copies / total for family, copies in spies.items()}

    def expected_weights(self, cards: Iterable[CardInPlay], noble: int = 2) -> dict[Family, float]:
        """Return the weight of each family among the cards, a noble counting as several.

        A spy whose family is hidden counts as a part of a card in each family it may be of.
        """
        cards = list(cards)
        known, hidden = weights(cards, noble), sum([card.family is None for card in cards])
        return {
            family: known[family] + hidden * chance for family, chance in self.spy_chances.items()
        }

    def redraws(self) -> "Iterator[CourtisansState]":
        """Yield states without end that this seat cannot tell from the true one, for searching.

        Each has its probability if the other seats choose their cards at random. The same match
        gives the same ones again.
        """
        from referee.games.courtisans.redraw import redrawn_state  # noqa: PLC0415 -- for searchers
        from referee.games.randomness import Stream  # noqa: PLC0415 -- as above

        stream, seen = Stream(self._name, "redraws"), self.observation
        while True:
            yield redrawn_state(self.config, seen, stream)

    @cached_property
    def observation(self) -> Observation:
        """All that this seat may know, as the rules' value."""
        white, blue = self.missions
        return Observation(
            seat=self.seat,
            turn=self.turn,
            to_act=self.seat,
            deck_size=self.deck_size,
            turns_left=self.turns_left,
            hand=self.hand,
            white=white,
            blue=blue,
            table=self.table,
            domains=self.domains,
            eliminated=self.eliminated,
        )

    @cached_property
    def rng(self) -> random.Random:
        """Random numbers for this decision; the same match gives the same ones again."""
        return random.Random(self._name)

    def random_action(self) -> Action:
        """Return one of the legal actions, each equally likely."""
        number = int.from_bytes(hashlib.sha256(self._name.encode()).digest())  # seeds no generator
        return self.actions[number % len(self.actions)]


def run(choose: Callable[[Position], Action], name: str) -> None:
    """Play Courtisans with this strategy until the referee has no more matches."""
    connection.play(lambda: answering(choose), name)


def answering(choose: Callable[[Position], Action]) -> connection.Decide:
    """Return what fills in the action that a strategy chooses at a request."""

    def decide(turn: connection.Turn, decision: referee_pb2.Decision) -> None:
        message = decision.action.courtisans
        errors.fill(choose, Position(turn), (Action,), lambda action: _fill(action, message))

    return decide


def _placements(card: Card, targets: tuple[int, ...]) -> list[Placement]:
    turns = (0, *targets) if card.role is Role.ASSASSIN else (0,)
    return [Placement(card, turn) for turn in turns]


def _one_of_equals(cards: Iterable[CardInPlay], turns: Iterable[int]) -> tuple[int, ...]:
    """Return the last of the turns for each different card that they name in an area."""
    faces = {card.turn: (card.family, card.role, card.side) for card in cards}
    return tuple({faces[turn]: turn for turn in turns}.values())


_FACES = {(int(card.family or 0), int(card.role)): card for card in CARDS}


def _card(message: pb.CourtisansCard) -> Card:
    return _FACES[message.family, message.role]


def _in_play(message: pb.CourtisansCardInPlay) -> CardInPlay:
    return CardInPlay(
        turn=message.turn,
        played_by=message.played_by,
        role=Role(message.role),
        family=Family(message.family) if message.family else None,
        side=Side(message.side) if message.side else None,
    )


def _cards(messages: Iterable[pb.CourtisansCardInPlay]) -> tuple[CardInPlay, ...]:
    return tuple([_in_play(message) for message in messages])


def _eliminated(message: pb.CourtisansEliminated) -> Eliminated:
    domain = message.domain if message.HasField("domain") else None
    return Eliminated(_in_play(message.card), domain)


def _place(placement: Placement, message: pb.CourtisansPlacement) -> None:
    (family, role), message.eliminates = placement
    message.card.family = family or 0  # type: ignore[assignment]
    message.card.role = role  # type: ignore[assignment]


def _fill(action: Action, message: pb.CourtisansAction) -> None:
    """Write an action into its message; filling in place is the quickest way to build one."""
    _place(action.table, message.table)
    _place(action.own_domain, message.own_domain)
    _place(action.opponent_domain, message.opponent_domain)
    message.side = action.side or 0  # type: ignore[assignment]
    message.opponent = action.opponent

"""What a strategy for Courtisans sees, and how it answers.

The values are those of the rules in `referee.games.courtisans`, so a strategy can use what is there:
scoring, missions, the list of cards, the legal actions.
"""

import random
from collections.abc import Callable, Iterable
from functools import cached_property

from courtyard.v1 import courtisans_pb2 as pb
from courtyard.v1 import game_pb2, referee_pb2

from courtyard_kit import connection
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Card, Family, Role, Side
from referee.games.courtisans.choices import Choices
from referee.games.courtisans.missions import Mission
from referee.games.courtisans.observation import CardInPlay, Eliminated, Legal, Observation

__all__ = ["Action", "Card", "CardInPlay", "Family", "Placement", "Position", "Role", "Side", "run"]


class Position:
    """One decision: what this seat may know, and what it may do."""

    def __init__(self, turn: connection.Turn) -> None:
        """Wrap a request; its parts are read when they are first asked for."""
        self._turn = turn
        self._observation = turn.request.observation.courtisans
        self.time_ms = turn.request.time_ms
        """How long this decision may take, in milliseconds."""
        self.bank_ms = turn.request.bank_ms
        """What the bank holds for the rest of the match, in milliseconds."""

    @property
    def start(self) -> referee_pb2.MatchStart:
        """What was told at the start of the match: seats, configuration, clock."""
        return self._turn.start

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return self._turn.start.seats

    @property
    def seat(self) -> int:
        """This bot's own seat."""
        return self._turn.start.seat

    @cached_property
    def hand(self) -> tuple[Card, ...]:
        """The cards to play, sorted."""
        return tuple([_card(card) for card in self._observation.hand])

    @cached_property
    def observation(self) -> Observation:
        """All that this seat may know."""
        o = self._observation
        return Observation(
            seat=o.seat,
            turn=o.turn,
            to_act=o.to_act,
            deck_size=o.deck_size,
            turns_left=tuple(o.turns_left),
            hand=self.hand,
            white=Mission(o.white_mission),
            blue=Mission(o.blue_mission),
            table=_cards(o.table),
            domains=tuple([_cards(domain.cards) for domain in o.domains]),
            eliminated=tuple(
                [
                    Eliminated(_in_play(e.card), e.domain if e.HasField("domain") else None)
                    for e in o.eliminated
                ]
            ),
        )

    @cached_property
    def legal(self) -> Legal:
        """What may be done, in short form."""
        legal = self._turn.request.legal.courtisans
        return Legal(
            opponents=tuple(legal.opponents),
            table_targets=tuple(legal.table_targets.turns),
            domain_targets=tuple([tuple(targets.turns) for targets in legal.domain_targets]),
        )

    @cached_property
    def actions(self) -> Choices:
        """All legal actions: `len`, indexing and iteration, without making a list of them."""
        return Choices(self.seat, self.hand, self.legal)

    @cached_property
    def rng(self) -> random.Random:
        """Random numbers for this decision; the same match gives the same ones again."""
        return random.Random(f"{self._turn.match_id} {self.seat} {self._turn.request.number}")

    def random_action(self) -> Action:
        """Return one of the legal actions, each equally likely."""
        return self.actions[self.rng.randrange(len(self.actions))]


def run(choose: Callable[[Position], Action], name: str) -> None:
    """Play Courtisans with this strategy until the referee has no more matches."""
    connection.play(lambda turn: _message(choose(Position(turn))), name)


def _card(message: pb.CourtisansCard) -> Card:
    return Card(Family(message.family), Role(message.role))


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


def _placement(placement: Placement) -> pb.CourtisansPlacement:
    family, role = placement.card
    card = pb.CourtisansCard(family=family and int(family), role=int(role))  # type: ignore[arg-type]
    return pb.CourtisansPlacement(card=card, eliminates=placement.eliminates)


def _message(action: Action) -> game_pb2.GameAction:
    return game_pb2.GameAction(
        courtisans=pb.CourtisansAction(
            table=_placement(action.table),
            side=int(action.side),  # type: ignore[arg-type]
            own_domain=_placement(action.own_domain),
            opponent_domain=_placement(action.opponent_domain),
            opponent=action.opponent,
        )
    )

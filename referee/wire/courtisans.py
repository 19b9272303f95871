"""Courtisans on the wire: its values to the messages of courtisans.proto and back.

Messages of every decision (observation, legal form, events) join bytes cached per card; messages
sent once per match use the protobuf library.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from courtyard.v1 import courtisans_pb2 as pb
from courtyard.v1 import game_pb2

from referee.games.base import ConfigError, IllegalAction
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import CARDS, Card, Family, Role, Side
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import Deal
from referee.games.courtisans.event import Placed, TurnPlayed
from referee.games.courtisans.missions import Mission
from referee.games.courtisans.observation import CardInPlay, Eliminated, Legal, Observation
from referee.games.courtisans.scoring import (
    FamilyResult,
    Result,
    RevealedSpy,
    SeatResult,
)
from referee.wire.encoding import Memo, field, packed, present_uint, uint

_GAME = game_pb2.GameObservation.COURTISANS_FIELD_NUMBER
"""The number of this game in every oneof of game.proto."""

E_ = TypeVar("E_")


def _card(card: Card) -> bytes:
    return uint(1, card.family or 0) + uint(2, card.role)


def _in_play(card: CardInPlay) -> bytes:
    turn, played_by, role, family, side = card
    return b"".join(
        (uint(1, turn), uint(2, played_by), uint(3, role), uint(4, family or 0), uint(5, side or 0))
    )


def _cards_at(number: int) -> Callable[[Card], bytes]:
    """Return a card encoder for this field."""
    return Memo[Card](lambda card: field(number, _card(card))).__getitem__


def _cards_in_play_at(number: int) -> Callable[[CardInPlay], bytes]:
    """Return a card-in-play encoder for this field."""
    return Memo[CardInPlay](lambda card: field(number, _in_play(card))).__getitem__


_placement_card = _cards_at(1)
_deal_removed, _deal_deck = _cards_at(1), _cards_at(2)
_hand_card = _cards_at(6)
_drawn_card = _cards_at(7)
_first_card = _cards_in_play_at(1)
_table_card = _cards_in_play_at(9)


def _eliminated(eliminated: Eliminated) -> bytes:
    domain = eliminated.domain
    tail = b"" if domain is None else present_uint(2, domain)
    return _first_card(eliminated.card) + tail


_eliminated_card = Memo[Eliminated](lambda one: field(11, _eliminated(one))).__getitem__


def _domain(cards: Iterable[CardInPlay]) -> bytes:
    return field(10, b"".join(map(_first_card, cards)))


def _placement(placement: Placement) -> bytes:
    card, eliminates = placement
    return _placement_card(card) + uint(2, eliminates)


def _placed(placed: Placed) -> bytes:
    card, eliminated = placed
    return _first_card(card) + uint(2, eliminated)


def _turn_played(event: TurnPlayed) -> bytes:
    turn, seat, table, own_domain, opponent_domain, opponent, drawn = event
    return b"".join(
        (
            uint(1, turn),
            uint(2, seat),
            field(3, _placed(table)),
            field(4, _placed(own_domain)),
            field(5, _placed(opponent_domain)),
            uint(6, opponent),
            *map(_drawn_card, drawn),
        )
    )


def _observation(o: Observation) -> bytes:
    return b"".join(
        (
            uint(1, o.seat),
            uint(2, o.turn),
            uint(3, o.to_act or 0),
            uint(4, o.deck_size),
            packed(5, o.turns_left),
            *map(_hand_card, o.hand),
            uint(7, o.white),
            uint(8, o.blue),
            *map(_table_card, o.table),
            *map(_domain, o.domains),
            *map(_eliminated_card, o.eliminated),
        )
    )


def _hand(hand: Iterable[Card]) -> bytes:
    return field(3, b"".join(map(_placement_card, hand)))


def _missions(missions: tuple[Mission, Mission]) -> bytes:
    white, blue = missions
    return field(4, uint(1, white) + uint(2, blue))


def _number(value: int | None) -> int:
    return 0 if value is None else int(value)


def _member(kind: Callable[[int], E_], number: int, what: str) -> E_:
    """Return the enum member of this number; raise `ValueError` on an unknown one."""
    try:
        return kind(number)
    except ValueError:
        raise ValueError(f"there is no {what} {number}") from None


_FACES = {(card.family or 0, int(card.role)): card for card in CARDS}
_FACES |= {(0, int(role)): Card(None, role) for role in Role}
"""Every card, of known or hidden family, by its wire numbers."""


def _read_card(message: pb.CourtisansCard) -> Card:
    card = _FACES.get((message.family, message.role))
    if card is None:
        family = _member(Family, message.family, "family") if message.family else None
        card = Card(family, _member(Role, message.role, "role"))
    return card


def _read_placement(placement: pb.CourtisansPlacement, area: str) -> Placement:
    if not placement.HasField("card"):
        raise IllegalAction(f"a turn plays one card to each area: {area} has none")
    return Placement(_read_card(placement.card), placement.eliminates)


class CourtisansCodec:
    """Translates the values of Courtisans."""

    set_later: frozenset[str] = frozenset()

    def encode_config(self, config: Config) -> bytes:
        """Return the GameConfig of a configuration."""
        return field(
            _GAME,
            pb.CourtisansConfig(
                reveal_eliminated_spies=config.reveal_eliminated_spies,
                noble_weight_in_missions=config.noble_weight_in_missions,
            ).SerializeToString(),
        )

    def decode_config(self, message: game_pb2.GameConfig) -> Mapping[str, Any]:
        """Return the fields of a configuration, for the game to check."""
        return {
            "reveal_eliminated_spies": message.courtisans.reveal_eliminated_spies,
            "noble_weight_in_missions": message.courtisans.noble_weight_in_missions,
        }

    def encode_deal(self, deal: Deal) -> bytes:
        """Return the GameDeal of a deal."""
        body = (
            *map(_deal_removed, deal.removed),
            *map(_deal_deck, deal.deck),
            *map(_hand, deal.hands),
            *map(_missions, deal.missions),
            uint(5, deal.starting_seat),
        )
        return field(_GAME, b"".join(body))

    def decode_deal(self, message: game_pb2.GameDeal) -> Deal:
        """Return the deal; raise `ConfigError` on an unknown value."""
        deal = message.courtisans
        try:
            return Deal(
                removed=tuple(map(_read_card, deal.removed)),
                deck=tuple(map(_read_card, deal.deck)),
                hands=tuple(tuple(map(_read_card, hand.cards)) for hand in deal.hands),
                missions=tuple(
                    (
                        _member(Mission, missions.white, "mission"),
                        _member(Mission, missions.blue, "mission"),
                    )
                    for missions in deal.missions
                ),
                starting_seat=deal.starting_seat,
            )
        except ValueError as error:
            raise ConfigError(f"the deal: {error}") from None

    def encode_observation(self, observation: Observation) -> bytes:
        """Return the GameObservation of an observation."""
        return field(_GAME, _observation(observation))

    def encode_legal(self, legal: Legal) -> bytes:
        """Return the GameLegal of a legal form."""
        opponents, table, domains = legal
        lists = [field(3, packed(1, turns)) for turns in domains]
        return field(_GAME, b"".join((packed(1, opponents), field(2, packed(1, table)), *lists)))

    def encode_action(self, action: Action) -> bytes:
        """Return the GameAction of an action."""
        table, side, own_domain, opponent_domain, opponent = action
        body = (
            field(1, _placement(table)),
            uint(2, side or 0),
            field(3, _placement(own_domain)),
            field(4, _placement(opponent_domain)),
            uint(5, opponent),
        )
        return field(_GAME, b"".join(body))

    def decode_action(self, message: game_pb2.GameAction) -> Action:
        """Return the action; raise `IllegalAction` on an unknown value."""
        action = message.courtisans
        try:
            return Action(
                table=_read_placement(action.table, "table"),
                side=_member(Side, action.side, "side") if action.side else None,
                own_domain=_read_placement(action.own_domain, "own_domain"),
                opponent_domain=_read_placement(action.opponent_domain, "opponent_domain"),
                opponent=action.opponent,
            )
        except ValueError as error:  # an IllegalAction too
            raise IllegalAction(str(error)) from None

    def encode_event(self, event: TurnPlayed) -> bytes:
        """Return the GameEvent of an event, whole or in one seat's form."""
        return field(_GAME, field(1, _turn_played(event)))

    def encode_result(self, result: Result) -> bytes:
        """Return the GameResult of a result."""
        message = pb.CourtisansResult(
            families=map(_family_result, result.families),
            seats=map(_seat_result, result.seats),
            spies=map(_revealed_spy, result.spies),
        )
        return field(_GAME, message.SerializeToString())


def _family_result(family: FamilyResult) -> pb.CourtisansFamilyResult:
    return pb.CourtisansFamilyResult(
        family=_number(family.family),  # type: ignore[arg-type]
        above=family.above,
        below=family.below,
        status=_number(family.status),  # type: ignore[arg-type]
    )


def _seat_result(seat: SeatResult) -> pb.CourtisansSeatResult:
    return pb.CourtisansSeatResult(
        points=seat.points,
        families=[
            pb.CourtisansFamilyPoints(family=int(p.family), weight=p.weight, points=p.points)  # type: ignore[arg-type]
            for p in seat.families
        ],
        missions=[
            pb.CourtisansMissionResult(
                mission=int(m.mission),  # type: ignore[arg-type]
                fulfilled=m.fulfilled,
                points=m.points,
            )
            for m in seat.missions
        ],
    )


def _revealed_spy(spy: RevealedSpy) -> pb.CourtisansRevealedSpy:
    return pb.CourtisansRevealedSpy(
        turn=spy.turn,
        domain=spy.domain,
        family=_number(spy.family),  # type: ignore[arg-type]
        eliminated=spy.eliminated,
    )

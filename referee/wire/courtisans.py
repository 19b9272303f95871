"""Courtisans on the wire: its values to the messages of courtisans.proto and back.

Messages of every decision (observation, legal form, events) join bytes cached per card.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from courtyard.v1 import courtisans_pb2 as pb
from courtyard.v1 import game_pb2

from referee.games.base import ConfigError, IllegalAction, Seat
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
from referee.wire.encoding import Memo, field, packed, present_uint, sint, uint

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


def _placements_at(number: int) -> Callable[[Placement], bytes]:
    """Return an encoder of a legal placement for this field."""
    return Memo[Placement](
        lambda legal: field(number, _placement_card(legal.card) + uint(2, legal.eliminates))
    ).__getitem__


_at_table, _in_own_domain, _in_opponent_domain = map(_placements_at, (1, 3, 4))


def _placed_at(number: int) -> Callable[[Placed], bytes]:
    """Return an encoder of a card as placed for this field."""
    alone = Memo[CardInPlay](lambda card: field(number, _first_card(card)))

    def encode(placed: Placed) -> bytes:
        card, eliminated = placed
        if eliminated:
            return field(number, _first_card(card) + uint(2, eliminated))
        return alone[card]

    return encode


_on_table, _in_own, _in_opponents = map(_placed_at, (3, 4, 5))


def _turn_played(event: TurnPlayed) -> bytes:
    turn, seat, table, own_domain, opponent_domain, opponent, drawn = event
    return b"".join(
        (
            uint(1, turn),
            uint(2, seat),
            _on_table(table),
            _in_own(own_domain),
            _in_opponents(opponent_domain),
            uint(6, opponent),
            *map(_drawn_card, drawn),
        )
    )


def _moment(moment: tuple[Seat, int, Seat, int, tuple[int, ...]]) -> bytes:
    seat, turn, to_act, deck_size, turns_left = moment
    head = uint(1, seat) + uint(2, turn) + uint(3, to_act) + uint(4, deck_size)
    return head + packed(5, turns_left)


_hands = Memo[tuple[Card, ...]](lambda hand: b"".join(map(_hand_card, hand)))
_moments = Memo(_moment)


def _observation(observation: Observation) -> bytes:
    (seat, turn, to_act, deck_size, left, hand, white, blue, table, domains, eliminated) = (
        observation
    )
    return b"".join(
        (
            _moments[seat, turn, to_act or 0, deck_size, left],
            _hands[hand],
            uint(7, white),
            uint(8, blue),
            *map(_table_card, table),
            *map(_domain, domains),
            *map(_eliminated_card, eliminated),
        )
    )


def _legal(legal: Legal) -> bytes:
    opponents, table, domains = legal
    lists = [field(3, packed(1, turns)) for turns in domains]
    return field(_GAME, b"".join((packed(1, opponents), field(2, packed(1, table)), *lists)))


_without_targets = Memo[Legal](_legal)


def _hand(hand: Iterable[Card]) -> bytes:
    return field(3, b"".join(map(_placement_card, hand)))


def _missions(missions: tuple[Mission, Mission]) -> bytes:
    white, blue = missions
    return field(4, uint(1, white) + uint(2, blue))


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


_SIDES = {0: None} | {int(side): side for side in Side}


def _read_side(number: int) -> Side | None:
    return _SIDES[number] if number in _SIDES else _member(Side, number, "side")


def _read_placement(placement: pb.CourtisansPlacement, area: str) -> Placement:
    sent = placement.card
    card = _FACES.get((sent.family, sent.role))
    if card is None:
        if not placement.HasField("card"):
            raise IllegalAction(f"a turn plays one card to each area: {area} has none")
        card = _read_card(sent)
    return Placement(card, placement.eliminates)


class CourtisansCodec:
    """Translates the values of Courtisans."""

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
        _, table, domains = legal
        return _legal(legal) if table or any(domains) else _without_targets[legal]

    def encode_action(self, action: Action) -> bytes:
        """Return the GameAction of an action."""
        table, side, own_domain, opponent_domain, opponent = action
        body = (
            _at_table(table),
            uint(2, side or 0),
            _in_own_domain(own_domain),
            _in_opponent_domain(opponent_domain),
            uint(5, opponent),
        )
        return field(_GAME, b"".join(body))

    def decode_action(self, message: game_pb2.GameAction) -> Action:
        """Return the action; raise `IllegalAction` on an unknown value."""
        action = message.courtisans
        try:
            return Action(
                table=_read_placement(action.table, "table"),
                side=_read_side(action.side),
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
        families, seats, spies = result
        body = (
            *[field(1, _family_result(family)) for family in families],
            *[field(2, _seat_result(seat)) for seat in seats],
            *[field(3, _revealed_spy(spy)) for spy in spies],
        )
        return field(_GAME, b"".join(body))


def _family_result(result: FamilyResult) -> bytes:
    family, above, below, status = result
    return uint(1, family) + uint(2, above) + uint(3, below) + uint(4, status)


def _seat_result(result: SeatResult) -> bytes:
    points, families, missions = result
    scored = (
        *[field(2, uint(1, p.family) + uint(2, p.weight) + sint(3, p.points)) for p in families],
        *[
            field(3, uint(1, m.mission) + uint(2, m.fulfilled) + uint(3, m.points))
            for m in missions
        ],
    )
    return sint(1, points) + b"".join(scored)


def _revealed_spy(spy: RevealedSpy) -> bytes:
    turn, domain, family, eliminated = spy
    where = b"" if domain is None else present_uint(2, domain)
    return uint(1, turn) + where + uint(3, family) + uint(4, eliminated)

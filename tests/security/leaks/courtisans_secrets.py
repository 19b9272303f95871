"""What is hidden from whom in Courtisans, and how to draw it anew.

Written from the rules alone; it uses nothing of how observations and events are made. Every turn
plays a whole hand, and every hand was dealt or drawn whole. So the cards of a game stand in one
line, three a turn, in the order of the turns that play them, whether the game has come so far or
not. The rest are the cards that take no part.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from courtyard.v1 import game_pb2

from referee.games.base import Seat
from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import CARDS, HAND_SIZE, Card, Family, Role
from referee.games.courtisans.deal import Deal
from referee.games.courtisans.missions import BLUE, WHITE, Mission
from referee.games.courtisans.observation import CardInPlay
from referee.games.courtisans.state import CourtisansState
from referee.games.randomness import Stream
from referee.match.match import Decided
from tests.security.leaks.courtisans_illegal import CHANGES, illegal_turns
from tests.security.leaks.harness import Told, World

Hand = tuple[Card, ...]
Missions = tuple[tuple[Mission, Mission], ...]
Known = list[Card | None]
"""Three cards as a seat knows them: None where it knows nothing, no family where it knows a spy."""


class CourtisansSecrets:
    """The secrets of Courtisans."""

    game = "courtisans"
    configs: Sequence[Mapping[str, Any]] = (
        {},
        {"reveal_eliminated_spies": True, "noble_weight_in_missions": 1},
    )
    worlds = 100
    hidden_kinds = frozenset(
        {
            "others' hands",
            "the deck",
            "the removed cards",
            "others' missions",
            "the unused missions",
            "others' spies in play",
            "others' eliminated spies",
        }
    )
    illegal_kinds = frozenset(CHANGES)

    def redraw(self, deal: Deal, decided: Sequence[Decided], told: Told, stream: Stream) -> World:
        """Draw one of the worlds that the seat cannot tell apart, each equally likely."""
        seat, seats = told.seat, len(deal.hands)
        line, removed = _fill(_known_line(deal, decided, told), stream)
        actions = [
            one.action if one.seat == seat else with_cards(one.action, hand)
            for one, hand in zip(decided, line, strict=False)
        ]
        for turn in range(1, len(line) + 1):
            seen_in_order = owner(deal, turn) == seat and seats < turn <= len(decided) + seats
            if not seen_in_order:
                line[turn - 1] = tuple(stream.shuffled(line[turn - 1]))
        missions = deal.missions if told.body == "end" else _redrawn(deal.missions, seat, stream)
        return World(deal_of(line, removed, missions, deal.starting_seat), actions)

    def hidden(self, told: Told) -> Mapping[str, Any]:
        """Return what is hidden from the seat, by kind."""
        assert isinstance(told.state, CourtisansState)
        state, seat, deal = told.state, told.seat, told.state.deal
        gone = [fact.whole.card for fact in state.eliminated]
        hidden: dict[str, Any] = {
            "the removed cards": sorted(deal.removed),
            "others' eliminated spies": _spies(gone, seat),
        }
        if told.body == "end":
            return hidden
        lying = [fact.whole for area in (state.table, *state.domains) for fact in area]
        return hidden | {
            "others' hands": _but(seat, state.hands),
            "the deck": state.deck,
            "others' missions": _but(seat, deal.missions),
            "the unused missions": {*Mission}.difference(*deal.missions),
            "others' spies in play": _spies(lying, seat),
        }

    def illegal(self, state: Any, stream: Stream) -> Mapping[str, game_pb2.GameAction]:
        """Return illegal turns of the seat to act, by kind."""
        return illegal_turns(state, stream)


def owner(deal: Deal, turn: int) -> Seat:
    """The seat that plays a turn."""
    return (deal.starting_seat + turn - 1) % len(deal.hands)


def line_of(deal: Deal) -> list[Hand]:
    """The three cards that each turn plays, from the first turn to the last."""
    start = deal.starting_seat
    first = [*deal.hands[start:], *deal.hands[:start]]
    return first + [deal.deck[i : i + HAND_SIZE] for i in range(0, len(deal.deck), HAND_SIZE)]


def deal_of(line: Sequence[Hand], removed: Hand, missions: Missions, start: Seat) -> Deal:
    """The deal with this line."""
    seats = len(missions)
    first = line[:seats]
    return Deal(
        removed=removed,
        deck=tuple(card for hand in line[seats:] for card in hand),
        hands=(*first[seats - start :], *first[: seats - start]),
        missions=missions,
        starting_seat=start,
    )


def cards_of(action: Action) -> Hand:
    """The cards of a turn: for the table, the own domain and the opponent's."""
    return action.table.card, action.own_domain.card, action.opponent_domain.card


def with_cards(action: Action, cards: Hand) -> Action:
    """The same turn with other cards."""
    table, own_domain, opponent_domain = cards
    return action._replace(
        table=action.table._replace(card=table),
        own_domain=action.own_domain._replace(card=own_domain),
        opponent_domain=action.opponent_domain._replace(card=opponent_domain),
    )


def _known_line(deal: Deal, decided: Sequence[Decided], told: Told) -> list[Known]:
    """What the seat knows of the line; the cards of a played turn stand as its areas do."""
    seats, made = len(deal.hands), len(decided)
    known: list[Known] = []
    for turn, hand in enumerate(line_of(deal), 1):
        if owner(deal, turn) == told.seat and turn <= made + seats:
            known.append([*hand])
        elif turn <= made:
            known.append(_known_of_turn(turn, decided[turn - 1], told))
        else:
            known.append([None] * HAND_SIZE)
    return known


def _known_of_turn(turn: int, decided: Decided, told: Told) -> Known:
    """What is known of a turn that another seat played."""
    assert isinstance(told.state, CourtisansState)
    domains = (None, decided.seat, decided.action.opponent)
    revealed = set(domains) if told.body == "end" else set()
    if not told.state.config.reveal_eliminated_spies:
        revealed -= {
            fact.whole.domain for fact in told.state.eliminated if fact.whole.card.turn == turn
        }
    return [
        Card(None, Role.SPY) if card.role is Role.SPY and domain not in revealed else card
        for card, domain in zip(cards_of(decided.action), domains, strict=True)
    ]


def _fill(known: Sequence[Known], stream: Stream) -> tuple[list[Hand], Hand]:
    """Put cards that are not known where none is known; return the line and what is left over."""
    seen = Counter(card for hand in known for card in hand if card and card.family)
    rest = [*(Counter(CARDS) - seen).elements()]
    spies = stream.shuffled([card for card in rest if card.role is Role.SPY])
    hidden = sum(card == Card(None, Role.SPY) for hand in known for card in hand)
    for_spies = iter(spies[:hidden])
    others = iter(stream.shuffled(spies[hidden:] + [c for c in rest if c.role is not Role.SPY]))
    line = [
        tuple(
            next(others) if card is None else card if card.family else next(for_spies)
            for card in hand
        )
        for hand in known
    ]
    return line, tuple(others)


def _redrawn(missions: Missions, seat: Seat, stream: Stream) -> Missions:
    """Other missions for the other seats."""
    white, blue = (
        iter(stream.shuffled([mission for mission in colour if mission not in missions[seat]]))
        for colour in (WHITE, BLUE)
    )
    return tuple(
        own if other == seat else (next(white), next(blue)) for other, own in enumerate(missions)
    )


def _but(seat: Seat, of_each: Sequence[Any]) -> list[Any]:
    return [one for other, one in enumerate(of_each) if other != seat]


def _spies(cards: Iterable[CardInPlay], seat: Seat) -> list[tuple[int, Family | None]]:
    """The spies among these cards that other seats played."""
    return [(c.turn, c.family) for c in cards if c.role is Role.SPY and c.played_by != seat]

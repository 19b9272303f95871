"""Other courses and states of a game that one seat cannot tell from the true ones.

Every turn plays a whole hand, and every hand was dealt or drawn whole. So a game's cards stand in
one line, three a turn, in the order of the turns that play them, whether the game has come so far
or not. The rest are the removed cards. Each line that agrees with what the seat knows is equally
likely.

`Redraw` learns what the seat knows from the truth, for proofs; `redrawn_state` from an
observation, for bots. An observation holds all of it: each card ever placed bears its turn.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from referee.games.base import Course, Seat
from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import CARDS, HAND_SIZE, Card, Role
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import TURNS, Deal
from referee.games.courtisans.facts import Fact
from referee.games.courtisans.missions import BLUE, WHITE, Mission
from referee.games.courtisans.observation import (
    CardInPlay,
    Eliminated,
    Observation,
    card_in_play,
    public_form,
)
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.randomness import Stream

_Hand = tuple[Card, ...]
_Missions = tuple[tuple[Mission, Mission], ...]
_Known = list[Card | None]
"""Three cards as a seat knows them: None is unknown, a spy without a family is face down."""

_HIDDEN_SPY = Card(None, Role.SPY)


class Redraw:
    """Draws courses that a seat cannot tell from the true one."""

    def __init__(self, config: Config, course: Course, seat: Seat) -> None:
        self._config, self._seat = config, seat
        self._deal, self._actions = course
        self._over = len(self._actions) == TURNS[len(self._deal.hands)] * len(self._deal.hands)
        self._known = _known_line(config, course, seat, over=self._over)

    def course(self, stream: Stream) -> Course:
        """Draw one."""
        deal, actions, seat = self._deal, self._actions, self._seat
        seats, made = len(deal.hands), len(actions)
        line, removed = _filled(self._known, stream)
        others = [
            action if owner(deal, turn) == seat else _with_cards(action, hand)
            for turn, (action, hand) in enumerate(zip(actions, line, strict=False), 1)
        ]
        for turn, hand in enumerate(line, 1):
            seen_in_order = owner(deal, turn) == seat and seats < turn <= made + seats
            if not seen_in_order:
                line[turn - 1] = tuple(stream.shuffled(sorted(hand)))  # the order is hidden, too
        missions = deal.missions if self._over else _other_missions(deal.missions, seat, stream)
        return Course(_deal_of(line, removed, missions, deal.starting_seat), others)

    def state(self, stream: Stream) -> CourtisansState:
        """Draw one, and return the state after it."""
        deal, actions = self.course(stream)
        state = initial_state(self._config, len(deal.hands), deal)
        for action in actions:
            state, _ = state.apply(action)
        return state


def owner(deal: Deal, turn: int) -> Seat:
    """Return the seat that plays a turn."""
    seat: Seat = (deal.starting_seat + turn - 1) % len(deal.hands)
    return seat


def line_of(deal: Deal) -> list[_Hand]:
    """Return the three cards that each turn plays, from the first turn to the last."""
    start = deal.starting_seat
    first = [*deal.hands[start:], *deal.hands[:start]]
    return first + [deal.deck[i : i + HAND_SIZE] for i in range(0, len(deal.deck), HAND_SIZE)]


def _deal_of(line: Sequence[_Hand], removed: _Hand, missions: _Missions, start: Seat) -> Deal:
    """Return the deal with this line."""
    seats = len(missions)
    first = line[:seats]
    return Deal(
        removed=removed,
        deck=tuple(card for hand in line[seats:] for card in hand),
        hands=(*first[seats - start :], *first[: seats - start]),
        missions=missions,
        starting_seat=start,
    )


def cards_of(action: Action) -> _Hand:
    """Return a turn's cards: for the table, the own domain and the opponent's."""
    return action.table.card, action.own_domain.card, action.opponent_domain.card


def _with_cards(action: Action, cards: _Hand) -> Action:
    """Return the same turn with other cards."""
    table, own_domain, opponent_domain = cards
    return action._replace(
        table=action.table._replace(card=table),
        own_domain=action.own_domain._replace(card=own_domain),
        opponent_domain=action.opponent_domain._replace(card=opponent_domain),
    )


def _known_line(config: Config, course: Course, seat: Seat, *, over: bool) -> list[_Known]:
    """Return what the seat knows of the line; a played turn's cards stand by area."""
    deal, actions = course
    seats, made = len(deal.hands), len(actions)
    gone = set() if config.reveal_eliminated_spies else _eliminated(course)
    known: list[_Known] = []
    for turn, hand in enumerate(line_of(deal), 1):
        if owner(deal, turn) == seat and turn <= made + seats:
            known.append([*hand])
        elif turn <= made:
            played = zip(cards_of(actions[turn - 1]), _places(course, turn), strict=True)
            known.append(
                [
                    _HIDDEN_SPY if card.role is Role.SPY and not (over and at not in gone) else card
                    for card, at in played
                ]
            )
        else:
            known.append([None] * HAND_SIZE)
    return known


_Place = tuple[Seat | None, int]
"""A domain, None for the Queen's table, and the turn of a card there."""


def _places(course: Course, turn: int) -> list[_Place]:
    """Return where a turn's three cards lie."""
    domains = (None, owner(course.deal, turn), course.actions[turn - 1].opponent)
    return [(domain, turn) for domain in domains]


def _eliminated(course: Course) -> set[_Place]:
    """Return the places of all eliminated cards."""
    gone: set[_Place] = set()
    for turn, action in enumerate(course.actions, 1):
        placements = (action.table, action.own_domain, action.opponent_domain)
        for placement, (domain, _) in zip(placements, _places(course, turn), strict=True):
            gone.add((domain, placement.eliminates))
    return gone


def _filled(known: Sequence[_Known], stream: Stream) -> tuple[list[_Hand], _Hand]:
    """Draw the unknown cards; return the line and the cards left over."""
    seen = Counter(card for hand in known for card in hand if card and card.family)
    rest = [*(Counter(CARDS) - seen).elements()]
    spies = stream.shuffled([card for card in rest if card.role is Role.SPY])
    hidden = sum(card == _HIDDEN_SPY for hand in known for card in hand)
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


def _other_missions(missions: _Missions, seat: Seat, stream: Stream) -> _Missions:
    """Draw other missions for the other seats."""
    white, blue = (
        iter(stream.shuffled([mission for mission in colour if mission not in missions[seat]]))
        for colour in (WHITE, BLUE)
    )
    return tuple(
        own if other == seat else (next(white), next(blue)) for other, own in enumerate(missions)
    )


_Placed = Mapping[_Place, CardInPlay]
"""All cards ever placed, turn by turn."""


def redrawn_state(config: Config, seen: Observation, stream: Stream) -> CourtisansState:
    """Draw a state in which the seat to act would see this; raise `ValueError` on another seat's.

    Its deal is one that leads there.
    """
    if seen.to_act != seen.seat:
        raise ValueError("only the observation of the seat to act can be redrawn")
    seats = len(seen.domains)
    start = (seen.seat - seen.turn + 1) % seats
    known, placed = _known_by(seen), _placed_in(seen)
    line, removed = _filled(known, stream)
    whole = _whole_cards(placed, line)
    missions = _other_missions(((seen.white, seen.blue),) * seats, seen.seat, stream)
    deal = _deal_of(line, removed, missions, start)
    at_hand = {(start + turn) % seats: line[turn] for turn in _coming(seen, len(line))}
    return CourtisansState(
        config=config,
        deal=deal,
        turn=seen.turn,
        to_act=seen.seat,
        turns_left=seen.turns_left,
        deck=deal.deck[len(deal.deck) - seen.deck_size :],
        hands=tuple([tuple(sorted(at_hand.get(seat, ()))) for seat in range(seats)]),
        table=_facts(None, seen.table, whole),
        domains=tuple([_facts(seat, cards, whole) for seat, cards in enumerate(seen.domains)]),
        eliminated=tuple(
            [
                Fact(card.played_by, Eliminated(public_form(card), at), Eliminated(card, at))
                for card, at in [(whole[at, card.turn], at) for card, at in seen.eliminated]
            ]
        ),
    )


def _coming(seen: Observation, turns: int) -> range:
    """Return the turns, from 0, that play the hands dealt or drawn by now."""
    return range(seen.turn - 1, min(seen.turn - 1 + len(seen.domains), turns))


def _placed_in(seen: Observation) -> _Placed:
    areas = [(None, seen.table), *enumerate(seen.domains)]
    lying = [((at, card.turn), card) for at, area in areas for card in area]
    gone = [((at, card.turn), card) for card, at in seen.eliminated]
    return dict(sorted((*lying, *gone), key=lambda item: item[1].turn))


def _known_by(seen: Observation) -> list[_Known]:
    """Return what the seat knows of the line; a played turn's cards stand as placed."""
    line: list[_Known] = [[] for _ in range(seen.turn - 1)]
    for (_, turn), card in _placed_in(seen).items():
        line[turn - 1].append(Card(card.family, card.role))
    left = sum(seen.turns_left) - 1
    unknown: list[_Known] = [[None] * HAND_SIZE for _ in range(left)]
    return [*line, [*seen.hand], *unknown]


def _whole_cards(placed: _Placed, line: Sequence[_Hand]) -> _Placed:
    """Return the placed cards with the families that they have in the line."""
    hands = [iter(hand) for hand in line]
    return {
        (at, turn): card_in_play(
            turn, card.played_by, card.role, next(hands[turn - 1])[0], card.side
        )
        for (at, turn), card in placed.items()
    }


def _facts(
    at: Seat | None, cards: Iterable[CardInPlay], whole: _Placed
) -> tuple[Fact[CardInPlay], ...]:
    true = [whole[at, card.turn] for card in cards]
    return tuple([Fact(card.played_by, public_form(card), card) for card in true])

"""The full state of one game, what is legal in it, and the turn that leads to the next.

Every refusal names the rule and the received value, and reveals only what the acting seat already
knows: its own hand, the seats, turn numbers, and face-up cards.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from referee.games.base import IllegalAction, Seat
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import HAND_SIZE, Card, Role, Side, card_name
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import TURNS, Deal, check_deal
from referee.games.courtisans.event import Placed, TurnPlayed, public_event
from referee.games.courtisans.facts import (
    Area,
    Graveyard,
    lay,
    seen_by,
    targets,
    truth,
)
from referee.games.courtisans.observation import Legal, Observation, card_in_play
from referee.games.courtisans.scoring import (
    Result,
    family_results,
    ranks,
    revealed_spies,
    seat_results,
)
from referee.games.courtisans.turns import Turns
from referee.games.randomness import Stream

_ASSASSIN = Role.ASSASSIN


class CourtisansState(NamedTuple):
    """A game at one moment. Immutable; `apply` returns the next."""

    config: Config
    deal: Deal
    turn: int
    """The turn to play, from 1."""
    to_act: Seat | None
    """The seat to play it; None when the game is over."""
    turns_left: tuple[int, ...]
    """Turns each seat has left, this one included."""
    deck: tuple[Card, ...]
    """In draw order."""
    hands: tuple[tuple[Card, ...], ...]
    """Each seat's cards, sorted so that their order hides how they came."""
    table: Area
    domains: tuple[Area, ...]
    eliminated: Graveyard
    final: Result | None = None
    """The outcome, once the game is over."""

    def check(self, action: Action) -> None:
        """Raise `IllegalAction` unless the seat to act may do this."""
        seat = self.to_act
        if seat is None:
            raise IllegalAction("the game is over when all turns are played: received another turn")
        _check_cards(self.hands[seat], action)
        _check_side(action)
        _check_opponent(action.opponent, seat, len(self.domains))
        other = self.domains[action.opponent]
        _check_targets(action, self.turn, self.table, self.domains[seat], other)

    def apply(self, action: Action) -> tuple["CourtisansState", tuple[TurnPlayed]]:
        """Return the state after a checked action, and the one event it made."""
        seat, opponent = self._acting(), action.opponent
        event = self._event(seat, action)
        table, slain = lay(self.table, event.table, None)
        domains = list(self.domains)
        domains[seat], slain_own = lay(domains[seat], event.own_domain, seat)
        domains[opponent], slain_other = lay(domains[opponent], event.opponent_domain, opponent)
        hands, turns_left = list(self.hands), list(self.turns_left)
        hands[seat] = tuple(sorted(event.drawn))
        turns_left[seat] -= 1
        following = (seat + 1) % len(hands)
        state = CourtisansState(
            config=self.config,
            deal=self.deal,
            turn=self.turn + 1,
            to_act=following if turns_left[following] else None,
            turns_left=tuple(turns_left),
            deck=self.deck[HAND_SIZE:],
            hands=tuple(hands),
            table=table,
            domains=tuple(domains),
            eliminated=self.eliminated + slain + slain_own + slain_other,
        )
        if state.to_act is None:
            state = state._replace(final=final_result(state))
        return state, (event,)

    def _event(self, seat: Seat, action: Action) -> TurnPlayed:
        table, side, own_domain, opponent_domain, opponent = action
        return TurnPlayed(
            turn=self.turn,
            seat=seat,
            table=self._placed(seat, table, side),
            own_domain=self._placed(seat, own_domain, None),
            opponent_domain=self._placed(seat, opponent_domain, None),
            opponent=opponent,
            drawn=self.deck[:HAND_SIZE],
        )

    def _placed(self, seat: Seat, placement: Placement, side: Side | None) -> Placed:
        (family, role), eliminates = placement
        return Placed(card_in_play(self.turn, seat, role, family, side), eliminates)

    def event_for(self, event: TurnPlayed, seat: Seat) -> TurnPlayed:
        """Return the turn as the seat may see it."""
        return event if seat == event.seat else public_event(event)

    def observation(self, seat: Seat) -> Observation:
        """Return all that the seat may know now."""
        white, blue = self.deal.missions[seat]
        return Observation(
            seat=seat,
            turn=self.turn,
            to_act=self.to_act,
            deck_size=len(self.deck),
            turns_left=self.turns_left,
            hand=self.hands[seat],
            white=white,
            blue=blue,
            table=seen_by(seat, self.table),
            domains=tuple([seen_by(seat, domain) for domain in self.domains]),
            eliminated=seen_by(seat, self.eliminated),
        )

    def legal(self) -> Legal:
        """Return the compact legal form; empty when the game is over."""
        nothing: tuple[tuple[int, ...], ...] = ((),) * len(self.domains)
        if self.to_act is None:
            return Legal((), (), nothing)
        opponents = tuple([seat for seat in range(len(self.domains)) if seat != self.to_act])
        if _ASSASSIN not in [role for _, role in self.hands[self.to_act]]:
            return Legal(opponents, (), nothing)
        return Legal(
            opponents, targets(self.table), tuple([targets(domain) for domain in self.domains])
        )

    def legal_actions(self) -> Turns:
        """Return the distinct legal actions of the seat to act; none when the game is over."""
        hand = () if self.to_act is None else self.hands[self.to_act]
        return Turns(self.to_act or 0, hand, self.legal())

    def pieces(self) -> Mapping[Card, int]:
        """Count the copies of each courtier, wherever they lie."""
        lying = [fact.whole for area in (self.table, *self.domains) for fact in area]
        gone = [fact.whole.card for fact in self.eliminated]
        placed = [Card(card.family, card.role) for card in (*lying, *gone)]
        return Counter(chain(self.deal.removed, self.deck, *self.hands, placed))

    def random_action(self, stream: Stream) -> Action:
        """Draw one of the distinct legal actions uniformly at random."""
        self._acting()
        actions = self.legal_actions()
        return actions[stream.below(len(actions))]

    def scores(self) -> tuple[int, ...]:
        """Return the points of every seat, once the game is over."""
        return tuple(seat.points for seat in self.result().seats)

    def ranks(self) -> tuple[int, ...]:
        """Return every seat's rank from 1, ties sharing a rank, once the game is over."""
        return ranks(self.scores())

    def ending(self) -> str:
        """Return in a few words how the game ended: always the same way."""
        return "all turns played"

    def rounds(self) -> int:
        """Return how many turns each seat had."""
        return TURNS[len(self.hands)]

    def result(self) -> Result:
        """Return the outcome with every score's breakdown, once the game is over."""
        if self.final is None:
            raise RuntimeError(f"the game is not over: seat {self.to_act} is to act")
        return self.final

    def _acting(self) -> Seat:
        if self.to_act is None:
            raise RuntimeError("the game is over: no seat is to act")
        return self.to_act


def final_result(state: CourtisansState) -> Result:
    """Return the result of a game whose turns are all played."""
    table = truth(state.table)
    domains = [truth(domain) for domain in state.domains]
    families = family_results(table)
    revealed = truth(state.eliminated) if state.config.reveal_eliminated_spies else ()
    return Result(
        families=families,
        seats=seat_results(
            state.deal.missions, families, table, domains, state.config.noble_weight_in_missions
        ),
        spies=revealed_spies(table, domains, revealed),
    )


def initial_state(config: Config, seats: int, deal: Deal) -> CourtisansState:
    """Return the state before turn 1; raise `ConfigError` on an impossible deal."""
    check_deal(deal, seats)
    return CourtisansState(
        config=config,
        deal=deal,
        turn=1,
        to_act=deal.starting_seat,
        turns_left=(TURNS[seats],) * seats,
        deck=deal.deck,
        hands=tuple(tuple(sorted(hand)) for hand in deal.hands),
        table=(),
        domains=((),) * seats,
        eliminated=(),
    )


_AT_TABLE = "at the Queen's table"
_IN_OWN_DOMAIN = "in your own domain"


def _check_cards(hand: tuple[Card, ...], action: Action) -> None:
    """Raise `IllegalAction` unless the three cards are exactly the hand."""
    left = list(hand)
    for card, where in (
        (action.table.card, _AT_TABLE),
        (action.own_domain.card, _IN_OWN_DOMAIN),
        (action.opponent_domain.card, "in the opponent's domain"),
    ):
        try:
            left.remove(card)
        except ValueError:
            raise IllegalAction(_not_in_hand(card, where, hand, left)) from None


def _not_in_hand(card: Card, where: str, hand: tuple[Card, ...], left: list[Card]) -> str:
    held = ", ".join(card_name(*c) for c in hand)
    name = card_name(*card) if card.family else f"{card_name(*card)} of no family"
    copies = " (every copy is already placed)" if card in hand and card not in left else ""
    return (
        f"each card must come from your hand: received {name} {where}{copies}, your hand is {held}"
    )


def _check_side(action: Action) -> None:
    """Raise `IllegalAction` unless the card at the table has a side."""
    if action.side is None:
        raise IllegalAction(
            "the card at the Queen's table must go above or below the mat: received no side"
        )


def _check_opponent(opponent: Seat, seat: Seat, seats: int) -> None:
    """Raise `IllegalAction` unless the opponent is another seat of this game."""
    if opponent == seat:
        raise IllegalAction(
            f"one card must go to an opponent's domain: received seat {opponent}, which is your own"
        )
    if not 0 <= opponent < seats:
        raise IllegalAction(
            "one card must go to an opponent's domain: "
            f"received seat {opponent}, the seats are 0 to {seats - 1}"
        )


def _check_targets(action: Action, turn: int, table: Area, own: Area, other: Area) -> None:
    """Raise `IllegalAction` unless the targets are legal; check the rest first."""
    if action.table.eliminates:
        _check_target(action.table, turn, table, _AT_TABLE)
    if action.own_domain.eliminates:
        _check_target(action.own_domain, turn, own, _IN_OWN_DOMAIN)
    if action.opponent_domain.eliminates:
        where = f"in the domain of seat {action.opponent}"
        _check_target(action.opponent_domain, turn, other, where)


def _check_target(placement: Placement, turn: int, area: Area, where: str) -> None:
    card, target = placement
    if card.role is not Role.ASSASSIN:
        raise IllegalAction(
            f"only an assassin eliminates: received turn {target} for {card_name(*card)} {where}"
        )
    if target == turn:
        raise IllegalAction(
            "an assassin eliminates another card, not itself: "
            f"received turn {target} {where}, which is this turn"
        )
    for fact in area:
        if fact.public.turn == target:
            if fact.public.role is Role.GUARD:
                raise IllegalAction(
                    f"a guard cannot be eliminated: received turn {target} {where}, "
                    f"which names {card_name(fact.public.family, fact.public.role)}"
                )
            return
    raise IllegalAction(
        "an assassin eliminates a card of the area it is placed in: "
        f"received turn {target} {where}, where no card of that turn lies"
    )

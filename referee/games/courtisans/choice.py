"""A turn in up to six steps: a card for each area, and a target for each assassin.

The places of options are "t/a" and "t/b", above and below the mat, and "seat/2", a domain.
"""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.base import Seat
from referee.games.choice import Choice, Option, ask, first_choice
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Card, Role, Side, card_name
from referee.games.courtisans.observation import CardInPlay, Legal, Observation
from referee.games.courtisans.words import Names, give_spans, keep_spans, put_spans
from referee.games.markup import plain

_SIDES: Mapping[Side | None, str] = {
    Side.ABOVE: " above the mat",
    Side.BELOW: " below the mat",
    None: "",
}

_PLACES: Mapping[Side, str] = {Side.ABOVE: "t/a", Side.BELOW: "t/b"}


def turn_choice(seen: Observation, legal: Legal, names: Names) -> Choice:
    """Return the first step of a turn, for the seat that sees this."""
    return _Steps(seen, legal, names).table()


class _Steps:
    """The steps of one turn, in order; each takes what was decided before it."""

    def __init__(self, seen: Observation, legal: Legal, names: Names) -> None:
        self._seen = seen
        self._legal = legal
        self._names = names
        self._hand = dict(enumerate(seen.hand))
        """The hand by index; copies are taken in order."""

    def table(self) -> Choice:
        """Ask which card goes to the Queen's table."""
        answers = {
            (card, side): Option(plain(put_spans(card, side)), self._piece(at), _PLACES[side])
            for card, at in _first_of_each(self._hand).items()
            for side in (Side.ABOVE, Side.BELOW)
        }
        return first_choice(
            "Which card goes to the Queen's table, and on which side of the mat?",
            answers,
            lambda action: (action.table.card, action.side),
            self._table_target,
        )

    def _table_target(self, put: tuple[Card, Side]) -> Any:
        card, side = put
        return self._target(
            card,
            None,
            lambda action: action.table.eliminates,
            lambda target: self._own_domain(Placement(card, target), side),
        )

    def _own_domain(self, table: Placement, side: Side) -> Any:
        left = _without(self._hand, table.card)
        place = _domain(self._seen.seat)
        answers = {
            card: Option(plain(keep_spans(card)), self._piece(at), place)
            for card, at in _first_of_each(left).items()
        }
        return ask(
            "Which card goes to your own domain?",
            answers,
            lambda action: action.own_domain.card,
            lambda card: self._own_target(table, side, card),
        )

    def _own_target(self, table: Placement, side: Side, card: Card) -> Any:
        return self._target(
            card,
            self._seen.seat,
            lambda action: action.own_domain.eliminates,
            lambda target: self._opponent(table, side, Placement(card, target)),
        )

    def _opponent(self, table: Placement, side: Side, own: Placement) -> Any:
        ((at, card),) = _without(_without(self._hand, table.card), own.card).items()
        answers = {
            other: Option(
                plain(give_spans(card, other, self._names)), self._piece(at), _domain(other)
            )
            for other in self._legal.opponents
        }
        return ask(
            f"Who gets the {card_name(*card)}?",
            answers,
            lambda action: action.opponent,
            lambda other: self._opponent_target(
                other,
                card,
                lambda target: Action(table, side, own, Placement(card, target), other),
            ),
        )

    def _opponent_target(self, other: Seat, card: Card, then: Callable[[int], Action]) -> Any:
        return self._target(card, other, lambda action: action.opponent_domain.eliminates, then)

    def _target(
        self,
        card: Card,
        domain: Seat | None,
        part_of: Callable[[Action], int],
        then: Callable[[int], Any],
    ) -> Any:
        """Ask whom an assassin eliminates in this domain; None: at the table."""
        if card.role is not Role.ASSASSIN:
            return then(0)
        seen, legal = self._seen, self._legal
        lying = seen.table if domain is None else seen.domains[domain]
        targets = legal.table_targets if domain is None else legal.domain_targets[domain]
        answers = {0: Option("eliminate no card")} | {
            one.turn: Option(_eliminate(one), f"{'t' if domain is None else domain}/{one.turn}")
            for one in lying
            if one.turn in targets
        }
        where = self._where(domain)
        prompt = f"Which card {where} does the {card_name(*card)} eliminate?"
        return ask(prompt, answers, part_of, then)

    def _where(self, domain: Seat | None) -> str:
        if domain is None:
            return "at the Queen's table"
        own = domain == self._seen.seat
        return "in your own domain" if own else f"in the domain of {self._names[domain]}"

    def _piece(self, at: int) -> str:
        return f"hand/{self._seen.seat}[{at}]"


def _domain(seat: Seat) -> str:
    return f"seat/{seat}"


def _first_of_each(hand: Mapping[int, Card]) -> dict[Card, int]:
    first: dict[Card, int] = {}
    for at, card in hand.items():
        first.setdefault(card, at)
    return first


def _without(hand: Mapping[int, Card], card: Card) -> dict[int, Card]:
    gone = next(at for at, held in hand.items() if held == card)
    return {at: held for at, held in hand.items() if at != gone}


def _eliminate(card: CardInPlay) -> str:
    name = card_name(card.family, card.role)
    return f"eliminate the {name} of turn {card.turn}{_SIDES[card.side]}"

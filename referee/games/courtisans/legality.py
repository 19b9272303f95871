"""Why an action is illegal.

Every reason names the rule and the received value, and reveals only what the acting seat already
knows: its own hand, the seats, turn numbers, and face-up cards.
"""

from referee.games.base import IllegalAction, Seat
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Card, Role, card_name
from referee.games.courtisans.facts import Area

_AT_TABLE = "at the Queen's table"
_IN_OWN_DOMAIN = "in your own domain"


def check_cards(hand: tuple[Card, ...], action: Action) -> None:
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


def check_side(action: Action) -> None:
    """Raise `IllegalAction` unless the card at the table has a side."""
    if action.side is None:
        raise IllegalAction(
            "the card at the Queen's table must go above or below the mat: received no side"
        )


def check_opponent(opponent: Seat, seat: Seat, seats: int) -> None:
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


def check_targets(action: Action, turn: int, table: Area, own: Area, other: Area) -> None:
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

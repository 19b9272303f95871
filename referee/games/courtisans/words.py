"""Cards, seats and missions in words."""

from collections.abc import Iterable, Mapping, Sequence

from referee.games.base import Seat
from referee.games.courtisans.cards import Card, Family, Role, Side, card_name
from referee.games.courtisans.missions import FALLEN, FEWER, Mission
from referee.games.markup import Span, Spans, joined

Names = Sequence[str]
"""The seats' names, indexed by seat."""

STYLES: Mapping[str, str] = {
    "butterfly": "#d060b8",
    "toad": "#8b962b",
    "nightingale": "#4a8fd4",
    "hare": "#a9806a",
    "stag": "#2f9c9c",
    "carp": "#d08a1e",
    "spy": "italic #8a8a94",
    "esteemed": "bold #3f9f5f",
    "neutral": "#8a8a94",
    "fallen": "bold #d0504a",
    "eliminated": "#d0504a",
    "seat": "bold",
    "title": "bold",
    "dim": "#8a8a94",
}
"""Every style of the lines, as Rich style strings; readable on dark and light backgrounds."""

_OTHER_MISSIONS: Mapping[Mission, str] = {
    Mission.THREE_NOBLES: "at least 3 nobles in the own domain",
    Mission.TWO_ASSASSINS: "at least 2 assassins in the own domain",
    Mission.FOUR_GUARDS: "at least 4 guards in the own domain",
    Mission.THREE_SPIES: "at least 3 spies in the own domain",
    Mission.ALL_BELOW: "each family has a card below the mat",
    Mission.FIVE_BELOW: "some family has 5 cards below the mat",
    Mission.FEW_ESTEEMED: "at most 3 families are esteemed",
    Mission.TWO_FALLEN: "at least 2 families are fallen",
}

_SIDES: Mapping[Side | None, str] = {
    Side.ABOVE: "above the mat",
    Side.BELOW: "below the mat",
    None: "on no side",
}


def family_style(family: Family | None) -> str:
    """Return the style of a family; None: of a hidden one."""
    return "spy" if family is None else family.name.lower()


def card_span(family: Family | None, role: Role) -> Span:
    """Return a card's name in its family's style."""
    return Span(card_name(family, role), family_style(family))


def card_spans(cards: Iterable[Card]) -> list[Span]:
    """Return the cards' names, comma-separated."""
    return joined([[card_span(*card)] for card in cards])


def seat_span(seat: Seat, names: Names) -> Span:
    """Return a seat's name."""
    return Span(names[seat], "seat")


def put_spans(card: Card, side: Side | None) -> Spans:
    """Return the part of a turn that puts a card on the Queen's table; side None: illegal."""
    return [Span("put the "), card_span(*card), Span(f" {_SIDES[side]}")]


def keep_spans(card: Card) -> Spans:
    """Return the part of a turn that lays a card in the own domain."""
    return [Span("keep the "), card_span(*card)]


def give_spans(card: Card, opponent: Seat, names: Names) -> Spans:
    """Return the part of a turn that lays a card in an opponent's domain.

    An opponent who is not at the table appears by number.
    """
    known = opponent < len(names)
    name = seat_span(opponent, names) if known else Span(f"seat {opponent}")
    return [Span("give "), name, Span(" the "), card_span(*card)]


def mission_spans(mission: Mission, seat: Seat, names: Names) -> Spans:
    """Return the condition of this seat's mission."""
    if mission in FEWER:
        neighbour = seat_span((seat + 1) % len(names), names)
        return [Span("fewer "), _plural(FEWER[mission]), Span(" than "), neighbour]
    if mission in FALLEN:
        return [_plural(FALLEN[mission]), Span(" are fallen")]
    return [Span(_OTHER_MISSIONS[mission])]


def _plural(family: Family) -> Span:
    name = "butterflies" if family is Family.BUTTERFLY else f"{family.name.lower()}s"
    return Span(name, family_style(family))

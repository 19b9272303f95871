"""What a seat decides: one whole turn at once."""

from typing import NamedTuple

from referee.games.base import Seat
from referee.games.courtisans.cards import Card, Side


class Placement(NamedTuple):
    """One card of the hand, put into one area."""

    card: Card
    eliminates: int = 0
    """The turn on which the card that an assassin eliminates was placed in this area; 0: nobody."""


class Action(NamedTuple):
    """The three cards of the hand, one to each area."""

    table: Placement
    side: Side | None
    """Where at the Queen's table; None is illegal."""
    own_domain: Placement
    opponent_domain: Placement
    opponent: Seat
    """Whose domain the last card goes to; never the own seat."""

"""A seat's decision: one whole turn."""

from typing import NamedTuple

from referee.games.base import Seat
from referee.games.courtisans.cards import Card, Side


class Placement(NamedTuple):
    """One card of the hand, put into one area."""

    card: Card
    eliminates: int = 0
    """The card an assassin eliminates in this area, by the turn of its placing; 0: none."""


class Action(NamedTuple):
    """The three cards of the hand, one to each area."""

    table: Placement
    side: Side | None
    """Side of the Queen's table; None is illegal."""
    own_domain: Placement
    opponent_domain: Placement
    opponent: Seat
    """Gets the last card; never the acting seat."""

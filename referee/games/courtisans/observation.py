"""What one seat may know, and what it may do, as values.

An area is the Queen's table or one seat's domain. On one turn an area gets at most one card, so an
area and a turn name a card for everybody, its face known or not.
"""

from typing import NamedTuple

from referee.games.base import Seat
from referee.games.courtisans.cards import Card, Family, Role, Side
from referee.games.courtisans.missions import Mission

_SPY = Role.SPY


class CardInPlay(NamedTuple):
    """A card that was placed."""

    turn: int
    """The turn on which it was placed, from 1."""
    played_by: Seat
    role: Role
    """Always known: a face-down card is a spy."""
    family: Family | None
    """None for a spy that another seat placed."""
    side: Side | None
    """Its side at the Queen's table; None in a domain."""


def public_form(card: CardInPlay) -> CardInPlay:
    """Return what everybody may know of a placed card: all, but for a spy's family."""
    turn, played_by, role, _, side = card
    if role is _SPY:
        return CardInPlay(turn, played_by, role, None, side)
    return card


class Eliminated(NamedTuple):
    """A card that an assassin took out of the game."""

    card: CardInPlay
    """As it lay."""
    domain: Seat | None
    """Whose domain it lay in; None: the Queen's table."""


class Observation(NamedTuple):
    """All that one seat may know now. Cards in play stand in the order of their placing."""

    seat: Seat
    """The reader's own."""
    turn: int
    """The turn that is to be played, from 1; one past the last when the game is over."""
    to_act: Seat | None
    """The seat that is to play it; None when the game is over."""
    deck_size: int
    turns_left: tuple[int, ...]
    """Turns each seat has still to play, this one included."""
    hand: tuple[Card, ...]
    """Sorted by family, then by role."""
    white: Mission
    blue: Mission
    table: tuple[CardInPlay, ...]
    domains: tuple[tuple[CardInPlay, ...], ...]
    """A domain a seat."""
    eliminated: tuple[Eliminated, ...]
    """In the order in which they were eliminated."""


class Legal(NamedTuple):
    """What the seat to act may do: each card of the hand to a different one of the three areas.

    An assassin may eliminate one of the targets of its area, or nobody. Targets are named by the
    turns on which they were placed, ascending; without an assassin in the hand there are none.
    """

    opponents: tuple[Seat, ...]
    """Whose domains may be chosen; nobody's when the game is over."""
    table_targets: tuple[int, ...]
    domain_targets: tuple[tuple[int, ...], ...]
    """A tuple a seat."""

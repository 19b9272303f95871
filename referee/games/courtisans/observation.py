"""One seat's observation and legal actions, as values.

An area is the Queen's table or one seat's domain. An area gets at most one card per turn, so area
and turn identify a card for everybody, even face down.
"""

from functools import cache
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.courtisans.cards import Card, Family, Role, Side
from referee.games.courtisans.missions import Mission

_SPY = Role.SPY


class CardInPlay(NamedTuple):
    """A placed card."""

    turn: int
    """The turn of its placing, from 1."""
    played_by: Seat
    role: Role
    """Always known: a face-down card is a spy."""
    family: Family | None
    """None for a spy that another seat placed."""
    side: Side | None
    """Its side at the Queen's table; None in a domain."""


card_in_play = cache(CardInPlay)
"""Returns a placed card: the same object for the same one of some thousands, as that takes less
time to make, to compare and to look up."""


def public_form(card: CardInPlay) -> CardInPlay:
    """Return a placed card's public form: all but a spy's family."""
    turn, played_by, role, _, side = card
    if role is _SPY:
        return card_in_play(turn, played_by, role, None, side)
    return card


class Eliminated(NamedTuple):
    """A card that an assassin took out of the game."""

    card: CardInPlay
    """As it lay."""
    domain: Seat | None
    """The domain's owner; None: the Queen's table."""


class Observation(NamedTuple):
    """All that one seat may know now. Cards in play are in order of placing."""

    seat: Seat
    """The reader's own."""
    turn: int
    """The turn to play, from 1; one past the last when the game is over."""
    to_act: Seat | None
    """The seat to play it; None when the game is over."""
    deck_size: int
    turns_left: tuple[int, ...]
    """Turns each seat has left, this one included."""
    hand: tuple[Card, ...]
    """Sorted by family, then by role."""
    white: Mission
    blue: Mission
    table: tuple[CardInPlay, ...]
    domains: tuple[tuple[CardInPlay, ...], ...]
    """By seat."""
    eliminated: tuple[Eliminated, ...]
    """In order of elimination."""


class Legal(NamedTuple):
    """The legal actions: each card of the hand goes to a different one of the three areas.

    An assassin may eliminate one target of its area, or none. Targets are the turns of their
    placing, ascending; without an assassin in the hand there are no targets.
    """

    opponents: tuple[Seat, ...]
    """Seats whose domain is open; empty when the game is over."""
    table_targets: tuple[int, ...]
    domain_targets: tuple[tuple[int, ...], ...]
    """By seat."""

"""The ninety courtiers.

Numbers equal those of the protocol's enums, so encoding needs no table.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple


class Family(IntEnum):
    """The six families, in the order of the mat; the Queen sits between nightingale and hare."""

    BUTTERFLY = 1
    TOAD = 2
    NIGHTINGALE = 3
    HARE = 4
    STAG = 5
    CARP = 6


class Role(IntEnum):
    """A courtier's role."""

    PLAIN = 1
    NOBLE = 2
    SPY = 3
    ASSASSIN = 4
    GUARD = 5


class Side(IntEnum):
    """The two sides of the mat on the Queen's table."""

    ABOVE = 1
    BELOW = 2


class Card(NamedTuple):
    """A courtier by its face. Copies are equal and indistinguishable."""

    family: Family | None
    """None if hidden from the reader; never None in a hand or a deal."""
    role: Role


COPIES: Mapping[Role, int] = {
    Role.PLAIN: 4,
    Role.NOBLE: 4,
    Role.SPY: 2,
    Role.ASSASSIN: 2,
    Role.GUARD: 3,
}
"""Copies of each role in every family."""

CARDS: tuple[Card, ...] = tuple(
    Card(family, role) for family in Family for role in Role for _ in range(COPIES[role])
)
"""All 90 courtiers, by family, then by role; the deal shuffles this list."""

WEIGHTS: Mapping[Role, int] = {role: 2 if role is Role.NOBLE else 1 for role in Role}
"""A card's weight at the end of the game, by role."""

HAND_SIZE = 3
"""Cards in a hand: played together in one turn, then drawn anew."""


def card_name(family: Family | None, role: Role) -> str:
    """Return the card's name, such as "carp noble", "plain toad" or "spy"."""
    if family is None:
        return role.name.lower()
    name = family.name.lower()
    return f"plain {name}" if role is Role.PLAIN else f"{name} {role.name.lower()}"

"""The ninety courtiers.

Numbers equal those of the protocol's enums, so that a value needs no table to travel.
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
    """What a courtier does."""

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
    """A courtier by its face. Two copies are equal: nothing tells them apart."""

    family: Family | None
    """None where it is hidden from the reader; never None in a hand or a deal."""
    role: Role


COPIES: Mapping[Role, int] = {
    Role.PLAIN: 4,
    Role.NOBLE: 4,
    Role.SPY: 2,
    Role.ASSASSIN: 2,
    Role.GUARD: 3,
}
"""How many courtiers of each role every family has."""

CARDS: tuple[Card, ...] = tuple(
    Card(family, role) for family in Family for role in Role for _ in range(COPIES[role])
)
"""All 90 courtiers, by family, then by role; the deal shuffles this list."""

WEIGHTS: Mapping[Role, int] = {role: 2 if role is Role.NOBLE else 1 for role in Role}
"""What a card of each role weighs at the end of the game."""

HAND_SIZE = 3
"""Cards in a hand: played together in one turn, then drawn anew."""


def card_name(family: Family | None, role: Role) -> str:
    """Return what people call the card, such as "carp noble", "plain toad" or "spy"."""
    if family is None:
        return role.name.lower()
    name = family.name.lower()
    return f"plain {name}" if role is Role.PLAIN else f"{name} {role.name.lower()}"

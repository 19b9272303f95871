"""How a game ended: Renown, control, and the resulting ranks."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple


class Ending(IntEnum):
    """Why the game ended."""

    RENOWN = 1
    """A player placed their sixth Renown token."""
    KING = 2
    """The Penniless King reached the final space."""
    ROUNDS = 3
    """The last allowed round is over."""


class SeatResult(NamedTuple):
    """One player at the end."""

    rank: int
    """From 1; ties share a rank."""
    renown: int
    """Renown tokens in play."""
    neighbourhoods: int
    """Neighbourhoods controlled; breaks ties in Renown."""
    lines: tuple[int, ...]
    """The player's lines of the Renown Square, ascending."""
    coins: int
    """For information."""


class Result(NamedTuple):
    """How a game ended. Public by then."""

    data: str
    """The label of the data set."""
    ending: Ending
    turn: int
    """The last one, from 1."""
    round: int
    """The last one, from 1."""
    king: int
    """The space of the Penniless King."""
    seats: tuple[SeatResult, ...]


def ranks(standings: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return the ranks from 1 by Renown, then control; equal pairs share a rank.

    Six Renown tokens are the maximum, and the first player to have them ends the game; so this
    holds for every ending.
    """
    return tuple(1 + sum(other > one for other in standings) for one in standings)

"""Rogues on the board in two forms, so that views select facts and never redact them.

A fact gets both forms, public and whole, when it happens. A seat that may know the whole sees the
whole, all others the public form.
"""

from collections.abc import Iterable
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.observation import RogueInPlay
from referee.games.miracles.pieces import Neighbourhood, Rogue, Spot


class Fact(NamedTuple):
    """A rogue in play in its two forms."""

    public: RogueInPlay
    whole: RogueInPlay
    seers: tuple[Seat, ...]
    """Seats that may know the whole: the owner, then any that looked."""


Board = tuple[Fact, ...]
"""The rogues in play, by spot."""


def face_down(owner: Seat, rogue: Rogue, spot: Spot) -> Fact:
    """Return a rogue just placed face down."""
    public = RogueInPlay(spot, owner, None, revealed=False)
    whole = RogueInPlay(spot, owner, rogue, revealed=False)
    return Fact(public, whole, (owner,))


def moved(fact: Fact, spot: Spot) -> Fact:
    """Return the rogue on another spot."""
    public, whole, seers = fact
    return Fact(RogueInPlay(spot, *public[1:]), RogueInPlay(spot, *whole[1:]), seers)


def revealed(fact: Fact) -> Fact:
    """Return the rogue face up: now its public form is the whole."""
    shown = RogueInPlay(*fact.whole[:3], revealed=True)
    return Fact(shown, shown, fact.seers)


def looked_at(fact: Fact, seat: Seat) -> Fact:
    """Return the rogue after the seat looked at it."""
    public, whole, seers = fact
    return Fact(public, whole, seers if seat in seers else (*seers, seat))


def seen_by(seat: Seat, board: Board) -> tuple[RogueInPlay, ...]:
    """Return the rogues in play as this seat may know them, in the same order."""
    return tuple([whole if seat in seers else public for public, whole, seers in board])


def ordered(facts: Iterable[Fact]) -> Board:
    """Return the rogues by spot."""
    return tuple(sorted(facts))  # a spot comes first in a fact, and holds one rogue


def rogue_of(fact: Fact) -> Rogue:
    """Return the face of a rogue in play."""
    if fact.whole.rogue is None:
        raise TypeError("the whole of a rogue has a face")
    return fact.whole.rogue


def within(board: Board, place: Neighbourhood) -> Board:
    """Return the rogues in this neighbourhood, by rank."""
    return tuple([fact for fact in board if fact.public.spot.neighbourhood == place])

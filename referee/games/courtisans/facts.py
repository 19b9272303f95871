"""What happened, kept so that what a seat may know is chosen and never cut out.

A fact holds the form that everybody may know beside the whole of it, both made when it happened. A
seat is told the whole of its own facts and the public form of all others.
"""

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from referee.games.base import Seat
from referee.games.courtisans.cards import Role
from referee.games.courtisans.event import Placed
from referee.games.courtisans.observation import CardInPlay, Eliminated, public_form

T = TypeVar("T")

_GUARD = Role.GUARD


class Fact(NamedTuple, Generic[T]):
    """Something in its two forms; they are one object where nothing is hidden."""

    owner: Seat
    """The seat that may know the whole: the one that placed the card."""
    public: T
    whole: T


Area = tuple[Fact[CardInPlay], ...]
"""The cards of the Queen's table or of one domain, in the order in which they were placed."""

Graveyard = tuple[Fact[Eliminated], ...]
"""The eliminated cards, in the order in which they were eliminated."""


def lay(area: Area, placed: Placed, domain: Seat | None) -> tuple[Area, Graveyard]:
    """Return an area (of a domain or the table: None) after a card came down, and who left it."""
    card, eliminated = placed
    fact = Fact(card.played_by, public_form(card), card)
    if not eliminated:
        return (*area, fact), ()
    stay = [other for other in area if other.public.turn != eliminated]
    gone = [_buried(other, domain) for other in area if other.public.turn == eliminated]
    return (*stay, fact), tuple(gone)


def _buried(fact: Fact[CardInPlay], domain: Seat | None) -> Fact[Eliminated]:
    owner, public, whole = fact
    return Fact(owner, Eliminated(public, domain), Eliminated(whole, domain))


def seen_by(seat: Seat, facts: Iterable[Fact[T]]) -> tuple[T, ...]:
    """Return the facts as this seat may know them, in the same order."""
    return tuple([whole if owner == seat else public for owner, public, whole in facts])


def truth(facts: Iterable[Fact[T]]) -> tuple[T, ...]:
    """Return the whole truth; for the end of the game only."""
    return tuple([fact.whole for fact in facts])


def targets(area: Area) -> tuple[int, ...]:
    """Return the turns that name the cards an assassin placed here now may eliminate, ascending."""
    return tuple([fact.public.turn for fact in area if fact.public.role is not _GUARD])

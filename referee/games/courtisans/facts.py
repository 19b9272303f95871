"""Facts in two forms, public and whole, so that views select facts and never redact them.

A fact gets both forms when it happens. A seat sees its own facts whole and all others in public
form.
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
    """A fact in its two forms: one object if nothing is hidden."""

    owner: Seat
    """The seat that placed the card; it may know the whole."""
    public: T
    whole: T


Area = tuple[Fact[CardInPlay], ...]
"""The cards of the Queen's table or of one domain, in order of placing."""

Graveyard = tuple[Fact[Eliminated], ...]
"""The eliminated cards, in order of elimination."""


def lay(area: Area, placed: Placed, domain: Seat | None) -> tuple[Area, Graveyard]:
    """Return the area (`domain` None: the table) after a placing, and the eliminated cards."""
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
    # Indices are quicker than names, and than taking named tuples apart.
    return tuple([fact[2] if fact[0] == seat else fact[1] for fact in facts])


def truth(facts: Iterable[Fact[T]]) -> tuple[T, ...]:
    """Return the facts whole; for the end of the game only."""
    return tuple([fact.whole for fact in facts])


def targets(area: Area) -> tuple[int, ...]:
    """Return the possible targets of an assassin placed here now, by turn, ascending."""
    return tuple([fact.public.turn for fact in area if fact.public.role is not _GUARD])

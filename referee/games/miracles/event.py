"""Events, one type per kind of event.

A field hidden from others is None or empty in its event's public form. Events without such a field
are the same for everybody.
"""

from enum import IntEnum
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.observation import RogueInPlay
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot


class Reason(IntEnum):
    """Why coins changed hands."""

    SPOT = 1
    INCOME = 2
    GRANDE_COUR = 3
    RENOWN = 4
    """Paid for a line of the Renown Square."""
    RENOWN_BONUS = 5
    BEGGAR = 6
    PICKPOCKET = 7
    SOOTHSAYER = 8
    SWORDSMAN = 9
    JUDGMENT = 10
    THE_SUN = 11
    THE_DEVIL = 12


class TurnStarted(NamedTuple):
    """A seat made the first decision of a turn."""

    turn: int
    """From 1, over the whole game."""
    round: int
    """From 1."""
    seat: Seat


class RoguePlaced(NamedTuple):
    """A seat put a rogue on the board, face down."""

    seat: Seat
    spot: Spot
    rogue: Rogue | None
    """None for all but the seat."""

    def public(self) -> "RoguePlaced":
        """Return the public form."""
        return RoguePlaced(self.seat, self.spot, None)


class RogueMoved(NamedTuple):
    """A seat moved a rogue in play: by its first step, an action or The Chariot."""

    seat: Seat
    owner: Seat
    origin: Spot
    target: Spot


class RoguesSwapped(NamedTuple):
    """A seat swapped two rogues in play."""

    seat: Seat
    first: Spot
    second: Spot


class RogueReturned(NamedTuple):
    """A seat sent a rogue in play back to its owner's hand, unrevealed."""

    seat: Seat
    owner: Seat
    spot: Spot


class RogueSeen(NamedTuple):
    """A seat looked at a rogue in play."""

    seat: Seat
    spot: Spot
    owner: Seat
    rogue: Rogue | None
    """None for all but the seat that looked."""

    def public(self) -> "RogueSeen":
        """Return the public form."""
        return RogueSeen(self.seat, self.spot, self.owner, None)


class RogueDrawn(NamedTuple):
    """A seat drew a rogue from the bag."""

    seat: Seat
    rogue: Rogue | None
    """None for all but the seat."""

    def public(self) -> "RogueDrawn":
        """Return the public form."""
        return RogueDrawn(self.seat, None)


class RogueSunk(NamedTuple):
    """A seat put a rogue into the Seine: the one just drawn, or one from its hand instead."""

    seat: Seat
    rogue: Rogue | None
    """None for all but the seat."""
    drawn: bool | None
    """Whether it was the one just drawn; None for all but the seat."""

    def public(self) -> "RogueSunk":
        """Return the public form."""
        return RogueSunk(self.seat, None, None)


class ActionPerformed(NamedTuple):
    """A seat performed the action of a neighbourhood."""

    seat: Seat
    neighbourhood: Neighbourhood


class CoinsMoved(NamedTuple):
    """Coins changed hands; the amount can be 0 only with The Devil."""

    payer: Seat | None
    """None: the reserve."""
    receiver: Seat | None
    """None: the reserve."""
    amount: int
    reason: Reason


class KingMoved(NamedTuple):
    """The Penniless King was to move."""

    origin: int
    target: int
    """The origin if a Wrath had stopped him before."""
    stopped: bool
    """Whether he met a Wrath, now or before in this turn."""


class PlotsDrawn(NamedTuple):
    """A seat drew Plot cards."""

    seat: Seat
    number: int
    cards: tuple[PlotCard, ...]
    """In the order drawn; empty for all but the seat."""

    def public(self) -> "PlotsDrawn":
        """Return the public form."""
        return PlotsDrawn(self.seat, self.number, ())


class PlotDiscarded(NamedTuple):
    """A seat discarded a Plot card to make room, for all to see."""

    seat: Seat
    card: PlotCard


class PlotPlayed(NamedTuple):
    """A seat played a Plot card; separate events tell its effects."""

    seat: Seat
    card: PlotCard


class PileReshuffled(NamedTuple):
    """The discarded Plot cards were shuffled into a new pile."""

    size: int


class RenownPlaced(NamedTuple):
    """A seat put a Renown token from its stock on a line or a neighbourhood."""

    seat: Seat
    place: RenownPlace
    renown: int
    """The seat's tokens in play, this one included."""


class RenownMoved(NamedTuple):
    """A seat moved a Renown token in play to a neighbourhood."""

    seat: Seat
    origin: RenownPlace
    target: Neighbourhood


class RenownReturned(NamedTuple):
    """A seat lost control of a neighbourhood and took its Renown tokens back."""

    seat: Seat
    neighbourhood: Neighbourhood
    tokens: int
    """From 1."""


class RightHandTaken(NamedTuple):
    """A seat took its Right-Hand to hand."""

    seat: Seat


class WrathChosen(NamedTuple):
    """A seat chose the neighbourhood that the Wrath hits."""

    seat: Seat
    neighbourhood: Neighbourhood


class StandoffStarted(NamedTuple):
    """A standoff began."""

    neighbourhood: Neighbourhood


class RoguesRevealed(NamedTuple):
    """A standoff revealed all its rogues."""

    rogues: tuple[RogueInPlay, ...]
    """By rank."""


class LoneKept(NamedTuple):
    """A seat kept the one rogue of a standoff face down."""

    seat: Seat
    spot: Spot


class SwordsmanAnswered(NamedTuple):
    """A seat paid a Swordsman or refused."""

    seat: Seat
    spot: Spot
    pays: bool


class Total(NamedTuple):
    """The strength of one seat in a standoff."""

    seat: Seat
    strength: int


class StandoffWon(NamedTuple):
    """A seat won a standoff."""

    neighbourhood: Neighbourhood
    winner: Seat
    totals: tuple[Total, ...]
    """Of every seat with a rogue there, by seat; empty if a lone rogue stayed face down."""


class StandoffEnded(NamedTuple):
    """All rogues of a standoff went back to their owners' hands."""

    neighbourhood: Neighbourhood


class GameEnded(NamedTuple):
    """The game is over; the result holds how."""

    turn: int


SECRET = (RoguePlaced, RogueSeen, RogueDrawn, RogueSunk, PlotsDrawn)
"""The events that only their seat may know whole."""

Secret = RoguePlaced | RogueSeen | RogueDrawn | RogueSunk | PlotsDrawn

Event = (
    Secret
    | TurnStarted
    | RogueMoved
    | RoguesSwapped
    | RogueReturned
    | ActionPerformed
    | CoinsMoved
    | KingMoved
    | PlotDiscarded
    | PlotPlayed
    | PileReshuffled
    | RenownPlaced
    | RenownMoved
    | RenownReturned
    | RightHandTaken
    | WrathChosen
    | StandoffStarted
    | RoguesRevealed
    | LoneKept
    | SwordsmanAnswered
    | StandoffWon
    | StandoffEnded
    | GameEnded
)
"""Any event."""


def event_for(event: Event, seat: Seat) -> Event:
    """Return the event as the seat may see it."""
    if isinstance(event, SECRET) and event.seat != seat:
        return event.public()
    return event

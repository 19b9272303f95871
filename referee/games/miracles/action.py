"""A seat's decisions, one type per kind of decision.

A spot identifies the rogue on it. A kind identifies a rogue at hand or a Plot card: tokens of one
owner and kind, and cards of one kind, are the same to everybody.
"""

from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot


class PlaceRogue(NamedTuple):
    """Put a rogue from hand, face down, on a free spot: the first step of a turn."""

    rogue: Rogue
    spot: Spot
    plot_first: bool = False
    """Whether the spot waits for a Plot card before it takes effect."""


class MoveRogue(NamedTuple):
    """Move your rogue to a free spot: the first step of a turn with none at hand."""

    origin: Spot
    target: Spot
    plot_first: bool = False
    """Whether the spot waits for a Plot card before it takes effect."""


class TakeEffect(NamedTuple):
    """Let the spot take effect without a Plot card."""


class PerformAction(NamedTuple):
    """Perform the action of the Taverne, Le Châtelet or the Grande Cour just visited.

    With `income_without_action`, also call an impossible action, for the income alone.
    """


class BuyRenown(NamedTuple):
    """Perform the action of Les Halles: pay for a Renown token on a line of the Renown Square."""

    line: int
    """1 to 5."""


class MoveOther(NamedTuple):
    """Perform the action of the Rue de l'Égyptienne: move a rogue, not the one just placed."""

    origin: Spot
    target: Spot


class EndTurn(NamedTuple):
    """End the turn's actions: no neighbourhood action, no Plot card. Standoffs follow."""


class PlayCard(NamedTuple):
    """Play Strength, Judgment, The Sun, Wheel of Fortune or The Emperor: nothing to choose."""

    card: PlotCard


class PlayEmpress(NamedTuple):
    """Play The Empress: move your Renown token in play to an uncontrolled neighbourhood."""

    token: RenownPlace
    target: Neighbourhood


class PlayDevil(NamedTuple):
    """Play The Devil: take an opponent's coins, at most as many as the card allows."""

    opponent: Seat


class PlayHangedMan(NamedTuple):
    """Play The Hanged Man: return an opponent's rogue in play to its owner."""

    spot: Spot


class PlayChariot(NamedTuple):
    """Play The Chariot: move your rogue in play to a free spot."""

    origin: Spot
    target: Spot


class PlayTower(NamedTuple):
    """Play The Tower: swap two rogues in play in different neighbourhoods."""

    first: Spot
    """In the neighbourhood of the lower number."""
    second: Spot


class PlayHermit(NamedTuple):
    """Play The Hermit: look secretly at a rogue in play."""

    spot: Spot


class PlayFool(NamedTuple):
    """Play The Fool: move the Penniless King."""

    spaces: int
    """From 1 to the card's amount."""


class SinkRogue(NamedTuple):
    """After a draw from the bag: choose the rogue to sink."""

    rogue: Rogue | None
    """A rogue at hand, which the drawn one replaces; None: the drawn one."""


class DiscardPlot(NamedTuple):
    """Discard a Plot card to make room before drawing."""

    card: PlotCard


class ChooseWrath(NamedTuple):
    """Choose the neighbourhood that the Wrath hits."""

    neighbourhood: Neighbourhood


class SettleNext(NamedTuple):
    """Choose the next of the standoffs due."""

    neighbourhood: Neighbourhood


class PaySwordsman(NamedTuple):
    """Pay your Swordsman for strength in this standoff, or decline."""

    pays: bool


class RevealLone(NamedTuple):
    """Reveal your lone rogue in a standoff, or keep it face down."""

    reveals: bool


class UseCourtesan(NamedTuple):
    """Place the Renown token of a standoff won with a Courtesan."""

    neighbourhood: Neighbourhood
    """The contested one: do not use the Courtesan."""


PlotPlay = (
    PlayCard
    | PlayEmpress
    | PlayDevil
    | PlayHangedMan
    | PlayChariot
    | PlayTower
    | PlayHermit
    | PlayFool
)
"""Plays a Plot card, with all its choices."""

Action = (
    PlaceRogue
    | MoveRogue
    | PerformAction
    | BuyRenown
    | MoveOther
    | EndTurn
    | PlotPlay
    | SinkRogue
    | DiscardPlot
    | ChooseWrath
    | SettleNext
    | PaySwordsman
    | RevealLone
    | UseCourtesan
    | TakeEffect
)
"""One decision of one seat."""

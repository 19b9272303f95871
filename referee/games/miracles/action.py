"""What a seat decides, a kind of value for each kind of decision.

A spot names the rogue that lies on it. A rogue at hand or a Plot card is named by its kind: tokens
of one owner and kind, and cards of one kind, are the same to everybody.
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
    """Move an own rogue to a free spot: the first step of a turn of who has none at hand."""

    origin: Spot
    target: Spot
    plot_first: bool = False
    """Whether the spot waits for a Plot card before it takes effect."""


class TakeEffect(NamedTuple):
    """Let the spot take effect, without a Plot card before."""


class PerformAction(NamedTuple):
    """Perform the action of the Taverne, Le Châtelet or the Grande Cour where one just placed.

    With `income_without_action` also an action that cannot be performed, for the income alone.
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
    """Do no more in this turn: neither neighbourhood action nor Plot card. Standoffs follow."""


class PlayCard(NamedTuple):
    """Play Strength, Judgment, The Sun, Wheel of Fortune or The Emperor: nothing to choose."""

    card: PlotCard


class PlayEmpress(NamedTuple):
    """Play The Empress: move an own Renown token in play to an uncontrolled neighbourhood."""

    token: RenownPlace
    target: Neighbourhood


class PlayDevil(NamedTuple):
    """Play The Devil: take coins from an opponent, as many as the card allows and they have."""

    opponent: Seat


class PlayHangedMan(NamedTuple):
    """Play The Hanged Man: return an opponent's rogue in play to its owner."""

    spot: Spot


class PlayChariot(NamedTuple):
    """Play The Chariot: move an own rogue in play to a free spot."""

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
    """From 1 to what the card allows."""


class SinkRogue(NamedTuple):
    """After a draw from the bag: say which rogue goes into the Seine."""

    rogue: Rogue | None
    """A rogue at hand, for which the drawn one comes to hand; None: the drawn one goes."""


class DiscardPlot(NamedTuple):
    """Discard a Plot card to the hand limit, before drawing."""

    card: PlotCard


class ChooseWrath(NamedTuple):
    """Choose the neighbourhood that the Wrath hits."""

    neighbourhood: Neighbourhood


class SettleNext(NamedTuple):
    """Choose which of the standoffs that are due comes next."""

    neighbourhood: Neighbourhood


class PaySwordsman(NamedTuple):
    """Pay an own Swordsman for more strength in this standoff, or do not."""

    pays: bool


class RevealLone(NamedTuple):
    """Reveal an own rogue that is alone in a standoff, or keep it face down."""

    reveals: bool


class UseCourtesan(NamedTuple):
    """Say where the Renown token of a standoff won with a Courtesan goes."""

    neighbourhood: Neighbourhood
    """The contested one: the Courtesan is not used."""


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

"""The agenda: what is still to be done in this turn.

It is a stack of steps, the next one first. Some steps ask a seat, some run by themselves, some do
the one or the other. A step that leads to more puts them in front. So an ability that lets a seat
draw, for which that seat must first discard, interrupts a standoff at the right place and nothing
has to remember where to go on.
"""

from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.pieces import Neighbourhood, Spot


class PlaceStep(NamedTuple):
    """Ask for the first step of the turn."""

    seat: Seat


class EffectStep(NamedTuple):
    """Ask for a Plot card, then let the spot take effect."""

    seat: Seat
    spot: Spot


class ActStep(NamedTuple):
    """Ask for the neighbourhood's action and a Plot card until nothing more can be done."""

    seat: Seat


class DrawStep(NamedTuple):
    """Draw Plot cards; ask for discards first where the hand limit demands it."""

    seat: Seat
    number: int


class SinkStep(NamedTuple):
    """Ask which rogue goes into the Seine."""

    seat: Seat


class FinishPlotStep(NamedTuple):
    """Discard the Plot card that has taken effect."""

    seat: Seat


class StandoffsStep(NamedTuple):
    """See which standoffs are due."""

    seat: Seat


class WrathStep(NamedTuple):
    """Ask which neighbourhood the Wrath hits."""

    seat: Seat
    choices: tuple[Neighbourhood, ...]
    due: tuple[Neighbourhood, ...]
    """Which have a standoff anyhow."""


class OrderStep(NamedTuple):
    """Settle the standoffs that are due; ask for the order of two or more."""

    seat: Seat
    due: tuple[Neighbourhood, ...]


class LoneStep(NamedTuple):
    """Ask whether the one rogue of a standoff is revealed."""

    seat: Seat
    spot: Spot


class SwordsmanStep(NamedTuple):
    """Ask whether a Swordsman is paid, if his owner can."""

    seat: Seat
    spot: Spot


class WinnerStep(NamedTuple):
    """Find who wins the standoff."""

    seat: Seat


class CourtesanStep(NamedTuple):
    """Ask where the Renown token goes."""

    seat: Seat
    choices: tuple[Neighbourhood, ...]


class AbilityStep(NamedTuple):
    """Apply the ability of one revealed rogue."""

    seat: Seat
    spot: Spot


class CloseStep(NamedTuple):
    """Send all rogues of the standoff back to their owners' hands."""

    seat: Seat


class EndStep(NamedTuple):
    """End the turn, and the game if that is due."""

    seat: Seat


Step = (
    PlaceStep
    | EffectStep
    | ActStep
    | DrawStep
    | SinkStep
    | FinishPlotStep
    | StandoffsStep
    | WrathStep
    | OrderStep
    | LoneStep
    | SwordsmanStep
    | WinnerStep
    | CourtesanStep
    | AbilityStep
    | CloseStep
    | EndStep
)


def turn_steps(seat: Seat) -> tuple[Step, ...]:
    """Return the agenda of a whole turn."""
    return (PlaceStep(seat), ActStep(seat), StandoffsStep(seat), EndStep(seat))

"""The agenda: a stack of the steps left in this turn, the next one first.

Some steps ask a seat, some run by themselves, some do either. A step that leads to more steps puts
them in front. So an ability that makes a seat discard and draw interrupts a standoff at the right
place, and nothing has to remember where to resume.
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
    """Ask for the neighbourhood's action and a Plot card until neither is possible."""

    seat: Seat


class DrawStep(NamedTuple):
    """Draw Plot cards; ask for discards first if the hand lacks room."""

    seat: Seat
    number: int


class SinkStep(NamedTuple):
    """Ask which rogue to sink."""

    seat: Seat


class FinishPlotStep(NamedTuple):
    """Discard the Plot card that has taken effect."""

    seat: Seat


class StandoffsStep(NamedTuple):
    """Find the standoffs due."""

    seat: Seat


class WrathStep(NamedTuple):
    """Ask which neighbourhood the Wrath hits."""

    seat: Seat
    choices: tuple[Neighbourhood, ...]
    due: tuple[Neighbourhood, ...]
    """Due regardless of the Wrath."""


class OrderStep(NamedTuple):
    """Settle the standoffs due; ask for the order of two or more."""

    seat: Seat
    due: tuple[Neighbourhood, ...]


class LoneStep(NamedTuple):
    """Ask whether to reveal a standoff's lone rogue."""

    seat: Seat
    spot: Spot


class SwordsmanStep(NamedTuple):
    """Ask whether to pay a Swordsman, if the owner can."""

    seat: Seat
    spot: Spot


class WinnerStep(NamedTuple):
    """Find the standoff's winner."""

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
    """End the turn, and the game if due."""

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

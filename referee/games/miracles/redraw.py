"""Other courses of a game that one seat cannot tell from the true one, by their probability.

Rogues and Plot cards are hidden independently of each other.
"""

from referee.games.base import Course, Seat
from referee.games.miracles.action import Action, PlaceRogue, SinkRogue
from referee.games.miracles.config import Config
from referee.games.miracles.redraw_plots import redrawn_plots
from referee.games.miracles.redraw_rogues import RogueCourse, redrawn_rogues
from referee.games.miracles.trace import Trace, trace_of
from referee.games.randomness import Stream


def redrawn(config: Config, course: Course, seat: Seat, stream: Stream) -> Course:
    """Draw another course that the seat cannot tell from this one."""
    trace, deal = trace_of(config, course, seat), course.deal
    rogues = redrawn_rogues(trace, deal, stream)
    other = redrawn_plots(trace, deal, stream)._replace(bag=rogues.bag)
    actions = [
        _in_course(number, action, trace, rogues) for number, action in enumerate(course.actions)
    ]
    return Course(other, actions)


def _in_course(number: int, action: Action, trace: Trace, rogues: RogueCourse) -> Action:
    """Return the same action with the rogue that it concerns in another course."""
    if isinstance(action, PlaceRogue):
        return action._replace(rogue=rogues.faces[trace.placed_by[number]])
    return SinkRogue(rogues.sunk[number]) if isinstance(action, SinkRogue) else action

"""A game's moves of hidden pieces, and one seat's sight of them.

Rogues are followed in stays: a stay begins when a rogue goes on the board face down and ends when
it goes back to its owner's hand. During a stay it keeps its face, wherever it moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from referee.games.base import Course, Seat
from referee.games.miracles import event as ev
from referee.games.miracles.action import Action, PlayHermit, RevealLone, SinkRogue
from referee.games.miracles.config import Config
from referee.games.miracles.pieces import PlotCard, Rogue, Spot
from referee.games.miracles.state import initial_state


class RogueKind(Enum):
    """The effect of a step on rogues."""

    PLACE = 1
    """A stay begins; the key is its number."""
    RETURN = 2
    """A stay ends; the key is its number."""
    RIGHT_HAND = 3
    """The seat takes its Right-Hand."""
    DRAW = 4
    """The next rogue of the bag; the key is its place in the bag."""
    SINK = 5
    """One goes into the Seine; the key is the number of the decision."""


class RogueStep(NamedTuple):
    """One thing that happened to one seat's rogues."""

    kind: RogueKind
    seat: Seat
    key: int


class PlotKind(Enum):
    """The effect of a step on Plot cards."""

    DRAW = 1
    """Cards go from the pile to hand, after a reshuffle where the pile is empty."""
    OUT = 2
    """A card leaves the hand, face up."""
    DISCARD = 3
    """That card joins the discards."""


class PlotStep(NamedTuple):
    """One thing that happened to one seat's Plot cards."""

    kind: PlotKind
    seat: Seat
    cards: tuple[PlotCard, ...]


@dataclass
class Trace:
    """All that happened to hidden pieces, and what one seat was shown of it."""

    seat: Seat
    """The one that looks back."""
    rogue_steps: list[RogueStep] = field(default_factory=list)
    plot_steps: list[PlotStep] = field(default_factory=list)
    faces: list[Rogue] = field(default_factory=list)
    """Of each stay."""
    placed_by: dict[int, int] = field(default_factory=dict)
    """The stay that a decision began, by the number of the decision."""
    shown: set[int] = field(default_factory=set)
    """The stays whose rogue the seat saw, its own ones among them."""
    sunk: dict[int, Rogue | None] = field(default_factory=dict)
    """The rogues that went into the Seine (None: the drawn one), by the number of the decision."""
    own_draws: set[int] = field(default_factory=set)
    """The places in the bag that the seat drew from."""


def trace_of(config: Config, course: Course, seat: Seat) -> Trace:
    """Go through a course again for one seat."""
    deal, actions = course
    state = initial_state(config, len(deal.hands), deal)
    follower = _Follower(seat)
    for number, action in enumerate(actions):
        follower.look(state.to_act, action)
        state, events = state.apply(action)
        for happened in events:
            follower.follow(number, action, happened)
    return follower.trace


class _Follower:
    """Follows the rogues on the board."""

    def __init__(self, seat: Seat) -> None:
        self.trace = Trace(seat)
        self.at: dict[Spot, tuple[Seat, int]] = {}
        """The owner and the stay of the rogue on a spot."""
        self.drawn = 0
        self.contested: list[int] = []
        """The stays of the rogues in the last standoff."""
        self.playing: PlotStep | None = None

    def look(self, seat: Seat | None, action: Action) -> None:
        """Note what an action shows, before it is applied.

        It follows from the rules; no event in a seat's form is used.
        """
        if isinstance(action, PlayHermit) and seat == self.trace.seat:
            self.trace.shown.add(self.at[action.spot][1])
        elif isinstance(action, RevealLone) and action.reveals:
            self.trace.shown |= {*self.contested}

    def follow(self, number: int, action: Action, happened: ev.Event) -> None:
        """Note one event of the decision of this number."""
        match happened:
            case ev.RoguePlaced(seat=seat, spot=spot, rogue=rogue) if rogue:
                self._place(number, seat, spot, rogue)
            case ev.RogueMoved(origin=origin, target=target):
                self.at[target] = self.at.pop(origin)
            case ev.RoguesSwapped(first=first, second=second):
                self.at[first], self.at[second] = self.at[second], self.at[first]
            case ev.RogueReturned(spot=spot):
                self._return([spot])
            case ev.StandoffEnded(neighbourhood=place):
                self._return([spot for spot in self.at if spot.neighbourhood == place])
            case ev.StandoffStarted(neighbourhood=place):
                self.contested = [stay for spot, (_, stay) in self.at.items() if spot[0] == place]
                self.trace.shown |= {*self.contested} if len(self.contested) > 1 else set()
            case ev.RightHandTaken(seat=seat):
                self._rogues(RogueKind.RIGHT_HAND, seat, 0)
            case ev.RogueDrawn(seat=seat):
                self._draw(seat)
            case ev.RogueSunk(seat=seat):
                self._rogues(RogueKind.SINK, seat, number)
                self.trace.sunk[number] = action.rogue if isinstance(action, SinkRogue) else None
            case _:
                self._follow_plots(happened)

    def _rogues(self, kind: RogueKind, seat: Seat, key: int) -> None:
        self.trace.rogue_steps.append(RogueStep(kind, seat, key))

    def _place(self, number: int, seat: Seat, spot: Spot, rogue: Rogue) -> None:
        trace, stay = self.trace, len(self.trace.faces)
        trace.faces.append(rogue)
        trace.placed_by[number] = stay
        trace.shown |= {stay} if seat == trace.seat else set()
        self.at[spot] = seat, stay
        self._rogues(RogueKind.PLACE, seat, stay)

    def _return(self, spots: Sequence[Spot]) -> None:
        for owner, stay in [self.at.pop(spot) for spot in spots]:
            self._rogues(RogueKind.RETURN, owner, stay)

    def _draw(self, seat: Seat) -> None:
        self._rogues(RogueKind.DRAW, seat, self.drawn)
        self.trace.own_draws |= {self.drawn} if seat == self.trace.seat else set()
        self.drawn += 1

    def _follow_plots(self, happened: ev.Event) -> None:
        match happened:
            case ev.PlotsDrawn(seat=seat, cards=cards):
                self.trace.plot_steps.append(PlotStep(PlotKind.DRAW, seat, cards))
                self._finish()
            case ev.PlotPlayed(seat=seat, card=card):
                self.trace.plot_steps.append(PlotStep(PlotKind.OUT, seat, (card,)))
                self.playing = PlotStep(PlotKind.DISCARD, seat, (card,))
                if card is not PlotCard.WHEEL_OF_FORTUNE:  # discarded after its draw
                    self._finish()
            case ev.PlotDiscarded(seat=seat, card=card):
                self.trace.plot_steps += [
                    PlotStep(kind, seat, (card,)) for kind in (PlotKind.OUT, PlotKind.DISCARD)
                ]

    def _finish(self) -> None:
        if self.playing:
            self.trace.plot_steps.append(self.playing)
        self.playing = None

"""A game's moves of hidden pieces, and one seat's sight of them.

`trace_of` follows the truth, for proofs; `trace_heard` what the seat was told, for bots.

Rogues are followed in stays: a stay begins when a rogue goes on the board face down and ends when
it goes back to its owner's hand. During a stay it keeps its face, wherever it moves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from referee.games.base import Course, Seat
from referee.games.miracles import event as ev
from referee.games.miracles.action import Action, PlayHermit, RevealLone
from referee.games.miracles.config import Config
from referee.games.miracles.pieces import PlotCard, Rogue, Spot
from referee.games.miracles.state import MiraclesState, initial_state


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
    """One goes into the Seine; the key is its number among those that went there."""


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
    cards: tuple[PlotCard | None, ...]
    """None: one that the seat that looks back has not seen."""


@dataclass
class Trace:
    """All that happened to hidden pieces, and what one seat was shown of it."""

    seat: Seat
    """The one that looks back."""
    rogue_steps: list[RogueStep] = field(default_factory=list)
    plot_steps: list[PlotStep] = field(default_factory=list)
    faces: list[Rogue | None] = field(default_factory=list)
    """Of each stay; None may stand where the seat saw none."""
    shown: set[int] = field(default_factory=set)
    """The stays whose rogue the seat saw, its own ones among them."""
    sunk: dict[int, Rogue | None] = field(default_factory=dict)
    """The rogues that went into the Seine (None: the drawn one), in order."""
    own_draws: dict[int, Rogue] = field(default_factory=dict)
    """What the seat drew from the bag, by place."""
    at: dict[Spot, tuple[Seat, int]] = field(default_factory=dict)
    """The owner and the stay of the rogue on each spot now."""


def trace_of(config: Config, course: Course, seat: Seat) -> tuple[Trace, MiraclesState]:
    """Go through a course again for one seat; return the state after it, too."""
    deal, actions = course
    state = initial_state(config, len(deal.hands), deal)
    follower = _Follower(seat)
    for action in actions:
        follower.look(state.to_act, action)
        state, events = state.apply(action)
        for happened in events:
            follower.follow(happened)
    return follower.trace, state


def trace_heard(seat: Seat, events: Iterable[ev.Event]) -> Trace:
    """Follow all events that a seat was told, in its form."""
    follower = _Follower(seat)
    for happened in events:
        follower.follow(happened)
        follower.hear(happened)
    return follower.trace


class _Follower:
    """Follows the rogues on the board."""

    def __init__(self, seat: Seat) -> None:
        self.trace = Trace(seat)
        self.drawn = 0
        self.contested: list[int] = []
        """The stays of the rogues in the last standoff."""
        self.playing: PlotStep | None = None

    def look(self, seat: Seat | None, action: Action) -> None:
        """Note what an action shows, before it is applied.

        It follows from the rules; no event in a seat's form is used.
        """
        if isinstance(action, PlayHermit) and seat == self.trace.seat:
            self.trace.shown.add(self.trace.at[action.spot][1])
        elif isinstance(action, RevealLone) and action.reveals:
            self.trace.shown |= {*self.contested}

    def hear(self, happened: ev.Event) -> None:
        """Note what an event in the seat's form shows."""
        match happened:
            case ev.RogueSeen(spot=spot, rogue=rogue) if rogue:
                self._see(spot, rogue)
            case ev.RoguesRevealed(rogues=rogues):
                for one in rogues:
                    if one.rogue:
                        self._see(one.spot, one.rogue)

    def _see(self, spot: Spot, rogue: Rogue) -> None:
        stay = self.trace.at[spot][1]
        self.trace.faces[stay] = rogue
        self.trace.shown.add(stay)

    def follow(self, happened: ev.Event) -> None:
        """Note one event, whole or in the seat's form."""
        match happened:
            case ev.RoguePlaced(seat=seat, spot=spot, rogue=rogue):
                self._place(seat, spot, rogue)
            case ev.RogueMoved(origin=origin, target=target):
                self.trace.at[target] = self.trace.at.pop(origin)
            case ev.RoguesSwapped(first=first, second=second):
                self.trace.at[first], self.trace.at[second] = (
                    self.trace.at[second],
                    self.trace.at[first],
                )
            case ev.RogueReturned(spot=spot):
                self._return([spot])
            case ev.StandoffEnded(neighbourhood=place):
                self._return([spot for spot in self.trace.at if spot.neighbourhood == place])
            case ev.StandoffStarted(neighbourhood=place):
                self.contested = [
                    stay for spot, (_, stay) in self.trace.at.items() if spot[0] == place
                ]
                self.trace.shown |= {*self.contested} if len(self.contested) > 1 else set()
            case ev.RightHandTaken(seat=seat):
                self._rogues(RogueKind.RIGHT_HAND, seat, 0)
            case ev.RogueDrawn(seat=seat, rogue=rogue):
                self._draw(seat, rogue)
            case ev.RogueSunk(seat=seat, rogue=rogue, drawn=drawn):
                number = len(self.trace.sunk)
                self._rogues(RogueKind.SINK, seat, number)
                self.trace.sunk[number] = None if drawn else rogue
            case _:
                self._follow_plots(happened)

    def _rogues(self, kind: RogueKind, seat: Seat, key: int) -> None:
        self.trace.rogue_steps.append(RogueStep(kind, seat, key))

    def _place(self, seat: Seat, spot: Spot, rogue: Rogue | None) -> None:
        trace, stay = self.trace, len(self.trace.faces)
        trace.faces.append(rogue)
        trace.shown |= {stay} if seat == trace.seat else set()
        self.trace.at[spot] = seat, stay
        self._rogues(RogueKind.PLACE, seat, stay)

    def _return(self, spots: Sequence[Spot]) -> None:
        for owner, stay in [self.trace.at.pop(spot) for spot in spots]:
            self._rogues(RogueKind.RETURN, owner, stay)

    def _draw(self, seat: Seat, rogue: Rogue | None) -> None:
        self._rogues(RogueKind.DRAW, seat, self.drawn)
        if rogue and seat == self.trace.seat:
            self.trace.own_draws[self.drawn] = rogue
        self.drawn += 1

    def _follow_plots(self, happened: ev.Event) -> None:
        match happened:
            case ev.PlotsDrawn(seat=seat, number=number, cards=cards):
                seen = cards if seat == self.trace.seat else (None,) * number
                self.trace.plot_steps.append(PlotStep(PlotKind.DRAW, seat, seen))
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

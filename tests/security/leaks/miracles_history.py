"""What happened in a game of La Cour des Miracles, as what it did to hidden rogues and Plot cards.

Rogues are followed in stays: a stay begins when a rogue is put on the board face down and ends when
it goes back to its owner's hand. During a stay it keeps its face, wherever it is moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from referee.games.base import Seat
from referee.games.miracles import event as ev
from referee.games.miracles.action import PlayHermit, RevealLone, SinkRogue
from referee.games.miracles.pieces import PlotCard, Rogue, Spot
from referee.games.miracles.state import MiraclesState, initial_state
from referee.match.match import Decided


class RogueKind(Enum):
    """What a step does with rogues."""

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
    """What a step does with Plot cards."""

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
class History:
    """All that happened to what is hidden, and what one seat was shown of it."""

    seat: Seat
    """Who looks back."""
    rogue_steps: list[RogueStep] = field(default_factory=list)
    plot_steps: list[PlotStep] = field(default_factory=list)
    faces: list[Rogue] = field(default_factory=list)
    """Of each stay."""
    placed_by: dict[int, int] = field(default_factory=dict)
    """The stay that a decision began, by the number of the decision."""
    shown: set[int] = field(default_factory=set)
    """The stays whose rogue the seat saw, its own ones among them."""
    sunk: dict[int, Rogue | None] = field(default_factory=dict)
    """What went into the Seine (None: what was drawn), by the number of the decision."""
    own_sinks: set[int] = field(default_factory=set)
    own_draws: set[int] = field(default_factory=set)
    """The places in the bag that the seat drew from."""
    reshuffled: bool = False


def history_of(start: MiraclesState, decided: Sequence[Decided], seat: Seat) -> History:
    """Go through a game again for one seat."""
    state = initial_state(start.config, len(start.deal.hands), start.deal)
    follower = _Follower(seat)
    for number, one in enumerate(decided):
        follower.look(one)
        state, events = state.apply(one.action)
        for happened in events:
            follower.follow(number, one.action, happened)
    return follower.history


class _Follower:
    """Follows the rogues on the board."""

    def __init__(self, seat: Seat) -> None:
        self.history = History(seat)
        self.at: dict[Spot, tuple[Seat, int]] = {}
        """The owner and the stay of the rogue on a spot."""
        self.drawn = 0
        self.contested: list[int] = []
        """The stays of the rogues in the last standoff."""
        self.playing: PlotStep | None = None

    def look(self, decided: Decided) -> None:
        """Take what an action shows into the history, before it is applied.

        What is shown follows from the rules; the events under test are not asked.
        """
        action = decided.action
        if isinstance(action, PlayHermit) and decided.seat == self.history.seat:
            self.history.shown.add(self.at[action.spot][1])
        elif isinstance(action, RevealLone) and action.reveals:
            self.history.shown |= {*self.contested}

    def follow(self, number: int, action: Any, happened: ev.Event) -> None:
        """Take one event of the decision of this number into the history."""
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
                self.history.shown |= {*self.contested} if len(self.contested) > 1 else set()
            case ev.RightHandTaken(seat=seat):
                self._rogues(RogueKind.RIGHT_HAND, seat, 0)
            case ev.RogueDrawn(seat=seat):
                self._draw(seat)
            case ev.RogueSunk(seat=seat):
                self._sink(number, seat, action)
            case _:
                self._follow_plots(happened)

    def _rogues(self, kind: RogueKind, seat: Seat, key: int) -> None:
        self.history.rogue_steps.append(RogueStep(kind, seat, key))

    def _place(self, number: int, seat: Seat, spot: Spot, rogue: Rogue) -> None:
        history, stay = self.history, len(self.history.faces)
        history.faces.append(rogue)
        history.placed_by[number] = stay
        history.shown |= {stay} if seat == history.seat else set()
        self.at[spot] = seat, stay
        self._rogues(RogueKind.PLACE, seat, stay)

    def _return(self, spots: list[Spot]) -> None:
        for owner, stay in [self.at.pop(spot) for spot in spots]:
            self._rogues(RogueKind.RETURN, owner, stay)

    def _draw(self, seat: Seat) -> None:
        self._rogues(RogueKind.DRAW, seat, self.drawn)
        self.history.own_draws |= {self.drawn} if seat == self.history.seat else set()
        self.drawn += 1

    def _sink(self, number: int, seat: Seat, action: Any) -> None:
        self.history.sunk[number] = action.rogue if isinstance(action, SinkRogue) else None
        self.history.own_sinks |= {number} if seat == self.history.seat else set()
        self._rogues(RogueKind.SINK, seat, number)

    def _follow_plots(self, happened: ev.Event) -> None:
        match happened:
            case ev.PlotsDrawn(seat=seat, cards=cards):
                self.history.plot_steps.append(PlotStep(PlotKind.DRAW, seat, cards))
                self._finish()
            case ev.PileReshuffled():
                self.history.reshuffled = True
            case ev.PlotPlayed(seat=seat, card=card):
                self.history.plot_steps.append(PlotStep(PlotKind.OUT, seat, (card,)))
                self.playing = PlotStep(PlotKind.DISCARD, seat, (card,))
                if card is not PlotCard.WHEEL_OF_FORTUNE:  # that one is discarded after its draw
                    self._finish()
            case ev.PlotDiscarded(seat=seat, card=card):
                self.history.plot_steps += [
                    PlotStep(kind, seat, (card,)) for kind in (PlotKind.OUT, PlotKind.DISCARD)
                ]

    def _finish(self) -> None:
        if self.playing:
            self.history.plot_steps.append(self.playing)
        self.playing = None

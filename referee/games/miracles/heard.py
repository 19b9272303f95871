"""States that a seat cannot tell from the true one, from all that it was told.

Hidden pieces are drawn as for proofs. What the seats did is found again: in a drawn course, a
decision is one of which the seat would be told what it was told. The same decisions hold in every
other course that the seat cannot tell from it, so they are found once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from referee.games.base import Course
from referee.games.miracles import event as ev
from referee.games.miracles.action import Action, PlaceRogue, SinkRogue
from referee.games.miracles.config import Config
from referee.games.miracles.deal import Deal
from referee.games.miracles.observation import Observation
from referee.games.miracles.redraw import Redraws, RogueCourse, in_course
from referee.games.miracles.state import MiraclesState, initial_state
from referee.games.miracles.trace import trace_heard
from referee.games.randomness import Stream


class Heard:
    """All that a seat was told in a match. It must get every event, in order."""

    def __init__(self, config: Config, first: Observation) -> None:
        """Begin with what the seat observes at its first decision, with its dealt Plot card alone.

        Raise `ValueError` if it has others, as after a later decision.
        """
        if len(first.plots) != 1:
            raise ValueError("begin with the first decision: the seat has its one dealt card then")
        self._config, self._seat = config, first.seat
        self._card = first.plots[0]
        self._seats = len(first.players)
        self._start = first.active
        self._events: list[ev.Event] = []
        self._actions: Sequence[Action] = ()
        """What was done, as far as it was found."""
        self._found = 0
        """The number of events that this made."""

    def hear(self, events: Iterable[ev.Event]) -> None:
        """Take in what the seat is told."""
        self._events += events
        turns = (one.seat for one in self._events[:1] if isinstance(one, ev.TurnStarted))
        self._start = next(turns, self._start)

    def courses(self, seen: Observation, stream: Stream) -> Iterator[Course]:
        """Yield courses without end after which the seat, to act, would see this."""
        redraws = Redraws(trace_heard(self._seat, self._events), self._known_deal())
        deal, rogues = redraws.draw(stream)
        done = in_course(self._actions, rogues)
        state = self._played(Course(deal, done))
        # A decision may have told nothing, so that there are no events to find it by.
        if self._found < len(self._events) or state.observation(self._seat) != seen:
            more = self._search(state, seen, rogues, done, self._found)
            if more is None:
                raise ValueError("no course of the game agrees with what the seat was told")
            self._actions, self._found = more, len(self._events)
        while True:
            yield Course(deal, in_course(self._actions, rogues))
            deal, rogues = redraws.draw(stream)

    def redraws(self, seen: Observation, stream: Stream) -> Iterator[MiraclesState]:
        """Yield states without end in which the seat, to act, would see this."""
        return map(self._played, self.courses(seen, stream))

    def _played(self, course: Course) -> MiraclesState:
        state = initial_state(self._config, self._seats, course.deal)
        for action in course.actions:
            state, _ = state.apply(action)
        return state

    def _known_deal(self) -> Deal:
        """Return the deal as far as it is known: the kinds of its pieces, and the own card."""
        data = self._config.data
        cards = [*(Counter(data.all_plot_cards()) - Counter([self._card])).elements()]
        others = self._seats - 1
        hands, pile = cards[:others], cards[others:]
        hands.insert(self._seat, self._card)
        return Deal(data.label, self._start, tuple(hands), tuple(pile), tuple(data.bag()), "0" * 32)

    def _search(
        self,
        state: MiraclesState,
        seen: Observation,
        rogues: RogueCourse,
        actions: Sequence[Action],
        at: int,
    ) -> Sequence[Action] | None:
        """Return actions that make all events from here, the longest matches first."""
        is_due = at == len(self._events) and state.to_act == self._seat
        if is_due and state.observation(self._seat) == seen:
            return actions
        ways = sorted(self._ways(state, rogues, actions, at), key=lambda way: -way[2])
        for action, after, made in ways:
            found = self._search(after, seen, rogues, (*actions, action), at + made)
            if found is not None:
                return found
        return None

    def _ways(
        self, state: MiraclesState, rogues: RogueCourse, actions: Sequence[Action], at: int
    ) -> Iterator[tuple[Action, MiraclesState, int]]:
        """Yield the decisions of which the seat would be told what comes next."""
        for action in self._possible(state, at):
            if not _is_drawn(action, actions, rogues):
                continue
            after, events = state.apply(action)
            told = [ev.event_for(event, self._seat) for event in events]
            if _typed(told) == _typed(self._events[at : at + len(told)]):
                yield action, after, len(told)

    def _possible(self, state: MiraclesState, at: int) -> Iterator[Action]:
        """Yield the legal actions, but for placings elsewhere."""
        coming = [one for one in self._events[at : at + 2] if not isinstance(one, ev.TurnStarted)]
        spot = coming[0].spot if coming and isinstance(coming[0], ev.RoguePlaced) else None
        for action in state.legal_actions():
            if not isinstance(action, PlaceRogue) or action.spot == spot:
                yield action


def _is_drawn(action: Action, before: Sequence[Action], rogues: RogueCourse) -> bool:
    """Whether an action after these concerns the rogue that was drawn for it, if any."""
    number = sum(isinstance(one, type(action)) for one in before)
    if isinstance(action, PlaceRogue):
        return rogues.faces.get(number) == action.rogue
    if isinstance(action, SinkRogue):
        return number in rogues.sunk and rogues.sunk[number] == action.rogue
    return True


def _typed(events: Iterable[ev.Event]) -> list[tuple[type[ev.Event], ev.Event]]:
    """Tell events of different kinds and equal fields apart."""
    return [(type(event), event) for event in events]

"""Makes a `Game` of a `PlainGame`.

The author's code is trusted not to be hostile, but not to be free of faults: whatever it raises, or
returns against the contract, becomes one `RulesError` that names the game and the place. The match
is then void, and the ladder goes on.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

from referee.games.base import ConfigError, IllegalAction, RulesError, Seat, seats_in_words
from referee.games.choice import Choice, Option, first_choice
from referee.games.plain import text
from referee.games.plain.contract import MOST_SEATS, Event, PlainGame, PlainState, View
from referee.games.plain.guard import OverrunError, guarded
from referee.games.plain.scene import PlainScene
from referee.games.plain.text import named
from referee.games.plain_data import config_from, from_json, to_json
from referee.games.randomness import Stream

T = TypeVar("T")

_LARGEST_VIEW = 500_000
"""Characters of a seat's view: a request holds it whole."""


class PlainAction(NamedTuple):
    """A decision: the option taken at each step, with its label."""

    path: tuple[int, ...]
    labels: tuple[str, ...]


_NOWHERE = PlainAction((), ())


class Observation(NamedTuple):
    """A seat's knowledge."""

    text: tuple[str, ...]
    facts: str
    """JSON."""
    features: tuple[float, ...]


class Result(NamedTuple):
    """How a game ended."""

    points: tuple[int, ...]
    text: tuple[str, ...]


class AdaptedGame:
    """A `PlainGame` as a `Game`."""

    codec = "referee.wire.plain:PlainCodec"
    text = text
    scene = PlainScene
    guide: Mapping[str, Any] = {}
    redraw = None
    """Its states redraw themselves."""

    def __init__(self, plain: PlainGame) -> None:
        """Adapt this game; raise `ConfigError` if its description breaks the contract."""
        self.plain = plain
        self.name = plain.name
        self.title = plain.title
        self.rules_version = plain.rules_version
        self.rules = plain.rules
        self.seats = plain.seats
        self.luck = _MeasuredLuck(self) if plain.luck_version else None
        if not self.seats or self.seats[0] < 1 or self.seats[-1] > MOST_SEATS:
            raise ConfigError(
                f"the game {self.name!r} has seats {self.seats}, not within 1 to {MOST_SEATS}"
            )

    def config(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the configuration with these fields set; raise `ConfigError` on a bad one."""
        config = config_from(self.plain.config, fields)
        self._call("check_config", lambda: self.plain.check_config(config))
        return config

    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        """Return an upper bound on the decisions."""
        return self._call("most_decisions", lambda: int(self.plain.most_decisions(config, seats)))

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> str:
        """Draw everything that chance decides, as JSON."""
        self._check_seats(seats)
        return self._call("deal", lambda: to_json(self.plain.deal(config, seats, stream)))

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: str) -> "AdaptedState":
        """Return the state before the first decision; raise `ConfigError` on an impossible deal."""
        self._check_seats(seats)
        dealt = from_json(deal)
        state = self._call("initial_state", lambda: self.plain.initial_state(config, seats, dealt))
        return AdaptedState(self, state, seats, self.most_decisions(config, seats))

    def choice(self, observation: Observation, legal: Choice, names: Sequence[str]) -> Choice:  # noqa: ARG002 options hold all
        """Return the first step of the decision."""
        return walked(legal, names)

    def facts(self, observation: Observation) -> str:
        """Return the observation as JSON."""
        return observation.facts

    def features(self, observation: Observation) -> Sequence[float]:
        """Return the observation as a vector."""
        return observation.features

    def _check_seats(self, seats: int) -> None:
        if seats not in self.seats:
            allowed = seats_in_words(self.seats)
            raise ConfigError(f"{self.name} is played with {allowed}, not {seats}")

    def _call(self, what: str, act: Callable[[], T]) -> T:
        """Call the author's code; raise `RulesError` if it fails."""
        try:
            return guarded(f"{what} of the game {self.name!r}", self.plain.call_seconds, act)
        except (ConfigError, RulesError):
            raise
        except OverrunError as error:
            place = traceback.extract_tb(error.__traceback__)[-2]  # the last is what interrupts
            raise self.failed(what, str(error), place) from None
        except (Exception, SystemExit) as error:  # a stranger's code
            place = traceback.extract_tb(error.__traceback__)[-1]
            why = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise self.failed(what, why, place) from error

    def failed(
        self, what: str, error: str, place: traceback.FrameSummary | None = None
    ) -> RulesError:
        """Return the error for what failed in the author's code, and where."""
        where = f" ({place.filename}, line {place.lineno})" if place else ""
        failure = RulesError(
            f"the game {self.name!r} failed in {what}: {' '.join(error.split())}{where}"
        )
        failure.part = what
        return failure


@dataclass(frozen=True)
class AdaptedState:
    """A `PlainState` as a `State`; it asks the author's code once for what stays the same."""

    game: AdaptedGame = field(repr=False)
    plain: PlainState
    seats: int
    decisions_left: int

    @cached_property
    def to_act(self) -> Seat | None:
        """The seat that decides next, or None when the game is over."""
        seat = self.game._call("to_act", lambda: self.plain.to_act)  # noqa: SLF001 one module
        if seat is not None and seat not in range(self.seats):
            raise self.game.failed("to_act", f"it is {seat!r}, and there are {self.seats} seats")
        if seat is not None and not self.decisions_left:
            raise self.game.failed("to_act", "the game goes on beyond most_decisions")
        return seat

    def legal(self) -> Choice | None:
        """Return the first step of the decision; None when the game is over."""
        return None if self.to_act is None else self._first_step

    @cached_property
    def _first_step(self) -> Choice:
        options = self._call("options", self.plain.options)
        if isinstance(options, Choice):
            return options
        answers = {action: Option(str(label)) for action, label in options.items()}
        if not answers or len({option.label for option in answers.values()}) != len(answers):
            raise self.game.failed("options", f"none, or two with one label: {options}")
        prompt = self._call("prompt", lambda: str(self.plain.prompt()))
        return first_choice(prompt, answers, _itself, _itself)

    def _call(self, what: str, act: Callable[[], T]) -> T:
        return self.game._call(what, act)  # noqa: SLF001 one module

    def _action(self, decided: PlainAction) -> Any:
        """Return the author's action at the end of a path; raise `IllegalAction` off it."""
        step: Any = self.legal()
        for index, label in zip(decided.path, decided.labels, strict=True):
            if not isinstance(step, Choice):
                raise IllegalAction("the decision has fewer steps")
            if not 0 <= index < len(step.options) or step.options[index].label != label:
                raise IllegalAction(f"no option {index} is called {label!r} at this step")
            step = self._call("options", partial(step.take, index))
        if isinstance(step, Choice) or not decided.path:
            raise IllegalAction("the decision has further steps")
        return step

    def check(self, action: PlainAction) -> None:
        """Raise `IllegalAction` unless the seat to act may do this."""
        if len(action.path) != len(action.labels):
            raise IllegalAction("each option of the path has its label")
        self._action(action)

    def apply(self, action: PlainAction) -> "tuple[AdaptedState, Sequence[Event]]":
        """Return the state after a checked action and the events it made, in order."""
        plain = self._action(action)
        state, events = self._call("apply", lambda: self.plain.apply(plain))
        events = tuple(events)
        for event in events:
            if not isinstance(event, Event):
                raise self.game.failed("apply", f"it returned {event!r:.80} as an event")
        return AdaptedState(self.game, state, self.seats, self.decisions_left - 1), events

    def event_for(self, event: Event, seat: Seat) -> Event | None:
        """Return the event as the seat may see it; None if it may see nothing."""
        return event.form_for(seat)

    def observation(self, seat: Seat) -> Observation:
        """Return all that the seat may know now."""
        return self._call("view", lambda: _observed(self.plain.view(seat)))

    def legal_actions(self) -> Sequence[PlainAction]:
        """Return the distinct legal actions of the seat to act; none when the game is over."""
        first = self.legal()
        return [] if first is None else list(_leaves(walked(first)))

    def pieces(self) -> Mapping[Any, int]:
        """Return nothing: the author's pieces are unknown."""
        return {}

    def random_action(self, stream: Stream) -> PlainAction:
        """Draw a random option at each step: uniform over actions where there is one step."""
        step: Any = walked(self._first_step)
        while isinstance(step, Choice):
            step = self._call("options", partial(step.take, stream.below(len(step.options))))
        action: PlainAction = step
        return action

    def scores(self) -> tuple[int, ...]:
        """Return the points of every seat, once the game is over."""
        points = self._call("points", lambda: tuple(map(int, self.plain.points())))
        return self._one_each("points", points)

    def ranks(self) -> tuple[int, ...]:
        """Return every seat's rank from 1, ties sharing a rank, once the game is over."""
        ranks = self._one_each("ranks", self._call("ranks", lambda: tuple(self.plain.ranks())))
        if sorted(ranks) != sorted(1 + sum(other < own for other in ranks) for own in ranks):
            raise self.game.failed("ranks", f"they are {ranks}: ties share the smaller number")
        return ranks

    def _one_each(self, what: str, values: tuple[int, ...]) -> tuple[int, ...]:
        if len(values) != self.seats:
            raise self.game.failed(what, f"there are {len(values)} for {self.seats} seats")
        return values

    def ending(self) -> str:
        """Return how the finished game ended: there is one way."""
        return "over"

    def rounds(self) -> int:
        """Return 0: a plain game counts no rounds."""
        return 0

    def result(self) -> Result:
        """Return the outcome; public by then."""
        lines = self._call("explained", lambda: tuple(map(str, self.plain.explained())))
        return Result(self.scores(), lines)

    def redraw(self, seat: Seat, stream: Stream) -> "AdaptedState | None":
        """Draw a state that agrees with all that the seat has seen; None if the game has none."""
        drawn = self._call("redraw", lambda: self.plain.redraw(seat, stream))
        if drawn is None:
            return None
        return AdaptedState(self.game, drawn, self.seats, self.decisions_left)


@dataclass(frozen=True, slots=True)
class _MeasuredLuck:
    """The luck of a `PlainGame`."""

    game: AdaptedGame

    @property
    def version(self) -> str:
        """The version of the author's measure."""
        return self.game.plain.luck_version

    def known(self, first: AdaptedState) -> Sequence[float]:
        """Return zeros: all luck of a plain game shows in its decisions."""
        return [0.0] * first.seats

    def worths(self, state: AdaptedState, stream: Stream) -> Sequence[Sequence[float]]:
        """Return what a decision is worth, with what chance gave and with other chances."""
        found = self.game._call("worths", lambda: _rows(state.plain.worths(stream)))  # noqa: SLF001 one module
        if any(len(row) != state.seats for row in found):
            raise self.game.failed("worths", f"a row has not {state.seats} values")
        return found


def _rows(worths: Sequence[Sequence[float]]) -> list[list[float]]:
    return [list(map(float, row)) for row in worths]


def _observed(view: View) -> Observation:
    observation = Observation(
        tuple(map(str, view.text)), to_json(view.facts), tuple(map(float, view.features))
    )
    if sum(map(len, observation.text)) + len(observation.facts) > _LARGEST_VIEW:
        raise ValueError(f"the view has more than {_LARGEST_VIEW} characters")
    return observation


def _itself(value: T) -> T:
    return value


def walked(
    step: Choice, names: Sequence[str] | None = None, before: PlainAction = _NOWHERE
) -> Choice:
    """Return a step of an author's choice that leads to `PlainAction`s, and names the seats."""

    def then(index: int) -> "Choice | PlainAction":
        path = PlainAction((*before.path, index), (*before.labels, step.options[index].label))
        following = step.take(index)
        return walked(following, names, path) if isinstance(following, Choice) else path

    def part_of(action: PlainAction) -> int:
        return action.path[len(before.path)]

    options = step.options
    prompt = step.prompt
    if names is not None:
        options = tuple(
            Option(named(label, names), piece, place) for label, piece, place in options
        )
        prompt = named(prompt, names)
    return Choice(prompt, options, tuple(range(len(options))), part_of, then)


def _leaves(step: Choice) -> Iterator[PlainAction]:
    for index in range(len(step.options)):
        following = step.take(index)
        if isinstance(following, Choice):
            yield from _leaves(following)
        else:
            yield following

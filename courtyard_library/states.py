"""Steps through the states of any installed game, without bots and clocks."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from courtyard_library.seats import Configuration, View
from referee.core.errors import UsageError
from referee.games import game_named, single_games
from referee.games.base import Actions, Course, Game, Seat, plain_names
from referee.games.base import State as FullState
from referee.games.choice import Choice
from referee.games.plain.adapter import AdaptedState
from referee.games.randomness import Stream


def games() -> Sequence[str]:
    """Return the names of all installed games, sorted; those of families are left out."""
    return single_games()


@dataclass(frozen=True)
class State:
    """The whole truth of a game at one moment. Immutable: `take` and `apply` return another."""

    game: str
    """The game's name."""
    seats: int
    """How many seats there are."""
    full: FullState = field(repr=False)
    """The state as the rules know it."""
    actions_taken: Sequence[Any] = field(repr=False)
    """The action of each decision so far."""
    _config: Any = field(repr=False)
    _deal: Any = field(repr=False)
    _step: Choice | None = field(default=None, repr=False)
    """The pending step of a decision that was begun."""

    @property
    def to_act(self) -> Seat | None:
        """The seat that decides next; None when the game is over."""
        return self.full.to_act

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.to_act is None

    @cached_property
    def step(self) -> Choice | None:
        """The pending step of the decision; None when the game is over."""
        seat = self.to_act
        if seat is None or self._step is not None:
            return self._step
        observation, names = self.full.observation(seat), plain_names(self.seats)
        return self._rules.choice(observation, self.full.legal(), names)

    @property
    def prompt(self) -> str:
        """What the pending step asks; empty when the game is over."""
        return self.step.prompt if self.step else ""

    @property
    def options(self) -> Sequence[str]:
        """The labels of the pending step's options; none when the game is over."""
        return [option.label for option in self.step.options] if self.step else []

    def take(self, index: int) -> "State":
        """Take an option: the next step of the decision, or the state that it leads to.

        Raise `IllegalAction` if there is no option of this index.
        """
        if self.step is None:
            raise UsageError("the game is over")
        following = self.step.take(index)
        if isinstance(following, Choice):
            return replace(self, _step=following)
        return self._after(following)

    @property
    def legal_actions(self) -> Actions:
        """The distinct legal actions, whole: half a million may be listed lazily."""
        return self.full.legal_actions()

    def apply(self, action: Any) -> "State":
        """Return the state after a whole action; raise `IllegalAction` if the rules forbid it."""
        self.full.check(action)
        return self._after(action)

    def _after(self, action: Any) -> "State":
        state, _ = self.full.apply(action)
        return replace(self, full=state, actions_taken=(*self.actions_taken, action), _step=None)

    def view(self, seat: Seat | None = None) -> View:
        """Return all that a seat may know, by default the one to act, with the pending step."""
        own = self.to_act if seat is None else seat
        if own is None or own not in range(self.seats):
            raise UsageError(f"name a seat from 0 to {self.seats - 1}")
        step = self.step if own == self.to_act else None
        return View(self.game, self.seats, own, self.full.observation(own), step)

    @property
    def points(self) -> Sequence[int]:
        """The points of every seat; raise `UsageError` before the game is over."""
        self._check_over()
        return self.full.scores()

    @property
    def places(self) -> Sequence[int]:
        """Every seat's place from 1, ties sharing one; raise `UsageError` before the end."""
        self._check_over()
        return self.full.ranks()

    def redraw(self, seat: Seat, seed: str) -> "State":
        """Draw a state that the seat cannot tell from this one; a begun decision begins anew.

        Each has its probability if the other seats choose at random. Raise `UsageError` if the
        game offers none.
        """
        stream, rules = Stream(seed, "redraw", str(seat)), self._rules
        if rules.redraw is not None:
            course = Course(self._deal, self.actions_taken)
            deal, actions = rules.redraw(self._config, course, seat).course(stream)
            state = _first(rules, self._config, self.seats, deal)
            for action in actions:
                state = state._after(action)  # noqa: SLF001 -- the same class
            return state
        drawn = self.full.redraw(seat, stream) if isinstance(self.full, AdaptedState) else None
        if drawn is None:
            raise UsageError(f"{self.game} has no redraw here")
        return replace(self, full=drawn, _step=None)

    @property
    def _rules(self) -> Game:
        return game_named(self.game)

    def _check_over(self) -> None:
        if not self.is_over:
            raise UsageError(f"the game is not over: seat {self.to_act} is to act")


def start(
    game: str,
    seats: int | None = None,
    *,
    seed: str | None = None,
    config: Configuration | None = None,
) -> State:
    """Deal a game and return its first state, as a match with this seed would begin.

    `seats` are by default as few as the game allows. Raise `ConfigError` if there is no such game,
    or if it rejects the configuration or the number of seats.
    """
    rules = game_named(game)
    number = rules.seats.start if seats is None else seats
    chosen = rules.config(config or {})
    seed = secrets.token_hex(8) if seed is None else seed
    return _first(rules, chosen, number, rules.deal(chosen, number, Stream(seed, "deal")))


def _first(rules: Game, config: Any, seats: int, deal: Any) -> State:
    return State(rules.name, seats, rules.initial_state(config, seats, deal), (), config, deal)

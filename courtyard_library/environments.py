"""Environments for learners: any installed game for PettingZoo, one seat of it for Gymnasium.

An action is the index of an option of the pending step, as in a `View`; a mask says which there
are. What a learner observes is made from its seat's observation alone: the game's features, then
the steps taken of the decision.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv

from courtyard_library.seats import Choose, Chooser, Configuration, InProcessBot, Player, View
from referee.core.errors import UsageError
from referee.games import game_named
from referee.games.base import Game, IllegalAction, Seat, State, plain_names, seats_in_words
from referee.games.choice import Choice
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup

Floats = NDArray[np.float32]
Mask = NDArray[np.int8]
Rewards = Literal["place", "points"]
"""`place`: the seats behind less those ahead, by the number of others: from -1 to 1. `points`: the
game's points. Either comes once, when the game is over."""

MOST_OPTIONS = 256
"""The size of the action space: no step has more options."""
_STEPS = 8
"""The steps of a decision that are observed, the last ones."""


class GameEnv(AECEnv):  # type: ignore[misc] # PettingZoo is published without types
    """A game for PettingZoo: agents "seat_0" and so on act in the order of the game.

    An observation is {"observation": (n,) float32, "action_mask": (MOST_OPTIONS,) int8}; an agent
    that is not to act has an empty mask. `infos` hold the agent's `View` as "view".
    """

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        *,
        config: Configuration | None = None,
        rewards: Rewards = "place",
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        """Prepare a game of this many seats, by default as few as it allows.

        Raise `ConfigError` if the game rejects the configuration.
        """
        super().__init__()
        self._game = game_named(game)
        self._number = _checked(self._game, seats or self._game.seats.start)
        self._config = self._game.config(config or {})
        self._worth = _worth(rewards)
        self._names = plain_names(self._number)
        self._seed, self._episode = secrets.token_hex(8), 0
        self.metadata = {
            "name": f"courtyard_{self._game.name}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self._number)]
        self.agents: list[str] = []
        length = len(_vector(self._game.features(self._deal().observation(0)), ()))
        self.observation_spaces = {agent: _space(length) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(MOST_OPTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations: the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions: the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:  # noqa: ARG002 -- PettingZoo's
        """Deal a new game; the same seed gives the same games from here on."""
        if seed is not None:
            self._seed, self._episode = str(seed), 0
        self._episode += 1
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._begin(self._deal())

    def step(self, action: int | None) -> None:
        """Take an option for the selected agent; raise `IllegalAction` if the mask excludes it."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or self._step is None:
            raise IllegalAction("an agent that is to act chooses an option: received None")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        following = self._step.take(int(action))
        if isinstance(following, Choice):
            self._pend(following, (*self._path, int(action)))
        else:
            state, _ = self._state.apply(following)
            self._begin(state)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent may know now, as `observation_space` has it."""
        seat = self.possible_agents.index(agent)
        is_due = seat == self._due
        if seat not in self._known:
            self._known[seat] = self._game.features(self._observation(seat))
        return {
            "observation": _vector(self._known[seat], self._path if is_due else ()),
            "action_mask": _mask(self._step if is_due else None),
        }

    def render(self) -> str | None:
        """Return what the agent to act may know, as text."""
        if self.render_mode is None:
            return None
        seat = self.possible_agents.index(self.agent_selection)
        return self._view(seat).text

    def close(self) -> None:
        """Release nothing."""

    def _deal(self) -> State:
        stream = Stream(self._seed, "episode", str(self._episode))
        deal = self._game.deal(self._config, self._number, stream)
        return self._game.initial_state(self._config, self._number, deal)

    def _begin(self, state: State) -> None:
        """Ask the first step of the next decision, or end the game."""
        self._state, self._due = state, state.to_act
        self._observations: dict[Seat, Any] = {}
        self._known: dict[Seat, Sequence[float]] = {}
        seat = self._due
        if seat is None:
            self._pend(None, ())
            worths = self._worth(state.ranks(), state.scores())
            self.rewards = dict(zip(self.agents, worths, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            return
        self.agent_selection = self.possible_agents[seat]
        self._pend(self._game.choice(self._observation(seat), state.legal(), self._names), ())

    def _pend(self, step: Choice | None, path: tuple[int, ...]) -> None:
        self._step, self._path = step, path
        agent = self.agent_selection
        self.infos[agent] = {"view": self._view(self.possible_agents.index(agent))}

    def _view(self, seat: Seat) -> View:
        step = self._step if seat == self._due else None
        return View(self._game.name, self._number, seat, self._observation(seat), step)

    def _observation(self, seat: Seat) -> Any:
        """Return what a seat may know now, made once."""
        if seat not in self._observations:
            self._observations[seat] = self._state.observation(seat)
        return self._observations[seat]


class SeatEnv(gymnasium.Env[Floats, np.int64]):
    """One seat of a game for Gymnasium, against players of this process.

    An observation is (n,) float32. `action_masks()` is what MaskablePPO of sb3-contrib asks for.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012 -- as Gymnasium has it

    def __init__(
        self,
        game: str,
        opponents: Sequence[Choose | InProcessBot | None],
        *,
        seat: Seat | None = None,
        config: Configuration | None = None,
        rewards: Rewards = "place",
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        """Sit down on a seat, by default another one each game; the opponents take the others.

        An opponent is a function from a `View` to the index of an option, `kit(strategy)`,
        `search()`, or None, the stand-in. Raise `ConfigError` if the game rejects the
        configuration.
        """
        self._game = game_named(game)
        self._number = _checked(self._game, len(opponents) + 1)
        if seat is not None and seat not in range(self._number):
            raise UsageError(f"there is no seat {seat}: the game has 0 to {self._number - 1}")
        self._opponents, self._fixed, self._config = opponents, seat, config or {}
        self._worth = _worth(rewards)
        self._names = plain_names(self._number)
        self.render_mode = render_mode
        self._seat = seat or 0
        self._step: Choice | None = None
        self._path: tuple[int, ...] = ()
        self._deal("space")
        self.observation_space = _vectors(len(self._observed()))
        self.action_space = Discrete(MOST_OPTIONS)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Deal a new game, and play until the own seat is to act."""
        super().reset(seed=seed, options=options)
        fixed = self._fixed
        self._seat = int(self.np_random.integers(self._number)) if fixed is None else fixed
        self._deal(str(self.np_random.integers(2**63)))
        self._advance()
        return self._observed(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Take an option, and play until the own seat is to act again, or to the end.

        Raise `IllegalAction` if the mask excludes it.
        """
        if self._step is None:
            raise UsageError("the game is over: reset the environment")
        following = self._step.take(int(action))
        if isinstance(following, Choice):
            self._step, self._path = following, (*self._path, int(action))
        else:
            self._match.decide(following, elapsed_us=0)
            self._advance()
        reward, is_over = 0.0, self._step is None
        if is_over:
            state = self._match.state
            reward = self._worth(state.ranks(), state.scores())[self._seat]
        return self._observed(), reward, is_over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are options of the pending step."""
        return _mask(self._step).astype(bool)

    def render(self) -> str | None:
        """Return what the own seat may know, as text."""
        return self._info()["view"].text if self.render_mode else None

    def _deal(self, seed: str) -> None:
        others = [seat for seat in range(self._number) if seat != self._seat]
        seated = dict(zip(others, self._opponents, strict=True))
        self._players: dict[Seat, Player] = {
            seat: one.sit_down(self._game.name) if isinstance(one, InProcessBot) else Chooser(one)
            for seat, one in seated.items()
            if one is not None
        }
        stand_ins = frozenset(seat for seat, one in seated.items() if one is None)
        self._match = Match(
            MatchSetup(
                "training", self._game.name, self._number, seed, self._config, without_bot=stand_ins
            )
        )
        plain = (seat for seat, player in self._players.items() if player.speaks_plain)
        self._match.use_plain_dialect(plain)
        self._step, self._path = None, ()

    def _advance(self) -> None:
        """Let the others play until the own seat is to act."""
        match = self._match
        self._step, self._path = None, ()
        while match.due is not None:
            seat = match.due.seat
            if seat == self._seat:
                observation, legal = match.state.observation(seat), match.state.legal()
                self._step = self._game.choice(observation, legal, self._names)
                return
            self._players[seat].act(match)

    def _observed(self) -> Floats:
        observation = self._match.state.observation(self._seat)
        return _vector(self._game.features(observation), self._path)

    def _info(self) -> dict[str, Any]:
        observation = self._match.state.observation(self._seat)
        return {"view": View(self._game.name, self._number, self._seat, observation, self._step)}


def _checked(game: Game, seats: int) -> int:
    if seats not in game.seats:
        raise UsageError(f"{game.name} has {seats_in_words(game.seats)}, not {seats}")
    return seats


def _worth(rewards: str) -> Any:
    """Return what makes rewards of places and points."""
    if rewards == "points":
        return lambda _, points: [float(own) for own in points]
    if rewards != "place":
        raise UsageError(f"rewards are by 'place' or by 'points', not {rewards!r}")
    return _by_place


def _by_place(places: Sequence[int], _: Sequence[int]) -> list[float]:
    others = max(1, len(places) - 1)
    return [sum((own < other) - (own > other) for other in places) / others for own in places]


def _vector(features: Sequence[float], path: tuple[int, ...]) -> Floats:
    """Return the features with the steps taken: how many, then each index from 1, 0: none."""
    last = [index + 1 for index in path[-_STEPS:]]
    steps = [len(path), *last, *[0] * (_STEPS - len(last))]
    return np.array([*features, *steps], dtype=np.float32)


def _mask(step: Choice | None) -> Mask:
    mask = np.zeros(MOST_OPTIONS, dtype=np.int8)
    if step is not None:
        if len(step.options) > MOST_OPTIONS:
            raise UsageError(f"a step has {len(step.options)} options, more than {MOST_OPTIONS}")
        mask[: len(step.options)] = 1
    return mask


def _vectors(length: int) -> "Box[np.float32]":
    return Box(-np.inf, np.inf, (length,), np.float32)


def _space(length: int) -> Dict:
    mask = Box(0, 1, (MOST_OPTIONS,), np.int8)
    return Dict({"observation": _vectors(length), "action_mask": mask})

"""Environments for learners keep the contracts of PettingZoo and Gymnasium, and no secret leaks."""

import random
import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import courtyard
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, performance_benchmark, seed_test

from courtyard_library.environments import MOST_OPTIONS
from referee.games import game_named
from referee.games.randomness import Stream
from tests.support.lacking import need_open_spiel
from tests.support.sampling import SAMPLE

TABLES = [(game, seats) for game in courtyard.games() for seats in game_named(game).seats]
PAGE = Path(__file__).parents[2] / "docs" / "openspiel.md"
OPENSPIEL = [
    f"openspiel:{name}"
    for name in re.findall(
        r"^\| (\w+) \| \d[\d to]* \| [a-z]", PAGE.read_text("utf-8"), re.MULTILINE
    )
]
"""Those that the page says play."""
UNAVOIDABLE = (
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
)
"""PettingZoo warns so of every environment with masks that it does not know by name."""
ZEROS = "Observation numpy array is all zeros"
"""It warns so where nothing is known yet or OpenSpiel has no tensor; our games always know."""


def tables_of(game: str) -> Sequence[int]:
    """The numbers of seats from 2 to 5 that a game has."""
    return [seats for seats in game_named(game).seats if seats in range(2, 6)]


def option(mask: Any, stream: random.Random) -> int:
    """One of the options, at random."""
    return stream.choice(np.flatnonzero(mask).tolist())


def play(env: courtyard.GameEnv, stream: random.Random) -> dict[str, float]:
    """Play an episode to its end, and return the reward of each agent."""
    rewards: dict[str, float] = {}
    for agent in env.agent_iter():
        observation, reward, is_over, _, _ = env.last()
        assert env.observation_space(agent).contains(observation)
        assert is_over or not reward
        if is_over:
            rewards[agent] = reward
        env.step(None if is_over else option(observation["action_mask"], stream))
    return rewards


def library_tests(game: str, seats: int) -> None:
    """Try PettingZoo's tests of the interface and of seeds, without an avoidable warning."""
    with warnings.catch_warnings():
        for message in (*UNAVOIDABLE, *([ZEROS] if game in OPENSPIEL else [])):
            warnings.filterwarnings("ignore", message)
        api_test(courtyard.GameEnv(game, seats), num_cycles=100)
        seed_test(lambda: courtyard.GameEnv(game, seats), num_cycles=50)


@pytest.mark.sweep
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_pettingzoo_finds_nothing_wrong(game: str, seats: int) -> None:
    """By its tests of the interface and of seeds, without a warning that can be avoided."""
    library_tests(game, seats)


@pytest.mark.proof
@pytest.mark.parametrize("game", [*courtyard.games(), *OPENSPIEL])
def test_pettingzoo_finds_nothing_wrong_with_any_game(
    game: str, proof_cases: Callable[[int], int]
) -> None:
    """On 2 to 5 seats: its tests, its benchmark, a thousand random episodes; a warning fails."""
    if game in OPENSPIEL:
        need_open_spiel()
    tables, stream = tables_of(game), random.Random(game)
    for seats in tables:
        library_tests(game, seats)
    envs = [courtyard.GameEnv(game, seats) for seats in tables]
    performance_benchmark(envs[0])
    for number in range(proof_cases(1000)):
        env = envs[number % len(envs)]
        env.reset(seed=number)
        assert len(play(env, stream)) == env.max_num_agents


@pytest.mark.parametrize("game", courtyard.games())
def test_episodes_end_with_rewards_by_place(game: str) -> None:
    """Random play, on every number of seats in turn: rewards of a game add up to nothing."""
    tables, stream = game_named(game).seats, random.Random(game)
    for number in range(max(len(tables), 8 // SAMPLE)):
        env = courtyard.GameEnv(game, tables[number % len(tables)])
        env.reset(seed=number)
        rewards = play(env, stream)
        assert len(rewards) == env.max_num_agents
        assert sum(rewards.values()) == pytest.approx(0)
        assert -1 <= min(rewards.values()) <= max(rewards.values()) <= 1


def test_rewards_may_be_the_points() -> None:
    """As the game counts them."""
    env = courtyard.GameEnv("courtisans", 3, rewards="points")
    env.reset(seed=3)
    rewards = play(env, random.Random(3))
    assert tuple(rewards.values()) == env._state.scores()
    with pytest.raises(courtyard.UsageError, match="by 'place' or by 'points'"):
        courtyard.GameEnv("courtisans", rewards="glory")  # type: ignore[arg-type]


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_an_agent_observes_the_same_in_worlds_that_it_cannot_tell_apart(
    game: str, part: int
) -> None:
    """Every other seat, too: what it observes follows from what it may know alone."""
    stream = random.Random(f"{game} {part}")
    env = courtyard.GameEnv(game, game_named(game).seats[part % 4])
    env.reset(seed=part)
    state = courtyard.start(game, env.num_agents, seed=f"worlds {part}")
    for _ in range(stream.randrange(5, 40)):
        state = state.take(stream.randrange(len(state.options)))
        if state.is_over:
            return
    differ = 0
    for seat, agent in enumerate(env.possible_agents):
        env._begin(state.full)
        here = {other: env.observe(other) for other in env.possible_agents}
        env._begin(state.redraw(seat, seed=str(part)).full)
        there = {other: env.observe(other) for other in env.possible_agents}
        for part_of in ("observation", "action_mask"):
            assert np.array_equal(here[agent][part_of], there[agent][part_of])
        others = [other for other in env.possible_agents if other != agent]
        differ += any(
            not np.array_equal(here[other]["observation"], there[other]["observation"])
            for other in others
        )
    assert differ


def test_an_action_that_the_mask_excludes_is_refused() -> None:
    """Not taken for another one."""
    env = courtyard.GameEnv("miracles", 2)
    env.reset(seed=1)
    with pytest.raises(courtyard.IllegalAction):
        env.step(int(env.action_space("seat_0").n) - 1)
    with pytest.raises(courtyard.IllegalAction):
        env.step(None)


def first(_: courtyard.View) -> int:
    """Take the first option."""
    return 0


def at_random(position: Any) -> Any:
    """A strategy for the kit."""
    return position.random_action()


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_gymnasium_finds_nothing_wrong(game: str) -> None:
    """By its checker, with actions that are options."""
    env = courtyard.SeatEnv(game, [first, courtyard.kit(at_random), None], seat=1)
    env.action_space = Always(env)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*Box observation space (minimum|maximum) value")
        check_env(env, skip_render_check=True)


class Always(type(courtyard.GameEnv("courtisans").action_space("seat_0"))):  # type: ignore[misc]
    """A space that samples options alone, as Gymnasium's checker knows no masks."""

    def __init__(self, env: courtyard.SeatEnv) -> None:
        super().__init__(MOST_OPTIONS)
        self.env = env

    def sample(self, *_: Any, **__: Any) -> Any:
        """The first option."""
        return np.int64(np.flatnonzero(self.env.action_masks())[0])


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_one_seat_plays_against_others_to_the_end(game: str) -> None:
    """On changing seats; the same seed gives the same episode."""
    env, seats, episodes = courtyard.SeatEnv(game, [first, None]), set(), []
    for seed in (1, 2, 3, 4, 1):
        stream, is_over = random.Random(seed), False
        observation, info = env.reset(seed=seed)
        seats.add(info["view"].seat)
        seen = [observation]
        while not is_over:
            assert info["view"].options
            mask = env.action_masks()
            observation, reward, is_over, _, info = env.step(option(mask, stream))
            seen.append(observation)
        assert -1 <= reward <= 1
        assert not env.action_masks().any()
        episodes.append(np.array(seen))
    assert len(seats) > 1
    assert np.array_equal(episodes[0], episodes[-1])
    with pytest.raises(courtyard.UsageError, match="reset"):
        env.step(0)


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda: courtyard.GameEnv("courtisans", 7), "2 to 5 seats, not 7"),
        (lambda: courtyard.SeatEnv("courtisans", []), "2 to 5 seats, not 1"),
        (lambda: courtyard.SeatEnv("courtisans", [None], seat=2), "there is no seat 2"),
    ],
)
def test_what_cannot_be_is_said(act: Callable[[], Any], problem: str) -> None:
    """In one line."""
    with pytest.raises(courtyard.UsageError, match=problem):
        act()


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_features_are_as_many_for_one_number_of_seats(game: str) -> None:
    """And do not depend on which seat the reader has: they begin with its own."""
    rules = game_named(game)
    for seats in rules.seats:
        state = rules.initial_state(
            rules.config({}), seats, rules.deal(rules.config({}), seats, Stream("f"))
        )
        assert len({len(rules.features(state.observation(seat))) for seat in range(seats)}) == 1

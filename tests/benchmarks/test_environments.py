"""Steps a second of the environments for learners, beside PettingZoo's own card games in one run.

A step is what a learner sees of one: observation and mask read, a random option taken. CPU time
counts, of one process; rounds of all games take turns, so that whatever else the machine does meets
all of them, and their median counts.
"""

import importlib
import random
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import courtyard
import numpy as np
import pytest

from referee.games import game_named
from tests.support.lacking import need_module, need_open_spiel

pytestmark = pytest.mark.bench

ROUNDS = 5
SECONDS = 0.5
CARD_GAMES = (
    "leduc_holdem_v4",
    "texas_holdem_v4",
    "texas_holdem_no_limit_v6",
)
"""Those of PettingZoo that rlcard plays."""
OPENSPIEL = ("openspiel:leduc_poker", "openspiel:gin_rummy", "openspiel:hearts")

Measure = Callable[[random.Random], int]
"""Plays an episode, and returns how many steps it took."""


def aec(env: Any) -> Measure:
    """Episodes of PettingZoo."""

    def episode(stream: random.Random) -> int:
        env.reset(seed=stream.randrange(2**31))
        steps = 0
        for _ in env.agent_iter():
            observation, _, is_over, is_cut, _ = env.last()
            if is_over or is_cut:
                env.step(None)
                continue
            env.step(stream.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            steps += 1
        return steps

    return episode


def seat(env: courtyard.SeatEnv) -> Measure:
    """Episodes of Gymnasium; the others' decisions are no steps."""

    def episode(stream: random.Random) -> int:
        env.reset(seed=stream.randrange(2**31))
        steps, is_over = 0, False
        while not is_over:
            action = stream.choice(np.flatnonzero(env.action_masks()).tolist())
            _, _, is_over, _, _ = env.step(np.int64(action))
            steps += 1
        return steps

    return episode


def measures() -> Mapping[str, Measure]:
    """What is measured, by name."""
    ours = {
        f"{game}, {seats} seats": aec(courtyard.GameEnv(game, seats))
        for game in courtyard.games()
        for seats in (2, 4)
    }
    alone = {
        f"{game}, one seat of 4": seat(courtyard.SeatEnv(game, [None] * 3))
        for game in courtyard.games()
    }
    plugged_in = {
        f"{game}, {seats} seats": aec(courtyard.GameEnv(game, seats))
        for game in OPENSPIEL
        for seats in game_named(game).seats[:1]
    }
    theirs = {
        f"PettingZoo {name}": aec(importlib.import_module(f"pettingzoo.classic.{name}").env())
        for name in CARD_GAMES
    }
    return ours | alone | plugged_in | theirs


def test_steps_a_second() -> None:
    """Print the table of docs/benchmarks.md."""
    need_open_spiel()
    need_module("rlcard", "pip install rlcard pygame-ce")
    found: dict[str, list[float]] = {}
    games, stream = measures(), random.Random("steps")
    for _ in range(ROUNDS):
        for name, episode in games.items():
            began, steps = time.process_time(), 0
            while (taken := time.process_time() - began) < SECONDS:
                steps += episode(stream)
            found.setdefault(name, []).append(steps / taken)
    for name, rates in found.items():
        print(f"| {name} | {statistics.median(rates):,.0f} |")
    assert all(rates for rates in found.values())

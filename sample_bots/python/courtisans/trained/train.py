"""Trains the network of the bot beside it, and writes weights.npz and curve.csv.

First the network learns to choose as `counter` does, from matches that `counter` plays with itself.
Then MaskablePPO has it play, each match on another seat, against a pool: its own snapshots, more
and more of them, and the sample bots.

It needs more than the bot does: pip install '.[train]' sb3-contrib, in Courtyard's repository.
"""

import argparse
import csv
import multiprocessing
import os
import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain
from pathlib import Path
from typing import Any

import courtyard
import gymnasium
import numpy as np
import torch
from bot import (  # type: ignore[attr-defined] # mypy knows another bot.py
    FAMILY_NUMBERS,
    TURN_NUMBERS,
    Floats,
    Weights,
    scores,
    turns,
)
from courtyard_kit.courtisans import Action, Observation, Position
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv
from torch import nn

from referee.hosting.sample_bots import sample_named

HERE = Path(__file__).parent
GAME = "courtisans"
SEATS = (2, 3, 4)
TEACHER, RIVAL = "counter", "greedy"
SNAPSHOTS = 0.5
"""The share of opponents that are snapshots; the others are sample bots."""
MOST_TURNS = 48
"""The most turns that are offered while it learns; more are drawn at random."""
ROW = 6 * FAMILY_NUMBERS + TURN_NUMBERS + 1
"""Numbers for each turn offered; the last is 1, and 0 where there is no turn."""
UNITS = 32
"""In each layer of the network."""
RNG = random.Random()

Decision = tuple[Floats, int, float]
"""What a bot chose from (MOST_TURNS, ROW), the index of its turn, the reward of its match."""


def sample(name: str) -> Any:
    """Return the strategy of a sample bot."""
    spec = spec_from_file_location(name, sample_named(name, GAME) / "bot.py")
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.choose


def table_of(seen: Observation) -> tuple[Sequence[Action], Floats]:
    """Return some turns that a seat may play, and what describes them (MOST_TURNS, ROW)."""
    offered = turns(seen, RNG, MOST_TURNS)
    table = np.zeros((MOST_TURNS, ROW), np.float32)
    number = len(offered.actions)
    table[:number, : 6 * FAMILY_NUMBERS] = offered.families.reshape(number, -1)
    table[:number, 6 * FAMILY_NUMBERS : -1] = offered.whole
    table[:number, -1] = 1
    return offered.actions, table


def reward(places: Sequence[int], seat: int) -> float:
    """Return the seats behind less those ahead, by the number of others."""
    own = places[seat]
    return sum((own < one) - (own > one) for one in places) / (len(places) - 1)


def likely(weights: Weights, position: Position) -> Action:
    """Return a turn, each as likely as the network finds it."""
    offered = turns(position.observation, RNG, MOST_TURNS)
    score = scores(weights, offered)
    drawn: Action = RNG.choices(offered.actions, np.exp(score - score.max()))[0]
    return drawn


def best(weights: Weights, position: Position) -> Action:
    """Return the turn of the highest score, as the bot does."""
    offered = turns(position.observation, RNG)
    action: Action = offered.actions[int(scores(weights, offered).argmax())]
    return action


class TurnEnv(gymnasium.Wrapper[Floats, Any, Any, Any]):
    """One seat of Courtisans, where an action is a whole turn, by its index; and its opponents."""

    def __init__(self, seats: int) -> None:
        """Seat one who learns among opponents, who are drawn anew each match."""
        self.samples = {name: sample(name) for name in (TEACHER, RIVAL)}
        self.snapshots: list[Weights] = []
        env = self

        class Opponent:
            def __init__(self) -> None:
                self.choose = env.opponent()

        super().__init__(courtyard.SeatEnv(GAME, [courtyard.kit(Opponent)] * (seats - 1)))
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (MOST_TURNS * ROW,))
        self.action_space = gymnasium.spaces.Discrete(MOST_TURNS)

    def reset(self, **how: Any) -> tuple[Floats, dict[str, Any]]:
        """Deal a new game, and play until the own seat is to act."""
        _, info = self.env.reset(**how)
        return self._offer(info["view"]), {}

    def step(self, action: Any) -> tuple[Floats, Any, bool, bool, dict[str, Any]]:
        """Play a turn, and on until the own seat is to act again."""
        for index in self.view.step.path(self.actions[action]):
            _, worth, over, cut, info = self.env.step(index)
        table = np.zeros(MOST_TURNS * ROW, np.float32) if over else self._offer(info["view"])
        return table, worth, over, cut, {}

    def _offer(self, view: Any) -> Floats:
        self.view = view
        self.actions, self.table = table_of(view.observation)
        return self.table.ravel()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which turns there are."""
        exists: NDArray[np.bool_] = self.table[:, -1] > 0
        return exists

    def opponent(self) -> Any:
        """Return a strategy: a sample bot, or a snapshot, a later one more often."""
        if not self.snapshots or RNG.random() > SNAPSHOTS:
            return RNG.choice(list(self.samples.values()))
        return partial(likely, self.snapshots[int(len(self.snapshots) * RNG.random() ** 0.5)])

    def add(self, snapshot: Weights) -> None:
        """Let a snapshot of the network be an opponent."""
        self.snapshots.append(snapshot)

    def watch(self, seconds: float) -> list[Decision]:
        """Have the teacher play with itself for a while; return its decisions."""
        until, seen = time.monotonic() + seconds, list[Decision]()
        while not seen or time.monotonic() < until:
            in_match: list[tuple[Floats, int, int]] = []

            def choose(position: Position) -> Action:
                action: Action = self.samples[TEACHER](position)
                actions, table = table_of(position.observation)
                if action in actions:
                    in_match.append((table, actions.index(action), position.seat))  # noqa: B023
                return action

            places = courtyard.play(GAME, [courtyard.kit(choose)] * RNG.choice(SEATS)).places
            seen += [(table, at, reward(places, seat)) for table, at, seat in in_match]
        return seen

    def measure(self, weights: Weights, matches: int) -> list[float]:
        """Return the rewards of one seat, by matches with `greedy` on the others."""
        rewards = []
        for number in range(matches):
            players = [courtyard.kit(self.samples[RIVAL])] * SEATS[number % len(SEATS)]
            own = RNG.randrange(len(players))
            players[own] = courtyard.kit(partial(best, weights))
            rewards.append(reward(courtyard.play(GAME, players).places, own))
        return rewards


class Network(nn.Module):  # type: ignore[misc] # may be missing
    """The bot's network, and beside it what estimates the reward."""

    latent_dim_pi, latent_dim_vf = MOST_TURNS, UNITS

    def __init__(self) -> None:
        super().__init__()
        sizes = [FAMILY_NUMBERS, UNITS], [UNITS] * 2, [UNITS + TURN_NUMBERS, UNITS], [UNITS, 1]
        self.layers = nn.ModuleList(nn.Linear(*size) for size in sizes)
        self.value = nn.Linear(UNITS, UNITS)

    def forward(self, tables: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the scores (matches, MOST_TURNS), and what the value is made of."""
        tables = tables.view(-1, MOST_TURNS, ROW)
        rows = tables[..., : 6 * FAMILY_NUMBERS].unflatten(-1, (6, FAMILY_NUMBERS))
        for layer in self.layers[:2]:
            rows = layer(rows).relu()
        whole = torch.cat([rows.sum(-2), tables[..., 6 * FAMILY_NUMBERS : -1]], -1)
        hidden = self.layers[2](whole).relu()
        exists = tables[..., -1:]
        mean = (hidden * exists).sum(-2) / exists.sum(-2).clamp(min=1)
        return self.layers[3](hidden).squeeze(-1), self.value(mean).relu()

    def forward_actor(self, tables: torch.Tensor) -> torch.Tensor:
        """Return the scores."""
        return self(tables)[0]

    def forward_critic(self, tables: torch.Tensor) -> torch.Tensor:
        """Return what the value is made of."""
        return self(tables)[1]

    def weights(self) -> Weights:
        """Return the weights as the bot reads them."""
        named = {}
        for number, layer in enumerate(self.layers):
            named[f"w{number}"] = layer.weight.detach().numpy().T.copy()
            named[f"b{number}"] = layer.bias.detach().numpy().copy()
        return named


class Policy(MaskableActorCriticPolicy):  # type: ignore[misc] # may be missing
    """Takes the scores of the turns as their logits."""

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = Network()

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr_schedule(1))


def clone(policy: Policy, decisions: Sequence[Decision], until: float) -> Iterator[float]:
    """Learn to choose as the teacher did; yield the share of equal choices after each pass."""
    tables = torch.tensor(np.stack([table for table, _, _ in decisions])).flatten(1)
    choices = torch.tensor([at for _, at, _ in decisions])
    rewards = torch.tensor([worth for _, _, worth in decisions])
    optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
    while time.monotonic() < until:
        equal = 0
        for batch in torch.randperm(len(choices)).split(64):
            scored, hidden = policy.mlp_extractor(tables[batch])
            exists = tables[batch].view(-1, MOST_TURNS, ROW)[..., -1] > 0
            scored = scored.where(exists, torch.tensor(-1e9))
            value = policy.value_net(hidden).squeeze(-1)
            loss = nn.functional.cross_entropy(scored, choices[batch])
            loss += (value - rewards[batch]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            equal += int((scored.argmax(1) == choices[batch]).sum())
        yield equal / len(choices)


class Progress(BaseCallback):  # type: ignore[misc] # may be missing
    """Adds snapshots to the pools, measures now and then, and ends in time."""

    def __init__(self, matches: int, until: float, every: float) -> None:
        super().__init__()
        self.matches, self.until, self.every = matches, until, every
        self.begun = self.measured = time.monotonic()
        self.curve: list[Sequence[object]] = [
            ("minutes", "learnt", "decisions", "reward_against_greedy", "standard_error")
        ]

    def _on_step(self) -> bool:
        return time.monotonic() < self.until

    def _on_rollout_end(self) -> None:
        env, weights = self.training_env, self.model.policy.mlp_extractor.weights()
        env.env_method("add", weights)
        if time.monotonic() - self.measured > self.every:
            self.measure("by play", self.num_timesteps)

    def measure(self, learnt: str, decisions: int) -> None:
        """Write the weights, and how they play."""
        weights = self.model.policy.mlp_extractor.weights()
        np.savez(HERE / "weights.npz", **weights)
        env = self.model.get_env()
        rewards = np.concatenate(
            env.env_method("measure", weights, -(-self.matches // env.num_envs))
        )
        self.measured = time.monotonic()
        error = rewards.std() / len(rewards) ** 0.5
        minutes = f"{(self.measured - self.begun) / 60:.1f}"
        self.curve.append((minutes, learnt, decisions, f"{rewards.mean():.3f}", f"{error:.3f}"))
        print(*self.curve[-1], flush=True)
        with (HERE / "curve.csv").open("w", newline="") as file:
            csv.writer(file).writerows(self.curve)


def main() -> None:
    """Train for a while."""
    parser = argparse.ArgumentParser(description="Trains the bot beside it.")
    parser.add_argument("--minutes", type=float, default=60, help="for all of it (60)")
    parser.add_argument("--matches", type=int, default=96, help="of each measurement (96)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(as many as cores)")
    options = parser.parse_args()
    seconds, begun = options.minutes * 60, time.monotonic()
    torch.set_num_threads(1)
    forks = "fork" in multiprocessing.get_all_start_methods()
    seated = [partial(TurnEnv, SEATS[one % len(SEATS)]) for one in range(options.processes)]
    env = SubprocVecEnv(seated, start_method="fork" if forks else "spawn")
    model = MaskablePPO(
        Policy,
        env,
        n_steps=max(16, 512 // env.num_envs),
        batch_size=128,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.003,
        policy_kwargs={"ortho_init": False},
    )
    progress = Progress(options.matches, begun + seconds, seconds / 6)
    progress.init_callback(model)
    decisions = list(chain.from_iterable(env.env_method("watch", seconds / 5)))
    print(len(decisions), "decisions of", TEACHER, flush=True)
    for equal in clone(model.policy, decisions, begun + seconds / 2):
        print(f"{equal:.2f} as {TEACHER}", flush=True)
    progress.measure(f"from {TEACHER}", len(decisions))
    model.learn(10**9, callback=progress)
    progress.measure("by play", model.num_timesteps)
    env.close()


if __name__ == "__main__":
    main()

"""Real matches between the bots of a field, played once and kept: what ladders are drawn from.

Made by `python -m tests.benchmarks.ranking.real.bank FIELD...`, one process. Every group of as many
bots as there are seats plays some blocks: a deal on all rotations of the seats, after an order that
is drawn anew for each. A match that has a deal of its own is one of a block's. A simulated ladder
takes the matches of a group in an order of its own and none twice before all are used; so what it
sees are fresh matches, and no two ladders see the same ones.

The truth is the expected place of each bot when all groups are equally likely, from all matches of
the bank; its error follows from how much the blocks of a group differ.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray

from referee.games import game_named
from referee.games.randomness import Stream
from tests.benchmarks.ranking.real import courtisans, miracles, openspiel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DATA = Path(__file__).with_name("data")


class Style(Protocol):
    """How a bot plays."""

    @property
    def name(self) -> str:
        """What the tables call it."""

    def choose(self, state: Any, chance: Random) -> Any:
        """Return what the bot does."""


@dataclass(frozen=True, slots=True)
class Field:
    """Bots that play one game."""

    game: str
    styles: Sequence[Style]
    blocks: int
    """The number of blocks that every group plays."""
    seats: int = 4


FIELDS = {
    "courtisans-spread": Field("courtisans", courtisans.SPREAD, 8),
    "courtisans-dense": Field("courtisans", courtisans.DENSE, 16),
    "miracles-spread": Field("miracles", miracles.SPREAD, 12),
    "miracles-dense": Field("miracles", miracles.DENSE, 10),
    "courtisans-2": Field("courtisans", courtisans.SPREAD[::2], 100, 2),
    "courtisans-3": Field("courtisans", courtisans.SPREAD[::2], 40, 3),
    "courtisans-5": Field("courtisans", courtisans.SPREAD[::2], 24, 5),
    "miracles-2": Field("miracles", miracles.SPREAD[::2], 40, 2),
    "miracles-3": Field("miracles", miracles.SPREAD[::2], 14, 3),
    "miracles-5": Field("miracles", miracles.SPREAD[::2], 8, 5),
    "leduc-2": Field("openspiel:leduc_poker", openspiel.styles("leduc_poker"), 100, 2),
    "kuhn-3": Field("openspiel:kuhn_poker", openspiel.styles("kuhn_poker(players=3)"), 40, 3),
    "dice-2": Field("openspiel:liars_dice", openspiel.styles("liars_dice"), 100, 2),
}
MINGLED = {"courtisans-close": "courtisans-dense", "miracles-close": "miracles-dense"}
"""Fields made from others: in two of three matches its bots play as each other, by chance."""
_THEMSELVES = 1 / 3


@dataclass(frozen=True, eq=False)
class Bank:
    """The matches of a field: G groups, B blocks of each, on all rotations of the seats."""

    names: Sequence[str]
    """(N,) of the bots."""
    order: Ints
    """(G, B, seats) which member of the group sits where on the first rotation."""
    ranks: Ints
    """(G, B, rotations, members) places from 1, by member of the group."""
    points: Ints
    """(G, B, rotations, members)"""

    @property
    def seats(self) -> int:
        """How many sit at a table."""
        return int(self.ranks.shape[-1])

    @property
    def matches(self) -> int:
        """How many they are."""
        return int(self.ranks.size) // self.seats

    @cached_property
    def groups(self) -> Ints:
        """(G, seats) the members of each group, ascending."""
        return np.array(list(combinations(range(len(self.names)), self.seats)))

    @cached_property
    def places(self) -> Floats:
        """(N,) the truth: expected places."""
        return self._per_bot(self._block_places().mean(axis=1))

    @cached_property
    def errors(self) -> Floats:
        """(N,) standard errors of the places."""
        blocks = self._block_places()
        variance = blocks.var(axis=1, ddof=1) / blocks.shape[1]
        each = comb(len(self.names) - 1, self.seats - 1)
        errors: Floats = np.sqrt(self._per_bot(variance) / each)
        return errors

    @cached_property
    def mean_points(self) -> Floats:
        """(N,) expected points."""
        return self._per_bot(self.points.mean(axis=(1, 2)))

    def seat(self, group: int, block: int, rotation: int) -> Ints:
        """Return (members,) the seat of each member in a match."""
        order = self.order[group, block]
        seat: Ints = (np.argsort(order) + rotation) % self.seats
        return seat

    def _block_places(self) -> Floats:
        """Return (G, B, members) mean places; who shares one has the mean of those they take."""
        better = (self.ranks[..., None, :] < self.ranks[..., :, None]).sum(axis=-1)
        equal = (self.ranks[..., None, :] == self.ranks[..., :, None]).sum(axis=-1)
        places: Floats = (better + (equal + 1) / 2).mean(axis=2)
        return places

    def _per_bot(self, values: Floats) -> Floats:
        """Return (N,) means of (G, members)."""
        n = len(self.names)
        total = np.bincount(self.groups.ravel(), values.ravel(), minlength=n)
        return total / np.bincount(self.groups.ravel(), minlength=n)


def played() -> list[str]:
    """Return the fields whose banks are there."""
    kept = [name for name in FIELDS if (_DATA / f"{name}.npz").exists()]
    return [*kept, *(name for name, origin in MINGLED.items() if origin in kept)]


def load(name: str) -> Bank:
    """Return the bank of a field, which `played` has."""
    if name in MINGLED:
        return _mingled(load(MINGLED[name]))
    with np.load(_DATA / f"{name}.npz") as kept:
        wide = {part: kept[part].astype(np.int64) for part in ("order", "ranks", "points")}
    return Bank([style.name for style in FIELDS[name].styles], **wide)


def _mingled(bank: Bank) -> Bank:
    """Return a closer field."""
    chance = Generator(Philox(key=0))
    other = np.argsort(chance.random(bank.ranks.shape), axis=-1)
    own = chance.random(bank.ranks.shape[:-1]) < _THEMSELVES
    other[own] = np.arange(bank.seats)
    results = (np.take_along_axis(part, other, axis=-1) for part in (bank.ranks, bank.points))
    return Bank(bank.names, bank.order, *results)


def play(name: str) -> None:
    """Play the blocks of a field that are not there yet; keep each when all groups played it."""
    field, kept = FIELDS[name], load(name) if name in played() else None
    for number in range(kept.ranks.shape[1] if kept else 0, field.blocks):
        block = _block(name, number)
        if kept:
            parts = ("order", "ranks", "points")
            joined = [np.concatenate([getattr(b, p) for b in (kept, block)], 1) for p in parts]
            block = Bank(kept.names, *joined)
        keep(name, kept := block)


def _block(name: str, number: int) -> Bank:
    """Play one block of all groups."""
    field = FIELDS[name]
    seats = field.seats
    groups = list(combinations(range(len(field.styles)), seats))
    order = np.zeros((len(groups), 1, seats), np.int64)
    ranks = np.zeros((len(groups), 1, seats, seats), np.int64)
    points = np.zeros_like(ranks)
    for g, group in enumerate(groups):
        seed = f"{name} {g} {number}"
        order[g, 0] = Random(seed).sample(range(seats), seats)
        for rotation in range(seats):
            member = [int(order[g, 0, (seat - rotation) % seats]) for seat in range(seats)]
            seated = [field.styles[group[m]] for m in member]
            ranks[g, 0, rotation, member], points[g, 0, rotation, member] = _match(
                field.game, seated, seed, rotation
            )
    return Bank([style.name for style in field.styles], order, ranks, points)


def _match(
    name: str, seated: Sequence[Style], seed: str, rotation: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Play one match; return places and points by seat."""
    game = game_named(name)
    config = game.config({})
    seats = len(seated)
    state = game.initial_state(config, seats, game.deal(config, seats, Stream(seed, "deal")))
    chance = Random(f"{seed} {rotation}")
    while state.to_act is not None:
        state, _ = state.apply(seated[state.to_act].choose(state, chance))
    return state.ranks(), state.scores()


def keep(name: str, bank: Bank) -> None:
    """Write a bank down; a match takes 9 bytes before they are compressed."""
    _DATA.mkdir(exist_ok=True)
    narrow = {part: getattr(bank, part).astype(np.int8) for part in ("order", "ranks", "points")}
    part = _DATA / f"{name}.part.npz"
    np.savez_compressed(part, **narrow)
    part.replace(_DATA / f"{name}.npz")


def main(arguments: Sequence[str]) -> None:
    """Play what the named fields lack, and say what the bots are worth."""
    parser = argparse.ArgumentParser(prog="bank", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("fields", nargs="*", metavar="FIELD", help=f"of {' '.join(FIELDS)}")
    for name in parser.parse_args(arguments).fields or FIELDS:
        began = time.process_time()
        play(name)
        bank = load(name)
        took = time.process_time() - began
        print(f"{name}: {bank.matches} matches, {took:.0f} s of CPU time")
        for i in np.argsort(bank.places):
            where = f"{bank.places[i]:.3f} ± {1.96 * bank.errors[i]:.3f}"
            print(f"  {bank.names[i]:20} {where}  {bank.mean_points[i]:6.2f} points", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

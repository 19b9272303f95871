"""Real matches between the bots of a field, played once and kept: what ladders are drawn from.

Made by `python -m tests.benchmarks.ranking.real.bank FIELD...`, one process. Every group of four
bots plays some blocks: a deal on all four rotations of the seats, after an order that is drawn
anew for each. A match that has a deal of its own is one of a block's. A simulated ladder takes the
matches of a group in an order of its own and none twice before all are used; so what it sees are
fresh matches, and no two ladders see the same ones.

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
from numpy.typing import NDArray

from referee.games import game_named
from referee.games.randomness import Stream
from tests.benchmarks.ranking.real import courtisans, miracles

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SEATS = 4
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
    """So many blocks every group plays."""


FIELDS = {
    "courtisans-spread": Field("courtisans", courtisans.SPREAD, 8),
    "courtisans-dense": Field("courtisans", courtisans.DENSE, 16),
    "miracles-spread": Field("miracles", miracles.SPREAD, 12),
    "miracles-dense": Field("miracles", miracles.DENSE, 10),
}


@dataclass(frozen=True, eq=False)
class Bank:
    """The matches of a field: G groups, B blocks of each, four rotations, four seats."""

    names: Sequence[str]
    """(N,) of the bots."""
    order: Ints
    """(G, B, seats) which member of the group sits where on the first rotation."""
    ranks: Ints
    """(G, B, rotations, members) places from 1, by member of the group."""
    points: Ints
    """(G, B, rotations, members)"""

    @cached_property
    def groups(self) -> Ints:
        """(G, 4) the members of each group, ascending."""
        return np.array(list(combinations(range(len(self.names)), SEATS)))

    @cached_property
    def places(self) -> Floats:
        """(N,) the truth: expected places."""
        return self._per_bot(self._block_places().mean(axis=1))

    @cached_property
    def errors(self) -> Floats:
        """(N,) standard errors of the places."""
        blocks = self._block_places()
        variance = blocks.var(axis=1, ddof=1) / blocks.shape[1]
        each = comb(len(self.names) - 1, SEATS - 1)
        errors: Floats = np.sqrt(self._per_bot(variance) / each)
        return errors

    @cached_property
    def mean_points(self) -> Floats:
        """(N,) expected points."""
        return self._per_bot(self.points.mean(axis=(1, 2)))

    def seat(self, group: int, block: int, rotation: int) -> Ints:
        """Return (members,) the seat of each member in a match."""
        order = self.order[group, block]
        seat: Ints = (np.argsort(order) + rotation) % SEATS
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
    return [name for name in FIELDS if (_DATA / f"{name}.npz").exists()]


def load(name: str) -> Bank:
    """Return the bank of a field, which `played` has."""
    with np.load(_DATA / f"{name}.npz") as kept:
        wide = {part: kept[part].astype(np.int64) for part in ("order", "ranks", "points")}
    return Bank([style.name for style in FIELDS[name].styles], **wide)


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
    groups = list(combinations(range(len(field.styles)), SEATS))
    order = np.zeros((len(groups), 1, SEATS), np.int64)
    ranks = np.zeros((len(groups), 1, SEATS, SEATS), np.int64)
    points = np.zeros_like(ranks)
    for g, group in enumerate(groups):
        seed = f"{name} {g} {number}"
        order[g, 0] = Random(seed).sample(range(SEATS), SEATS)
        for rotation in range(SEATS):
            member = [int(order[g, 0, (seat - rotation) % SEATS]) for seat in range(SEATS)]
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
    state = game.initial_state(config, SEATS, game.deal(config, SEATS, Stream(seed, "deal")))
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
        print(f"{name}: {bank.ranks.size // SEATS} matches, {took:.0f} s of CPU time")
        for i in np.argsort(bank.places):
            where = f"{bank.places[i]:.3f} ± {1.96 * bank.errors[i]:.3f}"
            print(f"  {bank.names[i]:20} {where}  {bank.mean_points[i]:6.2f} points", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

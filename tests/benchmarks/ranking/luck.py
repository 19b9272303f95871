"""Fits Courtisans' measure of luck, and says how many matches it saves on bots that it never saw.

`python -m tests.benchmarks.ranking.luck --fit` writes `referee/games/courtisans/luck.json` from
matches of bots with random styles; without it, the coefficients that are there are tried on the
bots of the benchmark on real play. A gain of 1.2 means that the mean of 1.2 times fewer matches has
the same error once luck is taken off.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.games.courtisans import luck
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import draw_deal
from referee.games.courtisans.missions import WHITE
from referee.games.courtisans.state import initial_state
from referee.games.randomness import Stream
from tests.benchmarks.ranking.real.bank import load
from tests.benchmarks.ranking.real.courtisans import DENSE, SPREAD, Style

Floats = NDArray[np.float64]
_FILE = Path(luck.__file__).with_name("luck.json")
_RIDGE = 1e-3
BANK_SEATS = 4
_FIELDS = {"spread": SPREAD, "dense": DENSE}
_OF_A_COLOUR = len(WHITE)


class Played(NamedTuple):
    """One match."""

    features: Floats
    """(seats, features) summed over the draws of chance, less their means, relative to the table's
    mean."""
    points: Floats
    """(seats,) relative to the table's mean."""
    names: Sequence[str]


def a_style(chance: Random) -> Style:
    """Draw a bot of which no benchmark knows."""

    def sometimes(share: float, most: float) -> float:
        return chance.uniform(0.0, most) if chance.random() < share else 0.0

    return Style(
        "drawn",
        aimless=sometimes(0.5, 0.6),
        soft=chance.uniform(0.7, 3.5),
        own=chance.uniform(0.2, 1.2),
        against=chance.uniform(0.0, 1.2),
        mission=chance.uniform(0.0, 1.3),
        gamble=sometimes(0.2, 1.0),
        noise=sometimes(0.3, 3.0),
    )


def play(field: str, seats: int, number: int) -> Played:
    """Play a match of a field, or of drawn styles."""
    seed = f"luck {field} {seats} {number}"
    chance = Random(seed)
    table = (
        chance.sample(_FIELDS[field], seats)
        if field in _FIELDS
        else [a_style(chance) for _ in range(seats)]
    )
    state = initial_state(Config(), seats, draw_deal(seats, Stream(seed, "deal")))
    known = np.zeros((seats, seats + 2 * _OF_A_COLOUR))
    for seat, held in enumerate(luck.held_at_first(state)):
        known[seat, list(held)] = 1.0
    known -= [1 / seats] * seats + [1 / _OF_A_COLOUR] * 2 * _OF_A_COLOUR
    turns = np.zeros((seats, luck.STAGES, 2, luck.FEATURES))
    while state.to_act is not None:
        drawn, *others = luck.tables(state, Stream(seed, "luck", str(state.turn)))
        if others:
            for seat, gained in enumerate(np.array(drawn) - np.mean(others, axis=0)):
                turns[seat, luck.stage(state), int(seat != state.to_act)] += gained
        state, _ = state.apply(table[state.to_act].choose(state, chance))
    features = np.hstack([known, turns.reshape(seats, -1)])
    points = np.array(state.scores(), float)
    names = [style.name for style in table]
    relative = features - features.mean(axis=0)
    return Played(relative, points - points.mean(), names)


def fitted(matches: Sequence[Played]) -> Floats:
    """Return the coefficients that explain most of the points."""
    x = np.vstack([match.features for match in matches])
    y = np.hstack([match.points for match in matches])
    found = np.linalg.solve(x.T @ x + _RIDGE * len(x) * np.eye(x.shape[1]), x.T @ y)
    return found.astype(np.float64)


def coefficients(fit: Floats, seats: int) -> dict[str, object]:
    """Return coefficients as the file has them: those known at once less their mean."""
    first = [fit[:seats], *np.split(fit[seats : seats + 2 * _OF_A_COLOUR], 2)]
    turns = fit[seats + 2 * _OF_A_COLOUR :].reshape(luck.STAGES, 2, luck.FEATURES)
    known = np.hstack([part - part.mean() for part in first])
    return {"known": known.round(4).tolist(), "turns": turns.round(4).tolist()}


def gain(matches: Sequence[Played], given: Floats) -> tuple[float, float, float]:
    """Return how many times fewer matches do, its standard error, and the rms z of the bots' luck.

    `given` is (M, seats), the luck of the matches. Points are taken about each bot's mean.
    """
    names = np.array([name for match in matches for name in match.names])
    points = np.hstack([match.points for match in matches])
    raw, left = points.copy(), points - given.ravel()
    z = []
    for name in set(names.tolist()):
        own = names == name
        raw[own] -= raw[own].mean()
        left[own] -= left[own].mean()
        z.append(given.ravel()[own].mean() / (given.ravel()[own].std() / own.sum() ** 0.5))
    squares = np.stack([raw**2, left**2]).reshape(2, len(matches), -1).mean(axis=2)
    ratio = squares[0].mean() / squares[1].mean()
    error = (squares[0] - ratio * squares[1]).std() / len(matches) ** 0.5 / squares[1].mean()
    return float(ratio), float(error), float(np.sqrt(np.mean(np.square(z))))


def share_of_matches(field: str, matches: Sequence[Played], given: Floats) -> tuple[float, float]:
    """Return which share of the matches a mix of places and points needs once luck is taken off.

    Also return its bootstrap standard error. Both mixes have the weights with the least error; the
    truth is the bank's, at tables drawn at random.
    """
    bank = load(f"courtisans-{field}")
    relative = bank.points - bank.points.mean(axis=-1, keepdims=True)
    members = bank.groups.ravel()
    total = np.bincount(members, relative.mean(axis=(1, 2)).ravel())
    by_points: Floats = total / np.bincount(members)
    which = [[bank.names.index(name) for name in match.names] for match in matches]
    points = np.array([match.points for match in matches])
    ahead = np.sign(points[:, :, None] - points[:, None, :]).sum(axis=2)
    ahead_by = 1 - 2 * (bank.places - 1) / (bank.seats - 1)

    def errors(values: Floats, truth: Floats) -> Floats:
        own = (truth - truth.mean())[which]
        others = (own.sum(axis=1, keepdims=True) - own) / (bank.seats - 1)
        n = len(bank.names)
        found: Floats = (values - (own - others) * (n - 1) / n) / truth.std()
        return found

    places = errors(ahead / (bank.seats - 1), ahead_by)
    raw, corrected = errors(points, by_points), errors(points - given, by_points)

    def least(one: Floats, other: Floats) -> float:
        (a, c), (_, b) = np.cov(one.ravel(), other.ravel())
        share = min(1.0, max(0.0, (a - c) / (a + b - 2 * c)))
        return float((1 - share) ** 2 * a + share**2 * b + 2 * share * (1 - share) * c)

    def ratio(some: NDArray[np.int64]) -> float:
        return least(places[some], corrected[some]) / least(places[some], raw[some])

    chance, n = np.random.default_rng(0), len(matches)
    drawn = [ratio(chance.integers(0, n, n)) for _ in range(200)]
    return ratio(np.arange(n)), float(np.std(drawn))


def main(arguments: Sequence[str]) -> None:
    """Fit, or try what was fitted."""
    parser = argparse.ArgumentParser(prog="luck", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="fit anew, and write the file")
    parser.add_argument("--matches", type=int, default=1500, help="of each field and table size")
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4, 5])
    chosen = parser.parse_args(arguments)
    kept = json.loads(_FILE.read_text())
    for seats in chosen.seats:
        numbers = range(chosen.matches)
        if chosen.fit:
            fit = fitted([play("drawn", seats, number) for number in numbers])
            kept[str(seats)] = coefficients(fit, seats)
            _FILE.write_text(json.dumps(kept) + "\n")
        found = kept[str(seats)]
        weights = np.hstack([found["known"], np.ravel(found["turns"])])
        for field in _FIELDS:
            matches = [play(field, seats, number) for number in numbers]
            given = np.array([match.features @ weights for match in matches])
            ratio, error, z = gain(matches, given)
            if seats == BANK_SEATS:
                share, share_error = share_of_matches(field, matches, given)
                print(f"{field}: rated on places and points, {share:.3f} ± {share_error:.3f}")
            sd = given.std()
            print(
                f"{seats} seats, {field}: {ratio:.3f} ± {error:.3f} times fewer matches, "
                f"luck {sd:.2f} points a match, rms z {z:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])

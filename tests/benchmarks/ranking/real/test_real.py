"""The benchmark on real play: that its parts are what they say."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import trueskill
from scipy.special import expit, ndtr

from ladder.rating.results import Log, MatchResult
from tests.benchmarks.ranking.measures import kendall_tau
from tests.benchmarks.ranking.peers import HALITE, RANDOM
from tests.benchmarks.ranking.real import bank as banks
from tests.benchmarks.ranking.real import bench, designs, tables
from tests.benchmarks.ranking.real.bank import FIELDS, Bank, Style
from tests.benchmarks.ranking.real.bench import (
    IN_ORDER,
    OTHERS,
    PARTS,
    PLANS,
    InOrder,
    Ladders,
    Plan,
)
from tests.benchmarks.ranking.real.experiment import GRID, Row
from tests.benchmarks.ranking.real.foretold import EQUAL
from tests.benchmarks.ranking.real.ladders import Draws, of_peer
from tests.benchmarks.ranking.real.tables import OURS, crossed, ratio
from tests.benchmarks.ranking.trueskill_batch import MU, SIGMA, Environment
from tests.support.lacking import need_open_spiel


@pytest.fixture(scope="module")
def bank() -> Bank:
    """The spread field of Courtisans."""
    return banks.load("courtisans-spread")


@dataclass(frozen=True)
class Checked:
    """A bot whose actions the rules check."""

    style: Style

    @property
    def name(self) -> str:
        """What the bot is called."""
        return self.style.name

    def choose(self, state: Any, chance: Random) -> Any:
        """Return what the bot does."""
        action = self.style.choose(state, chance)
        state.check(action)
        return action


@pytest.mark.parametrize("name", [*(n for n, f in FIELDS.items() if f.seats == 4), "kuhn-3"])
def test_a_field_plays_by_the_rules(name: str) -> None:
    """The bots of a field have different names, play legally, and the same match is the same."""
    field = FIELDS[name]
    if field.game.startswith("openspiel:"):
        need_open_spiel()
    table = [Checked(style) for style in (*field.styles[:1], *field.styles[1 - field.seats :])]

    assert len({style.name for style in field.styles}) == len(field.styles) >= 8
    first = banks._match(field.game, table, "a seed", 0)
    assert first == banks._match(field.game, table, "a seed", 0)
    assert first != banks._match(field.game, table, "another seed", 0)


def test_a_bank_is_what_the_command_makes(bank: Bank) -> None:
    """A match of the bank that is played again ends as it did."""
    field = FIELDS["courtisans-spread"]
    group, block, rotation = 700, 3, 2
    seat = bank.seat(group, block, rotation).tolist()
    member = [seat.index(at) for at in range(bank.seats)]
    table = [field.styles[bank.groups[group, m]] for m in member]

    ranks, points = banks._match(field.game, table, f"courtisans-spread {group} {block}", rotation)

    assert bank.ranks[group, block, rotation, member].tolist() == list(ranks)
    assert bank.points[group, block, rotation, member].tolist() == list(points)


def test_truth(bank: Bank) -> None:
    """Places are 2.5 on average, known to a hundredth, and those of chance alone are the last."""
    assert bank.places.mean() == pytest.approx(2.5)
    assert 0.005 < bank.errors.max() < 0.01
    assert bank.names[int(bank.places.argmax())] == "aimless 1.00"


def test_no_match_is_drawn_twice(bank: Bank) -> None:
    """A ladder sees every match of a group once before it sees one again; another, in its order."""
    every = bank.ranks.shape[1] * bank.seats

    def matches(seed: int, count: int) -> list[tuple[object, ...]]:
        draws = Draws(bank, seed)
        found = [one for number in range(count) for one in draws.table([3, 1, 15, 8], number)]
        return [(*one.seats, *one.ranks, *one.points) for one in found]

    assert sorted(matches(1, every)) == sorted(matches(2, every))
    assert matches(1, every) == matches(1, 2 * every)[:every]
    assert matches(1, every) != matches(2, every)
    assert {one.versions for one in Draws(bank, 1).table([3, 1, 15, 8], 0)} == {(1, 3, 8, 15)}


def test_duplicate_deals(bank: Bank) -> None:
    """A table with a duplicate deal plays it on all rotations: everybody has had every seat."""
    played = Draws(bank, 1, whole_blocks=True).table([3, 1, 15, 8], 7)

    assert [one.block for one in played] == [7] * bank.seats
    assert {tuple(sorted(seats)) for seats in zip(*[m.seats for m in played], strict=True)} == {
        tuple(range(bank.seats))
    }


@pytest.fixture(scope="module")
def ladders() -> Ladders:
    """Ladders of the spread field."""
    return Ladders("courtisans-spread")


@pytest.mark.proof
def test_our_ladder_learns(ladders: Ladders) -> None:
    """The order gets better by every rating; each is compared with its own truth."""
    plan = PLANS["mixed"]
    assert isinstance(plan, Plan)
    rows = ladders.of_ours(plan, [OURS, *PARTS, IN_ORDER, *OTHERS], 3, GRID[:4])

    assert all(len(row.tau) == len(row.top) == len(row.nearly) == 4 for row in rows.values())
    assert all(row.tau[-1] > 0.6 for row in rows.values())
    assert len(rows[OURS].ratings[200]) == len(rows[OURS].ranks[200]) == 16
    assert np.mean(rows[OURS].ranks[200]) > 0.7
    assert not rows[IN_ORDER].ratings
    assert all(rows[name].loss[200] < EQUAL for name in (OURS, IN_ORDER, *OTHERS))
    assert rows[OURS].loss.keys() == {200}
    assert Row.read(json.loads(json.dumps(asdict(rows[OURS])))) == rows[OURS]


@pytest.mark.costly
def test_peers_learn(bank: Bank) -> None:
    """Others' ladders get better too, each in its own way."""
    shown = {peer.name: of_peer(peer, bank, [1, 2], GRID[:4]) for peer in (HALITE, RANDOM)}

    for ladders in shown.values():
        for scores in ladders:
            assert len(scores) == 4
            assert kendall_tau(scores[-1], -bank.places) > 0.4


def test_a_ladder_is_played_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of a ladder is read, and only what is missing is played."""
    asked: list[int] = []

    class Few:
        def __init__(self, field: str) -> None:
            assert field == "courtisans-spread"

        def play(self, _: str, numbers: Sequence[int]) -> Iterator[tuple[int, dict[str, Row]]]:
            asked.extend(numbers)
            yield from ((number, {OURS: Row(tau=[number / 8])}) for number in numbers)

    monkeypatch.setattr(bench, "Ladders", Few)
    file = tmp_path / "ladders.jsonl"

    first = bench.play_missing(["courtisans-spread"], ["mixed"], 2, file)
    again = bench.play_missing(["courtisans-spread"], ["mixed"], 3, file)

    assert asked == [0, 1, 2]
    assert {**again["courtisans-spread"]["mixed"], **first["courtisans-spread"]["mixed"]} == (
        again["courtisans-spread"]["mixed"]
    )
    assert bench.read(file) == again


def _log(bank: Bank) -> Log:
    """Return a match of every fortieth group."""
    draws = Draws(bank, 9)
    log = Log(len(bank.names))
    for number, group in enumerate(list(combinations(range(16), bank.seats))[::40]):
        log.extend(draws.table(group, number))
    return log


def test_crossings_and_ratios() -> None:
    """Between two numbers of matches the level is sought on a scale of ratios."""
    slow = np.linspace(0.5, 0.9, len(GRID))
    quick = np.append(slow[2:], [0.95, 0.97])

    assert crossed(slow, 0.5) == GRID[0]
    assert crossed(slow, 0.95) == inf
    assert GRID[2] < crossed(slow, (slow[2] + slow[3]) / 2) < GRID[3]
    assert ratio(slow, slow) == 1
    assert ratio(quick, slow) == pytest.approx(0.5, rel=0.1)
    assert np.isnan(ratio(slow, np.zeros_like(slow)))


@pytest.mark.parametrize("times", [10, 1000])
def test_tables_let_expect_an_order(times: int) -> None:
    """Of two bots, an order is as sure as the normal distribution of their difference says."""
    met = times * np.array([[0, 1], [1, 0]])
    information = times * expit(0.5) * expit(-0.5) / designs._DESIGN_EFFECT
    sigma = np.hypot(information**-0.5, designs._STRAY)

    tau = designs.expected_tau(met, np.array([0.5, 0.0]), 2)

    assert tau == pytest.approx(2 * ndtr(0.5 / sigma) - 1)


def test_sure_and_wrong_is_counted() -> None:
    """A ladder that would have stopped counts where it did, and as right only if it was."""
    right = Row(order=[None, 1.0, 0.0], best=[None, None, None])
    wrong = Row(order=[None, None, 0.0], best=[None, 1.0, None])

    line = tables._sure(("mixed", OURS), {0: right, 1: wrong})

    assert line == f"| mixed: ours | 2 | 2 after {(GRID[1] + GRID[2]) // 2} | 1 | 1 after 100 | 1 |"


@pytest.mark.costly
def test_one_after_the_other(bank: Bank) -> None:
    """Match after match the ratings are the package's, also with a log that grows."""
    whole, tuned = _log(bank), Environment(8.0, 0.0, 0.07)
    growing, at_once = (InOrder(tuned, 16) for _ in range(2))
    part = Log(16)
    for number, result in enumerate(_results(whole)):
        part.append(result)
        if number % 50 == 0:
            growing(part)
    package = trueskill.TrueSkill(MU, SIGMA, 8.0, 0.0, 0.07, backend="scipy")
    ratings = [package.create_rating() for _ in range(16)]
    for result in _results(whole):
        after = package.rate([(ratings[v],) for v in result.versions], result.ranks)
        for v, (rating,) in zip(result.versions, after, strict=True):
            ratings[v] = rating

    assert growing(part).score.tolist() == at_once(whole).score.tolist()
    assert at_once(whole).score == pytest.approx([one.mu for one in ratings], abs=1e-6)


def _results(log: Log) -> Iterator[MatchResult]:
    matches = log.matches()
    for number in range(len(log)):
        versions, seats, ranks = (
            part[number].tolist() for part in (matches.versions, matches.seats, matches.ranks)
        )
        yield MatchResult(number, versions, seats, ranks)

"""The benchmark on real play: that its parts are what they say."""

from itertools import combinations
from math import inf

import numpy as np
import pytest

from ladder.rating.rater import rate
from ladder.rating.results import Log
from ladder.scheduling.ladder.optimal import optimal
from tests.benchmarks.ranking.real import bank as banks
from tests.benchmarks.ranking.real.bank import FIELDS, SEATS, Bank
from tests.benchmarks.ranking.real.bench import InOrder, crossed, raters, ratio
from tests.benchmarks.ranking.real.experiment import GRID, Row, play
from tests.benchmarks.ranking.real.ladders import Draws, halite
from tests.benchmarks.ranking.trueskill_batch import Environment


@pytest.fixture(scope="module")
def bank() -> Bank:
    """The spread field of Courtisans."""
    return banks.load("courtisans-spread")


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_plays_by_the_rules(name: str) -> None:
    """The bots of a field have different names, play legally, and the same match is the same."""
    field = FIELDS[name]
    table = [*field.styles[:1], *field.styles[-3:]]

    assert len({style.name for style in field.styles}) == len(field.styles) >= 16
    first = banks._match(field.game, table, "a seed", 0)
    assert first == banks._match(field.game, table, "a seed", 0)
    assert first != banks._match(field.game, table, "another seed", 0)


def test_a_bank_is_what_the_command_makes(bank: Bank) -> None:
    """A match of the bank that is played again ends as it did."""
    field = FIELDS["courtisans-spread"]
    group, block, rotation = 700, 3, 2
    seat = bank.seat(group, block, rotation).tolist()
    member = [seat.index(at) for at in range(SEATS)]
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
    every = bank.ranks.shape[1] * SEATS

    def matches(seed: int, count: int) -> list[tuple[object, ...]]:
        draws = Draws(bank, seed)
        found = [draws.match([3, 1, 15, 8], number) for number in range(count)]
        return [(*one.seats, *one.ranks, *one.points) for one in found]

    assert sorted(matches(1, every)) == sorted(matches(2, every))
    assert matches(1, every) == matches(1, 2 * every)[:every]
    assert matches(1, every) != matches(2, every)
    assert {one.versions for one in [Draws(bank, 1).match([3, 1, 15, 8], 0)]} == {(1, 3, 8, 15)}


def test_all_play_and_learn(bank: Bank) -> None:
    """The order gets better, by whoever rates, and as Halite did it too."""
    whole = rate(_log(bank))
    some = raters(bank, whole)
    rows = {how: Row() for how in some}
    play(bank, 3, optimal(), lambda log, _: rate(log), some, rows, GRID[:4])

    assert all(len(row.tau[0]) == 4 for row in rows.values())
    assert all(row.tau[0][-1] > 0.6 for row in rows.values())
    assert len(rows["ours"].covered[200]) == len(rows["ours"].ranked[200]) == 16
    assert np.mean(rows["ours"].ranked[200]) > 0.7
    assert [len(shown) for shown in halite(bank, [1, 2], GRID[:2])] == [2, 2]


def _log(bank: Bank) -> Log:
    """Return a match of every tenth group."""
    draws = Draws(bank, 9)
    log = Log(len(bank.names))
    for number, group in enumerate(list(combinations(range(16), SEATS))[::10]):
        log.append(draws.match(group, number))
    return log


def test_crossings_and_ratios() -> None:
    """Between two numbers of matches the level is sought on a scale of ratios."""
    slow = np.linspace(0.5, 0.9, len(GRID))[None]
    quick = np.append(slow[0, 2:], [0.95, 0.97])[None]

    assert crossed(slow, 0.5) == GRID[0]
    assert crossed(slow, 0.95) == inf
    assert GRID[2] < crossed(slow, (slow[0, 2] + slow[0, 3]) / 2) < GRID[3]
    assert ratio(slow, slow)(np.array([0])) == 1
    assert ratio(quick, slow)(np.array([0])) == pytest.approx(2, rel=0.1)


def test_one_after_the_other(bank: Bank) -> None:
    """A rater in order goes on with a log that grows, and ends where it would with all at once."""
    whole = _log(bank)
    growing, at_once = (InOrder(Environment(), 16) for _ in range(2))
    part = Log(16)
    draws = Draws(bank, 9)
    for number, group in enumerate(list(combinations(range(16), SEATS))[::10]):
        part.append(draws.match(group, number))
        if number % 50 == 0:
            growing(part)

    assert growing(part).score.tolist() == at_once(whole).score.tolist()

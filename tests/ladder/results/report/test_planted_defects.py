"""Ladders with a planted defect: the report names it, and accuses no other bot."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, count
from random import Random

import pytest

from ladder.results.report.facts import ReportFacts, facts
from tests.ladder.results.report.conftest import Fill, Worth

pytestmark = pytest.mark.proof

NAMES = [f"bot-{letter}" for letter in "abcdefghijkl"]
SPREAD = {name: 1.1 - 0.2 * place for place, name in enumerate(NAMES)}
EQUAL = dict.fromkeys(NAMES, 0.0)
BLOCKS = 400


def tables(names: Sequence[str] = NAMES, seed: int = 1) -> Iterator[Sequence[str]]:
    """Yield tables of four at random."""
    random = Random(seed)
    while True:
        yield random.sample(names, 4)


def named(found: ReportFacts) -> set[tuple[str, ...]]:
    """Return what the report names: each kind of defect with the bots in it."""
    of = found.names
    kinds = [
        *(("cycle", *sorted(of[v] for v in cycle.versions)) for cycle in found.cycles),
        *(("helps", of[one.helper], of[one.helped]) for one in found.suspects),
        *(("gives way", of[one.helper], of[one.helped]) for one in found.favours if one.gives_way),
        *(("seat" if one.table else "time", of[one.version]) for one in found.uneven),
    ]
    return {*kinds}


def preying(group: Sequence[str], seat: int) -> float:
    """Let e beat f, f beat g, and g beat e."""
    ring, own = [NAMES[4], NAMES[5], NAMES[6]], group[seat]
    if own not in ring:
        return 0.0
    at = ring.index(own)
    return 1.2 * ((ring[(at + 1) % 3] in group) - (ring[at - 1] in group))


def sparing(group: Sequence[str], seat: int) -> float:
    """Let c and i help each other at the cost of the others."""
    pair = {NAMES[2], NAMES[8]}
    return 1.2 if group[seat] in pair and pair <= {*group} else 0.0


def throwing(group: Sequence[str], seat: int) -> float:
    """Let c lose for i, which gains."""
    if not {NAMES[2], NAMES[8]} <= {*group}:
        return 0.0
    return {NAMES[2]: -1.5, NAMES[8]: 1.5}.get(group[seat], 0.0)


def on_seat_three(group: Sequence[str], seat: int) -> float:
    """Let f play better on the last seat."""
    return 1.2 if group[seat] == NAMES[5] and seat == 3 else 0.0


def fading() -> Worth:
    """Let f become weaker from match to match."""
    time = count()
    return lambda group, seat: -2.4 * next(time) / (16 * BLOCKS) * (group[seat] == NAMES[5])


@pytest.mark.parametrize(
    ("worth", "defects"),
    [
        (
            preying,
            {
                ("cycle", NAMES[4], NAMES[5], NAMES[6]),
                ("gives way", NAMES[4], NAMES[6]),
                ("gives way", NAMES[5], NAMES[4]),
                ("gives way", NAMES[6], NAMES[5]),
            },
        ),
        (sparing, {("helps", NAMES[2], NAMES[8]), ("helps", NAMES[8], NAMES[2])}),
        (throwing, {("gives way", NAMES[2], NAMES[8]), ("cycle", NAMES[2], NAMES[5], NAMES[8])}),
        (on_seat_three, {("seat", NAMES[5])}),
        (fading(), {("time", NAMES[5])}),
        (None, set()),
    ],
    ids=["cycle", "collusion", "thrown matches", "one seat", "drift", "none"],
)
def test_a_defect_is_named(fill: Fill, worth: Worth | None, defects: set[tuple[str, ...]]) -> None:
    """The report names the planted defect, and no bot that has no part in it, nor suspects prey."""
    found = named(facts(fill(SPREAD, BLOCKS, worth, tables())))

    assert found <= defects
    assert bool(found) == bool(defects)


def test_equal_bots_have_no_order(fill: Fill) -> None:
    """Where all is luck, every bot may be at nearly every rank, and none is suspected."""
    found = facts(fill(EQUAL, BLOCKS, None, tables()))

    assert named(found) == set()
    ranks = [(row.rank_low, row.rank_high) for row in found.standings]
    assert sum((high or 0) - (low or 0) for low, high in ranks) / len(ranks) >= len(NAMES) / 2


@pytest.mark.parametrize("how", ["clones", "unequal opposition"])
def test_a_crowd_or_weak_opponents_move_no_rank(fill: Fill, how: str) -> None:
    """Each rank's interval holds the true rank, whichever opponents a bot had."""
    strengths = dict(SPREAD)
    if how == "clones":
        strengths |= {f"clone-{number}": SPREAD[NAMES[5]] for number in range(8)}
        at = tables([*strengths])
    else:
        at = unequal()
    found = facts(fill(strengths, BLOCKS, None, at))

    assert named(found) == set()
    held = 0
    for row in found.standings:
        own = strengths[row.bot]
        better = sum(value > own for value in strengths.values())
        equal = sum(value == own for value in strengths.values())
        low, high = row.rank_low or 0, row.rank_high or math.inf
        held += low <= better + equal and better + 1 <= high
    assert held >= len(strengths) - 1


def unequal() -> Iterator[Sequence[str]]:
    """Yield tables at which the best bot mostly meets the worst ones, and others each other."""
    random = Random(1)
    rest = list(combinations(NAMES[1:], 4))
    for number in count():
        weak = [NAMES[0], *random.sample(NAMES[8:], 3)]
        mixed = [NAMES[0], *random.sample(NAMES[1:], 3)]
        yield mixed if number % 8 == 0 else weak if number % 2 else random.choice(rest)

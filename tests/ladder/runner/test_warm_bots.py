"""Workers play what costs them the fewest starts of bots, and no match waits for ever for that."""

import random
from collections.abc import Iterator, Sequence
from itertools import count

import pytest

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.runner.warm_bots import LOOKAHEAD, MORE_WARM_BOTS, WARM_BOTS, MatchChooser, WarmBots

WORKERS = 2


@pytest.fixture
def bots() -> list[Version]:
    """Make forty versions."""
    return [
        Version(number, f"bot{number}", 1, str(number), ("true",), True, "")  # noqa: FBT003
        for number in range(40)
    ]


def planned(seats: Sequence[Version | None], deal: str, index: int = 0) -> PlannedMatch:
    """Plan a match of a deal."""
    return PlannedMatch(f"{deal}, {index}", 1, index, tuple(seats), deal=deal)


def rounds(bots: Sequence[Version], rotations: int) -> Iterator[list[PlannedMatch]]:
    """Draw rounds in which each bot plays one deal, from each of `rotations` seats."""
    random_order, deals = random.Random(5), count()
    while True:
        drawn = random_order.sample(bots, len(bots))
        tables = [(drawn[i : i + 4], str(next(deals))) for i in range(0, len(bots), 4)]
        yield [
            planned(table[turn:] + table[:turn], deal, turn)
            for table, deal in tables
            for turn in range(rotations)
        ]


def starts(bots: Sequence[Version], *, rotations: int, in_order: bool) -> int:
    """Return how many bots 400 matches start, with workers that are free at random."""
    workers, free = [WarmBots() for _ in range(WORKERS)], random.Random(6)
    drawn, queue, choice, started = rounds(bots, rotations), list[PlannedMatch](), MatchChooser(), 0
    for _ in range(400):
        queue = queue or next(drawn)
        worker = free.choice(workers)
        match = queue[0] if in_order else choice.next(iter(queue), [worker])
        assert match is not None
        queue.remove(match)
        started += worker.missing(match)
        worker.play(match)
    return started


def test_a_warm_bot_is_not_started_again(bots: list[Version]) -> None:
    """A bot stays warm after a match; the stand-in never starts."""
    warm = WarmBots()
    assert warm.missing(planned([*bots[:3], None], "a")) == 3

    warm.play(planned([*bots[:3], None], "a"))

    assert warm.missing(planned(bots[1:5], "b")) == 2


def test_no_process_plays_a_deal_twice(bots: list[Version]) -> None:
    """Each match of a deal needs processes of its own, also for two seats of one version."""
    warm = WarmBots()
    for index in range(3):
        assert warm.missing(planned(bots[:4], "a", index)) == 4
        warm.play(planned(bots[:4], "a", index))

    assert warm.missing(planned(bots[:4], "b")) == 0
    assert warm.missing(planned([bots[0]] * 4, "b")) == 1


def test_only_the_last_used_stay_warm(bots: list[Version]) -> None:
    """The longest idle bots are stopped, as in the worker."""
    warm, most = WarmBots(), WARM_BOTS + MORE_WARM_BOTS
    for begin in range(0, most + 4, 4):
        warm.play(planned(bots[begin : begin + 4], str(begin)))

    assert warm.missing(planned(bots[:4], "again")) == 4
    assert warm.missing(planned(bots[4 : 4 + most][:4], "again")) == 0


@pytest.mark.parametrize(("number", "rotations", "share"), [(40, 1, 0.7), (16, 4, 0.5)])
def test_fewer_bots_are_started(
    bots: list[Version], number: int, rotations: int, share: float
) -> None:
    """With more bots than stay warm, and where a deal is played from every seat."""
    chosen = starts(bots[:number], rotations=rotations, in_order=False)

    assert chosen <= share * starts(bots[:number], rotations=rotations, in_order=True)


def test_the_first_match_waits_for_a_limited_number(bots: list[Version]) -> None:
    """A match whose bots are cold begins although others are always cheaper."""
    warm, choice = WarmBots(), MatchChooser()
    warm.play(planned(bots[:4], "before"))
    queue = [
        planned(bots[4:8], "cold"),
        *(planned(bots[:4], f"warm {number}") for number in range(3 * LOOKAHEAD)),
    ]

    begun = []
    while queue:
        match = choice.next(iter(queue), [warm])
        assert match is not None
        queue.remove(match)
        begun.append(match.deal)

    assert begun.index("cold") == LOOKAHEAD
    assert choice.next(iter(queue), [warm]) is None

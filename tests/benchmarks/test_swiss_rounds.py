"""How long the tables of a Swiss round take, with and without authors to keep apart."""

import random
import time

import pytest

from ladder.scheduling.tournament.formats.apart import Apart, of_one_name
from ladder.scheduling.tournament.formats.base import Field, MeetingResult
from ladder.scheduling.tournament.formats.swiss import Swiss
from tests.ladder.scheduling.played import somehow

pytestmark = pytest.mark.bench

ROUNDS = 8


def seconds(n: int, seats: int, apart: Apart) -> list[float]:
    """Return the CPU seconds that the tables of each round take."""
    results: list[MeetingResult] = []
    spent, play = [], somehow(3)
    for _ in range(ROUNDS):
        began = time.process_time()
        meetings = Swiss(ROUNDS).next_round(Field(range(n), seats, results, apart=apart))
        spent.append(time.process_time() - began)
        assert not apart.fellows.intersection((m.entrants[0], m.entrants[1]) for m in meetings)
        results += [MeetingResult(m, (play(m),)) for m in meetings]
    return spent


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("n", [200, 1000])
def test_rounds(n: int, seats: int) -> None:
    """Print the mean and the most of eight rounds, without authors and with ten bots of each."""
    drawn = random.Random(1).sample(range(n), n)
    tens = Apart(of_one_name({e: str(at // 10) for e, at in enumerate(drawn)}))
    for who, apart in (("all different", Apart()), ("ten of each", tens)):
        spent = seconds(n, seats, apart)
        print(f"{n} bots, {seats} seats, {who}: {sum(spent) / ROUNDS:.2f} s, {max(spent):.2f} s")

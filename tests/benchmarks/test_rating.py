"""How long it takes to rate a long log anew, and to schedule for a thousand versions."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from ladder.model.history import History
from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from ladder.scheduling.ladder.optimal import RANKING, TOP, Objective, optimal
from ladder.scheduling.ladder.policy import Past, size_of_round
from referee.games.randomness import Stream

pytestmark = pytest.mark.bench

MATCHES = 100_000
SEATS = 4


def blocks(entrants: int, matches: int) -> Iterator[MatchResult]:
    """Yield duplicate blocks of anybody, with a card game's luck and about a tenth of ties."""
    random = np.random.default_rng(0)
    skills = 25 / 6 * random.normal(size=entrants)
    for block in range(matches // SEATS):
        group = random.choice(entrants, SEATS, replace=False)
        deal = 25 / 3 * 0.6**0.5 * random.normal(size=SEATS)
        for turn in range(SEATS):
            seated = np.roll(group, turn)
            luck = deal + 25 / 3 * 0.4**0.5 * random.normal(size=SEATS)
            points = np.round((skills[seated] + luck) / 2)
            ranks = 1 + (points[:, None] < points).sum(axis=1)
            yield MatchResult(
                block, seated.tolist(), range(SEATS), ranks.tolist(), points=points.tolist()
            )


@pytest.mark.parametrize("entrants", [20, 200, 1000])
def test_rating_of_record(entrants: int) -> None:
    """Print how many seconds the rating of record of 100,000 matches takes, from their results."""
    results = list(blocks(entrants, MATCHES))
    began = time.process_time()
    log = Log(entrants, results)
    rate(log)
    took = time.process_time() - began
    print(f"\n{took:8.2f} s to rate {MATCHES:,} matches of {entrants} versions: rating of record")


@pytest.mark.parametrize("aim", [RANKING, TOP], ids=["ranking", "top"])
def test_a_round_for_a_thousand(aim: Objective) -> None:
    """Print how many seconds a round for 1,000 versions takes once they have played 20,000."""
    entrants, matches = 1000, 20_000
    strengths = rate(Log(entrants, blocks(entrants, matches)))
    past = Past(History(), strengths)
    count = size_of_round(entrants, SEATS)
    began = time.process_time()
    tables = optimal(aim)(range(entrants), SEATS, past, Stream("bench"), count)
    took = time.process_time() - began
    assert len({version for table in tables for version in table}) > SEATS
    print(f"\n{took:8.2f} s to plan {len(tables)} blocks for {entrants} versions")

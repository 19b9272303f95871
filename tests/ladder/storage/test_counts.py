"""Counts for monitoring are the same whether they are made anew or read on."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.results import queries
from ladder.runner.voiding import void
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, counts, matches
from ladder.storage.tables.counts import Counting, Counts

pytestmark = pytest.mark.both_engines

MINUTE = timedelta(minutes=1)
ROUNDS = 6


def read(ladder: Ladder, counting: Counting, lately: timedelta = MINUTE) -> Counts:
    """Count now."""
    with ladder.database.read() as tx:
        return counting.read(tx, lately)


def plan(ladder: Ladder, number: int) -> PlannedMatch:
    """Plan a round of one match."""
    with ladder.database.write() as tx:
        match = PlannedMatch(f"{number:032x}", number, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
    return match


@pytest.mark.costly
def test_reading_on_is_counting_anew(
    ladder: Ladder, played: Callable[..., Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """States, attempts and forfeits agree while matches are played, given up and voided."""
    counting, after = Counting(), list[int]()
    for number in range(1, ROUNDS + 1):
        match = plan(ladder, number)
        assert read(ladder, counting) == read(ladder, Counting())
        with ladder.database.write() as tx:
            matches.fail(tx, match.match_id, "no core", None)
            result = played(match, 1, 2, 3, 4)
            seats = (*result.seats[:3], SeatResult(4, 0, "TIMEOUT"))
            if number == ROUNDS - 1:
                matches.fail(tx, match.match_id, "no core", 1)
            matches.finish(tx, Played(result.match_id, seats, result.decisions, result.record))
        found = read(ladder, counting)
        assert found == read(ladder, Counting())
        assert found.forfeits["TIMEOUT"] == number - (number >= ROUNDS - 1)
    void(ladder, [queries.match(ladder, f"{1:032x}")], "it should not count")
    assert read(ladder, counting) == read(ladder, Counting())

    sums = counts._sums

    def asked(tx: Any, first: int) -> Any:
        after.append(first)
        return sums(tx, first)

    monkeypatch.setattr(counts, "_sums", asked)
    read(ladder, counting)
    assert after == [ROUNDS, ROUNDS]


def test_what_finished_lately_is_looked_for_where_it_can_be(
    ladder: Ladder, played: Callable[..., Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds that were over a minute ago are not read again; later ones are."""
    now, counting, after = [0.0], Counting(), list[int]()
    since = counts._finished_since

    def asked(tx: Any, lately: timedelta, first: int) -> int:
        after.append(first)
        return since(tx, lately, first)

    monkeypatch.setattr(counts, "_finished_since", asked)
    monkeypatch.setattr("ladder.storage.tables.counts.time.monotonic", lambda: now[0])
    for number in range(1, ROUNDS + 1):
        match = plan(ladder, number)
        with ladder.database.write() as tx:
            matches.finish(tx, played(match, 1, 2, 3, 4))
        assert read(ladder, counting).finished_lately == number - after[-1]
        now[0] += 25
    assert after == [0, 0, 0, 1, 2, 3]

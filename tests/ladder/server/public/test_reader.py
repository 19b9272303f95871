"""The public state of a ladder is that of one moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import Connection, event

from ladder.model.matches import PlannedMatch, Played
from ladder.runner.voiding import void
from ladder.server.public.reader import PublicReader
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

MATCHES = 60
MakePlayed = Callable[..., Played]


@contextmanager
def busy(ladder: Ladder, played: MakePlayed) -> Iterator[list[PlannedMatch]]:
    """Finish a match elsewhere after each statement that reads; yield those not yet finished."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        left = [PlannedMatch(f"{i:032x}", i, 0, four) for i in range(1, MATCHES + 1)]
        matches.add(tx, left)
    with Ladder.open(ladder.home) as other:

        def finish_one(connection: Connection, _: object, statement: str, *_more: object) -> None:
            is_read = "courtyard_begin" not in connection.get_execution_options()
            if left and is_read and statement.startswith("SELECT"):
                with other.database.write() as tx:
                    assert matches.finish(tx, played(left.pop(0), 1, 2, 3, 4))

        event.listen(ladder.database._engine, "after_cursor_execute", finish_one)
        try:
            yield left
        finally:
            event.remove(ladder.database._engine, "after_cursor_execute", finish_one)


def test_a_match_that_ends_while_the_state_is_read_is_not_half_seen(
    ladder: Ladder, played: MakePlayed
) -> None:
    """Matches, tallies, ratings and curves count the same matches, whatever ends meanwhile."""
    source, counts = PublicReader(ladder), []
    with busy(ladder, played) as left:
        while len(left) > MATCHES // 4:
            counts.append(MATCHES - len(left))
            snapshot = source.snapshot()
            seen = len(snapshot.finished)
            assert seen == counts[-1]
            assert len(snapshot.waiting) == MATCHES - seen
            assert {tally.matches for tally in snapshot.tallies} == {seen}
            assert {found.blocks for found in snapshot.strengths.values()} == {seen}
            curves = snapshot.curves.values()
            assert {curve.points[-1].matches for curve in curves} == ({seen} if seen else set())
    assert len(counts) > 1
    assert counts[1] > counts[0] + 1


@pytest.mark.costly
def test_a_match_of_an_old_round_that_is_voided_counts_no_longer(
    ladder: Ladder, played: MakePlayed
) -> None:
    """Pages, tallies and curves drop it, even where the round was read long before."""
    source = PublicReader(ladder)
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        planned = [PlannedMatch(f"{i:032x}", i, 0, four) for i in (1, 2, 3)]
        matches.add(tx, planned)
        for match in planned:
            matches.finish(tx, played(match, 1, 2, 3, 4))
    before = source.snapshot()
    assert [len(before.finished), source.snapshot().void] == [3, 0]

    void(ladder, before.finished[:1], "it should not count")

    after = source.snapshot()
    assert [line.round for line in after.finished] == [2, 3]
    assert after.void == 1
    assert {tally.matches for tally in after.tallies} == {2}
    assert [*after.finished] == [*(anew := PublicReader(ladder).snapshot()).finished]
    assert after == replace(anew, finished=after.finished)

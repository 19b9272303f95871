"""A match is planned once, played once, and never lost."""

from collections.abc import Callable

import pytest

from ladder.model.bots import Version
from ladder.model.matches import MatchState, PlannedMatch, Played
from ladder.results import queries
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

pytestmark = pytest.mark.both_engines


@pytest.fixture
def versions(ladder: Ladder) -> list[Version]:
    """The four versions of the ladder."""
    with ladder.database.read() as tx:
        return bots.active(tx)


@pytest.fixture
def planned(ladder: Ladder, versions: list[Version]) -> list[PlannedMatch]:
    """Two rounds of one match each, the second with a stand-in."""
    first = PlannedMatch("a" * 32, 1, 0, tuple(versions), deal="deal 1")
    second = PlannedMatch("b" * 32, 2, 0, (None, *versions[:3]), deal="deal 2")
    with ladder.database.write() as tx:
        matches.add(tx, [first])
        matches.add(tx, [second])
    return [first, second]


MakePlayed = Callable[..., Played]


def test_planned_matches_come_back(
    ladder: Ladder, planned: list[PlannedMatch], versions: list[Version]
) -> None:
    """Planned matches read back unchanged and in order."""
    with ladder.database.read() as tx:
        assert matches.open_matches(tx, bots.all_versions(tx)) == planned
        assert matches.last_round(tx) == 2
        assert list(matches.tables(tx)) == [
            tuple(version.id for version in versions),
            (None, *(version.id for version in versions[:3])),
        ]


def test_result_is_stored(ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed) -> None:
    """A result reads back as it was stored."""
    result = played(planned[0], 1, 2, 2, 4, forfeits=(3,))
    with ladder.database.write() as tx:
        assert matches.finish(tx, result)

    line = queries.match(ladder, "aaaa")

    assert line.state is MatchState.DONE
    assert tuple(seat.result for seat in line.seats) == result.seats
    assert tuple(seat.version for seat in line.seats) == planned[0].seats
    assert line.decisions == 28


def test_second_result_does_not_count(
    ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed
) -> None:
    """The first of two results of a match counts; the second changes nothing."""
    with ladder.database.write() as tx:
        assert matches.finish(tx, played(planned[0], 1, 2, 3, 4))
    first = queries.match(ladder, "aaaa")

    with ladder.database.write() as tx:
        assert not matches.finish(tx, played(planned[0], 4, 3, 2, 1))

    assert queries.match(ladder, "aaaa") == first


def test_running_matches_are_planned_again(ladder: Ladder, planned: list[PlannedMatch]) -> None:
    """After a kill, running matches are planned again, and no attempt counts."""
    with ladder.database.write() as tx:
        matches.start(tx, planned[0].match_id)
    assert queries.match(ladder, "aaaa").state is MatchState.RUNNING

    with ladder.database.write() as tx:
        matches.reopen(tx)

    assert queries.match(ladder, "aaaa").state is MatchState.PLANNED
    assert queries.match(ladder, "aaaa").attempts == 0


def test_finished_match_stays_finished(
    ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed
) -> None:
    """Nothing reopens a finished match."""
    with ladder.database.write() as tx:
        matches.finish(tx, played(planned[0], 1, 2, 3, 4))
        matches.start(tx, planned[0].match_id)
        matches.reopen(tx)
        assert matches.fail(tx, planned[0].match_id, "too late", most_attempts=1) is None

    assert queries.match(ladder, "aaaa").state is MatchState.DONE


def test_void_match_is_given_up(
    ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed
) -> None:
    """A match is planned again until its attempts run out; then no result counts."""
    states = []
    with ladder.database.write() as tx:
        for attempt in range(3):
            reason = f"reason {attempt}"
            states.append(matches.fail(tx, planned[0].match_id, reason, most_attempts=3))
        assert not matches.finish(tx, played(planned[0], 1, 2, 3, 4))

    line = queries.match(ladder, "aaaa")

    assert states == [MatchState.PLANNED, MatchState.PLANNED, MatchState.VOID]
    assert (line.state, line.attempts, line.reason) == (MatchState.VOID, 3, "reason 2")


def test_latest_matches(ladder: Ladder, planned: list[PlannedMatch]) -> None:
    """The last matches come newest first, of all bots or one."""
    everybody = [line.match_id for line in queries.latest(ladder, 10)]
    of_dan = [line.match_id for line in queries.latest(ladder, 10, "dan")]

    assert everybody == [planned[1].match_id, planned[0].match_id]
    assert of_dan == [planned[0].match_id]
    assert len(queries.latest(ladder, 1)) == 1


def test_forfeits(ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed) -> None:
    """`forfeits` counts a bot's forfeits by kind."""
    with ladder.database.write() as tx:
        matches.finish(tx, played(planned[0], 4, 1, 2, 3, forfeits=(0,)))
        matches.finish(tx, played(planned[1], 1, 4, 2, 3, forfeits=(1,)))

    assert queries.forfeits(ladder, "ann") == {"TIMEOUT": 2}
    assert queries.forfeits(ladder, "bob") == {}


def test_attempts_are_remembered(ladder: Ladder, planned: list[PlannedMatch]) -> None:
    """A void match is planned again with its number of attempts."""
    with ladder.database.write() as tx:
        matches.fail(tx, planned[0].match_id, "a cable", 3)

    with ladder.database.read() as tx:
        again = matches.open_matches(tx, bots.all_versions(tx))
    assert [match.attempts for match in again] == [1, 0]


def test_founders_are_those_of_the_first_round_with_two(
    ladder: Ladder, versions: list[Version]
) -> None:
    """Founders are the bots of the first round in which two meet; later rounds add none."""
    ann, bob, cat, dan = versions
    rounds: list[list[tuple[Version | None, ...]]] = [
        [(ann, None), (bob, bob)],
        [(ann, None), (bob, cat)],
        [(cat, dan)],
    ]
    found = []
    for number, tables in enumerate(rounds, start=1):
        with ladder.database.write() as tx:
            matches.add(
                tx,
                [
                    PlannedMatch(f"{number}{index}" * 16, number, index, table)
                    for index, table in enumerate(tables)
                ],
            )
        with ladder.database.read() as tx:
            found.append(matches.founders(tx))

    assert found == [set(), {ann.id, bob.id, cat.id}, {ann.id, bob.id, cat.id}]

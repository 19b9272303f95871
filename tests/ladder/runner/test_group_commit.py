"""Results that arrive together are stored together, at a cost that does not grow."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, text

from ladder.model.matches import MatchState, PlannedMatch, Played
from ladder.runner.group_commit import GroupCommit, PlayedMatch, store
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

MakePlayed = Callable[..., Played]
RANKS = [(1, 2, 3, 4), (2, 1, 2, 4), (4, 3, 2, 1), (1, 1, 3, 3)]


@pytest.fixture
def planned(ladder: Ladder) -> list[PlannedMatch]:
    """Plan a round of four matches."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        found = [PlannedMatch(f"{i}" * 32, 1, i, four, deal=f"deal {i}") for i in range(4)]
        matches.add(tx, found)
    return found


@pytest.fixture
def results(planned: list[PlannedMatch], played: MakePlayed) -> list[PlayedMatch]:
    """Make a result for each match."""
    return [
        PlayedMatch(match, played(match, *ranks))
        for match, ranks in zip(planned, RANKS, strict=True)
    ]


@contextmanager
def statements(ladder: Ladder) -> Iterator[list[tuple[str, Any]]]:
    """Collect the statements that are executed, each with its parameters."""
    found: list[tuple[str, Any]] = []
    with ladder.database.read() as tx:
        engine = tx.engine

    def note(_: object, __: object, statement: str, given: object, *___: object) -> None:
        found.append((statement, given))

    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", lambda _: found.append(("COMMIT", ())))
    yield found
    event.remove(engine, "before_cursor_execute", note)


def content(ladder: Ladder) -> list[object]:
    """Return all that results change, except times."""
    queries = (
        "select id, state, attempts, decisions from matches order by id",
        "select * from seats order by match_id, seat",
        "select * from records order by match_id",
    )
    with ladder.database.read() as tx:
        return [[tuple(row) for row in tx.execute(text(query))] for query in queries]


def test_results_are_stored_in_one_transaction(ladder: Ladder, results: list[PlayedMatch]) -> None:
    """Four results, and the marks of matches begun, take one commit."""
    with statements(ladder) as executed:
        store(ladder, [results[3].match.match_id], results[:3])

    assert [statement for statement, _ in executed].count("COMMIT") == 1
    with ladder.database.read() as tx:
        assert matches.count(tx, MatchState.DONE) == 3
        assert matches.count(tx, MatchState.RUNNING) == 1


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (1, 3), (2, 2), (4,)])
def test_groups_do_not_matter(
    ladder: Ladder, results: list[PlayedMatch], order: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    """Whatever is stored together, the database holds the same, to the last bit."""
    left = [results[i] for i in order]
    for size in sizes:
        store(ladder, [], left[:size])
        left = left[size:]

    assert content(ladder) == [
        [(each.match.match_id, "done", 0, each.played.decisions) for each in results],
        [
            (each.match.match_id, seat, version and version.id, own.rank, own.points, own.forfeit)
            for each in results
            for seat, (version, own) in enumerate(
                zip(each.match.seats, each.played.seats, strict=True)
            )
        ],
        [(each.match.match_id, each.played.record) for each in results],
    ]


def test_a_repeated_result_in_a_group_counts_once(
    ladder: Ladder, planned: list[PlannedMatch], results: list[PlayedMatch], played: MakePlayed
) -> None:
    """Of two results of a match in one group the first counts."""
    with ladder.database.write() as tx:
        stored = matches.finish(tx, results[0].played, played(planned[0], 4, 3, 2, 1))

    assert stored == {planned[0].match_id}
    with ladder.database.read() as tx:
        ranks = tx.execute(
            text("select rank from seats where match_id = :id order by seat"),
            {"id": planned[0].match_id},
        ).scalars()
        assert tuple(ranks) == RANKS[0]


def reads_of_history(tx: Transaction, statement: str, given: Any) -> list[str]:
    """Return what a statement reads that grows with the finished matches.

    Indices of what is open or postponed do not.
    """
    one = given[0] if isinstance(given, list) else given
    steps = [row[-1] for row in tx.exec_driver_sql(f"explain query plan {statement}", one)]
    grows = r"SCAN (?!SUB).*|SEARCH \w+ USING INDEX \w+$|SEARCH \w+ USING .*(?<!\?)[<>].*"
    flat = r"USING (COVERING )?INDEX ix_matches_(open|postponed)"
    return [
        f"{step}: {statement}"
        for step in steps
        if re.match(grows, step) and not re.search(flat, step)
    ]


def test_no_result_costs_a_look_at_the_history(ladder: Ladder, results: list[PlayedMatch]) -> None:
    """Storing results reads no table from end to end, however many matches there are."""
    with statements(ladder) as executed:
        store(ladder, [results[3].match.match_id], results[:2])
        store(ladder, [], results[2:])

    asked = [each for each in executed if each[0].split()[0] in ("SELECT", "UPDATE", "DELETE")]
    assert len(asked) > 5
    with ladder.database.read() as tx:
        assert [found for each in asked for found in reads_of_history(tx, *each)] == []


def test_planning_and_sweeping_do_not_read_all_matches(
    ladder: Ladder, planned: list[PlannedMatch]
) -> None:
    """What is still to be played is found by its index."""
    with statements(ladder) as executed, ladder.database.read() as tx:
        assert matches.first_open(tx) == 1
        assert len(matches.seated(tx)) == len(planned[0].seats)
        assert matches.open_of_deal(tx, "deal 1") == 1
        asked = [each for each in executed if each[0].startswith("SELECT")]
        assert [found for each in asked for found in reads_of_history(tx, *each)] == []


def test_what_is_gathered_is_due_within_a_moment(results: list[PlayedMatch]) -> None:
    """Something gathered is due soon, what involves a remote bot at once, and nothing is never."""
    gathered = GroupCommit()
    assert gathered.seconds_left is None

    gathered.begin(results[0].match)
    due = gathered.seconds_left
    assert due is not None
    assert 0 <= due <= 0.05
    gathered.end(results[0])

    assert len(gathered) == 1
    assert gathered.take() == ([], [results[0]])
    assert gathered.seconds_left is None
    assert len(gathered) == 0

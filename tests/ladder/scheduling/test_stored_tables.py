"""A contest whose stored tables are not those due is an error, and never read as a walkover."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ladder.model.errors import StoreError
from ladder.model.tournaments import Kind
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.server.public.reader import PublicReader
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.ladder.server.web.filled_tournament import fill
from tests.support.ladders import Command

NAMED = """
create temp table first as select id from matches where round = 1 and position = 0;
create temp table second as select id from matches where round = 1 and position = 1;
create temp table last as select id from matches where round = 2 order by position desc limit 1;
create temp table round_1 as select id from matches where round = 1;
"""
CHANGES = {
    "another bot sits there": "update seats set version_id = 6 - (version_id = 6) "
    "where match_id in last and seat = 0",
    "the stand-in sits there": "update seats set version_id = null where match_id in first",
    "two matches change ids": "update matches set id = printf('%032d', 0) where id in first; "
    "update matches set id = (select id from first) where id in second; "
    "update matches set id = (select id from second) where id = printf('%032d', 0)",
    "a match is gone": "delete from seats where match_id in last; "
    "delete from matches where id in last",
    "a match is in another round": "update matches set round = 2, position = 99 where id in first",
    "a match has another deal": "update matches set deal = 'x' where id in first",
    "matches change places": "update matches set position = position + 100 where round = 1; "
    "update matches set position = 105 - position where round = 1",
    "results are turned round": "update seats set rank = 3 - rank where match_id in round_1",
    "the seeds are others": "update ladder set contest = replace(contest, '[1, 2,', '[2, 1,')",
    "the format is another": "update ladder set "
    "contest = replace(contest, '\"swiss\"', '\"round-robin\"')",
    "a round is gone": "delete from seats where match_id in round_1; "
    "delete from matches where id in round_1; update matches set round = round - 1",
}
"""What somebody may do to the database of a finished tournament."""


@pytest.fixture
def swiss(tmp_path: Path) -> Path:
    """Make a finished Swiss tournament of six bots."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(1, 7)), rounds=3)
    return fill(tmp_path / "cup", plan, 2, 9, 0)


@pytest.mark.sweep
@pytest.mark.parametrize("change", CHANGES)
def test_changed_tables(command: Command, swiss: Path, change: str) -> None:
    """`ladder verify` names the difference, and the table ends in one line instead of walkovers."""
    before = command("tournament", "swiss", swiss)
    with closing(sqlite3.connect(swiss / "ladder.db")) as database:
        database.executescript(NAMED + CHANGES[change])
    kind = "round-robin" if "format" in change else "swiss"

    verified = command("verify", "--ladder", swiss)
    shown = command("tournament", kind, swiss)

    assert before.status == 0
    assert verified.status == 1
    assert "the stored matches are not those that follow from the plan" in verified.out
    assert (shown.status, shown.err.count("\n")) == (1, 1)
    assert "the stored matches are not those that follow from the plan" in shown.err
    with Ladder.open(Home(swiss)) as ladder, pytest.raises(StoreError, match="are not those that"):
        PublicReader(ladder).snapshot()

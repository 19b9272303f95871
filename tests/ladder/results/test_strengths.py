"""The rating of record is kept once computed, and never trusted when it does not fit."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from ladder.model.matches import MatchState, PlannedMatch, Played
from ladder.model.settings import Aim
from ladder.results import older
from ladder.results.evidence import Evidence, evidence
from ladder.results.rerating import rerate
from ladder.results.strengths import rating_of_record
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

GARBAGE = {
    "nothing": "delete from strengths",
    "half of it": "update strengths set body = substr(body, 1, 100)",
    "rubbish": "update strengths set body = x'ff', digest = x''",
    "another digest": "update strengths set digest = zeroblob(32)",
    "an edited value": "update strengths set body = cast(replace(cast(body as text), "
    "'\"provisional\": 4', '\"provisional\": 3') as blob)",
}


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[Evidence]:
    """Record each computation."""
    found: list[Evidence] = []

    def noted(*given: Any) -> Evidence:
        found.append(evidence(*given))
        return found[-1]

    monkeypatch.setattr("ladder.results.evidence.evidence", noted)
    return found


@pytest.fixture
def full(ladder: Ladder, played: Callable[..., Played]) -> Ladder:
    """A ladder with one one-match block."""
    play(ladder, played, 1)
    return ladder


def play(ladder: Ladder, played: Callable[..., Played], number: int) -> None:
    """Store a match won by the first bot."""
    with ladder.database.write() as tx:
        match = PlannedMatch(f"{number:032x}", number, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        assert matches.finish(tx, played(match, 1, 2, 3, 4))


def edit(ladder: Ladder, statement: str) -> None:
    """Edit the database from outside."""
    with closing(sqlite3.connect(ladder.home.database)) as database:
        database.execute(statement)
        database.commit()


def test_it_is_worked_out_once(full: Ladder, worked_out: list[Evidence]) -> None:
    """A second reader gets the same rating to the last bit, as the results give it."""
    first, again = rating_of_record(full), rating_of_record(full)

    with full.database.read() as tx:
        found = evidence(tx, full.settings, older.Older())
        ranking = found.ranking(bots.active(tx))
    by_results = ranking.strengths(full.settings.matches_a_block)
    assert first == again
    assert again.strengths == by_results
    assert again.chance == ranking.chance(full.settings.aim)
    assert len(worked_out) == 1


@pytest.mark.parametrize("what", GARBAGE)
def test_what_is_damaged_is_worked_out_anew(
    full: Ladder, worked_out: list[Evidence], what: str
) -> None:
    """A missing or edited kept rating changes nothing, and is mended."""
    first = rating_of_record(full)
    edit(full, GARBAGE[what])

    assert rating_of_record(full) == first
    assert rating_of_record(full) == first
    assert len(worked_out) == 2


def test_it_follows_the_ladder(
    full: Ladder, played: Callable[..., Played], worked_out: list[Evidence]
) -> None:
    """New or edited results, another aim, a retired bot or other code: each recomputes it."""
    rating_of_record(full)
    play(full, played, 2)
    rating_of_record(full)
    edit(full, "update seats set points = points + 1 where seat = 0")
    rating_of_record(full)
    full.change({"aim": Aim.TOP})
    rating_of_record(full)
    full.retire("dan")
    assert len(rating_of_record(full).strengths) == 4

    assert len(worked_out) == 5


def test_a_match_under_way_changes_nothing(
    full: Ladder, played: Callable[..., Played], worked_out: list[Evidence]
) -> None:
    """Only complete blocks count, so other matches recompute nothing."""
    rating_of_record(full)
    with full.database.write() as tx:
        matches.add(tx, [PlannedMatch("f" * 32, 9, 0, tuple(bots.active(tx)))])
        matches.start(tx, "f" * 32)

    rating_of_record(full)

    assert len(worked_out) == 1
    with full.database.read() as tx:
        assert matches.count(tx, MatchState.RUNNING) == 1


def test_other_code_is_believed_no_more(
    full: Ladder, worked_out: list[Evidence], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rating that other code has computed is computed anew."""
    rating_of_record(full)
    monkeypatch.setattr(older, "RATING_VERSION", older.RATING_VERSION + 1)

    rating_of_record(full)

    assert len(worked_out) == 2


def test_a_ladder_that_others_write_to_is_read(full: Ladder, worked_out: list[Evidence]) -> None:
    """A reader that cannot keep the rating still gets it, without a long wait."""
    with closing(sqlite3.connect(full.home.database, isolation_level=None)) as other:
        other.execute("begin immediate")
        first = rating_of_record(full)
        other.execute("rollback")

    assert rating_of_record(full) == first
    assert len(worked_out) == 2


def test_rerate_works_it_out_anew(full: Ladder, worked_out: list[Evidence]) -> None:
    """`rerate` computes all ratings anew from the matches."""
    rating_of_record(full)

    rerate(full)
    rating_of_record(full)

    assert len(worked_out) == 2


def test_tries_are_counted_by_author(ladder: Ladder, enter: Any, make_bot: Any) -> None:
    """An author's versions are numbered over all bots; the owner's, which others count, by bot."""
    for name, text, author in (
        ("eve", "", "ada"),
        ("eve", "better", "ada"),
        ("fay", "", "ada"),
        ("dan", "better", None),
    ):
        enter(ladder, make_bot(name, text), author=author)
    with ladder.database.read() as tx:
        known = bots.active(tx)

    found = rating_of_record(ladder).strengths

    tries = {v.bot: (found[v.id].attempt, found[v.id].tries) for v in known}
    assert tries["eve"] == (2, 3)
    assert tries["fay"] == (3, 3)
    assert tries["dan"] == (2, 2)
    assert tries["ann"] == (1, 1)

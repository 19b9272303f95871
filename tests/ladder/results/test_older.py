"""Older rounds are condensed and kept, and the rating follows from the results alone."""

import random
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert, update

from ladder.model.history import History
from ladder.model.matches import MatchState, PlannedMatch, Played, SeatResult
from ladder.model.ratings import Count, RatingOfRecord
from ladder.results import evidence, older, queries, rerating
from ladder.results.citation_check import recomputed
from ladder.results.older import Older, kept_older
from ladder.results.rerating import problems, rerate
from ladder.results.strengths import rating_of_record
from ladder.runner.voiding import void
from ladder.server.public.citing import cited
from ladder.server.public.reader import PublicReader
from ladder.storage.db import schema
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches, results, strengths, tallies

CHUNK = 8
ROUNDS = 40
FAULT = "TIMEOUT"
MakePlayed = Callable[..., Played]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Condense eight blocks at a time, and keep them four blocks later."""
    monkeypatch.setattr(older, "CHUNK", CHUNK)
    monkeypatch.setattr(evidence, "LAG", CHUNK // 2)


def play(ladder: Ladder, played: MakePlayed, first: int, last: int) -> None:
    """Store rounds of one match each, whose results follow from their numbers."""
    for number in range(first, last + 1):
        rng = random.Random(number)
        with ladder.database.write() as tx:
            table = bots.active(tx)
            rng.shuffle(table)
            match = PlannedMatch(f"{number:032x}", number, 0, tuple(table))
            points = [3 * version.id + rng.randrange(12) for version in table]
            places = [1 + sum(other > own for other in points) for own in points]
            found = played(match, *places)
            if rng.random() < 0.1:
                seats = [SeatResult(place, 0, None) for place in places]
                seats[rng.randrange(4)] = SeatResult(4, 0, FAULT)
                found = Played(found.match_id, tuple(seats), found.decisions, found.record)
            matches.add(tx, [match])
            assert matches.finish(tx, found)


def kept(ladder: Ladder) -> Older:
    """Return what is kept."""
    with ladder.database.read() as tx:
        return kept_older(tx, ladder.settings)


def anew(ladder: Ladder) -> RatingOfRecord:
    """Return the rating of record without what is kept."""
    with ladder.database.write() as tx:
        strengths.forget(tx)
    return rating_of_record(ladder)


@pytest.mark.costly
def test_the_rating_does_not_depend_on_when_one_looked(ladder: Ladder, played: MakePlayed) -> None:
    """A look after every few rounds, one look at the end and `rerate` give the same last bit."""
    for first in range(1, ROUNDS, 3):
        play(ladder, played, first, min(first + 2, ROUNDS))
        rating_of_record(ladder)
    found = rating_of_record(ladder)

    assert kept(ladder).through == 32
    assert anew(ladder) == found
    rerate(ladder)
    assert rating_of_record(ladder) == found


def test_a_look_reads_only_what_is_new(
    ladder: Ladder, played: MakePlayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results of rounds that are kept are not read again, to rate or to tell what is rated.

    The others are read once.
    """
    play(ladder, played, 1, ROUNDS)
    rating_of_record(ladder)
    read: list[tuple[int, int | None]] = []
    rows = results._rows

    def noted(tx: object, after: int = 0, through: int | None = None) -> object:
        read.append((after, through))
        return rows(tx, after, through)  # type: ignore[arg-type]

    monkeypatch.setattr(results, "_rows", noted)
    play(ladder, played, ROUNDS + 1, ROUNDS + 1)
    rating_of_record(ladder)

    assert kept(ladder).through == 32
    assert read == [(32, 40), (40, None)]


@pytest.mark.costly
def test_who_looks_again_finds_what_was_kept(
    ladder: Ladder, played: MakePlayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the last chunk ends, a second look works nothing out."""
    for number in range(1, ROUNDS + 1):
        play(ladder, played, number, number)
        found = rating_of_record(ladder)
        with monkeypatch.context() as patched:
            patched.delattr(evidence, "evidence")
            assert rating_of_record(ladder) == found


def test_a_chunk_is_condensed_when_it_is_over(ladder: Ladder, played: MakePlayed) -> None:
    """An open match in a chunk keeps it and all later ones from being condensed."""
    play(ladder, played, 1, 4)
    with ladder.database.write() as tx:
        matches.add(tx, [PlannedMatch("f" * 32, 5, 0, tuple(bots.active(tx)))])
    play(ladder, played, 6, ROUNDS)
    rating_of_record(ladder)
    assert kept(ladder) == Older()

    with ladder.database.write() as tx:
        match = matches.open_matches(tx, bots.all_versions(tx))[0]
        assert matches.finish(tx, played(match, 1, 2, 3, 4))
    found = rating_of_record(ladder)

    assert kept(ladder).through == 32
    assert anew(ladder) == found


def test_an_export_tells_where_chunks_end(ladder: Ladder, played: MakePlayed) -> None:
    """A void match fills its chunk, so that the public ones alone would end it a round later."""
    play(ladder, played, 1, 2)
    with ladder.database.write() as tx:
        matches.add(tx, [PlannedMatch("f" * 32, 3, 0, tuple(bots.active(tx)))])
        assert matches.fail(tx, "f" * 32, "gone", 1) is MatchState.VOID
    play(ladder, played, 4, 20)
    reader = PublicReader(ladder)
    snapshot = reader.snapshot()
    said = cited(snapshot, reader, defaultdict(str))
    results = [tuple(s.result for s in line.seats if s.result) for line in snapshot.finished]
    due = recomputed(said, results)

    assert len(results) == 19
    assert said.chunks == (8, 16)
    assert [row.mu for row in due.standings] == pytest.approx(
        [row.mu for row in said.standings], abs=1e-6
    )


def test_tallies_go_on_from_what_is_kept(ladder: Ladder, played: MakePlayed) -> None:
    """Kept tallies with what is new are those of all matches."""
    play(ladder, played, 1, ROUNDS)
    by_results = queries.tallies(ladder)
    rating_of_record(ladder)

    assert sum(count.matches for count in kept(ladder).tallies.values()) == 4 * 32
    assert queries.tallies(ladder) == by_results
    play(ladder, played, ROUNDS + 1, ROUNDS + 3)
    with ladder.database.read() as tx:
        assert queries.tallies(ladder) == tallies.tallies(tx, bots.active(tx))


def test_who_met_whom_goes_on_from_what_is_kept(ladder: Ladder, played: MakePlayed) -> None:
    """What is kept of the tables, and what was planned later, are all tables."""
    for first in range(1, ROUNDS, 10):
        play(ladder, played, first, first + 9)
        rating_of_record(ladder)
    found = kept(ladder)
    with ladder.database.read() as tx:
        every = History(matches.tables(tx))
        history = History.unpacked(found.history)
        assert 0 < len(history) == found.through < len(every)
        for table in matches.tables(tx, found.through):
            history.add(table)

    assert vars(history) == vars(every)


def test_counts_add_up() -> None:
    """Shared first places are counted by how many shared them."""
    one, other = Count(3, 10, 1, (2,)), Count(2, 5, 0, (0, 0, 1))

    assert one.with_more(other) == Count(5, 15, 1, (2, 0, 1))
    assert one.with_more(Count()) == one


def test_voiding_an_older_match_rates_all_anew(ladder: Ladder, played: MakePlayed) -> None:
    """A match that is taken out of a condensed round counts no more."""
    play(ladder, played, 1, ROUNDS)
    before = rating_of_record(ladder)
    with ladder.database.read() as tx:
        line = match_lines.line(tx, f"{2:032x}", bots.all_versions(tx))

    void(ladder, [line], "played with the wrong files")
    found = rating_of_record(ladder)

    assert found != before
    assert anew(ladder) == found
    assert {count.matches for count in queries.tallies(ladder)} == {ROUNDS - 1}


def test_a_match_that_was_put_off_counts_once_it_is_played(
    ladder: Ladder, played: MakePlayed
) -> None:
    """A match of a condensed round that the next run plays is rated."""
    play(ladder, played, 1, 4)
    with ladder.database.write() as tx:
        matches.add(tx, [PlannedMatch("f" * 32, 5, 0, tuple(bots.active(tx)))])
        assert matches.fail(tx, "f" * 32, "gone", 1, postponed=True) is MatchState.VOID
    play(ladder, played, 6, ROUNDS)
    rating_of_record(ladder)
    assert kept(ladder).through == 32

    with ladder.database.write() as tx:
        assert matches.resume(tx)
        match = matches.open_matches(tx, bots.all_versions(tx))[0]
        assert matches.finish(tx, played(match, 1, 2, 3, 4))
    found = rating_of_record(ladder)

    assert {strength.blocks for strength in found.strengths.values()} == {ROUNDS}
    assert anew(ladder) == found


@pytest.mark.costly
def test_what_was_edited_by_hand_is_named_and_mended(ladder: Ladder, played: MakePlayed) -> None:
    """`verify` and `rerate` name ratings that no longer follow from old results; `rerate` mends."""
    play(ladder, played, 1, ROUNDS)
    before = rating_of_record(ladder)
    assert list(problems(ladder)) == []
    with ladder.database.write() as tx:
        edited = update(schema.seats).where(schema.seats.c.match_id == f"{5:032x}")
        tx.execute(edited.values(rank=5 - schema.seats.c.rank))
    assert rating_of_record(ladder) == before

    named = list(problems(ladder))
    changed = rerate(ladder)

    assert len(named) == len(changed) == 4
    for line, (version, (shown, due)) in zip(named, changed.items(), strict=True):
        strength = before.strengths[version.id]
        assert (shown.mu, shown.sigma) == (strength.mu, strength.sigma)
        assert line == (
            f"{version}: its rating is {shown}, by the matches {due}; `ladder rerate` mends that"
        )
        assert rating_of_record(ladder).strengths[version.id].rating == due
    assert list(problems(ladder)) == []
    assert rerate(ladder) == {}


@pytest.mark.parametrize(("off", "named"), [(4e-7, 0), (1e-3, 1)])
def test_ratings_that_another_machine_rounded_are_no_problem(
    ladder: Ladder, played: MakePlayed, monkeypatch: pytest.MonkeyPatch, off: float, named: int
) -> None:
    """What another processor rounds otherwise is the same rating; what a result changes is not."""
    play(ladder, played, 1, 1)
    found = rating_of_record(ladder)
    first = min(found.strengths)
    moved = {first: replace(found.strengths[first], mu=found.strengths[first].mu + off)}
    elsewhere = replace(found, strengths={**found.strengths, **moved})
    monkeypatch.setattr(rerating, "by_results", lambda *_: elsewhere)

    assert len(list(problems(ladder))) == named


@pytest.mark.sweep
@pytest.mark.parametrize(
    "damage",
    [
        "update strengths set body = substr(body, 1, length(body) - 1)",
        "delete from strengths",
        "update ladder set generation = 7",
    ],
)
def test_what_does_not_fit_is_not_believed(ladder: Ladder, played: MakePlayed, damage: str) -> None:
    """Damaged older rounds, or those of other results, are condensed again."""
    play(ladder, played, 1, ROUNDS)
    found = rating_of_record(ladder)
    with closing(sqlite3.connect(ladder.home.database)) as database:
        database.execute(damage)
        database.commit()

    assert kept(ladder) == Older()
    assert rating_of_record(ladder) == found
    assert kept(ladder).through == 32


def test_another_rating_version_condenses_anew(
    ladder: Ladder, played: MakePlayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another version of the program has condensed is not believed."""
    play(ladder, played, 1, ROUNDS)
    rating_of_record(ladder)
    monkeypatch.setattr(older, "RATING_VERSION", older.RATING_VERSION + 1)

    assert kept(ladder) == Older()


def test_what_is_kept_back_of_older_rounds_is_not_counted(
    ladder: Ladder, played: MakePlayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deal of an old round that has still to be played is taken off what is kept of it."""
    play(ladder, played, 1, ROUNDS)
    rating_of_record(ladder)
    assert kept(ladder).through == 32
    with ladder.database.write() as tx:
        deal = {"deal": f"{5:032x}", "postponed": True, "state": "void"}
        tx.execute(insert(schema.matches).values(id="f" * 32, round=6, position=1, **deal))
    source = PublicReader(ladder)
    after = list[int]()
    counted = tallies.counted

    def asked(tx: Transaction, first: int = 0, *more: Any, **others: Any) -> dict[int, Count]:
        after.append(first)
        return counted(tx, first, *more, **others)

    monkeypatch.setattr(tallies, "counted", asked)
    snapshot = source.snapshot()

    assert snapshot.embargoed == 1
    assert after == [32]
    with ladder.database.read() as tx:
        whole = tallies.tallies(tx, [t.version for t in snapshot.tallies], [f"{5:032x}"])
    assert snapshot.tallies == whole

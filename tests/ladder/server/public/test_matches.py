"""Public matches are read when they are asked for, as they were at the moment of the snapshot."""

from collections.abc import Callable
from typing import Any

import pytest

from ladder.model.matches import MatchLine, PlannedMatch, Played
from ladder.runner.voiding import void
from ladder.server.public import matches as public
from ladder.server.public.matches import PublicMatches
from ladder.server.public.reader import PublicReader
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches
from ladder.storage.tables.matches import RoundSpan

pytestmark = pytest.mark.both_engines

MakePlayed = Callable[..., Played]
ROUNDS = 30
A_ROUND = 3
OPEN = (7, 23)
"""Rounds in which the second match of a deal is still to be played."""


@pytest.fixture
def planned(ladder: Ladder, played: MakePlayed, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Thirty rounds of three matches, the last two on one deal; two deals are in play."""
    monkeypatch.setattr(public, "_AT_ONCE", 7)
    monkeypatch.setattr(public, "_SPAN", 5)
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        every = [
            PlannedMatch(f"{10 * i + k:032x}", i, k, four, deal=f"{i} {min(1, k)}")
            for i in range(1, ROUNDS + 1)
            for k in range(A_ROUND)
        ]
        matches.add(tx, every)
        for match in every:
            if not (match.round in OPEN and match.index == A_ROUND - 1):
                matches.finish(tx, played(match, 1, 2, 3, 4))
    return [match.match_id for match in every]


def lines_of(ladder: Ladder) -> list[MatchLine]:
    """Return all matches that are done, in order."""
    with ladder.database.read() as tx:
        return match_lines.finished(tx, bots.all_versions(tx))


def public_of(ladder: Ladder) -> list[MatchLine]:
    """Return what is public, by the rule alone."""
    return [line for line in lines_of(ladder) if not (line.round in OPEN and line.index)]


def finished(source: PublicReader) -> PublicMatches:
    """Return a snapshot's matches."""
    return source.snapshot().finished


@pytest.mark.costly
@pytest.mark.usefixtures("planned")
def test_any_part_is_that_of_the_whole_list(ladder: Ladder) -> None:
    """Every match and every page of matches is the same as in a list of all of them."""
    whole, found = public_of(ladder), finished(PublicReader(ladder))

    assert len(found) == len(whole) == ROUNDS * A_ROUND - 2 * len(OPEN)
    assert [*found] == whole
    assert [found[i] for i in range(len(found))] == whole
    for first in range(len(whole)):
        assert found[first : first + 10] == whole[first : first + 10]
    assert found[::-1] == whole[::-1]
    assert found[:-11:-1] == whole[:-11:-1]
    assert found.latest(30) == whole[:-31:-1]
    with pytest.raises(IndexError):
        found[len(whole)]


@pytest.mark.costly
def test_what_becomes_public_later_is_not_of_the_moment(
    ladder: Ladder, planned: list[str], played: MakePlayed
) -> None:
    """A page that is read later shows and counts what the snapshot counted."""
    source = PublicReader(ladder)
    before, found = public_of(ladder), finished(source)
    results = found.of_bot("ann")
    with ladder.database.write() as tx:
        for match in matches.open_matches(tx, bots.all_versions(tx)):
            matches.finish(tx, played(match, 1, 2, 3, 4))
        four = tuple(bots.active(tx))
        late = PlannedMatch("f" * 32, ROUNDS + 1, 0, four)
        matches.add(tx, [late])
        matches.finish(tx, played(late, 1, 2, 3, 4))

    assert [*found] == before
    assert found.latest(5) == before[:-6:-1]
    assert found.find("f" * 32) is None
    assert found.of_bot("ann") == results
    assert len(finished(source)) == len(lines_of(ladder)) == len(planned) + 1


@pytest.mark.usefixtures("planned")
def test_what_must_not_be_shown_any_more_is_not(ladder: Ladder, played: MakePlayed) -> None:
    """A voided match is gone from pages of the moment before; pages go on without it."""
    found = finished(PublicReader(ladder))
    whole = public_of(ladder)
    void(ladder, whole[3:4], "it should not count")

    assert [*found] == public_of(ladder) == whole[:3] + whole[4:]
    assert found.find(whole[3].match_id) is None
    assert whole[3] not in found.latest(len(whole))


@pytest.mark.usefixtures("planned")
def test_each_match_is_fresh_once(ladder: Ladder, played: MakePlayed) -> None:
    """A snapshot names the matches that became public since the one before: none twice or never."""
    source = PublicReader(ladder)
    assert list(source.snapshot().fresh) == []
    seen = {line.match_id for line in public_of(ladder)}
    with ladder.database.read() as tx:
        left = matches.open_matches(tx, bots.all_versions(tx))
    for match in left:
        with ladder.database.write() as tx:
            matches.finish(tx, played(match, 1, 2, 3, 4))
        fresh = [line.match_id for line in source.snapshot().fresh]
        assert len(fresh) == 2
        assert not seen & {*fresh}
        seen |= {*fresh}
    assert seen == {line.match_id for line in lines_of(ladder)}
    assert list(source.snapshot().fresh) == []


@pytest.mark.usefixtures("planned")
def test_a_bot_s_results_are_those_of_its_public_matches(ladder: Ladder) -> None:
    """Opponents, seats, and the newest matches are counted over what is public."""
    whole = public_of(ladder)
    results = finished(PublicReader(ladder)).of_bot("ann")

    assert [(o.bot, o.matches, o.ahead, o.level) for o in results.opponents] == [
        (name, len(whole), len(whole), 0) for name in ("bob", "cat", "dan")
    ]
    (seat,) = results.seats
    assert (seat.matches, seat.wins, seat.average_rank) == (len(whole), len(whole), 1)
    assert list(results.latest) == whole[: -public.AT_HAND - 1 : -1]


@pytest.mark.usefixtures("planned")
def test_rounds_that_are_over_are_not_counted_again(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second snapshot adds up only what follows the rounds that were over."""
    source, asked = PublicReader(ladder), list[int]()
    spans = matches.spans

    def asking(tx: Transaction, after: int, *more: Any) -> list[RoundSpan]:
        asked.append(after)
        return spans(tx, after, *more)

    monkeypatch.setattr(matches, "spans", asking)
    first, second = source.snapshot(), source.snapshot()

    assert len(first.finished) == len(second.finished)
    assert asked == [0, OPEN[0] - 1]

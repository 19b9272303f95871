"""Ratings follow from the matches alone, in any finishing order."""

from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import text

from ladder.model.errors import SettingsError
from ladder.model.matches import PlannedMatch, Played
from ladder.model.ratings import Rating
from ladder.model.settings import Tuning
from ladder.results import queries
from ladder.results.rerating import rerate
from ladder.results.strengths import rating_of_record
from ladder.storage import bots, matches, ratings
from ladder.storage.ladder import Ladder
from tests.support.places import place

pytestmark = pytest.mark.both_engines

MakePlayed = Callable[..., Played]
RANKS = [(1, 2, 3, 4), (2, 1, 2, 4), (4, 3, 2, 1), (1, 1, 3, 3)]


@pytest.fixture
def planned(ladder: Ladder) -> list[PlannedMatch]:
    """Two rounds of two matches each."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        planned = [
            PlannedMatch(f"{number}{index}" * 16, number, index, four)
            for number in (1, 2)
            for index in (0, 1)
        ]
        matches.add(tx, planned)
    return planned


@pytest.fixture
def results(planned: list[PlannedMatch], played: MakePlayed) -> list[Played]:
    """A result for each of the four matches."""
    return [played(match, *ranks) for match, ranks in zip(planned, RANKS, strict=True)]


def straight_from_the_rater(ladder: Ladder, which: Sequence[int]) -> dict[int, Rating]:
    """Return the ratings after some of the four results, in this order."""
    with ladder.database.read() as tx:
        four = bots.active(tx)
    current: dict[int, Rating] = {}
    for ranks in (RANKS[i] for i in which):
        places = [place(v.id, rank) for v, rank in zip(four, ranks, strict=True)]
        current |= ladder.rater.rate(places, current)
    return current


def store(ladder: Ladder, result: Played) -> None:
    """Store a result as a run does."""
    with ladder.database.write() as tx:
        if matches.finish(tx, result):
            ratings.fold(tx, ladder.rater)


def stored(ladder: Ladder) -> dict[int, Rating]:
    """Return the stored ratings."""
    with ladder.database.read() as tx:
        return ratings.all_ratings(tx)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)])
def test_order_of_finish_does_not_matter(
    ladder: Ladder, results: list[Played], order: tuple[int, ...]
) -> None:
    """Whichever match ends first, the final ratings are equal to the last bit."""
    for i in order:
        store(ladder, results[i])

    assert stored(ladder) == straight_from_the_rater(ladder, (0, 1, 2, 3))
    assert queries.waiting(ladder) == 0


def test_later_match_waits(ladder: Ladder, results: list[Played]) -> None:
    """A match waits for its rating until all before it are over."""
    store(ladder, results[0])
    store(ladder, results[2])
    assert stored(ladder) == straight_from_the_rater(ladder, (0,))
    assert queries.waiting(ladder) == 1

    store(ladder, results[1])

    assert stored(ladder) == straight_from_the_rater(ladder, (0, 1, 2))
    assert queries.waiting(ladder) == 0


def test_void_match_holds_up_nobody(
    ladder: Ladder, planned: list[PlannedMatch], results: list[Played]
) -> None:
    """Rating skips a void match."""
    store(ladder, results[1])
    assert stored(ladder) == {}

    with ladder.database.write() as tx:
        matches.fail(tx, planned[0].match_id, "no reason", most_attempts=1)
        ratings.fold(tx, ladder.rater)

    assert stored(ladder) == straight_from_the_rater(ladder, (1,))


@pytest.fixture
def block(ladder: Ladder) -> list[PlannedMatch]:
    """Plan two blocks of two matches each."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        planned = [
            PlannedMatch(f"{index}" * 32, 1, index, four, deal=f"deal {index // 2}")
            for index in range(4)
        ]
        matches.add(tx, planned)
    return planned


def test_block_is_rated_as_a_whole(
    ladder: Ladder, block: list[PlannedMatch], played: MakePlayed
) -> None:
    """A block is rated once all its matches are over; later blocks wait for it."""
    for i in (0, 2, 3):
        store(ladder, played(block[i], *RANKS[i]))
    assert stored(ladder) == {}
    assert queries.waiting(ladder) == 3

    store(ladder, played(block[1], *RANKS[1]))

    assert stored(ladder) == straight_from_the_rater(ladder, (0, 1, 2, 3))


def test_block_with_a_void_match_is_not_rated(
    ladder: Ladder, block: list[PlannedMatch], played: MakePlayed
) -> None:
    """A block with a void match changes no rating, but its matches show; the next counts."""
    for i in (1, 2, 3):
        store(ladder, played(block[i], *RANKS[i]))
    with ladder.database.write() as tx:
        matches.fail(tx, block[0].match_id, "no reason", most_attempts=1)
        ratings.fold(tx, ladder.rater)

    assert stored(ladder) == straight_from_the_rater(ladder, (2, 3))
    assert queries.waiting(ladder) == 0
    assert [tally.matches for tally in queries.tallies(ladder)] == [3, 3, 3, 3]
    assert {strength.blocks for strength in rating_of_record(ladder).strengths.values()} == {1}


def test_forfeits_are_no_draw(ladder: Ladder, results: list[Played], played: MakePlayed) -> None:
    """Two forfeits rank behind the others, and are not compared with each other."""
    with ladder.database.read() as tx:
        four = [version.id for version in bots.active(tx)]
    match = PlannedMatch(results[0].match_id, 1, 0, ())
    store(ladder, played(match, 1, 2, 3, 3, forfeits=(2, 3)))

    crashed = [place(v, min(i + 1, 3), crashed=i > 1) for i, v in enumerate(four)]
    assert stored(ladder) == ladder.rater.rate(crashed, {})


def test_second_result_is_not_rated(ladder: Ladder, results: list[Played]) -> None:
    """A repeated result is rated once."""
    store(ladder, results[0])
    store(ladder, results[0])

    assert stored(ladder) == straight_from_the_rater(ladder, (0,))


def test_stand_in_is_not_rated(ladder: Ladder, played: MakePlayed) -> None:
    """Rating leaves the stand-in's place out, as if its seat did not exist."""
    with ladder.database.write() as tx:
        ann, bob, *_ = bots.active(tx)
        match = PlannedMatch("c" * 32, 1, 0, (None, ann, None, bob))
        matches.add(tx, [match])

    store(ladder, played(match, 1, 2, 3, 4))

    assert stored(ladder) == ladder.rater.rate([place(ann.id, 2), place(bob.id, 4)], {})


def test_lone_bot_keeps_its_rating(ladder: Ladder, played: MakePlayed) -> None:
    """A match of one bot among stand-ins changes no rating."""
    with ladder.database.write() as tx:
        ann = bots.active(tx)[0]
        match = PlannedMatch("c" * 32, 1, 0, (None, ann, None, None))
        matches.add(tx, [match])

    store(ladder, played(match, 2, 1, 3, 4))

    assert stored(ladder) == {ann.id: ladder.rater.initial}


def test_rebuilding_finds_no_difference(ladder: Ladder, results: list[Played]) -> None:
    """Rebuilding correct ratings changes nothing."""
    for i in (3, 0, 2):
        store(ladder, results[i])
    before = stored(ladder)

    assert rerate(ladder) == {}
    assert stored(ladder) == before


def test_rebuilding_mends(ladder: Ladder, results: list[Played]) -> None:
    """Rebuilding finds and mends an edited rating."""
    store(ladder, results[0])
    right = stored(ladder)
    with ladder.database.write() as tx:
        tx.execute(text("update ratings set mu = 99 where version_id = 2"))

    (version, (before, after)), *others = rerate(ladder).items()

    assert others == []
    assert (version.bot, before) == ("bob", Rating(99.0, right[2].sigma))
    assert after == right[2]
    assert stored(ladder) == right


def test_tuning_is_stored_with_its_ratings(ladder: Ladder, results: list[Played]) -> None:
    """The ladder stores the measured tuning, and rates by it from then on."""
    for result in results:
        store(ladder, result)
    before, usual = stored(ladder), ladder.settings.tuning

    changed = rerate(ladder, tune=True)

    assert ladder.settings.tuning not in (usual, Tuning())
    assert {version.id: pair for version, pair in changed.items()} == {
        version: (before[version], after) for version, after in stored(ladder).items()
    }
    with Ladder.open(ladder.home) as again:
        assert again.settings.tuning == ladder.settings.tuning
        assert rerate(again) == {}


def test_nothing_to_tune_by(ladder: Ladder) -> None:
    """Without a rated block `rerate` measures and changes nothing."""
    with pytest.raises(SettingsError, match="nothing to measure yet"):
        rerate(ladder, tune=True)

    assert rerate(ladder) == {}


def test_tallies(ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed) -> None:
    """Matches, shared victories, points and forfeits add up."""
    store(ladder, played(planned[0], 1, 1, 1, 4, forfeits=(3,)))
    store(ladder, played(planned[1], 1, 2, 3, 4))

    ann, bob, _, dan = queries.tallies(ladder)

    assert (ann.matches, ann.wins, ann.points, ann.forfeits) == (2, 1 / 3 + 1, 9 + 9, 0)
    assert (bob.matches, bob.wins, bob.points) == (2, 1 / 3, 9 + 8)
    assert (dan.matches, dan.wins, dan.forfeits) == (2, 0.0, 1)


def test_tally_of_a_newcomer(ladder: Ladder) -> None:
    """A new version has a tally of no matches."""
    newcomer = queries.tallies(ladder)[0]

    assert (newcomer.matches, newcomer.wins, newcomer.points) == (0, 0.0, 0)

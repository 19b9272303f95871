"""Which stored matches count: in tallies all that are done, in ratings whole blocks."""

from collections.abc import Callable

import pytest

from ladder.model.matches import PlannedMatch, Played
from ladder.results import queries
from ladder.results.strengths import rating_of_record
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

pytestmark = pytest.mark.both_engines

MakePlayed = Callable[..., Played]
RANKS = [(1, 2, 3, 4), (2, 1, 2, 4), (4, 3, 2, 1), (1, 1, 3, 3)]


@pytest.fixture
def planned(ladder: Ladder) -> list[PlannedMatch]:
    """Four matches, each of a deal of its own."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        planned = [PlannedMatch(f"{index}" * 32, 1, index, four) for index in range(4)]
        matches.add(tx, planned)
    return planned


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


def store(ladder: Ladder, *results: Played) -> None:
    """Store results as a run does."""
    with ladder.database.write() as tx:
        matches.finish(tx, *results)


def blocks(ladder: Ladder) -> list[int]:
    """Return how many blocks of each version are rated."""
    return [strength.blocks for strength in rating_of_record(ladder).strengths.values()]


def test_an_open_match_holds_up_no_other_deal(
    ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed
) -> None:
    """After a run that was killed in its first match all others are rated, and none waits."""
    with ladder.database.write() as tx:
        matches.start(tx, planned[0].match_id)
    store(ladder, *(played(match, *RANKS[match.index]) for match in planned[1:]))

    assert queries.waiting(ladder) == 0
    assert blocks(ladder) == [3, 3, 3, 3]
    assert [tally.matches for tally in queries.tallies(ladder)] == [3, 3, 3, 3]


def test_a_block_is_rated_as_a_whole(
    ladder: Ladder, block: list[PlannedMatch], played: MakePlayed
) -> None:
    """A match waits for the others of its deal, also if one is left to the next run."""
    store(ladder, *(played(block[i], *RANKS[i]) for i in (1, 2, 3)))
    assert (queries.waiting(ladder), blocks(ladder)) == (1, [1, 1, 1, 1])
    with ladder.database.write() as tx:
        matches.fail(tx, block[0].match_id, "no memory", most_attempts=1, postponed=True)
    assert (queries.waiting(ladder), blocks(ladder)) == (1, [1, 1, 1, 1])

    with ladder.database.write() as tx:
        matches.resume(tx)
    store(ladder, played(block[0], *RANKS[0]))

    assert (queries.waiting(ladder), blocks(ladder)) == (0, [2, 2, 2, 2])


def test_a_block_with_a_void_match_is_not_rated(
    ladder: Ladder, block: list[PlannedMatch], played: MakePlayed
) -> None:
    """A block with a void match changes no rating, but its matches show; the next counts."""
    store(ladder, *(played(block[i], *RANKS[i]) for i in (1, 2, 3)))
    with ladder.database.write() as tx:
        matches.fail(tx, block[0].match_id, "no reason", most_attempts=1)

    assert (queries.waiting(ladder), blocks(ladder)) == (0, [1, 1, 1, 1])
    assert [tally.matches for tally in queries.tallies(ladder)] == [3, 3, 3, 3]


def test_a_second_result_does_not_count(
    ladder: Ladder, planned: list[PlannedMatch], played: MakePlayed
) -> None:
    """A repeated result counts once, as it was first."""
    store(ladder, played(planned[0], *RANKS[0]))
    before = rating_of_record(ladder)
    store(ladder, played(planned[0], *RANKS[2]))

    assert rating_of_record(ladder) == before
    assert blocks(ladder) == [1, 1, 1, 1]


def test_stand_ins_are_not_rated(ladder: Ladder, played: MakePlayed) -> None:
    """The stand-in's place is left out, so a lone bot's rating stays the prior's."""
    with ladder.database.write() as tx:
        ann, bob, cat, _ = bots.active(tx)
        first = PlannedMatch("c" * 32, 1, 0, (None, ann, None, bob))
        alone = PlannedMatch("d" * 32, 1, 1, (None, cat, None, None))
        matches.add(tx, [first, alone])

    store(ladder, played(first, 1, 2, 3, 4), played(alone, 1, 2, 3, 4))

    found = rating_of_record(ladder).strengths
    assert found[ann.id].mu > found[bob.id].mu
    assert found[ann.id].mu + found[bob.id].mu == pytest.approx(50)
    assert found[cat.id].mu == pytest.approx(25)
    assert found[cat.id].blocks == 0


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

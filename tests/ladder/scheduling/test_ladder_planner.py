"""A ladder's plan follows from its earlier matches, and ends when the aim is settled."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ladder.model.bots import Submission
from ladder.model.matches import PlannedMatch, Played
from ladder.model.pairing import Block, Seating, rotations
from ladder.model.presence import Presence
from ladder.model.settings import Aim, Deals, Scheduling
from ladder.results import queries
from ladder.results.evidence import Evidence
from ladder.results.older import kept_older
from ladder.results.ranking import Ranking
from ladder.results.standings import to_json
from ladder.results.strengths import rating_of_record
from ladder.scheduling.ladder.balanced import Table
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.ladder.policy import Past
from ladder.scheduling.planner import planned_matches
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches
from ladder.storage.tables import strengths as stored_strengths
from referee.games.randomness import Stream
from tests.support.new_ladder import new_ladder

BOTS = ("ann", "bob", "cat", "dan", "eve", "fay")
Make = Callable[..., Ladder]
MakePlayed = Callable[..., Played]


@pytest.fixture
def make(
    tmp_path: Path, make_bot: Callable[[str], Path], enter: Callable[..., object]
) -> Iterator[Make]:
    """Make a ladder of bots, the same one for the same arguments, in a folder of this name."""
    opened: list[Ladder] = []

    def make(
        name: str,
        entrants: tuple[str, ...] = BOTS,
        scheduler: Scheduling = Scheduling.MIXED,
        deals: Deals = Deals.DUPLICATE,
        aim: Aim = Aim.RANKING,
    ) -> Ladder:
        home = new_ladder(
            tmp_path / name, "always the same", scheduler=scheduler, deals=deals, aim=aim
        )
        ladder = Ladder.open(home)
        opened.append(ladder)
        for bot in entrants:
            enter(ladder, make_bot(bot))
        return ladder

    yield make
    for ladder in opened:
        ladder.database.close()


@pytest.fixture
def result(played: MakePlayed) -> Callable[[PlannedMatch], Played]:
    """Return a match's outcome, derived from its id: earlier names are stronger."""

    def result(match: PlannedMatch) -> Played:
        luck = Stream(match.match_id, "luck")
        points = [
            luck.below(8) - 2 * BOTS.index(version.bot) if version else -20
            for version in match.seats
        ]
        return played(match, *(1 + sum(p > point for p in points) for point in points))

    return result


def play(
    ladder: Ladder,
    planner: LadderPlanner,
    result: Callable[[PlannedMatch], Played],
    chance: random.Random,
    workers: int = 3,
    left: Sequence[PlannedMatch] = (),
    ahead: int = 1,
) -> int:
    """Play several matches at once, ending in any order; return how many were played.

    What is left from before is played first. Up to `ahead` rounds are planned together.
    """
    queue = list(left)
    under_way: list[PlannedMatch] = []
    over, count = False, 0
    while True:
        while len(under_way) < workers and not over:
            if not queue:
                with ladder.database.write() as tx:
                    blocks = planner.plan(tx)
                    over = blocks is None
                    number = matches.last_round(tx) + 1
                    several = [blocks] if blocks else []
                    wanted = chance.randrange(ahead) if blocks else 0
                    while len(several) <= wanted and (more := planner.plan_more(tx)):
                        several.append(more)
                    for own in several:
                        planned = planned_matches(
                            ladder.settings, number, own, bots.all_versions(tx)
                        )
                        matches.add(tx, planned)
                        queue += planned
                        number += 1
            if not queue:
                break
            under_way.append(queue.pop(0))
        if not under_way:
            assert over
            return count
        ended = under_way.pop(chance.randrange(len(under_way)))
        with ladder.database.write() as tx:
            assert matches.finish(tx, result(ended))
        count += 1


def everything(ladder: Ladder) -> tuple[object, ...]:
    """Return all matches with their results, and the standings as they are written."""
    with ladder.database.read() as tx:
        lines = match_lines.finished(tx, bots.all_versions(tx))
    shown = [(m.match_id, m.deal, m.round, m.index, [s.result for s in m.seats]) for m in lines]
    return (
        shown,
        to_json(queries.standings(ladder), ["1"]),
    )


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("scheduler", Scheduling)
@pytest.mark.parametrize("deals", Deals)
def test_order_of_finish_changes_nothing(
    make: Make, result: Callable[[PlannedMatch], Played], scheduler: Scheduling, deals: Deals
) -> None:
    """The order of finishing and the number of workers do not change the ladder."""
    several = []
    for workers in (1, 5):
        ladder = make(f"ladder {workers}", scheduler=scheduler, deals=deals)
        play(ladder, LadderPlanner(ladder, 6), result, random.Random(workers), workers)
        several.append(everything(ladder))

    assert several[0] == several[1]


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("entrants", [BOTS[:4], BOTS])
@pytest.mark.parametrize("scheduler", [Scheduling.MIXED, Scheduling.OPTIMAL, Scheduling.BALANCED])
def test_rounds_planned_together_are_the_same(
    make: Make,
    result: Callable[[PlannedMatch], Played],
    scheduler: Scheduling,
    entrants: tuple[str, ...],
) -> None:
    """However many rounds are planned at once, and by however many runs, the ladder is the same."""
    one, several = (
        make(name, entrants, scheduler, Deals.INDEPENDENT) for name in ("one by one", "together")
    )
    play(one, LadderPlanner(one, 60), result, random.Random(1))
    for rounds in (35, 25):
        play(several, LadderPlanner(several, rounds), result, random.Random(2), 2, ahead=9)

    assert everything(one) == everything(several)


def test_no_ranking_is_made_for_the_only_table(
    make: Make, result: Callable[[PlannedMatch], Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all bots sit at one table, no strengths are worked out to plan that."""
    looks: list[int] = []

    def read(evidence: Evidence, *_: Any) -> None:
        looks.append(evidence.through)

    ladder = make("four", BOTS[:4])
    monkeypatch.setattr(Evidence, "read", read)

    assert play(ladder, LadderPlanner(ladder, 8), result, random.Random(1)) == 8 * 4
    assert looks == []


@pytest.mark.costly
def test_condensed_rounds_change_no_plan(
    make: Make, result: Callable[[PlannedMatch], Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planners that begin anew on what is kept, or without it, plan as one that read all."""
    monkeypatch.setattr("ladder.results.older.CHUNK", 8)
    monkeypatch.setattr("ladder.results.evidence.LAG", 4)
    one, kept, lost = (make(name, deals=Deals.INDEPENDENT) for name in ("one", "kept", "lost"))
    play(one, LadderPlanner(one, 24), result, random.Random(1))
    for ladder in (kept, lost):
        for _ in range(4):
            play(ladder, LadderPlanner(ladder, 6), result, random.Random(2))
            rating_of_record(ladder)
            if ladder is lost:
                with ladder.database.write() as tx:
                    stored_strengths.forget(tx)
    with kept.database.read() as tx:
        assert kept_older(tx, kept.settings).through == 20

    assert everything(kept) == everything(one)
    assert everything(lost) == everything(one)


@pytest.mark.costly
def test_a_planner_begins_with_what_is_kept(
    make: Make, result: Callable[[PlannedMatch], Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who met whom in the rounds that are kept is not read again."""
    monkeypatch.setattr("ladder.results.older.CHUNK", 8)
    monkeypatch.setattr("ladder.results.evidence.LAG", 4)
    ladder = make("kept", deals=Deals.INDEPENDENT)
    play(ladder, LadderPlanner(ladder, 24), result, random.Random(1))
    rating_of_record(ladder)
    read: list[int] = []
    tables = matches.tables

    def noted(tx: Transaction, after: int = 0, through: int | None = None) -> Iterator[Seating]:
        read.append(after)
        return tables(tx, after, through)

    monkeypatch.setattr(matches, "tables", noted)
    LadderPlanner(ladder, 1)

    assert read == [20]


@pytest.mark.costly
def test_preparing_changes_no_plan(make: Make, result: Callable[[PlannedMatch], Played]) -> None:
    """A planner that rated beforehand plans as one that did not, and rates no more."""
    ladder = make("prepared", deals=Deals.INDEPENDENT)
    play(ladder, LadderPlanner(ladder, 5), result, random.Random(1))
    prepared, other = LadderPlanner(ladder, 1), LadderPlanner(ladder, 1)
    assert prepared.may_prepare
    with ladder.database.read() as tx:
        prepared.prepare(tx)
        assert not prepared.may_prepare
        assert prepared.plan(tx) == other.plan(tx)


@pytest.fixture
def make_old(make: Make, result: Callable[[PlannedMatch], Played]) -> Make:
    """Make a ladder with finished rounds of these sizes; some matches of the last are open."""

    def make_old(name: str, *sizes: int, still_open: int = 0, **others: Any) -> Ladder:
        ladder = make(name, **others)
        with ladder.database.write() as tx:
            known = bots.all_versions(tx)
            for number, size in enumerate(sizes, start=1):
                seatings = [tuple(1 + (i + j) % 6 for j in range(4)) for i in range(size)]
                blocks = [rotations(seating) for seating in seatings]
                planned = planned_matches(ladder.settings, number, blocks, known)
                matches.add(tx, planned)
                over = len(planned) - (still_open if number == len(sizes) else 0)
                for match in planned[:over]:
                    matches.finish(tx, result(match))
        return ladder

    return make_old


@pytest.mark.sweep
@pytest.mark.parametrize("scheduler", Scheduling)
def test_a_round_is_as_long_as_ever(
    make_old: Make, result: Callable[[PlannedMatch], Played], scheduler: Scheduling
) -> None:
    """The size of a round does not depend on the number of blocks played."""
    ladder = make_old("ladder", 2, 150, scheduler=scheduler)
    planner = LadderPlanner(ladder, 5)
    announced = planner.ahead()

    assert play(ladder, planner, result, random.Random(1)) == announced
    with ladder.database.read() as tx:
        sizes = matches.sizes(tx)[2:]
    assert sizes == [1 if scheduler is Scheduling.SWISS else 2] * 5
    assert planner.ahead() == 0


@pytest.mark.costly
def test_results_are_not_rated_for_every_round(
    make_old: Make, result: Callable[[PlannedMatch], Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an old ladder several rounds are planned from the same results."""
    looks: list[int] = []

    def counted(evidence: Evidence, *listed: Any) -> Ranking:
        looks.append(evidence.through)
        return ranking(evidence, *listed)

    ranking = Evidence.ranking
    monkeypatch.setattr(Evidence, "ranking", counted)
    ladder = make_old("ladder", 120, 2)
    play(ladder, LadderPlanner(ladder, 12), result, random.Random(1))

    assert len(looks) == len(set(looks)) <= 7
    assert looks == sorted(looks)


@pytest.mark.costly
def test_it_is_the_same_in_several_runs(
    make_old: Make, result: Callable[[PlannedMatch], Played]
) -> None:
    """Rounds planned by several planners in turn equal those of one."""
    several = []
    for name, runs in (("at once", (6,)), ("bit by bit", (1, 4, 1))):
        ladder = make_old(name, 120, 2)
        for number, rounds in enumerate(runs):
            play(ladder, LadderPlanner(ladder, rounds), result, random.Random(number), number + 1)
        several.append(everything(ladder))

    assert several[0] == several[1]


@pytest.mark.costly
def test_a_ladder_with_grown_rounds_goes_on(
    make_old: Make, result: Callable[[PlannedMatch], Played]
) -> None:
    """Long rounds planned by older code are played, and later rounds have the usual size."""
    several = []
    for workers in (1, 3):
        ladder = make_old(f"ladder {workers}", 2, 2, 10, 30, still_open=100)
        with ladder.database.read() as tx:
            left = matches.open_matches(tx, bots.all_versions(tx))
        play(ladder, LadderPlanner(ladder, 4), result, random.Random(1), workers, left)
        with ladder.database.read() as tx:
            assert matches.sizes(tx) == [2, 2, 10, 30, 2, 2, 2, 2]
            assert matches.first_open(tx) is None
        several.append(everything(ladder))

    assert several[0] == several[1]


def test_every_seat_in_a_block(make: Make, result: Callable[[PlannedMatch], Played]) -> None:
    """The matches of a deal have the same bots, each of them on every seat."""
    ladder = make("ladder")
    play(ladder, LadderPlanner(ladder, 4), result, random.Random(1))
    with ladder.database.read() as tx:
        lines = match_lines.finished(tx, bots.all_versions(tx))

    deals = {line.deal for line in lines}
    for deal in deals:
        block = [line for line in lines if line.deal == deal]
        sat = [tuple(seat.version and seat.version.bot for seat in line.seats) for line in block]
        assert sorted(sat) == sorted(sat[0][i:] + sat[0][:i] for i in range(4))
    assert len(deals) == len(lines) / 4


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("deals", "matches_a_table"), [(Deals.DUPLICATE, 4), (Deals.INDEPENDENT, 1)]
)
def test_the_scheduler_knows_what_is_played_of_a_table(
    make: Make, monkeypatch: pytest.MonkeyPatch, deals: Deals, matches_a_table: int
) -> None:
    """With independent deals a table is one match, otherwise one per seat."""
    ladder, told = make("ladder", deals=deals), []

    def scheduler(entrants: object, seats: int, past: Past, *more: object) -> list[Table]:
        told.append(past.matches_a_table)
        return [(0, 1, 2, 3)]

    monkeypatch.setattr(LadderPlanner, "_scheduler", lambda _: scheduler)
    with ladder.database.read() as tx:
        LadderPlanner(ladder, 1).plan(tx)

    assert told == [matches_a_table]


@pytest.mark.costly
@pytest.mark.parametrize("aim", Aim)
def test_ladder_settles(make: Make, result: Callable[[PlannedMatch], Played], aim: Aim) -> None:
    """A ladder of bots of decreasing strength settles on the right order."""
    ladder = make("ladder")
    planner = LadderPlanner(ladder, until_settled=True, aim=aim)
    play(ladder, planner, result, random.Random(1))

    rows = queries.standings(ladder)
    right = len(BOTS) if aim is Aim.RANKING else 3
    assert {row.bot for row in rows[:right]} == set(BOTS[:right])
    assert aim is Aim.TOP or [row.bot for row in rows] == list(BOTS)
    assert not any(row.provisional for row in rows)
    assert "is right with P = " in planner.settled()
    assert (f"{len(BOTS)} bots " in planner.settled()) is (aim is Aim.RANKING)


@pytest.mark.costly
def test_how_far_it_is_and_what_is_open(
    make: Make, result: Callable[[PlannedMatch], Played]
) -> None:
    """An unsettled ladder forecasts the matches to go and names the most open pair."""
    ladder = make("ladder", deals=Deals.INDEPENDENT)
    planner = LadderPlanner(ladder, until_settled=True)
    seen: list[tuple[int, str]] = []
    planned_by_it = planner.plan

    def plan(tx: Transaction) -> Sequence[Block] | None:
        blocks = planned_by_it(tx)
        if planner.ahead():
            seen.append((planner.ahead() or 0, planner.settled()))
        return blocks

    planner.plan = plan  # type: ignore[method-assign]
    play(ladder, planner, result, random.Random(1))

    left = [ahead for ahead, _ in seen]
    unsettled = [each for each in seen if " of 0.95" in each[1]]
    assert left[-1] < left[0] / 2
    assert unsettled
    assert all(f"about {ahead:,} matches to go" in said for ahead, said in unsettled)
    assert all("most open between " in said for _, said in unsettled)
    assert planner.ahead() == 0


@pytest.mark.costly
def test_settled_ladder_stays_settled(make: Make, result: Callable[[PlannedMatch], Played]) -> None:
    """A settled ladder plays no more when run again."""
    ladder = make("ladder")
    play(ladder, LadderPlanner(ladder, until_settled=True), result, random.Random(1))

    assert play(ladder, LadderPlanner(ladder, until_settled=True), result, random.Random(2)) == 0


@pytest.mark.costly
def test_new_version_takes_over_the_mean_but_no_result(
    make: Make,
    result: Callable[[PlannedMatch], Played],
    make_bot: Callable[..., Path],
    enter: Callable[..., object],
) -> None:
    """A new version inherits its predecessor's rating, less surely; the old one is not listed."""
    ladder = make("ladder")
    play(ladder, LadderPlanner(ladder, 20), result, random.Random(1))
    before = rating_of_record(ladder).strengths[1]

    enter(ladder, make_bot("ann", "better"))

    strengths = rating_of_record(ladder).strengths
    after = strengths[7]
    assert after.provisional
    assert after.blocks == 0
    assert after.mu == strengths[1].mu
    assert after.sigma > before.sigma
    assert strengths[1].ranks is None


@pytest.mark.costly
def test_who_comes_or_goes_moves_no_other(
    make: Make,
    result: Callable[[PlannedMatch], Played],
    make_bot: Callable[..., Path],
    enter: Callable[..., object],
) -> None:
    """No rating and no interval changes when a bot enters, and no rating when one retires."""
    ladder = make("ladder")
    play(ladder, LadderPlanner(ladder, 20), result, random.Random(1))
    before = queries.standings(ladder)
    chance = rating_of_record(ladder).chance

    enter(ladder, make_bot("zoe"))
    *others, zoe = queries.standings(ladder)
    ladder.retire(before[2].bot)
    left = queries.standings(ladder)

    assert (zoe.bot, zoe.provisional, zoe.matches) == ("zoe", True, 0)
    assert others == before
    assert rating_of_record(ladder).chance >= chance
    ratings_before = [(row.bot, row.mu, row.sigma) for row in before if row is not before[2]]
    assert [(row.bot, row.mu, row.sigma) for row in left[:-1]] == ratings_before


def test_a_remote_bot_plays_while_it_is_there(
    make: Make, make_remote_bot: Callable[[str], Path], enter: Callable[..., Submission]
) -> None:
    """Disconnected bots are not scheduled, and matches of remote bots share no deal."""
    ladder = make("half remote", entrants=("ann", "bob", "cat"))
    here, gone = (enter(ladder, make_remote_bot(name)).version for name in ("here", "gone"))
    presence = Presence()
    planner = LadderPlanner(ladder, 2, presence=presence)

    with ladder.database.read() as tx:
        without = planner.plan(tx)
        presence.update(here.gateway_name, 1)
        with_one = planner.plan(tx)

    assert without
    assert with_one
    assert {len(block.tables) for block in without} == {4}
    assert {len(block.tables) for block in with_one} == {1}
    assert here.id not in seated(without)
    assert here.id in seated(with_one)
    assert gone.id not in seated(with_one)


def seated(blocks: Sequence[Block]) -> set[int | None]:
    """Return the bots at the tables of a round."""
    return {version for block in blocks for table in block.tables for version in table}

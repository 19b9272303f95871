"""No bot waits for a slow one, and what is planned follows from what is stored."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch, Played
from ladder.model.pairing import Block
from ladder.model.settings import Deals, Scheduling
from ladder.results.strengths import rating_of_record
from ladder.scheduling.ladder.planner import MOST_OPEN, LadderPlanner
from ladder.scheduling.planner import planned_matches
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches, strengths
from referee.games.randomness import Stream
from tests.support.new_ladder import new_ladder

BOTS = ("ann", "bob", "cat", "dan", "eve", "slow")
SLOW = 6
"""The id of the last one."""


class Playing:
    """A ladder of two seats whose matches end when a test says so."""

    def __init__(self, ladder: Ladder, played: Callable[..., Played]) -> None:
        """Begin with nothing planned; the last bot is slow."""
        self.ladder = ladder
        self._played = played
        self.planner = LadderPlanner(ladder)
        self.open: list[PlannedMatch] = []
        with ladder.database.write() as tx:
            bots.mark_slow(tx, {SLOW: True})

    def plan(self, planner: LadderPlanner | None = None) -> Sequence[Block] | None:
        """Return what a planner says of what is stored."""
        with self.ladder.database.read() as tx:
            return (planner or self.planner).plan(tx)

    def add(self, blocks: Sequence[Block] | None) -> None:
        """Store what was planned."""
        with self.ladder.database.write() as tx:
            known, number = bots.all_versions(tx), matches.last_round(tx) + 1
            planned = planned_matches(self.ladder.settings, number, blocks or (), known)
            if planned:
                matches.add(tx, planned)
        self.open += planned

    def end(self, *ending: PlannedMatch) -> None:
        """Store results, which follow from the matches' ids."""
        with self.ladder.database.write() as tx:
            for match in ending:
                first = 1 + Stream(match.match_id, "luck").below(2)
                matches.finish(tx, self._played(match, first, 3 - first))
        self.open = [match for match in self.open if match not in ending]

    def end_quick(self) -> None:
        """End all matches without the slow bot."""
        self.end(*(match for match in self.open if not has_slow(match)))

    @property
    def slow(self) -> list[PlannedMatch]:
        """The open matches of the slow bot."""
        return [match for match in self.open if has_slow(match)]


def has_slow(match: PlannedMatch) -> bool:
    """Return whether the slow bot sits in a match."""
    return any(version.id == SLOW for version in match.seats if version)


Make = Callable[..., Playing]


@pytest.fixture
def make(
    tmp_path: Path,
    make_bot: Callable[[str], Path],
    enter: Callable[..., object],
    played: Callable[..., Played],
) -> Iterator[Make]:
    """Make a ladder in a folder of this name."""
    opened: list[Ladder] = []

    def make(
        name: str = "ladder",
        scheduler: Scheduling = Scheduling.MIXED,
        deals: Deals = Deals.INDEPENDENT,
        entrants: Sequence[str] = BOTS,
    ) -> Playing:
        home = new_ladder(tmp_path / name, "slow", seats=2, scheduler=scheduler, deals=deals)
        opened.append(Ladder.open(home))
        for bot in entrants:
            enter(opened[-1], make_bot(bot))
        return Playing(opened[-1], played)

    yield make
    for ladder in opened:
        ladder.database.close()


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("scheduler", "deals"),
    [*((each, Deals.INDEPENDENT) for each in Scheduling), (Scheduling.MIXED, Deals.DUPLICATE)],
)
def test_others_play_on(make: Make, scheduler: Scheduling, deals: Deals) -> None:
    """While no match of the slow bot ends, rounds of the others follow one another."""
    playing = make(scheduler=scheduler, deals=deals)
    for _ in range(9):
        blocks = playing.plan()
        assert blocks
        playing.add(blocks)
        playing.end_quick()

    assert MOST_OPEN <= len(playing.slow) < MOST_OPEN + 6  # at most a round more


@pytest.mark.costly
def test_a_slow_bot_keeps_playing(make: Make) -> None:
    """It is planned again as soon as its matches end, however late."""
    playing = make()
    for number in range(1, 31):
        playing.add(playing.plan())
        playing.end_quick()
        if number % 5 == 0:
            playing.end(playing.slow[0])

    assert len(playing.slow) >= MOST_OPEN - 1


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("scheduler", [Scheduling.MIXED, Scheduling.BALANCED])
def test_a_plan_follows_from_what_is_stored(
    make: Make, scheduler: Scheduling, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever matches end, a planner that begins anew plans what the old one plans.

    What is late is read by both, and chunks of older rounds are kept meanwhile.
    """
    monkeypatch.setattr("ladder.results.older.CHUNK", 8)
    monkeypatch.setattr("ladder.results.evidence.LAG", 4)
    playing, chance = make(scheduler=scheduler), random.Random(1)
    planned = 0
    for number in range(40):
        blocks = playing.plan()
        assert blocks == playing.plan(LadderPlanner(playing.ladder))
        planned += bool(blocks)
        playing.add(blocks)
        ending = [m for m in playing.open if chance.random() < (0.1 if has_slow(m) else 0.7)]
        playing.end(*ending)
        if number % 20 == 0:
            with playing.ladder.database.read() as tx:
                playing.planner.prepare(tx)
            rating_of_record(playing.ladder)

    assert planned > 15


@pytest.mark.costly
def test_late_results_count_like_all_others(make: Make) -> None:
    """Once all matches are over, the ranking is that of one who reads all of them at once."""
    playing = make()
    for _ in range(15):
        playing.add(playing.plan())
        playing.end_quick()
    early = rating_of_record(playing.ladder)
    playing.end(*playing.open)
    late = rating_of_record(playing.ladder)
    with playing.ladder.database.write() as tx:
        strengths.forget(tx)

    assert rating_of_record(playing.ladder) == late != early
    assert late.strengths[SLOW].blocks >= MOST_OPEN


def test_late_results_are_planned_from(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ranking of the next round has what has come in late, and what is open is expected."""
    playing = make(scheduler=Scheduling.OPTIMAL)
    for _ in range(8):
        playing.add(playing.plan())
        playing.end_quick()
    playing.plan(planner := LadderPlanner(playing.ladder))
    assert planner._ranking is not None
    before = planner._ranking.fit.blocks[SLOW - 1]
    assert {SLOW - 1} <= {seat for table in planner._unrated(99) for seat in table}

    playing.end(*playing.slow)
    playing.plan(planner)

    assert before == 0
    assert planner._ranking.fit.blocks[SLOW - 1] >= MOST_OPEN


@pytest.mark.costly
def test_rounds_planned_together_leave_it_out(make: Make) -> None:
    """Rounds that are planned at once seat it as seldom as if they were planned one by one."""
    one, several = make("one"), make("several")
    for playing in (one, several):
        for _ in range(26):  # by then several rounds are planned from the same results
            playing.add(playing.plan())
            playing.end(*playing.open)
    for _ in range(6):
        one.add(one.plan())
    together = 0
    while blocks := several.plan():
        while blocks and len(several.open) < len(one.open):
            several.add(blocks)
            with several.ladder.database.read() as tx:
                blocks = several.planner.plan_more(tx)
            together += bool(blocks)
        if len(several.open) >= len(one.open):
            break

    assert together
    assert [m.match_id for m in several.open] == [m.match_id for m in one.open]
    assert MOST_OPEN <= len(several.slow) < MOST_OPEN + 3  # at most a round more


def test_without_a_table_for_the_others_they_wait(make: Make) -> None:
    """Where the others cannot play without it, rounds wait for its matches, as for all."""
    playing = make(entrants=("ann", *BOTS[-1:]), scheduler=Scheduling.BALANCED)
    with playing.ladder.database.write() as tx:
        bots.mark_slow(tx, {2: True})
    rounds = 0
    while blocks := playing.plan():
        playing.add(blocks)
        rounds += 1
        assert rounds < 20

    playing.end(*playing.open)
    assert playing.plan()


def test_until_settled_waits_for_all(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ladder is settled by all results, those of its slow bot too."""
    playing = make()
    planner = LadderPlanner(playing.ladder, until_settled=True)
    for _ in range(6):
        playing.add(playing.plan(planner))
        playing.end_quick()
    monkeypatch.setattr(LadderPlanner, "_is_settled", lambda _: True)

    assert playing.plan(planner) == []
    playing.end(*playing.open)
    assert playing.plan(planner) is None


def test_who_is_slow_is_stored(make: Make) -> None:
    """The mark is the version's, and is taken back."""
    playing = make()

    def marked() -> list[Version]:
        with playing.ladder.database.read() as tx:
            return [version for version in bots.active(tx) if version.slow]

    assert [version.bot for version in marked()] == ["slow"]
    with playing.ladder.database.write() as tx:
        bots.mark_slow(tx, {SLOW: False})
    assert marked() == []

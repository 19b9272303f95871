"""A run plans as far ahead as its workers will soon get, and in few transactions."""

from collections.abc import Callable, Iterator, Sequence

import pytest
from sqlalchemy import event

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch, Played
from ladder.runner.planning import Planning
from ladder.runner.waiting import Waiting
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

MakePlayed = Callable[..., Played]
ROUNDS = 40
"""The rounds of four bots at one table after which a few may be planned at once."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        """Begin at no particular time."""
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class FourBots:
    """A ladder that has played for a while, and what a run would do with it."""

    def __init__(self, ladder: Ladder, played: MakePlayed) -> None:
        """Play some rounds, one every second."""
        self.ladder, self.clock, self._played = ladder, Clock(), played
        self.planner = LadderPlanner(ladder)
        self.planning = Planning(ladder, self.planner, clock=self.clock)
        self.ended = 0
        for _ in range(ROUNDS):
            self.begin(planned := self.planning.next(self.ended, None))
            self.end(planned)
            self.clock.now += 1

    def begin(self, planned: Sequence[PlannedMatch]) -> None:
        """Note that these matches begin now."""
        for _ in planned:
            self.planning.begin()

    def end(self, planned: Sequence[PlannedMatch]) -> None:
        """Store results of these matches."""
        with self.ladder.database.write() as tx:
            matches.finish(tx, *(self._played(match, 1, 2, 3, 4) for match in planned))
        self.ended += len(planned)


@pytest.fixture
def old(ladder: Ladder, played: MakePlayed) -> Iterator[FourBots]:
    """Make it of four bots."""
    found = FourBots(ladder, played)
    with found.planning:
        yield found


def rounds(planned: Sequence[PlannedMatch]) -> list[int]:
    """Return the numbers of the rounds of these matches."""
    return sorted({match.round for match in planned})


def test_slow_matches_are_planned_round_by_round(old: FourBots) -> None:
    """Only one round is planned if none or few matches began within the last moment."""
    assert rounds(old.planning.next(old.ended, None)) == [ROUNDS + 1]


def test_fast_matches_are_planned_together(old: FourBots) -> None:
    """As many matches as began within the last moment are planned, by one commit."""
    for _ in range(3):
        old.planning.begin()
    commits: list[object] = []
    with old.ladder.database.read() as tx:
        engine = tx.engine
    event.listen(engine, "commit", commits.append)

    planned = old.planning.next(old.ended, None)

    assert rounds(planned) == [ROUNDS + 1, ROUNDS + 2, ROUNDS + 3]
    assert len(planned) == 3
    assert sum(bool(each.get_execution_options().get("courtyard_writes")) for each in commits) == 1  # type: ignore[attr-defined]


def test_no_more_than_the_limit_is_planned(old: FourBots) -> None:
    """A run of few matches plans no round that it cannot begin."""
    for _ in range(3):
        old.planning.begin()

    assert len(old.planning.next(old.ended, 2)) == 2


def test_planner_that_waits_is_not_asked_in_vain(
    old: FourBots, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planner that waits for results is asked again when another match has ended."""
    asked: list[int] = []

    def waits(_: LadderPlanner, __: Transaction) -> list[object]:
        asked.append(old.ended)
        return []

    monkeypatch.setattr(LadderPlanner, "plan", waits)
    for ended in (40, 40, 40, 41, 41):
        assert not old.planning.next(ended, None)

    assert len(asked) == 2


def test_versions_are_read_once_and_seen_at_once(ladder: Ladder) -> None:
    """A version that did not change is the same object again; one that did is another."""
    with ladder.database.read() as tx:
        first = bots.all_versions(tx)
    with ladder.database.read() as tx:
        again = bots.all_versions(tx)
    ladder.retire("bob")
    with ladder.database.read() as tx:
        after = bots.all_versions(tx)

    assert all(first[number] is again[number] for number in first)
    assert [version.bot for version in after.values() if not version.active] == ["bob"]
    assert [v.bot for number, v in after.items() if v is not first[number]] == ["bob"]


def test_waiting_matches_keep_their_order() -> None:
    """Matches begin in the order of the plan, but those put back are next."""
    here = Version(1, "here", 1, "0" * 64, ("true",), True, "")  # noqa: FBT003
    far = Version(2, "far", 1, "1" * 64, (), True, "", "remote")  # noqa: FBT003
    one, two, three = (
        PlannedMatch(name, 1, index, (here, far if name == "two" else None))
        for index, name in enumerate(("one", "two", "three"))
    )
    waiting = Waiting([one, two])
    waiting.add([three])
    assert waiting.remote == [two]

    waiting.remove(two)
    waiting.put_back(two)
    waiting.remove(one)

    assert [*waiting] == [two, three]
    assert one not in waiting
    assert waiting.remote == [two]
    assert len(waiting) == 2

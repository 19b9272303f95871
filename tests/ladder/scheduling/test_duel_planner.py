"""A duel's progress follows from the stored matches."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from ladder.cli.duel_run import progress_line
from ladder.model.bots import Version
from ladder.model.errors import StoreError
from ladder.model.matches import MatchLine, MatchState, PlannedMatch, Played, SeatLine, SeatResult
from ladder.scheduling.duel.planner import (
    DuelPlan,
    DuelPlanner,
    DuelProgress,
    progress_of,
    stored_matches,
)
from ladder.scheduling.duel.sequential import DuelAnswer, SequentialTest
from ladder.scheduling.duel.summary import DuelSummary, summarize
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

A, B, THIRD = 1, 2, 3


def plan(third: int | None = None, **test: float) -> DuelPlan:
    """Return a duel of A and B."""
    return DuelPlan(A, B, third, SequentialTest(**{"effect": 0.2, "first": 4, "cap": 40, **test}))  # type: ignore[arg-type]


def match(
    deal: int, table: Sequence[int | None], winner: int, state: MatchState = MatchState.DONE
) -> MatchLine:
    """Return a match that all copies of one side win."""
    seats = tuple(
        SeatLine(
            None if v is None else Version(v, f"bot{v}", 1, str(v), ("x",), True, ""),  # noqa: FBT003
            SeatResult(1 if v == winner else 2, 0, None) if state is MatchState.DONE else None,
        )
        for v in table
    )
    return MatchLine("", deal, 0, state, 0, None, 1, "", seats, f"{deal}")


def pairs(of: DuelPlan, winners: Sequence[int], seats: int = 4) -> list[MatchLine]:
    """Return complete pairs with these winners."""
    return [
        match(i, table, winner)
        for i, winner in enumerate(winners)
        for table in of.pair(i, seats).tables
    ]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_pairs_are_mirrored(seats: int) -> None:
    """In every pair A and B swap seats, half each, and the third stays."""
    duel = plan(THIRD)
    for number in range(12):
        first, second = duel.pair(number, seats).tables
        assert [{A: B, B: A}.get(v or 0, v) for v in first] == list(second)
        assert first.count(A) == first.count(B) == seats // 2
        assert first.count(THIRD) == seats % 2


def test_seats_come_in_turn() -> None:
    """Over a few pairs everyone sits on each seat equally often."""
    duel = plan()
    sat = [table[0] for number in range(6) for table in duel.pair(number, 4).tables]

    assert sat.count(A) == sat.count(B)


def test_winning_everything_is_better() -> None:
    """A bot that wins all pairs is soon called better."""
    duel = plan()
    now = progress_of(duel, pairs(duel, [A] * 12))

    assert now.verdict.answer is DuelAnswer.BETTER
    assert now.verdict.pairs < 12
    assert now.wins == (now.verdict.pairs, 0, 0)


def test_the_first_decision_holds() -> None:
    """Later pairs do not change the decision."""
    duel = plan()
    decided = progress_of(duel, pairs(duel, [A] * 8))

    assert progress_of(duel, pairs(duel, [A] * 8 + [B] * 8)).verdict == decided.verdict


def test_open_pairs_wait() -> None:
    """Pairs after an open one are not judged, whichever finished first."""
    duel = plan()
    lines = pairs(duel, [A] * 8)
    lines[2] = match(1, duel.pair(1, 4).tables[0], A, MatchState.RUNNING)

    assert progress_of(duel, lines).verdict.pairs == 1


def test_void_pairs_are_left_out() -> None:
    """A pair with a match that was given up has no score and counts as void."""
    duel = plan()
    lines = pairs(duel, [A, B, A])
    lines[2] = match(1, duel.pair(1, 4).tables[0], B, MatchState.VOID)
    now = progress_of(duel, lines)

    assert (now.void, now.verdict.pairs, now.verdict.score) == (1, 2, 1.0)


def test_pairs_of_another_duel_are_an_error() -> None:
    """A duel whose stored matches are not those of its pairs is not judged."""
    duel = plan()
    known = {number: Version(number, f"bot{number}", 1, "", ("x",), True, "") for number in (A, B)}  # noqa: FBT003
    lines = pairs(duel, [A, B, A])

    for changed in (lines[2:], lines[:1] + lines[2:], pairs(replace(duel, a=B, b=A), [A, B, A])):
        with pytest.raises(StoreError, match="the stored matches are not those that follow"):
            summarize(duel, 4, known, changed)
    assert summarize(duel, 4, known, lines).progress.verdict.pairs == 3


def test_no_decision_at_the_cap() -> None:
    """Equal bots at the cap have no decision, and the answer says so."""
    duel = plan(effect=0.02, cap=6)
    show = DuelSummary(duel, 4, "a", "b", "", progress_of(duel, pairs(duel, [A, B] * 3)))

    assert show.progress.verdict.answer is DuelAnswer.NO_DECISION
    assert "No decision" in show.answer()


def test_both_measures_are_named() -> None:
    """The last lines name the evidence with its bounds, and the confidence sequence."""
    duel = plan()
    show = DuelSummary(duel, 4, "new", "old", "", progress_of(duel, pairs(duel, [A] * 8)))

    assert "new is better than old: H1" in show.answer()
    assert "H1 from +3.00 up" in show.numbers()["evidence"]
    assert "90 % confidence sequence" in show.numbers()["score"]
    assert "evidence" in progress_line(show).plain
    assert json.loads(show.to_json())["answer"] == "better"


@pytest.fixture
def play(ladder: Ladder, played: Callable[..., Played]) -> Callable[[DuelPlanner, int], bool]:
    """Let a planner plan, store what it plans, and end all but the last matches; A wins."""

    def round_of(planner: DuelPlanner, leave: int) -> bool:
        with ladder.database.write() as tx:
            blocks, known = planner.plan(tx), bots.all_versions(tx)
            number = matches.last_round(tx) + 1
            new = [
                PlannedMatch(
                    f"{number:04x}{i:04x}{j:x}",
                    number,
                    2 * i + j,
                    tuple(None if v is None else known[v] for v in table),
                    deal=f"{number}.{i}",
                )
                for i, block in enumerate(blocks or ())
                for j, table in enumerate(block.tables)
            ]
            if new:
                matches.add(tx, new)
            waiting = matches.open_matches(tx, known)
            for match in waiting[: len(waiting) - leave]:
                ranks = [1 if v and v.id == A else 2 for v in match.seats]
                matches.finish(tx, played(match, *ranks))
        return blocks is not None

    return round_of


def _planned(ladder: Ladder) -> list[tuple[int, int]]:
    with ladder.database.read() as tx:
        return [(line.round, line.index) for line in stored_matches(tx)]


def test_it_ends_when_decided(ladder: Ladder, play: Callable[[DuelPlanner, int], bool]) -> None:
    """Rounds are planned until the test has decided, and then no more."""
    planner = DuelPlanner(plan(first=6), 4)
    rounds = 0
    while play(planner, 0):
        rounds += 1
        assert rounds < 9

    with ladder.database.read() as tx:
        now: DuelProgress = progress_of(plan(first=6), stored_matches(tx))
    assert now.verdict.answer is DuelAnswer.BETTER
    assert planner.ahead() == 0


def test_nothing_depends_on_who_is_faster(
    ladder: Ladder, play: Callable[[DuelPlanner, int], bool]
) -> None:
    """The next round is the same whether or not the last one is over."""
    planner = DuelPlanner(plan(first=30), 4)
    play(planner, 0)
    play(planner, 5)
    before = _planned(ladder)
    with ladder.database.read() as tx:
        amidst = planner.plan(tx)
    play(DuelPlanner(plan(first=30), 4), 0)

    assert amidst
    assert len(_planned(ladder)) - len(before) == 2 * len(amidst)


def test_two_rounds_are_enough(ladder: Ladder, play: Callable[[DuelPlanner, int], bool]) -> None:
    """While two rounds are open nothing is planned, but the duel is not over."""
    planner = DuelPlanner(plan(first=30), 4)
    play(planner, 8)
    play(planner, 16)
    with ladder.database.read() as tx:
        assert planner.plan(tx) == ()

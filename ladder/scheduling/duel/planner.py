"""Plans a duel: mirrored pairs of matches until a sequential test has decided.

Pairs are judged in planned order, whichever ends first; pairs under way when the test decides
change nothing. Rounds overlap by one, so that no worker waits: a round is planned from the results
of all rounds but the last, once these are over. So the same matches are planned however often the
run is killed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from ladder.model.matches import MatchLine, MatchState
from ladder.model.pairing import Block, Seating
from ladder.rating.results import MatchResult
from ladder.scheduling.duel import sequential
from ladder.scheduling.duel.sequential import DuelAnswer, DuelSide, DuelState
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.planner import check_tables
from ladder.storage.db.database import Transaction
from ladder.storage.tables import bots, match_lines

MATCHES_A_PAIR = 2

_LEAST_PAIRS = 4
"""The pairs of a round at first; later a twelfth of the pairs planned so far."""
_PART = 12
_ALL = -1


@dataclass(frozen=True, slots=True)
class DuelPlan:
    """The terms of a duel, fixed before the first match."""

    a: VersionId
    b: VersionId
    third: VersionId | None
    """The bot on the left-over seat of a table of three or five; None is the stand-in."""
    test: sequential.SequentialTest

    @property
    def entrants(self) -> tuple[VersionId, ...]:
        """A, B and, if there is one, the third."""
        return (self.a, self.b) if self.third is None else (self.a, self.b, self.third)

    def pair(self, number: int, seats: int) -> Block:
        """Return the tables of a pair; the possible seatings take turns."""
        ways = sequential.seatings(seats)
        return Block(tuple(self._table(way) for way in ways[number % len(ways)]))

    def _table(self, way: sequential.SideSeating) -> Seating:
        sides = {DuelSide.A: self.a, DuelSide.B: self.b, DuelSide.FIELD: self.third}
        return tuple(sides[side] for side in way)


@dataclass(frozen=True, slots=True)
class DuelPair:
    """A played mirrored pair."""

    matches: Sequence[MatchLine]
    score: float
    """The score of A against B, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class DuelProgress:
    """The progress of a duel."""

    verdict: DuelState
    """The verdict from the pairs up to the first open one."""
    planned: int
    """The number of planned pairs."""
    void: int
    """How many of them have no score, as one of their matches was given up."""
    wins: tuple[int, int, int]
    """Of the judged pairs, those that A won, those drawn, and those that B won."""
    played: Sequence[DuelPair]
    """The scored pairs up to the first open one, including those after the decision."""

    @property
    def over(self) -> bool:
        """Whether the test has decided or reached its cap."""
        return self.verdict.answer is not DuelAnswer.OPEN


def progress_of(plan: DuelPlan, lines: Sequence[MatchLine]) -> DuelProgress:
    """Return the progress of a duel, given all its matches in order."""
    blocks = [list(group) for _, group in groupby(lines, key=lambda line: line.deal)]
    over = list(takewhile(lambda block: not any(map(_is_open, block)), blocks))
    whole = [block for block in over if all(m.state is MatchState.DONE for m in block)]
    played = [DuelPair(b, sequential.score([_result(m) for m in b], plan.a, plan.b)) for b in whole]
    scores = [pair.score for pair in played]
    verdict = sequential.verdict(scores, plan.test)
    seen = scores[: verdict.pairs]
    ahead, behind = sum(s > 0.5 for s in seen), sum(s < 0.5 for s in seen)  # noqa: PLR2004 - half
    return DuelProgress(
        verdict=verdict,
        planned=len(blocks),
        void=len(over) - len(whole),
        wins=(ahead, len(seen) - ahead - behind, behind),
        played=played,
    )


def check_pairs(plan: DuelPlan, seats: int, lines: Sequence[MatchLine]) -> None:
    """Raise `StoreError` if a duel's matches, given in order, are not those of its pairs."""
    stored = [list(group) for _, group in groupby(lines, key=lambda line: line.deal)]
    check_tables("the duel", stored, [plan.pair(i, seats) for i in range(len(stored))])


class DuelPlanner:
    """Plans mirrored pairs until the test has decided."""

    def __init__(self, plan: DuelPlan, seats: int) -> None:
        """Plan for tables of `seats` seats."""
        self._plan = plan
        self._seats = seats
        self._progress = progress_of(plan, [])

    def plan(self, tx: Transaction) -> Sequence[Block] | None:
        """Return the pairs of the next round; none while two rounds are open, None at the end."""
        lines = stored_matches(tx)
        check_pairs(self._plan, self._seats, lines)
        last = max((line.round for line in lines), default=0)
        before = [line for line in lines if line.round < last]
        if any(map(_is_open, before)):
            return ()
        decided = progress_of(self._plan, before)
        self._progress = progress_of(self._plan, lines)
        planned = self._progress.planned
        wanted = self._plan.test.cap + self._progress.void - planned
        if decided.over or wanted <= 0:
            return None
        count = min(wanted, max(_LEAST_PAIRS, planned // _PART))
        return [self._plan.pair(planned + i, self._seats) for i in range(count)]

    def settled(self) -> str:
        """Return the answer so far."""
        return f"After {self._progress.verdict.pairs} pairs: {self._progress.verdict.answer}."

    def ahead(self) -> int | None:
        """Return 0 if the duel is over; else None, as the results decide its length."""
        return 0 if self._progress.over else None


def stored_matches(tx: Transaction) -> list[MatchLine]:
    """Return all matches of a duel in order."""
    return match_lines.latest(tx, bots.all_versions(tx), limit=_ALL)[::-1]


def _result(match: MatchLine) -> MatchResult:
    """Return a match's result, without the stand-in."""
    seated = [
        (line.version.id, seat, line.result.rank, line.result.forfeit is not None)
        for seat, line in enumerate(match.seats)
        if line.version and line.result
    ]
    versions, seats, ranks, crashed = zip(*seated, strict=True)
    return MatchResult(0, versions, seats, ranks, crashed, table=len(match.seats))


def _is_open(match: MatchLine) -> bool:
    return match.state not in (MatchState.DONE, MatchState.VOID)

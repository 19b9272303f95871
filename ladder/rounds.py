"""The planner of a standing ladder: round after round, by its scheduler.

A round is planned from what all rounds before the last one have shown. Those are over for sure when
the last one runs out of matches, so nobody waits, and what is planned does not depend on who was
faster; a ladder that was killed plans the same again. A bot that is submitted meanwhile plays from
the next round on.

To stop, when the question of the aim is answered, the last round has to be over too.
"""

from collections.abc import Mapping, Sequence

from ladder.errors import NobodyError, StoreError
from ladder.execution.attendance import Attendance
from ladder.ladder import Ladder
from ladder.models import Version
from ladder.planning import Block, Seating, rotations
from ladder.ranking import EQUALS, SURE, TOP, Evidence, Ranking, may_have_played
from ladder.scheduling import optimal
from ladder.scheduling.balanced import History
from ladder.scheduling.base import Past, Scheduler, size_of_round
from ladder.scheduling.halite import halite
from ladder.scheduling.rounds import at_random, balanced, swiss
from ladder.settings import Aim, Deals, Scheduling
from ladder.store import bots, matches
from ladder.store.database import Transaction
from referee.games.randomness import Stream

_SCHEDULERS: Mapping[Scheduling, Scheduler] = {
    Scheduling.BALANCED: balanced,
    Scheduling.RANDOM: at_random,
    Scheduling.SWISS: swiss,
    Scheduling.HALITE: halite,
}
_UNAWARE = (Scheduling.BALANCED, Scheduling.RANDOM)
"""These do not ask who is strong."""


class Rounds:
    """Plans so many rounds of whoever is active, or as many as it takes to settle the aim."""

    def __init__(
        self,
        ladder: Ladder,
        rounds: int | None,
        aim: Aim | None = None,
        attendance: Attendance = Attendance(),  # noqa: B008 -- nobody joins it
    ) -> None:
        """Plan `rounds` rounds, or, if None, until the aim is settled, by default the ladder's.

        Of remote bots those are planned for that are there. Raise `NobodyError` if nobody plays.
        """
        self._attendance = attendance
        self._settings = ladder.settings
        self._until_settled = rounds is None
        self._aim = aim or ladder.settings.aim
        self.left = rounds
        """Rounds that were not planned yet; None if that depends."""
        self._ranking: Ranking | None = None
        self._rated: tuple[object, ...] = ()
        """What the ranking is of."""
        self._stopped = rounds == 0
        with ladder.database.read() as tx:
            self._begin(tx)
            self._active = bots.active(tx) if self._stopped else _somebody(bots.active(tx))

    def plan(self, tx: Transaction) -> Sequence[Block] | None:
        """Return the next round; raise `NobodyError` if nobody plays any more."""
        if self._stopped:
            return None
        last, first_open = matches.last_round(tx), matches.first_open(tx)
        if first_open is not None and first_open < last:
            return []
        self._active = _somebody(self._attendance.those_here(bots.active(tx)))
        if self._evidence.versions != may_have_played(tx):
            self._begin(tx)
        if self._until_settled or self._settings.scheduler not in _UNAWARE:
            self._rate(tx, last - 1)
        if self._is_settled():
            if first_open is not None:
                return []
            self._rate(tx, last)
            if self._is_settled():
                self._stopped = True
                return None
        return self._round(last + 1)

    def settled(self) -> str:
        """Return how sure the answer is that the matches are to give; empty if it is not asked."""
        if not self._until_settled or self._ranking is None:
            return ""
        count = len(self._ranking.listed)
        said = self._ranking.answer(self._aim)
        if provisional := self._ranking.provisional():
            return f"{said}, {provisional} of {count} bots provisional"
        return f"{said}; {EQUALS}" if self._stopped else f"{said} of {SURE}"

    def ahead(self) -> int:
        """Return how many matches the rounds will have that are left; of many, the next one's."""
        if self._stopped:
            return 0
        a_round = self._size() * self._settings.matches_a_block
        return a_round if self.left is None else a_round * self.left

    def _begin(self, tx: Transaction) -> None:
        """Read who met whom; results are read when they are needed."""
        versions = may_have_played(tx)
        self._evidence = Evidence(versions, self._settings.seats)
        self._index = {version.id: i for i, version in enumerate(versions)}
        tables = matches.tables(tx)
        if unknown := {v for table in tables for v in table if v is not None} - self._index.keys():
            raise StoreError(f"the database is damaged: there is no version {min(unknown)} to play")
        self._history = History(
            tuple(None if v is None else self._index[v] for v in table) for table in tables
        )

    def _rate(self, tx: Transaction, through: int) -> None:
        rated = (through, len(self._evidence.versions), self._active)
        if self._rated != rated:
            self._evidence.read(tx, max(0, through))
            self._ranking = self._evidence.ranking(self._active)
            self._rated = rated

    def _is_settled(self) -> bool:
        if not self._until_settled or self._ranking is None:
            return False
        return self._ranking.is_settled(self._aim)

    def _round(self, number: int) -> list[Block]:
        """Ask the scheduler."""
        settings = self._settings
        tables = self._scheduler()(
            [self._index[version.id] for version in self._active],
            settings.seats,
            Past(self._history, self._ranking.fit if self._ranking else None),
            Stream(settings.secret, "scheduling", str(number)),
            self._size(),
        )
        for table in tables:
            self._history.add(table)
        if self.left is not None:
            self.left -= 1
            self._stopped = self.left == 0
        ids = [version.id for version in self._evidence.versions]
        seatings = [tuple(None if i is None else ids[i] for i in table) for table in tables]
        return [block for seating in seatings for block in self._blocks(seating)]

    def _blocks(self, seating: Seating) -> Sequence[Block]:
        """Return the matches of a table.

        Nobody can keep a remote bot from remembering a deal, so each of its matches has its own.
        """
        if self._settings.deals is not Deals.DUPLICATE:
            return [Block((seating,))]
        block = rotations(seating)
        if any(v.is_remote for v in self._evidence.versions if v.id in seating):
            return [Block((table,)) for table in block.tables]
        return [block]

    def _scheduler(self) -> Scheduler:
        scheduling = self._settings.scheduler
        if scheduling is Scheduling.OPTIMAL:
            aim = optimal.RANKING if self._aim is Aim.RANKING else optimal.Aim(TOP)
            return optimal.optimal(aim)
        return _SCHEDULERS[scheduling]

    def _size(self) -> int:
        return size_of_round(len(self._active), self._settings.seats, len(self._history))


def _somebody(active: Sequence[Version]) -> Sequence[Version]:
    """Return the versions that play; raise `NobodyError` if there is none."""
    if not active:
        raise NobodyError(
            "no bot plays in this ladder, or all are remote and gone; submit one with "
            "`ladder submit PATH`"
        )
    return active

"""Plans the rounds of a standing ladder with its scheduler.

A round is planned from the results of rounds that are certainly over when the workers need it. So
no worker waits, and the plan does not depend on which worker was faster; a killed and restarted run
plans the same again (`policy.ResultBatches` says which rounds these are). A bot that is submitted
meanwhile plays from the next round on.

To stop because the aim is settled, the last round has to be over too.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from ladder.model.bots import Version
from ladder.model.errors import NoPlayersError, SettingsError, StoreError
from ladder.model.pairing import Block, Seating, rotations
from ladder.model.presence import Presence
from ladder.model.settings import SURE, TOP, Aim, Deals, SameAuthor, Scheduling
from ladder.results.ranking import EQUALS, Evidence, Ranking, may_have_played
from ladder.results.standings import rounded
from ladder.scheduling.ladder import optimal
from ladder.scheduling.ladder.balanced import History, Table, group_size
from ladder.scheduling.ladder.policy import Past, ResultBatches, Scheduler, size_of_round
from ladder.scheduling.ladder.simple import at_random, balanced, swiss
from ladder.storage import bots, matches
from ladder.storage.database import Transaction
from ladder.storage.ladder import Ladder
from referee.games.randomness import Stream

_SCHEDULERS: Mapping[Scheduling, Scheduler] = {
    Scheduling.BALANCED: balanced,
    Scheduling.RANDOM: at_random,
    Scheduling.SWISS: swiss,
}
_UNAWARE = (Scheduling.BALANCED, Scheduling.RANDOM)
"""Schedulers that do not use strengths."""

_Asked = tuple[int, tuple[int, ...]]
"""The last round whose results are read, and the ids of the listed versions."""


class LadderPlanner:
    """Plans a number of rounds of the active versions, or until the aim is settled, or for ever.

    Numbers of remaining rounds and matches count those not yet planned.
    """

    def __init__(
        self,
        ladder: Ladder,
        rounds: int | None = None,
        *,
        until_settled: bool = False,
        aim: Aim | None = None,
        presence: Presence = Presence(),  # noqa: B008 -- nobody joins it
    ) -> None:
        """Plan `rounds` rounds, endlessly if None, or fewer if the aim is settled before.

        The aim, by default the ladder's, only matters with `until_settled`. Only connected remote
        bots are scheduled. Raise `NoPlayersError` if no bot can play, `SettingsError` if the
        ladder's scheduler is retired.
        """
        if ladder.settings.scheduler is None:
            raise SettingsError(
                "this ladder's scheduler is no longer there; choose another with "
                f"`ladder settings --scheduler`: {', '.join(Scheduling)}"
            )
        self._scheduling = ladder.settings.scheduler
        self._presence = presence
        self._settings = ladder.settings
        self._until_settled = until_settled
        self._aim = aim or ladder.settings.aim
        self.left = rounds
        """The number of rounds not yet planned; None if endless."""
        self._rankings: dict[_Asked, Ranking] = {}
        """The last two rankings in use."""
        self._ranking: Ranking | None = None
        """The ranking from which the last round was planned."""
        self._end: float | None = None
        """A forecast of the total number of matches that settle the aim."""
        self._stopped = rounds == 0
        self._authors: dict[int, str] = {}
        """The authors, by version id, of active versions that must not meet each other."""
        with ladder.database.read() as tx:
            self._begin(tx)
            self._active: Sequence[Version] = bots.active(tx)
            if not self._stopped:
                self._enter(tx, self._active)

    def plan(self, tx: Transaction) -> Sequence[Block] | None:
        """Return the blocks of the next round; raise `NoPlayersError` if no bot can play."""
        if self._stopped:
            return None
        last, first_open, known = (
            matches.last_round(tx),
            matches.first_open(tx),
            self._batches.through,
        )
        if first_open is not None and first_open <= known:
            return []
        self._enter(tx, self._presence.available(bots.active(tx)))
        if self._evidence.versions != may_have_played(tx):
            self._begin(tx)
        if self._until_settled or self._scheduling not in _UNAWARE:
            self._ranking = self._rated(tx, known)
        self._foresee()
        if self._is_settled():
            if first_open is not None:
                return []
            self._ranking, known = self._rated(tx, last), last
            if self._is_settled():
                self._stopped = True
                return None
        return self._round(last + 1, known)

    def _enter(self, tx: Transaction, active: Sequence[Version]) -> None:
        """Plan for these versions; raise `NoPlayersError` if there are none, or none may meet."""
        self._active = _somebody(active)
        whose = bots.authors(tx) if self._settings.same_author is SameAuthor.APART else {}
        number_of = Counter(whose.get(version.bot) for version in active)
        self._authors = {
            version.id: whose[version.bot]
            for version in active
            if version.bot in whose and number_of[whose[version.bot]] > 1
        }
        if len(active) > 1 and self._at_a_table() == 1:
            raise NoPlayersError(
                f"all {len(active)} bots that could play are of one author, "
                f"{self._authors[active[0].id]}, and may not meet: submit another author's "
                "bot, or use `ladder settings --same-author together`"
            )

    def _at_a_table(self) -> int:
        """Return how many of the active versions can sit at one table."""
        return group_size([v.id for v in self._active], self._settings.seats, self._authors)

    def notice(self) -> str:
        """Return a notice if keeping authors apart leaves seats to stand-ins; else ""."""
        size, most = self._at_a_table(), min(len(self._active), self._settings.seats)
        if size == most:
            return ""
        return (
            f"Bots of one author may not meet, so {size} of the {len(self._active)} "
            f"bots can sit at a table for {self._settings.seats}; stand-ins take the other seats. "
            "`ladder settings --same-author together` lets them meet."
        )

    def settled(self) -> str:
        """Return how sure the answer to the aim is; empty unless planning until it is settled."""
        if not self._until_settled or self._ranking is None:
            return ""
        count = len(self._ranking.listed)
        said = self._ranking.answer(self._aim)
        if provisional := self._ranking.provisional():
            return f"{said}, {provisional} of {count} bots provisional"
        if self._is_settled():
            return f"{said}; {EQUALS}"
        ahead = self.ahead()
        left = "" if ahead is None else f"about {ahead:,} matches to go"
        return ", ".join(
            filter(None, [f"{said} of {SURE}", left, self._ranking.most_open(self._aim)])
        )

    def ahead(self) -> int | None:
        """Return the number of matches still to be planned; None if unknown.

        With `until_settled` that is an estimate, which assumes that the estimated strengths stay.
        """
        if self._stopped:
            return 0
        most = None if self.left is None else self.matches_a_round() * self.left
        if not self._until_settled:
            return most
        if self._end is None:
            return None
        left = rounded(max(self.matches_a_round(), round(self._end) - self._noted))
        return left if most is None else min(left, most)

    def matches_a_round(self) -> int:
        """Return the number of matches in a round of the active versions."""
        return self._size() * self._settings.matches_a_block

    def _begin(self, tx: Transaction) -> None:
        """Read who met whom; results are read when needed."""
        versions = may_have_played(tx)
        self._evidence = Evidence(versions, self._settings)
        self._rankings = {}
        self._index = {version.id: i for i, version in enumerate(versions)}
        tables = matches.tables(tx)
        if unknown := {v for table in tables for v in table if v is not None} - self._index.keys():
            raise StoreError(f"the database is damaged: there is no version {min(unknown)} to play")
        self._batches, self._history = ResultBatches(), History()
        self._noted = 0
        """The number of planned matches."""
        self._planned: list[tuple[int, Table]] = []
        """The tables of rounds whose results are not read yet, each with its round."""
        following = iter(tables)
        for number, size in enumerate(matches.sizes(tx), start=1):
            self._note(number, list(islice(following, size)))

    def _note(self, number: int, tables: Sequence[Seating]) -> None:
        """Record a round, given the first table of each of its blocks."""
        self._batches.add(len(tables))
        self._noted += len(tables) * self._settings.matches_a_block
        for seating in tables:
            table = tuple(None if v is None else self._index[v] for v in seating)
            self._history.add(table)
            self._planned.append((number, table))
        self._planned = [each for each in self._planned if each[0] > self._batches.through]

    def _rated(self, tx: Transaction, through: int) -> Ranking:
        """Return the ranking by the rounds up to `through`, which are over."""
        asked = (through, tuple(version.id for version in self._active))
        ranking = self._rankings.pop(asked, None)
        if ranking is None:
            if through < self._evidence.through:
                self._begin(tx)
            self._evidence.read(tx, through)
            ranking = self._evidence.ranking(self._active)
        self._rankings = dict([*[*self._rankings.items()][-1:], (asked, ranking)])
        return ranking

    def _foresee(self) -> None:
        """Update the forecast of how many matches in all settle the aim.

        Each estimate is noisy, so it is averaged with the earlier ones.
        """
        if not self._until_settled or self._ranking is None or self._ranking.provisional():
            return
        end = len(self._evidence.log) * self._ranking.doubts(self._aim).times(SURE)
        if not math.isfinite(end):
            return
        self._end = end if self._end is None else math.sqrt(self._end * end)

    def _is_settled(self) -> bool:
        if not self._until_settled or self._ranking is None:
            return False
        return self._ranking.is_settled(self._aim)

    def _round(self, number: int, known: int) -> list[Block]:
        """Return a round from the scheduler, given the results of the rounds up to `known`."""
        settings = self._settings
        tables = self._scheduler()(
            [self._index[version.id] for version in self._active],
            settings.seats,
            Past(
                self._history,
                self._ranking.fit if self._ranking else None,
                [table for of_round, table in self._planned if of_round > known],
                {self._index[version]: author for version, author in self._authors.items()},
                settings.matches_a_block,
            ),
            Stream(settings.secret, "scheduling", str(number)),
            self._size(),
        )
        ids = [version.id for version in self._evidence.versions]
        seatings = [tuple(None if i is None else ids[i] for i in table) for table in tables]
        blocks = [block for seating in seatings for block in self._blocks(seating)]
        self._note(number, [block.tables[0] for block in blocks])
        if self.left is not None:
            self.left -= 1
            self._stopped = self.left == 0
        return blocks

    def _blocks(self, seating: Seating) -> Sequence[Block]:
        """Return the blocks of a table.

        Nothing prevents a remote bot from remembering a deal, so each of its matches has its own.
        """
        if self._settings.deals is not Deals.DUPLICATE:
            return [Block((seating,))]
        block = rotations(seating)
        if any(v.is_remote for v in self._evidence.versions if v.id in seating):
            return [Block((table,)) for table in block.tables]
        return [block]

    def _scheduler(self) -> Scheduler:
        if self._scheduling is Scheduling.OPTIMAL:
            aim = optimal.RANKING if self._aim is Aim.RANKING else optimal.Objective(TOP)
            return optimal.optimal(aim)
        return _SCHEDULERS[self._scheduling]

    def _size(self) -> int:
        """Return the number of tables in a round."""
        entrants, seats = len(self._active), self._at_a_table()
        if self._scheduling is Scheduling.SWISS:
            return max(1, entrants // seats)  # left-over versions sit the round out
        return size_of_round(entrants, seats)


def _somebody(active: Sequence[Version]) -> Sequence[Version]:
    """Return the versions; raise `NoPlayersError` if there are none."""
    if not active:
        raise NoPlayersError(
            "no bot plays in this ladder, or all are remote and disconnected; submit one with "
            "`ladder submit PATH`"
        )
    return active

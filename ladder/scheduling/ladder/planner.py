"""Plans the rounds of a standing ladder with its scheduler.

A round is planned from the results of rounds that are certainly over when the workers need it. So
no worker waits, and the plan does not depend on which worker was faster; a killed and restarted run
plans the same again (`policy.ResultBatches` says which rounds these are). A bot that is submitted
meanwhile plays from the next round on.

No round waits for a slow bot: rounds are over without its matches, whose results are read once they
are there. With `MOST_OPEN` open matches it sits out rounds, if the others fill a table. So what is
planned follows from the stored matches, results and marks alone; without slow bots, from rounds
that are over.

To stop because the aim is settled, all matches have to be over.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from ladder.model.bots import Version
from ladder.model.errors import NoPlayersError, SettingsError, StoreError
from ladder.model.history import History
from ladder.model.pairing import Block, Seating, rotations
from ladder.model.presence import Presence
from ladder.model.settings import SURE, TOP, Aim, Deals, Scheduling
from ladder.results import strengths
from ladder.results.evidence import Evidence, may_have_played
from ladder.results.older import Older, kept_older
from ladder.results.ranking import Ranking
from ladder.results.standings import rounded
from ladder.scheduling.ladder import opponents, optimal
from ladder.scheduling.ladder.balanced import Table, group_size
from ladder.scheduling.ladder.policy import Past, ResultBatches, Scheduler, size_of_round
from ladder.scheduling.ladder.simple import at_random, balanced, swiss
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from referee.games.randomness import Stream

_SCHEDULERS: Mapping[Scheduling, Scheduler] = {
    Scheduling.BALANCED: balanced,
    Scheduling.RANDOM: at_random,
    Scheduling.SWISS: swiss,
}
"""Those without an aim."""
_UNAWARE = (Scheduling.BALANCED, Scheduling.RANDOM)
"""Schedulers that do not use strengths."""

MOST_OPEN = 4
"""The most open matches of a slow bot."""

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
        presence: Presence = Presence(),  # noqa: B008 -- no bot joins it
    ) -> None:
        """Plan `rounds` rounds, endlessly if None, or fewer if the aim is settled before.

        The aim, by default the ladder's, only matters with `until_settled`. Only bots whose files
        are there and remote bots that are connected are scheduled. Raise `NoPlayersError` if no bot
        can play, or none has an opponent that is needed, unless planned matches are left;
        `SettingsError` if the ladder's scheduler is retired.
        """
        self._ladder = ladder
        if ladder.settings.scheduler is None:
            raise SettingsError(
                "this ladder's scheduler no longer exists; choose another with "
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
        self._last = 0
        """The last round planned when the next one was asked for."""
        self._first_open: int | None = None
        """The first open round by then; None if every round was over."""
        self._first_awaited: int | None = None
        """The same, without the matches of slow versions."""
        self._open: Counter[int] = Counter()
        """How many open matches each version had, if some are slow."""
        self._authors: dict[int, str] = {}
        """The authors, by version id, of active versions that must not meet each other."""
        with ladder.database.read() as tx:
            self._begin(tx)
            self._active: Sequence[Version] = presence.available(bots.active(tx))
            self._at_a_table = max(1, min(len(self._active), self._settings.seats))
            """How many of the active versions can sit at one table."""
            if not self._stopped:
                try:
                    self._enter(tx, self._active)
                except NoPlayersError:
                    if not matches.seated(tx):
                        raise

    def plan(self, tx: Transaction) -> Sequence[Block] | None:
        """Return the blocks of the next round; raise `NoPlayersError` if there can be none."""
        if self._stopped:
            return None
        self._look(tx)
        if self._has_to_wait:
            return []
        known = bots.all_versions(tx).values()
        there = self._presence.available(version for version in known if version.active)
        self._enter(tx, self._ladder.files.playable(there))
        self._meet(tx, [version for version in known if version.rejected is None])
        return self._next(tx)

    def plan_more(self, tx: Transaction) -> Sequence[Block]:
        """Return the blocks of the round after the one planned last, if its results are rated.

        Whatever it is planned from, but for who plays, follows from rounds that are over.
        """
        self._last += 1
        self._first_open = self._first_open or self._last
        self._first_awaited = self._first_awaited or self._last
        if self._stopped or self._has_to_wait or self._is_behind:
            return []
        return self._next(tx) or []

    def _look(self, tx: Transaction) -> None:
        """See which rounds are over, and which versions hold the others up."""
        self._last, slow = matches.last_round(tx), bots.slow(tx)
        self._first_open = self._first_awaited = matches.first_open(tx)
        self._open = Counter()
        if slow:
            self._first_awaited = matches.first_open(tx, but=slow)
            self._open = matches.open_by_version(tx)

    @property
    def _has_to_wait(self) -> bool:
        """Whether rounds are open whose results the next round is planned from."""
        return self._first_awaited is not None and self._first_awaited <= self._batches.through

    def _next(self, tx: Transaction) -> Sequence[Block] | None:
        """Return the blocks of the round after the last one; None if the aim is settled."""
        known, entrants = self._batches.through, self._entrants()
        if entrants is None:
            return []
        if self._asks:
            self._ranking = self._rated(tx, known)
        self._foresee()
        if self._is_settled():
            if self._first_open is not None:
                return []
            self._ranking, known = self._rated(tx, self._last), self._last
            if self._is_settled():
                self._stopped = True
                return None
        return self._round(self._last + 1, known, entrants)

    def _entrants(self) -> Sequence[Version] | None:
        """Return the versions that play the next round; None if it has to wait for slow ones.

        Slow ones with open matches sit it out; if the others fill no table, none does.
        """
        playing = [v for v in self._active if not v.slow or self._open[v.id] < MOST_OPEN]
        ids = [version.id for version in playing]
        if group_size(ids, self._settings.seats, self._authors) == self._at_a_table:
            return playing
        known = self._batches.through
        return self._active if self._first_open is None or self._first_open > known else None

    @property
    def _is_behind(self) -> bool:
        """Whether rounds are still to be rated before the next one is planned."""
        return self._asks and self._evidence.through != self._batches.through

    @property
    def may_prepare(self) -> bool:
        """Whether results are still to be rated before the next round is planned."""
        return self._is_behind or (self._asks and bool(self._late))

    def prepare(self, tx: Transaction) -> None:
        """Rate the rounds from which the next one is planned, if they are over."""
        first_open, known = matches.first_open(tx, but=bots.slow(tx)), self._batches.through
        if first_open is not None and first_open <= known:
            return
        if self._evidence.versions == may_have_played(tx):
            self._renew(tx)
            if self._evidence.through < known:
                self._read(tx, known)
            self._evidence.fit()

    @property
    def _asks(self) -> bool:
        """Whether the next round depends on strengths; not if all sit at one table."""
        if self._stopped or self._until_settled:
            return not self._stopped
        return self._scheduling not in _UNAWARE and self._at_a_table < len(self._active)

    def _enter(self, tx: Transaction, active: Sequence[Version]) -> None:
        """Plan for these versions; raise `NoPlayersError` if that makes no sense."""
        authors = opponents.kept_apart(tx, self._settings, active)
        opponents.check(active, authors, needed=self._until_settled)
        self._active, self._authors = active, authors
        entrants = [version.id for version in active]
        self._at_a_table = group_size(entrants, self._settings.seats, self._authors)

    def notice(self) -> str:
        """Return a notice if seats are left to stand-ins for want of opponents; else ""."""
        if self._until_settled and len(self._active) == 1:
            return ""  # only matches that are left are played
        return opponents.notice(self._active, self._at_a_table, self._settings.seats)

    def settled(self) -> str:
        """Return how sure the answer to the aim is; empty unless planning until it is settled."""
        if not self._until_settled or self._ranking is None:
            return ""
        count = len(self._ranking.listed)
        answer = self._ranking.answer(self._aim)
        if provisional := self._ranking.provisional():
            return f"{answer}, {provisional} of {count} bots provisional"
        if self._is_settled():
            return self._ranking.settled(self._aim)
        ahead = self.ahead()
        left = "" if ahead is None else f"about {ahead:,} matches to go"
        return ", ".join(
            filter(None, [f"{answer} of {SURE}", left, self._ranking.most_open(self._aim)])
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
        return self._size(len(self._active)) * self._settings.matches_a_block

    def _begin(self, tx: Transaction) -> None:
        """Read who met whom, but for what is kept of it; results are read when needed."""
        versions = may_have_played(tx)
        self._index = {version.id: i for i, version in enumerate(versions)}
        sizes = matches.sizes(tx)
        self._batches = ResultBatches(sizes)
        self._noted = sum(sizes) * self._settings.matches_a_block
        """The number of planned matches."""
        self._gather(tx, versions, self._batches.through)
        kept = self._evidence.older
        self._history = History.unpacked(kept.history, self._number)
        self._unread: dict[int, list[Table]] = {}
        """The tables of each round whose results are not read yet."""
        following = matches.tables(tx, kept.through)
        for number, size in enumerate(sizes[kept.through :], start=kept.through + 1):
            self._remember(number, list(islice(following, size)))

    def _meet(self, tx: Transaction, versions: Sequence[Version]) -> None:
        """Know the versions that may have played; most often others have only joined them."""
        before = self._evidence.versions
        if versions == before:
            return
        ids = [version.id for version in versions]
        if ids[: len(before)] != [version.id for version in before]:
            self._begin(tx)
            return
        self._index = {version: i for i, version in enumerate(ids)}
        self._gather(tx, versions, self._batches.through)

    def _gather(self, tx: Transaction, versions: Sequence[Version], through: int) -> None:
        """Begin to read the results anew, on top of what is kept of rounds up to one."""
        older = kept_older(tx, self._settings)
        if older.through > through:
            older = Older()
        self._evidence = Evidence(versions, self._settings, older)
        self._kept = self._evidence.through
        """The last round of what is kept."""
        self._late: Mapping[str, Seating] = {}
        """The tables, by deal, that were open when their rounds were read."""
        self._rankings = {}

    def _read(self, tx: Transaction, through: int) -> None:
        """Read the results of the rounds up to one; note which blocks are still open."""
        self._evidence.read(tx, through)
        self._late = matches.open_blocks(tx, through)

    def _renew(self, tx: Transaction) -> None:
        """Read the results anew if blocks are over that were open when their rounds were read."""
        if not self._late:
            return
        still_open = matches.open_blocks(tx, self._evidence.through)
        if still_open.keys() != self._late.keys():
            self._gather(tx, self._evidence.versions, self._batches.through)

    def _note(self, number: int, tables: Sequence[Seating]) -> None:
        """Record a round that was planned, given the first table of each of its blocks."""
        before = self._batches.through
        self._batches.add(len(tables))
        self._noted += len(tables) * self._settings.matches_a_block
        self._remember(number, tables)
        for read in range(before + 1, self._batches.through + 1):
            self._unread.pop(read, None)

    def _remember(self, number: int, tables: Sequence[Seating]) -> None:
        """Count who met whom in a round; keep its tables until its results are read."""
        numbered = [self._numbered(table) for table in tables]
        for table in numbered:
            self._history.add(table)
        if number > self._batches.through:
            self._unread[number] = numbered

    def _unrated(self, known: int) -> list[Table]:
        """Return the tables after the rounds up to `known`, if the scheduler looks at strengths."""
        if not self._asks:
            return []
        rounds = (own for of_round, own in self._unread.items() if of_round > known)
        late = [self._numbered(table) for table in self._late.values()]
        return [*late, *(table for own in rounds for table in own)]

    def _numbered(self, table: Seating) -> Table:
        """Return a table as the scheduler knows it."""
        return tuple(None if version is None else self._number(version) for version in table)

    def _number(self, version: int) -> int:
        """Return the number by which the scheduler knows a version, by its id."""
        if version not in self._index:
            raise StoreError(f"the database is damaged: there is no version {version} to play")
        return self._index[version]

    def _rated(self, tx: Transaction, through: int) -> Ranking:
        """Return the ranking by the rounds up to `through`, which are over."""
        self._renew(tx)
        asked = (through, tuple(version.id for version in self._active))
        ranking = self._rankings.pop(asked, None)
        if ranking is None:
            if through < self._evidence.through:
                self._gather(tx, self._evidence.versions, through)
            self._read(tx, through)
            self._keep(self._evidence.older)
            ranking = self._evidence.ranking(self._active)
        self._rankings = dict([*[*self._rankings.items()][-1:], (asked, ranking)])
        return ranking

    def _keep(self, older: Older) -> None:
        """Keep the older rounds for the next reader, once there is another chunk of them."""
        if older.through > self._kept:
            strengths.keep_older(self._ladder, older)
            self._kept = older.through

    def _foresee(self) -> None:
        """Update the forecast of how many matches in all settle the aim.

        Each estimate is noisy, so it is averaged with the earlier ones.
        """
        if not self._until_settled or self._ranking is None or self._ranking.provisional():
            return
        end = self._evidence.matches * self._ranking.doubts(self._aim).times(SURE)
        if not math.isfinite(end):
            return
        self._end = end if self._end is None else math.sqrt(self._end * end)

    def _is_settled(self) -> bool:
        if not self._until_settled or self._ranking is None:
            return False
        return self._ranking.is_settled(self._aim)

    def _round(self, number: int, known: int, entrants: Sequence[Version]) -> list[Block]:
        """Return a round from the scheduler, given the results of the rounds up to `known`."""
        settings = self._settings
        tables = self._scheduler()(
            [self._index[version.id] for version in entrants],
            settings.seats,
            Past(
                self._history,
                self._ranking.fit if self._ranking else None,
                self._unrated(known),
                {self._index[version]: author for version, author in self._authors.items()},
                settings.matches_a_block,
            ),
            Stream(settings.secret, "scheduling", str(number)),
            self._size(len(entrants)),
        )
        ids = [version.id for version in self._evidence.versions]
        seatings = [tuple(None if i is None else ids[i] for i in table) for table in tables]
        blocks = [block for seating in seatings for block in self._blocks(seating)]
        self._note(number, [block.tables[0] for block in blocks])
        self._open.update(v for block in blocks for table in block.tables for v in table if v)
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
        if self._scheduling in _SCHEDULERS:
            return _SCHEDULERS[self._scheduling]
        aim = optimal.RANKING if self._aim is Aim.RANKING else optimal.Objective(TOP)
        return optimal.optimal(aim, mixed=self._scheduling is Scheduling.MIXED)

    def _size(self, entrants: int) -> int:
        """Return the number of tables in a round of this number of versions."""
        seats = self._at_a_table
        if self._scheduling is Scheduling.SWISS:
            return max(1, entrants // seats)  # left-over versions sit the round out
        return size_of_round(entrants, seats)

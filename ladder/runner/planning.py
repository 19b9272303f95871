"""Plans the rounds of a run, several at once where rounds are short, and stores them.

A planner's answer does not depend on when it is asked. So one transaction takes as many rounds as
the workers will begin within a moment, judged by what they began within the last one. It takes no
more, as a bot that enters plays from the next planned round on.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

from ladder.model import moments
from ladder.model.errors import NoPlayersError
from ladder.model.matches import PlannedMatch
from ladder.model.pairing import Block
from ladder.scheduling.planner import Awaited, Planner, PlansAhead, Timed, planned_matches
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.storage.tables import bots, directives, matches

if TYPE_CHECKING:
    from ladder.model.directives import Directive
from concurrent.futures import Future, ThreadPoolExecutor

from ladder.scheduling.planner import Preparing

_AHEAD_S = 0.25
"""How long the planned matches are to last, if a round is shorter."""
_SWEEP_EVERY_S = 60.0
"""How often a run removes what nothing needs, at most."""


class Planning:
    """The plans of one run. A context manager that waits for the planner's thread."""

    def __init__(
        self, ladder: Ladder, planner: Planner, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Plan as the planner says; the clock counts seconds."""
        self._clock = clock
        self._ladder = ladder
        self._planner = planner
        self._is_contest = ladder.settings.contest is not None
        self._preparation = Preparation(ladder, planner)
        self._begun_at: deque[float] = deque()
        """When the matches of the last moment began."""
        self._sweeps_at = self._clock()
        self._in_vain = -1
        """How many matches had ended when the planner last waited for more."""
        self.is_over = False
        """Whether nothing more will be planned."""
        self.paused = False
        """Whether the director has paused the tournament."""
        self.awaited: Awaited | None = None
        """The next round of a tournament, if it may not begin yet."""
        self._decided: Sequence[Directive] = ()
        """The director's decisions by which it is awaited."""
        self.no_players: NoPlayersError | None = None
        """Set when no bot was available for further rounds."""

    def ask_again(self) -> None:
        """Let the planner be asked again, though no match has ended: it waits for other ones."""
        self._in_vain = -1

    def begin(self) -> None:
        """Note that a match begins."""
        self._begun_at.append(self._clock())
        self._forget_earlier()

    def prepare(self) -> None:
        """Let the planner do in a thread what it can do beforehand."""
        self._preparation.begin()

    def look_for_pause(self) -> None:
        """Note whether the director has paused the tournament."""
        if self._is_contest:
            with self._ladder.database.read() as tx:
                self.paused = directives.pause(tx) is not None

    def next(self, ended: int, most: int | None) -> Sequence[PlannedMatch]:
        """Plan and store the next round by the stored results; return its matches, perhaps none.

        Several rounds if they are short, but no further one once there are `most` matches. `ended`
        is the number of matches that have ended: a planner that waits for results is asked again
        when there are more.
        """
        if self.is_over or ended == self._in_vain:
            return ()
        self._preparation.wait()
        with self._ladder.home.files_stay():  # also those of bots retired meanwhile
            with self._ladder.database.read() as tx:  # it may take long, so it blocks no writers
                self.paused = self._is_contest and directives.pause(tx) is not None
                if self.paused or self._is_still_awaited(tx):
                    return ()
                planned = self._planned(tx, most)
                self.awaited = self._awaited(tx) if planned else None
                if self.awaited is not None:
                    self._decided = directives.all_of(tx)
                    return ()
            self.is_over = planned is None
            if not planned:
                self._in_vain = ended
                return ()
            with self._ladder.database.write() as tx:
                matches.add(tx, planned)
                if isinstance(self._planner, Timed):
                    self._planner.begin(tx, moments.now())
        self._sweep()
        return planned

    def _awaited(self, tx: Transaction) -> Awaited | None:
        """Return the round of the planner if it may not begin yet.

        It is not stored until then, so that decisions still change it.
        """
        if not isinstance(self._planner, Timed):
            return None
        return self._planner.awaited(tx, moments.now())

    def _is_still_awaited(self, tx: Transaction) -> bool:
        """Return whether the awaited round waits as before: no decision came, nor its time."""
        if self.awaited is None or directives.all_of(tx) != self._decided:
            return False
        return moments.now() < self.awaited.starts_at

    def _planned(self, tx: Transaction, most: int | None) -> list[PlannedMatch] | None:
        """Return the matches of the next rounds; None if nothing more is planned."""
        blocks = self._blocks(tx)
        if not blocks:
            return None if blocks is None else []
        number, known = matches.last_round(tx), bots.all_versions(tx)
        self._forget_earlier()
        wanted = len(self._begun_at) if most is None else min(most, len(self._begun_at))
        planned: list[PlannedMatch] = []
        while blocks:
            number += 1
            planned += planned_matches(self._ladder.settings, number, blocks, known)
            is_enough = len(planned) >= wanted or any(match.remote for match in planned)
            blocks = () if is_enough else self._more(tx)
        return planned

    def _blocks(self, tx: Transaction) -> Sequence[Block] | None:
        """Return the planner's next blocks; without players nothing more is planned."""
        try:
            return self._planner.plan(tx)
        except NoPlayersError as error:
            self.no_players = error
            return None

    def _more(self, tx: Transaction) -> Sequence[Block]:
        """Return the blocks of another round, if the planner can plan it now."""
        return self._planner.plan_more(tx) if isinstance(self._planner, PlansAhead) else ()

    def _forget_earlier(self) -> None:
        """Forget the matches that began before the last moment."""
        earlier = self._clock() - _AHEAD_S
        while self._begun_at and self._begun_at[0] < earlier:
            self._begun_at.popleft()

    def _sweep(self) -> None:
        """Remove what no planned match needs any more, now and then."""
        if self._clock() >= self._sweeps_at:
            sweep(self._ladder)
            self._sweeps_at = self._clock() + _SWEEP_EVERY_S

    def __enter__(self) -> Self:
        """Return it."""
        self._preparation.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Wait for the thread."""
        self._preparation.__exit__(*error)


class Preparation:
    """Lets a planner rate results in a thread, while matches are played; waits for it on exit.

    Numpy and SQLite leave the interpreter to other threads while they compute, so the run goes on
    storing results. A prepared round follows from rounds that are over, so it makes no difference
    when it is done, or whether it is done at all.
    """

    def __init__(self, ladder: Ladder, planner: Planner) -> None:
        """Prepare for a planner, if it can."""
        self._ladder = ladder
        self._planner = planner if isinstance(planner, Preparing) else None
        self._thread = ThreadPoolExecutor(1, "planner")
        self._under_way: Future[None] | None = None

    def begin(self) -> None:
        """Begin to prepare, unless there is nothing to do or it is under way."""
        planner, ended = self._planner, self._under_way is None or self._under_way.done()
        if planner is not None and ended and planner.may_prepare:
            self.wait()
            self._under_way = self._thread.submit(self._prepare, planner)

    def wait(self) -> None:
        """Wait until nothing is under way; raise the error by which it ended."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def _prepare(self, planner: Preparing) -> None:
        with self._ladder.database.read() as tx:
            planner.prepare(tx)

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the thread."""
        self._thread.shutdown()

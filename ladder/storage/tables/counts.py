"""Counts matches, void attempts and forfeits for monitoring.

Rounds that are over are counted once, so that to count a long ladder again takes no longer.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select, true

from ladder.model.matches import MatchState
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import matches, seats
from ladder.storage.tables import strengths
from ladder.storage.tables.matches import first_open, last_round, of_rounds
from referee.core.faults import FaultKind


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts over all matches of a ladder."""

    matches: Mapping[MatchState, int]
    """By state; every state is a key."""
    void_attempts: int
    """Including those of matches that were played again."""
    forfeits: Mapping[str, int]
    """By kind of fault; every kind is a key."""
    finished_lately: int
    """How many finished in the period that the caller asked for."""


@dataclass(frozen=True, slots=True)
class _Sums:
    """Counts over some rounds."""

    states: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)

    def __add__(self, more: "_Sums") -> "_Sums":
        return _Sums(
            self.states + more.states,
            self.attempts + more.attempts,
            self.forfeits + more.forfeits,
        )

    def __sub__(self, some: "_Sums") -> "_Sums":
        return _Sums(
            self.states - some.states,
            self.attempts - some.attempts,
            self.forfeits - some.forfeits,
        )


class Counting:
    """Counts the matches of one ladder, again and again."""

    def __init__(self) -> None:
        """Begin before the first round."""
        self._lock = threading.Lock()
        self._generation: int | None = None
        self._through = 0
        self._over = _Sums()
        self._times: deque[tuple[float, int]] = deque()
        """When which round was known to be over; the newest first."""

    def read(self, tx: Transaction, lately: timedelta) -> Counts:
        """Return the counts now; `lately` is the period of `finished_lately`."""
        with self._lock:
            generation, now = strengths.generation(tx), time.monotonic()
            open_round = first_open(tx)
            over = (last_round(tx) + 1 if open_round is None else open_round) - 1
            if generation != self._generation or over < self._through:
                self._generation, self._through, self._over = generation, 0, _Sums()
                self._times.clear()
            new, still_open = _sums(tx, self._through), _sums(tx, over)
            every = self._over + new
            self._over, self._through = every - still_open, over
            recent = _finished_since(tx, lately, self._over_before(now - lately.total_seconds()))
            self._times.appendleft((now, over))
        return Counts(
            matches={state: every.states[state] for state in MatchState},
            void_attempts=every.attempts,
            forfeits={kind.name: every.forfeits[kind.name] for kind in FaultKind},
            finished_lately=recent,
        )

    def _over_before(self, moment: float) -> int:
        """Return a round that was over by then; 0 if none is known."""
        known = next((i for i, (at, _) in enumerate(self._times) if at <= moment), None)
        if known is None:
            return 0
        while len(self._times) > known + 1:
            self._times.pop()
        return self._times[-1][1]


def _sums(tx: Transaction, after: int) -> _Sums:
    """Count the rounds after one."""
    later = of_rounds(after, None)
    by_state = tx.execute(
        select(
            matches.c.state,
            func.count().label("times"),
            func.sum(matches.c.attempts).label("attempts"),
        )
        .where(later)
        .group_by(matches.c.state)
    ).all()
    by_kind = tx.execute(
        select(seats.c.forfeit, func.count().label("times"))
        .where(seats.c.forfeit.is_not(None), seats.c.version_id.is_not(None))
        .where(seats.c.match_id.in_(select(matches.c.id).where(later)) if after else true())
        .group_by(seats.c.forfeit)
    )
    return _Sums(
        Counter({row.state: row.times for row in by_state}),
        sum(int(row.attempts) for row in by_state),
        Counter({row.forfeit: row.times for row in by_kind}),
    )


def _finished_since(tx: Transaction, lately: timedelta, after: int) -> int:
    """Return how many matches finished in the last while, none of which is of the first rounds."""
    since = (datetime.now(UTC) - lately).isoformat(timespec="seconds")
    done = select(func.count()).where(
        of_rounds(after, None),
        matches.c.state == MatchState.DONE,
        matches.c.finished_at > since,
    )
    return tx.execute(done).scalar_one()

"""Counts matches, void attempts and forfeits for monitoring."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from ladder.model.matches import MatchState
from ladder.storage.database import Transaction
from ladder.storage.schema import matches, seats
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


def counts(tx: Transaction, lately: timedelta) -> Counts:
    """Return the counts now; `lately` is the period of `finished_lately`."""
    by_state = select(matches.c.state, func.count().label("times")).group_by(matches.c.state)
    found = {row.state: row.times for row in tx.execute(by_state)}
    by_kind = (
        select(seats.c.forfeit, func.count().label("times"))
        .where(seats.c.forfeit.is_not(None), seats.c.version_id.is_not(None))
        .group_by(seats.c.forfeit)
    )
    forfeits = {row.forfeit: row.times for row in tx.execute(by_kind)}
    since = (datetime.now(UTC) - lately).isoformat(timespec="seconds")
    done = select(func.count()).where(
        matches.c.state == MatchState.DONE, matches.c.finished_at > since
    )
    return Counts(
        matches={state: found.get(state, 0) for state in MatchState},
        void_attempts=tx.execute(select(func.sum(matches.c.attempts))).scalar() or 0,
        forfeits={kind.name: forfeits.get(kind.name, 0) for kind in FaultKind},
        finished_lately=tx.execute(done).scalar_one(),
    )

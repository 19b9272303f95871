"""Sums over all matches, for whoever watches a ladder."""

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
    """What a ladder's matches add up to."""

    matches: Mapping[MatchState, int]
    """By their state; all states are there."""
    void_attempts: int
    """That were void, of matches that were played again too."""
    forfeits: Mapping[str, int]
    """By the kind of fault; all kinds are there."""
    finished_lately: int
    """How many are done since a moment that the caller has named."""


def counts(tx: Transaction, lately: timedelta) -> Counts:
    """Return the sums now; `finished_lately` goes back by `lately`."""
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

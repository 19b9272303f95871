"""When the rounds of a tournament with a timer began."""

from datetime import datetime

from sqlalchemy import insert, select

from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import begun_rounds


def begin(tx: Transaction, number: int, at: datetime) -> None:
    """Store that a round, from 1, begins at this time, UTC."""
    tx.execute(insert(begun_rounds).values(number=number, begun_at=at.isoformat()))


def begun(tx: Transaction) -> dict[int, datetime]:
    """Return when each round began, as far as it was stored."""
    rows = tx.execute(select(begun_rounds))
    return {row.number: datetime.fromisoformat(row.begun_at) for row in rows}

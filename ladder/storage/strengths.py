"""Where the rating of record is kept as it was last worked out: a digest, and a body in bytes."""

from sqlalchemy import delete, insert, select

from ladder.storage.columns import DamagedValueError
from ladder.storage.database import Transaction
from ladder.storage.schema import strengths


def read(tx: Transaction) -> tuple[bytes, bytes] | None:
    """Return the digest and the body; None if nothing is kept, or nothing that could be there."""
    try:
        row = tx.execute(select(strengths.c.digest, strengths.c.body)).one_or_none()
    except DamagedValueError:
        return None
    return None if row is None else (row.digest, row.body)


def keep(tx: Transaction, digest: bytes, body: bytes) -> None:
    """Keep these instead of what was kept."""
    forget(tx)
    tx.execute(insert(strengths).values(id=1, digest=digest, body=body))


def forget(tx: Transaction) -> None:
    """Keep nothing."""
    tx.execute(delete(strengths))

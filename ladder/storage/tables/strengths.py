"""Where the rating of record is kept as it was last worked out: a digest, and a body in bytes."""

import secrets

from sqlalchemy import delete, insert, select, update

from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import ladder, strengths

_GENERATIONS = 1 << 31
"""Drawn at random, so that no number comes back with a backup."""


def read(tx: Transaction) -> tuple[bytes, bytes] | None:
    """Return the digest and the body; None if nothing is kept."""
    row = tx.execute(select(strengths.c.digest, strengths.c.body)).one_or_none()
    return None if row is None else (row.digest, row.body)


def keep(tx: Transaction, digest: bytes, body: bytes) -> None:
    """Keep these instead of what was kept."""
    tx.execute(delete(strengths))
    tx.execute(insert(strengths).values(id=1, digest=digest, body=body))


def forget(tx: Transaction) -> None:
    """Keep nothing, and begin another generation: stored results have changed, or may have."""
    tx.execute(delete(strengths))
    tx.execute(update(ladder).values(generation=secrets.randbelow(_GENERATIONS)))


def generation(tx: Transaction) -> int:
    """Return a number that is another one since results were last changed."""
    found: int = tx.execute(select(ladder.c.generation)).scalar_one()
    return found

"""The tokens of authors, as their digests."""

from typing import Any

from sqlalchemy import insert, select, update

from ladder.model.tokens import Token
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import tokens
from ladder.storage.tables.settings import now


def add(tx: Transaction, author: str, expires_at: str | None) -> int:
    """Store a token that opens nothing yet, and return its number."""
    values = {"author": author, "digest": b"", "created_at": now(), "expires_at": expires_at}
    number: int = tx.execute(insert(tokens).values(values).returning(tokens.c.id)).scalar_one()
    return number


def set_digest(tx: Transaction, number: int, digest: bytes) -> None:
    """Store the digest of the token of this number."""
    tx.execute(update(tokens).where(tokens.c.id == number).values(digest=digest))


def find(tx: Transaction, number: int) -> Token | None:
    """Return the token of this number; None if there never was one."""
    row = tx.execute(select(tokens).where(tokens.c.id == number)).one_or_none()
    return None if row is None else _token(row)


def every(tx: Transaction) -> list[Token]:
    """Return all tokens, revoked ones too, in the order in which they were made."""
    return [_token(row) for row in tx.execute(select(tokens).order_by(tokens.c.id))]


def revoke(tx: Transaction, number: int) -> bool:
    """Let a token open nothing any more; return whether it was not revoked before."""
    statement = (
        update(tokens)
        .where(tokens.c.id == number, tokens.c.revoked_at.is_(None))
        .values(revoked_at=now())
    )
    return tx.execute(statement.returning(tokens.c.id)).first() is not None


def _token(row: Any) -> Token:
    return Token(
        number=row.id,
        author=row.author,
        digest=row.digest,
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )

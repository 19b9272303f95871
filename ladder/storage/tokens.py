"""Tokens: how authors are known to the ladder when they are not at its machine.

A token is "courtyard_", its number, "_", and 256 random bits in base64url. Its SHA-256 is what is
stored: a slow hash defends a password that can be guessed, and 256 random bits cannot be, while
every request would pay for it. The number finds the row, so that of the secret part nothing is
looked up, only compared, in a time that does not depend on where it differs.
"""

import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert, select, update

from ladder.model.errors import TokenError
from ladder.model.tokens import Token, TokenState
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import tokens
from ladder.storage.ladder import Ladder
from ladder.storage.tables.settings import now

_SECRET_BYTES = 32
_DIGITS = 18
_AUTHOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_FORM = re.compile(rf"courtyard_([0-9]{{1,{_DIGITS}}})_[A-Za-z0-9_-]{{43}}")
_NO_DIGEST = bytes(hashlib.sha256().digest_size)


def create(ladder: Ladder, author: str, lifetime: timedelta | None = None) -> str:
    """Make a token for an author and return it; it cannot be read again.

    Raise `TokenError` if no author may have this name.
    """
    if not _AUTHOR.fullmatch(author):
        raise TokenError(
            f'author {author!r}: use 1 to 64 of letters, digits, ".", "_", "@" and "-", '
            "a letter or digit first"
        )
    expires_at = None if lifetime is None else _stored(datetime.now(UTC) + lifetime)
    with ladder.database.write() as tx:
        number = _add(tx, author, expires_at)
        token = f"courtyard_{number}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        _set_digest(tx, number, _digest(token))
    return token


def author_of(ladder: Ladder, token: str) -> str | None:
    """Return the author who is known by a token; None if it is wrong, expired or revoked."""
    form = _FORM.fullmatch(token)
    with ladder.database.read() as tx:
        found = _find(tx, int(form[1]) if form else 0)
    digest = found.digest if found else _NO_DIGEST
    same = hmac.compare_digest(_digest(token), digest)
    return found.author if same and found and state(found) is TokenState.VALID else None


def state(token: Token) -> TokenState:
    """Return whether a token opens anything now."""
    if token.revoked_at is not None:
        return TokenState.REVOKED
    if token.expires_at and datetime.fromisoformat(token.expires_at) <= datetime.now(UTC):
        return TokenState.EXPIRED
    return TokenState.VALID


def every(ladder: Ladder) -> list[Token]:
    """Return all tokens, in the order in which they were made."""
    with ladder.database.read() as tx:
        return _every(tx)


def revoke(ladder: Ladder, number: int) -> bool:
    """Let a token open nothing any more; return whether it was not revoked before.

    Raise `TokenError` if there is none of this number.
    """
    with ladder.database.write() as tx:
        if abs(number) >= 10**_DIGITS or _find(tx, number) is None:
            raise TokenError(f"there is no token {number}; `ladder token list` shows them")
        return _set_revoked(tx, number)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


def _stored(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _add(tx: Transaction, author: str, expires_at: str | None) -> int:
    """Store a token that opens nothing yet, and return its number."""
    values = {"author": author, "digest": b"", "created_at": now(), "expires_at": expires_at}
    number: int = tx.execute(insert(tokens).values(values).returning(tokens.c.id)).scalar_one()
    return number


def _set_digest(tx: Transaction, number: int, digest: bytes) -> None:
    """Store the digest of the token of this number."""
    tx.execute(update(tokens).where(tokens.c.id == number).values(digest=digest))


def _find(tx: Transaction, number: int) -> Token | None:
    """Return the token of this number; None if there never was one."""
    row = tx.execute(select(tokens).where(tokens.c.id == number)).one_or_none()
    return None if row is None else _token_of(row)


def _every(tx: Transaction) -> list[Token]:
    """Return all tokens, revoked ones too, in the order in which they were made."""
    return [_token_of(row) for row in tx.execute(select(tokens).order_by(tokens.c.id))]


def _set_revoked(tx: Transaction, number: int) -> bool:
    """Let a token open nothing any more; return whether it was not revoked before."""
    statement = (
        update(tokens)
        .where(tokens.c.id == number, tokens.c.revoked_at.is_(None))
        .values(revoked_at=now())
    )
    return tx.execute(statement.returning(tokens.c.id)).first() is not None


def _token_of(row: Any) -> Token:
    return Token(
        number=row.id,
        author=row.author,
        digest=row.digest,
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )

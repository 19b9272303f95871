"""The tokens that authenticate authors."""

from dataclasses import dataclass, field
from enum import StrEnum


class TokenState(StrEnum):
    """Whether a token is valid."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Token:
    """An author's token, as the ladder stores it."""

    number: int
    author: str
    digest: bytes = field(repr=False)
    """SHA-256 of the token."""
    created_at: str
    """UTC, ISO 8601, like the other times."""
    expires_at: str | None
    """None if it never expires."""
    revoked_at: str | None
    """None if it is not revoked."""

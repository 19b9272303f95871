"""Tokens, which let authors in."""

from dataclasses import dataclass, field
from enum import StrEnum


class TokenState(StrEnum):
    """Whether a token opens anything."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Token:
    """What an author shows to be let in, as far as the ladder knows it."""

    number: int
    author: str
    digest: bytes = field(repr=False)
    """SHA-256 of the token."""
    created_at: str
    """UTC, ISO 8601; so are the others."""
    expires_at: str | None
    """None: never."""
    revoked_at: str | None
    """None: it is not."""

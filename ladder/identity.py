"""Names and seeds that follow from what they name, so that a ladder played again is the same one.

What is hashed is first framed: each text in UTF-8 behind its length in 4 bytes, big-endian. So no
two lists of texts give the same bytes.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence

ID_DIGITS = 32
"""Hex digits of a ladder's and of a match's id."""


def new_secret() -> str:
    """Return a secret that nobody can guess: 32 random bytes in hex."""
    return secrets.token_hex(32)


def ladder_id(secret: str, game: str, seats: int) -> str:
    """Return the id of a ladder. It says nothing about a secret that cannot be guessed."""
    return _sha256("courtyard-ladder-1", secret, game, str(seats))[:ID_DIGITS]


def deal_key(round_number: int, index: int) -> str:
    """Return the name of the deal that a match is played with. Each match has its own."""
    return f"{round_number}/{index}"


def match_id(ladder: str, round_number: int, index: int, digests: Sequence[str]) -> str:
    """Return the id of a match; `digests` are the versions' on its seats, "" for the stand-in."""
    deal = deal_key(round_number, index)
    parts = ("courtyard-match-1", ladder, str(round_number), str(index), deal, *digests)
    return _sha256(*parts)[:ID_DIGITS]


def master_seed(secret: str, match: str) -> str:
    """Return the seed of all randomness in a match, in hex: HMAC-SHA-256 of its id."""
    return hmac.new(secret.encode(), match.encode(), hashlib.sha256).hexdigest()


def _sha256(*texts: str) -> str:
    parts = [text.encode() for text in texts]
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hashlib.sha256(framed).hexdigest()

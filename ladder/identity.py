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


def deal_id(ladder: str, round_number: int, block: int) -> str:
    """Return the name of the deal with which a block is played, the index of it in its round."""
    return _sha256("courtyard-deal-1", ladder, str(round_number), str(block))[:ID_DIGITS]


def match_id(
    ladder: str, round_number: int, index: int, digests: Sequence[str], deal: str = ""
) -> str:
    """Return the id of a match; `digests` are the versions' on its seats, "" for the stand-in.

    A match of an older ladder had a deal of its own, which had no name.
    """
    named = deal or f"{round_number}/{index}"
    parts = ("courtyard-match-1", ladder, str(round_number), str(index), named, *digests)
    return _sha256(*parts)[:ID_DIGITS]


def validation_id(ladder: str, digest: str) -> str:
    """Return the id of the match in which the files of this digest show that they can play."""
    return _sha256("courtyard-validation-1", ladder, digest)[:ID_DIGITS]


def master_seed(secret: str, deal: str) -> str:
    """Return the seed of all randomness in a match, in hex: HMAC-SHA-256 of its deal's name.

    The deal of a match that shares it with no other may have the match's id for a name.
    """
    return hmac.new(secret.encode(), deal.encode(), hashlib.sha256).hexdigest()


def _sha256(*texts: str) -> str:
    parts = [text.encode() for text in texts]
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hashlib.sha256(framed).hexdigest()

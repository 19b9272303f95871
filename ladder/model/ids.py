"""Names and seeds that follow from what they name, so that a ladder played again is the same one.

What is hashed is first framed: each text in UTF-8 behind its length in 4 bytes, big-endian. So no
two lists of texts give the same bytes.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence

_SCRYPT = {"n": 2**15, "r": 8, "p": 1, "maxmem": 64 * 1024 * 1024}
"""What guessing a seed costs: 0.1 s and 32 MiB a guess."""
_HARD_TO_GUESS = 24
"""Random letters and digits in a seed that is out of reach even so: above 120 bits."""

ID_DIGITS = 32
"""Hex digits of a ladder's and of a match's id."""
_BESIDE = re.compile(r"[0-9a-f]{64} (.*)", re.DOTALL)
"""A secret that random bytes and a seed make up."""


def new_secret() -> str:
    """Return a secret that nobody can guess: 32 random bytes in hex."""
    return secrets.token_hex(32)


def secret_of(seed: str | None, *, reproducible: bool) -> str:
    """Return the secret of a new ladder.

    A seed given by hand can be guessed, and the ladder's public id would confirm the guess. So 32
    random bytes stand beside it, unless the ladder is to be `reproducible`: then the secret
    follows from the seed alone, and a guess is made dear.
    """
    if seed is None:
        return new_secret()
    return _stretched(seed) if reproducible else f"{new_secret()} {seed}"


def is_of_seed(secret: str, seed: str) -> bool:
    """Return whether a ladder with this secret may have been made with this seed."""
    beside = _BESIDE.fullmatch(secret)
    given = beside[1] if beside else secret  # older ladders had the seed for a secret
    return given == seed or secret == _stretched(seed)


def is_guessable(seed: str) -> bool:
    """Return whether a seed given by hand, or a secret that is one, may be found by trying."""
    return len(seed) < _HARD_TO_GUESS or len(set(seed)) < _HARD_TO_GUESS // 3


def _stretched(seed: str) -> str:
    return hashlib.scrypt(seed.encode(), salt=b"courtyard-seed-1", dklen=32, **_SCRYPT).hex()


def ladder_id(secret: str, game: str, seats: int) -> str:
    """Return the id of a ladder. It says nothing about a secret that cannot be guessed."""
    return _sha256("courtyard-ladder-1", secret, game, str(seats))[:ID_DIGITS]


def deal_id(ladder: str, round_number: int, block: int) -> str:
    """Return the name of the deal with which a block is played, the index of it in its round."""
    return _sha256("courtyard-deal-1", ladder, str(round_number), str(block))[:ID_DIGITS]


def deal_again(deal: str, attempts: int) -> str:
    """Return the name of the deal that replaces another after so many void attempts, if any."""
    return f"{deal} again {attempts}" if attempts else deal


def match_id(secret: str, round_number: int, index: int, digests: Sequence[str], deal: str) -> str:
    """Return the id of a match; `digests` are the versions' on its seats, "" for the stand-in.

    A bot sees it. So it follows from the ladder's secret: from public facts a bot could find out
    which round and block its match is of, and that others play the same deal.
    """
    return _keyed(secret, "courtyard-match-2", str(round_number), str(index), deal, *digests)


def public_match_id(
    ladder: str, round_number: int, index: int, digests: Sequence[str], deal: str = ""
) -> str:
    """Return the id that the same match got by the ladder's public id before ids were secret.

    A match of an even older ladder had a deal of its own, which had no name.
    """
    named = deal or f"{round_number}/{index}"
    parts = ("courtyard-match-1", ladder, str(round_number), str(index), named, *digests)
    return _sha256(*parts)[:ID_DIGITS]


def validation_id(secret: str, digest: str) -> str:
    """Return the id of the match in which the files of this digest show that they can play.

    It looks like every other one: a bot must not know when it is being tried.
    """
    return _keyed(secret, "courtyard-validation-2", digest)


def master_seed(secret: str, deal: str) -> str:
    """Return the seed of all randomness in a match, in hex: HMAC-SHA-256 of its deal's name.

    The deal of a match that shares it with no other may have the match's id for a name.
    """
    return hmac.new(secret.encode(), deal.encode(), hashlib.sha256).hexdigest()


def _keyed(secret: str, *texts: str) -> str:
    return hmac.new(secret.encode(), _framed(*texts), hashlib.sha256).hexdigest()[:ID_DIGITS]


def _sha256(*texts: str) -> str:
    return hashlib.sha256(_framed(*texts)).hexdigest()


def _framed(*texts: str) -> bytes:
    parts = [text.encode() for text in texts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)

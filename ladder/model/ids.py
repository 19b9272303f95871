"""Ids and seeds that are derived from what they name, so that a ladder can be reproduced.

Texts are framed before they are hashed: each in UTF-8 after its length in 4 bytes, big-endian. So
no two different lists of texts give the same bytes.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence

_SCRYPT = {"n": 2**15, "r": 8, "p": 1, "maxmem": 64 * 1024 * 1024}
"""The cost of guessing a seed: 0.1 s and 32 MiB a guess."""
_HARD_TO_GUESS = 24
"""Random letters and digits that make a seed unguessable even without the cost: over 120 bits."""

ID_DIGITS = 32
"""The length of ladder ids and match ids, in hex digits."""
_BESIDE = re.compile(r"[0-9a-f]{64} (.*)", re.DOTALL)
"""A secret of random bytes followed by a seed."""


def new_secret() -> str:
    """Return an unguessable secret: 32 random bytes in hex."""
    return secrets.token_hex(32)


def secret_of(seed: str | None, *, reproducible: bool) -> str:
    """Return the secret of a new ladder.

    A seed chosen by hand can be guessed, and the ladder's public id would confirm the guess. So 32
    random bytes precede it, unless the ladder is to be `reproducible`: then the secret is derived
    from the seed alone, and guessing is made expensive.
    """
    if seed is None:
        return new_secret()
    return _stretched(seed) if reproducible else f"{new_secret()} {seed}"


def is_of_seed(secret: str, seed: str) -> bool:
    """Return whether a ladder with this secret may have been made with this seed."""
    beside = _BESIDE.fullmatch(secret)
    given = beside[1] if beside else secret  # older ladders used the seed as the secret
    return given == seed or secret == _stretched(seed)


def is_guessable(seed: str) -> bool:
    """Return whether a seed, or a secret that is one, could be found by brute force."""
    return len(seed) < _HARD_TO_GUESS or len(set(seed)) < _HARD_TO_GUESS // 3


def _stretched(seed: str) -> str:
    return hashlib.scrypt(seed.encode(), salt=b"courtyard-seed-1", dklen=32, **_SCRYPT).hex()


def ladder_id(secret: str, game: str, seats: int) -> str:
    """Return the id of a ladder, which reveals nothing about an unguessable secret."""
    return _sha256("courtyard-ladder-1", secret, game, str(seats))[:ID_DIGITS]


def deal_id(ladder: str, round_number: int, block: int) -> str:
    """Return the name of a block's deal; `block` is the block's index in its round."""
    return _sha256("courtyard-deal-1", ladder, str(round_number), str(block))[:ID_DIGITS]


def deal_again(deal: str, attempts: int) -> str:
    """Return the name of the deal for the attempt after this number of void ones."""
    return f"{deal} again {attempts}" if attempts else deal


def match_id(secret: str, round_number: int, index: int, digests: Sequence[str], deal: str) -> str:
    """Return the id of a match; `digests` are those of the versions by seat, "" for the stand-in.

    Bots see the id, so it is keyed with the ladder's secret: an id derived from public facts would
    show a bot its round and block, and that others play the same deal.
    """
    return _keyed(secret, "courtyard-match-2", str(round_number), str(index), deal, *digests)


def spar_match_id(secret: str, spar: int, index: int) -> str:
    """Return the id of a spar's match, which looks like any other id; it names its deal, too."""
    return _keyed(secret, "courtyard-spar-1", str(spar), str(index))


def public_match_id(
    ladder: str, round_number: int, index: int, digests: Sequence[str], deal: str = ""
) -> str:
    """Return the id that a match had when ids were derived from the ladder's public id.

    In still older ladders each match had a deal of its own, without a name.
    """
    named = deal or f"{round_number}/{index}"
    parts = ("courtyard-match-1", ladder, str(round_number), str(index), named, *digests)
    return _sha256(*parts)[:ID_DIGITS]


def validation_id(secret: str, digest: str, *, again: bool = False) -> str:
    """Return the id of the validation match of the files with this digest, or of the one after it.

    It looks like any other id: a bot must not know that it is being validated.
    """
    return _keyed(secret, "courtyard-validation-2", digest, *(["again"] if again else []))


def master_seed(secret: str, deal: str) -> str:
    """Return the seed of all randomness in a match: HMAC-SHA-256 of its deal's name, in hex.

    A deal that belongs to a single match may be named by the match's id.
    """
    return hmac.new(secret.encode(), deal.encode(), hashlib.sha256).hexdigest()


def _keyed(secret: str, *texts: str) -> str:
    return hmac.new(secret.encode(), _framed(*texts), hashlib.sha256).hexdigest()[:ID_DIGITS]


def _sha256(*texts: str) -> str:
    return hashlib.sha256(_framed(*texts)).hexdigest()


def _framed(*texts: str) -> bytes:
    parts = [text.encode() for text in texts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)

"""The rating of record as it is looked at: worked out once for each state of the results.

To work it out takes seconds for hundreds of bots, and it depends on the stored results alone. So it
is kept in the database, with a digest of all that it follows from: results, versions, settings, and
the code itself. When any of that has changed, or what is kept is damaged, the digest does not fit,
and it is worked out anew. To read it takes no numpy, which is slow to import.
"""

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ladder.model.errors import StoreError
from ladder.model.ratings import RatingOfRecord, Strength
from ladder.model.settings import Settings
from ladder.storage import bots, matches, strengths
from ladder.storage.database import Transaction
from ladder.storage.ladder import Ladder

_PATIENCE_MS = 100
"""So long it may wait to be kept. If others write meanwhile, whoever looks next keeps it."""


def rating_of_record(ladder: Ladder) -> RatingOfRecord:
    """Return the rating of record by all that is stored, and keep it."""
    with ladder.database.read() as tx:
        found = read(tx, ladder.settings)
    keep(ladder, found)
    return found.rating


@dataclass(frozen=True, slots=True)
class Found:
    """The rating of record as one transaction found it."""

    rating: RatingOfRecord
    new: tuple[bytes, bytes] | None
    """The digest and body to keep it by; None if it was kept already."""


def read(tx: Transaction, settings: Settings) -> Found:
    """Return the rating of record by all that a transaction sees; hand it to `keep` afterwards."""
    follows_from = _follows_from(tx, settings)
    kept = strengths.read(tx)
    if kept is not None and (rating := _unpacked(follows_from, *kept)) is not None:
        return Found(rating, None)
    rating = _worked_out(tx, settings)
    body = _packed(rating)
    return Found(rating, (_digest(follows_from, body), body))


def keep(ladder: Ladder, found: Found) -> None:
    """Keep a rating of record for whoever looks next, unless others write just now."""
    if found.new is None:
        return
    with contextlib.suppress(StoreError), ladder.database.write(patience_ms=_PATIENCE_MS) as tx:
        strengths.keep(tx, *found.new)


def _worked_out(tx: Transaction, settings: Settings) -> RatingOfRecord:
    from ladder.results.ranking import current  # noqa: PLC0415 - needs scipy, which is slow to import

    ranking = current(tx, settings)
    return RatingOfRecord(
        strengths=ranking.strengths(settings.matches_a_block),
        chance=ranking.chance(settings.aim),
        provisional=ranking.provisional(),
    )


def _follows_from(tx: Transaction, settings: Settings) -> bytes:
    """Return a digest of all that the rating of record follows from."""
    known = [
        (v.id, v.bot, v.number, v.active, v.rejected is None)
        for v in bots.all_versions(tx).values()
    ]
    chosen = (settings.aim.value, settings.rated_by.value)
    founders = sorted(matches.founders(tx))
    given = (settings.seats, settings.matches_a_block, chosen, known, founders)
    return _digest(_code(), repr(given).encode(), matches.results_digest(tx))


@cache
def _code() -> bytes:
    """Return a digest of the code that works it out."""
    here = Path(__file__).parent
    rating = sorted((here.parent / "rating").rglob("*.py"))
    files = [here / "ranking.py", here / "strengths.py", *rating]
    numeric = [version(name).encode() for name in ("numpy", "scipy")]
    return _digest(*(file.read_bytes() for file in files), *numeric)


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()


def _packed(of: RatingOfRecord) -> bytes:
    return json.dumps(asdict(of)).encode()


def _unpacked(follows_from: bytes, digest: object, body: object) -> RatingOfRecord | None:
    """Return what was kept; None if it follows from something else or is damaged."""
    if not isinstance(body, bytes) or digest != _digest(follows_from, body):
        return None
    found = json.loads(body)
    known = {int(number): _strength(each) for number, each in found.pop("strengths").items()}
    return RatingOfRecord(strengths=known, **found)


def _strength(values: dict[str, Any]) -> Strength:
    ranks = values.pop("ranks")
    return Strength(ranks=None if ranks is None else (ranks[0], ranks[1]), **values)

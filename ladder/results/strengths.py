"""The rating of record as it is looked at: worked out once for each state of the results.

To work it out takes seconds for hundreds of bots, and it depends on the stored results alone. So it
is kept in the database, with a digest of all that it follows from: results, versions, settings, and
the code itself. When any of that has changed, or what is kept is damaged, the digest does not fit,
and it is worked out anew. Of the older rounds of a long ladder it goes by what is kept of them
(`older`), so that a look costs by what is new. To read it takes no numpy, which is slow to import.
"""

import contextlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from ladder.model.errors import StoreError
from ladder.model.ratings import RatingOfRecord, Strength
from ladder.model.settings import Settings
from ladder.results.older import Older, digest, joined, key_of, split, unpacked
from ladder.storage import bots, matches, results, strengths
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
    older: Older
    """What is known of the older rounds."""
    new: tuple[bytes, bytes] | None
    """The digest and body to keep it by; None if it was kept already."""


def read(tx: Transaction, settings: Settings) -> Found:
    """Return the rating of record by all that a transaction sees; hand it to `keep` afterwards."""
    kept, key = strengths.read(tx), key_of(tx, settings)
    if kept is not None:
        own, rest = split(kept[1])
        older = unpacked(rest, key)
        follows_from = _follows_from(tx, settings, key, older)
        if (rating := _unpacked(follows_from, kept[0], own)) is not None:
            return Found(rating, older, None)
    rating, older = _worked_out(tx, settings)
    own = _packed(rating)
    follows_from = _follows_from(tx, settings, key, older)
    return Found(rating, older, (digest(follows_from, own), joined(own, older, key)))


def keep(ladder: Ladder, found: Found) -> None:
    """Keep a rating of record for whoever looks next, unless others write just now."""
    if found.new is None:
        return
    with contextlib.suppress(StoreError), ladder.database.write(patience_ms=_PATIENCE_MS) as tx:
        strengths.keep(tx, *found.new)


def keep_older(ladder: Ladder, older: Older) -> None:
    """Keep the older rounds alone for whoever looks next, unless others write just now."""
    with contextlib.suppress(StoreError), ladder.database.write(patience_ms=_PATIENCE_MS) as tx:
        strengths.keep(tx, b"", joined(b"", older, key_of(tx, ladder.settings)))


def _worked_out(tx: Transaction, settings: Settings) -> tuple[RatingOfRecord, Older]:
    from ladder.results.ranking import evidence  # noqa: PLC0415 - needs scipy, which is slow to import

    found = evidence(tx, settings)
    ranking = found.ranking(bots.active(tx))
    rating = RatingOfRecord(
        strengths=ranking.strengths(settings.matches_a_block),
        chance=ranking.chance(settings.aim),
        provisional=ranking.provisional(),
    )
    return rating, found.older


def _follows_from(tx: Transaction, settings: Settings, key: bytes, older: Older) -> bytes:
    """Return a digest of all that the rating of record follows from."""
    known = [
        (v.id, v.bot, v.number, v.active, v.rejected is None)
        for v in bots.all_versions(tx).values()
    ]
    founders = sorted(matches.founders(tx))
    given = (settings.matches_a_block, settings.aim.value, known, founders, older.through)
    return digest(key, repr(given).encode(), results.results_digest(tx, older.through))


def _packed(of: RatingOfRecord) -> bytes:
    return json.dumps(asdict(of)).encode()


def _unpacked(follows_from: bytes, kept: object, body: bytes) -> RatingOfRecord | None:
    """Return what was kept; None if it follows from something else or is damaged."""
    if kept != digest(follows_from, body):
        return None
    found = json.loads(body)
    known = {int(number): _strength(each) for number, each in found.pop("strengths").items()}
    return RatingOfRecord(strengths=known, **found)


def _strength(values: dict[str, Any]) -> Strength:
    ranks = values.pop("ranks")
    return Strength(ranks=None if ranks is None else (ranks[0], ranks[1]), **values)

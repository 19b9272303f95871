"""The rating of record as it is looked at: worked out once for each state of the results.

To work it out takes seconds for hundreds of bots, and it depends on the stored results alone. So it
is kept in the database, with a digest of all that it follows from: results, versions, settings, and
`RATING_VERSION`. When any of that has changed, or what is kept is damaged, the digest does not fit,
and it is worked out anew. Of the older rounds of a long ladder it goes by what is kept of them
(`older`), so that a look costs by what is new. To read it takes no numpy, which is slow to import.
"""

import contextlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ladder.model.errors import StoreError
from ladder.model.ratings import RatingOfRecord, Strength
from ladder.model.settings import Settings
from ladder.results.older import Older, digest, joined, key_of, split, unpacked
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches, results, strengths

if TYPE_CHECKING:
    from ladder.results.evidence import Evidence

_PATIENCE_MS = 100
"""How long it may wait to be kept. If others write meanwhile, the next reader keeps it."""


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
    """The condensed results of the older rounds."""
    new: tuple[bytes, bytes] | None
    """The digest and body to keep it by; None if it was kept already."""


def read(tx: Transaction, settings: Settings) -> Found:
    """Return the rating of record by all that a transaction sees; hand it to `keep` afterwards."""
    kept, key, older = strengths.read(tx), key_of(tx, settings), Older()
    if kept is not None:
        own, rest = split(kept[1])
        older = unpacked(rest, key)
        if own.startswith(quick := _quick_digest(tx, settings, key, older)):
            seen = results.results_digest(tx, older.through)
            if kept[0] == digest(seen, own):
                return Found(_unpacked(own.removeprefix(quick)), older, None)
    rating, found = _worked_out(tx, settings, older)
    own = _quick_digest(tx, settings, key, found.older) + _packed(rating)
    new = digest(found.digest, own), joined(own, found.older, key)
    return Found(rating, found.older, new)


def keep(ladder: Ladder, found: Found) -> None:
    """Keep a rating of record for the next reader, unless others write just now."""
    if found.new is None:
        return
    with contextlib.suppress(StoreError), ladder.database.write(patience_ms=_PATIENCE_MS) as tx:
        strengths.keep(tx, *found.new)


def keep_older(ladder: Ladder, older: Older) -> None:
    """Keep the older rounds alone for the next reader, unless others write just now."""
    with contextlib.suppress(StoreError), ladder.database.write(patience_ms=_PATIENCE_MS) as tx:
        strengths.keep(tx, b"", joined(b"", older, key_of(tx, ladder.settings)))


def by_results(tx: Transaction, settings: Settings) -> RatingOfRecord:
    """Return the rating of record by the stored results alone, whatever is kept."""
    return _worked_out(tx, settings, Older())[0]


def _worked_out(
    tx: Transaction, settings: Settings, older: Older
) -> tuple[RatingOfRecord, "Evidence"]:
    from ladder.results.evidence import evidence  # noqa: PLC0415 - needs scipy, which is slow to import

    found = evidence(tx, settings, older)
    ranking = found.ranking(bots.active(tx))
    rating = RatingOfRecord(
        strengths=ranking.strengths(settings.matches_a_block),
        chance=ranking.chance(settings.aim),
        provisional=ranking.provisional(),
    )
    return rating, found


def _quick_digest(tx: Transaction, settings: Settings, key: bytes, older: Older) -> bytes:
    """Return a digest, in hex digits, of what the rating follows from and is quickly read.

    Of the results that is only how many count, which shows all new ones, but no edited ones.
    """
    known = [
        (v.id, v.bot, v.number, v.active, v.rejected is None)
        for v in bots.all_versions(tx).values()
    ]
    rated = results.rated_matches(tx, older.through)
    founders = sorted(matches.founders(tx))
    blocks, aim = settings.matches_a_block, settings.aim.value
    given = (blocks, aim, known, founders, older.through, rated)
    return digest(key, repr(given).encode()).hex().encode()


def _packed(of: RatingOfRecord) -> bytes:
    return json.dumps(asdict(of)).encode()


def _unpacked(body: bytes) -> RatingOfRecord:
    found = json.loads(body)
    known = {int(number): _strength(each) for number, each in found.pop("strengths").items()}
    return RatingOfRecord(strengths=known, **found)


def _strength(values: dict[str, Any]) -> Strength:
    ranks = values.pop("ranks")
    return Strength(ranks=None if ranks is None else (ranks[0], ranks[1]), **values)

"""The rounds that are long over, as they are kept: ratings, tallies, and meetings.

A long ladder's results are not read again and again. Its rounds are divided into chunks of about
equally many blocks; where a chunk ends follows from the planned rounds alone. As soon as all of a
chunk's rounds are over, its results are condensed (`ladder.rating.condensed`) on top of the chunks
before it. So what is kept follows from the stored results alone, and can be made again.

It is kept beside the rating of record, with a digest of itself and of all else that it follows
from. It is not compared with its results again. Whatever changes results that were stored makes it
void (`ladder.storage.tables.strengths.forget`).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from ladder.model.ratings import Count
from ladder.model.settings import Settings
from ladder.storage.db.database import Transaction
from ladder.storage.tables import strengths

RATING_VERSION = 4
"""Raised when the same results give other numbers, or are kept in another form: what was kept
before is then made again. A test compares the numbers of fixed results with those of this version;
docs/rating-formulas.md says how they follow.
"""
_LIBRARIES = ("numpy", "scipy")
"""Another version of these may round otherwise."""
CHUNK = 8192
"""The blocks of a chunk, or a few more: whole rounds. To rate them takes a tenth of a second."""
LAG = CHUNK // 2
"""The blocks after a chunk before it is kept."""

_DIGEST = 32


def chunk_ends(sizes: Iterable[int], first: int = 1, planned: int = 0) -> tuple[list[int], int]:
    """Return the last rounds of the chunks, and how many blocks are planned after them.

    `sizes` are the blocks of each round from the `first` on; `planned` are those before it that
    are in no chunk yet.
    """
    found = []
    for number, size in enumerate(sizes, start=first):
        planned += size
        if planned >= CHUNK:
            found.append(number)
            planned = 0
    return found, planned


@dataclass(frozen=True, slots=True)
class Older:
    """The stored part of the chunks that are over."""

    through: int = 0
    """The last round of the last chunk; 0 without one."""
    versions: Sequence[int] = ()
    """The ids of the versions that could play by then, in the order of submission."""
    tallies: Mapping[int, Count] = field(default_factory=dict)
    """By version id."""
    condensed: bytes = b""
    """The condensed results of these versions; see `ladder.results.evidence`."""
    history: bytes = b""
    """The meetings, by version id; see `ladder.model.history`."""


def unpacked(body: bytes, key: bytes) -> Older:
    """Return what is in these bytes; nothing if they are damaged or follow from something else."""
    content = body[_DIGEST:]
    if body[:_DIGEST] != digest(key, content):
        return Older()
    head, _, rest = content.partition(b"\n")
    through, versions, tallies, size = json.loads(head)
    counts = {
        number: Count(matches, points, forfeits, tuple(firsts))
        for number, (matches, points, forfeits, firsts) in tallies
    }
    return Older(through, versions, counts, rest[:size], rest[size:])


def joined(rating: bytes, older: Older, key: bytes) -> bytes:
    """Return what to keep: the rating of record, a line of text, and the older rounds."""
    if not older.through:
        return rating
    tallies, size = list(older.tallies.items()), len(older.condensed)
    head = json.dumps([older.through, list(older.versions), tallies, size]).encode()
    content = head + b"\n" + older.condensed + older.history
    return rating + b"\n" + digest(key, content) + content


def split(body: object) -> tuple[bytes, bytes]:
    """Return the rating of record and the older rounds in what is kept; empty if it is no bytes."""
    rating, _, older = body.partition(b"\n") if isinstance(body, bytes) else (b"", b"", b"")
    return rating, older


def kept_older(tx: Transaction, settings: Settings) -> Older:
    """Return what is kept of the older rounds, as far as it can be believed."""
    kept = strengths.read(tx)
    return unpacked(split(kept[1])[1], key_of(tx, settings)) if kept else Older()


def key_of(tx: Transaction, settings: Settings) -> bytes:
    """Return a digest of what chunks follow from, beside their results."""
    code = (RATING_VERSION, *map(version, _LIBRARIES))
    given = (settings.ladder_id, settings.seats, settings.rated_by.value, strengths.generation(tx))
    return digest(repr(code).encode(), repr(given).encode())


def digest(*parts: bytes) -> bytes:
    """Return a SHA-256 of several texts, which does not depend on their sum alone."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()

"""Stores what bots printed in their matches, for their authors; packs long texts."""

import zlib
from collections.abc import Iterable

from sqlalchemy import delete, insert, select, tuple_

from ladder.model.errors import StoreError
from ladder.model.matches import Played
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import matches, outputs, seats

OUTPUT_KEPT = 16 * 1024
"""Bytes kept of a bot's output in a match."""
OUTPUTS_KEPT = 50
"""Keep a version's output for its last N matches and for all forfeits."""


def keep(tx: Transaction, played: Iterable[Played]) -> None:
    """Store the bots' output in some matches and drop what is too old."""
    texts_of = {
        (each.match_id, seat): each.printed.get(seat, "")
        for each in played
        for seat, result in enumerate(each.seats)
        if each.printed.get(seat) or result.forfeit
    }
    if not texts_of:
        return
    of_matches = seats.c.match_id.in_({match_id for match_id, _ in texts_of})
    rows = tx.execute(select(seats.c.match_id, seats.c.seat, seats.c.version_id).where(of_matches))
    seated = {(row.match_id, row.seat): row.version_id for row in rows}
    found = [
        {
            "match_id": match_id,
            "seat": seat,
            "version_id": version_id,
            "body": pack(text, OUTPUT_KEPT),
        }
        for (match_id, seat), text in texts_of.items()
        if (version_id := seated[match_id, seat]) is not None
    ]
    if not found:
        return
    tx.execute(insert(outputs), found)
    for version_id in {each["version_id"] for each in found}:
        _drop_old(tx, version_id)


def output(tx: Transaction, match_id: str, seat: int) -> str | None:
    """Return the end of a seat's output; None if there was none or it is no longer kept."""
    body = tx.execute(
        select(outputs.c.body).where(outputs.c.match_id == match_id, outputs.c.seat == seat)
    ).scalar()
    return None if body is None else unpack(body)


def _drop_old(tx: Transaction, version_id: int) -> None:
    key = tuple_(outputs.c.match_id, outputs.c.seat)
    old = (
        select(outputs.c.match_id, outputs.c.seat)
        .select_from(outputs)
        .join(matches, matches.c.id == outputs.c.match_id)
        .join(seats, (seats.c.match_id == matches.c.id) & (seats.c.seat == outputs.c.seat))
        .where(outputs.c.version_id == version_id, seats.c.forfeit.is_(None))
        .order_by(matches.c.round.desc(), matches.c.position.desc())
        .offset(OUTPUTS_KEPT)
    )
    tx.execute(delete(outputs).where(key.in_(old)))


def pack(text: str, most_bytes: int) -> bytes:
    """Return a text's last `most_bytes` in UTF-8, compressed by zlib."""
    return zlib.compress(text.encode(errors="replace")[-most_bytes:])


def unpack(packed: bytes) -> str:
    """Return a packed text; raise `StoreError` if it is damaged."""
    try:
        return zlib.decompress(packed).decode(errors="replace")
    except zlib.error as error:
        raise StoreError(f"a stored text is damaged: {error}") from error

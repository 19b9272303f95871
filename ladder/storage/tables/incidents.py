"""Events out of the ordinary in matches, in order; an ordinary match has no row."""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, insert, select

from ladder.model.incidents import Incident, IncidentKind
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import incidents
from ladder.storage.tables.settings import now


def add(tx: Transaction, kind: IncidentKind, why: str, match_ids: Collection[str]) -> None:
    """Store that this happened now to these matches."""
    happened_at = now()
    if match_ids:
        tx.execute(
            insert(incidents),
            [
                {"match_id": match_id, "kind": kind, "why": why, "happened_at": happened_at}
                for match_id in match_ids
            ],
        )


def of_match(tx: Transaction, match_id: str) -> Sequence[Incident]:
    """Return what happened to a match, the first first."""
    return _found(tx, incidents.c.match_id == match_id)


def all_of(tx: Transaction) -> Sequence[Incident]:
    """Return what happened to any match, the first first."""
    return _found(tx)


def _found(tx: Transaction, *conditions: ColumnElement[bool]) -> Sequence[Incident]:
    rows = tx.execute(select(incidents).where(*conditions).order_by(incidents.c.id))
    return [
        Incident(row.match_id, IncidentKind(row.kind), row.why, row.happened_at) for row in rows
    ]

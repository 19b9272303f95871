"""The decisions of a tournament's director, in that order, and the beginnings of rounds."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import insert, select

from ladder.model.directives import BYES, Directive, DirectiveKind
from ladder.model.errors import StoreError
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import begun_rounds, directives
from ladder.storage.tables.settings import now

_PAUSING = (DirectiveKind.PAUSE, DirectiveKind.RESUME)
_ABOUT_A_BOT = (
    DirectiveKind.WITHDRAW,
    DirectiveKind.DISQUALIFY,
    DirectiveKind.ENTER,
    DirectiveKind.FORBID,
    *BYES,
)


def add(tx: Transaction, directive: Directive) -> None:
    """Store a decision, as given now."""
    tx.execute(
        insert(directives).values(
            kind=directive.kind,
            version_id=directive.version,
            match_id=directive.match_id,
            after_round=directive.after_round,
            why=directive.why,
            given_at=now(),
            round=directive.round,
            starts_at=directive.starts_at,
            other_id=directive.other,
        )
    )


def all_of(tx: Transaction) -> Sequence[Directive]:
    """Return all decisions, the first one first; raise `StoreError` if one lacks its subject."""
    found = []
    for row in tx.execute(select(directives).order_by(directives.c.id)):
        kind = row.kind
        lost = (
            (kind in _ABOUT_A_BOT and row.version_id is None)
            or (kind is DirectiveKind.ANNUL and row.match_id is None)
            or (kind in BYES and row.round is None)
            or (kind is DirectiveKind.FORBID and row.other_id is None)
            or (kind is DirectiveKind.START and None in (row.round, row.starts_at))
        )
        if kind is DirectiveKind.RETRACT:
            lost = (row.version_id is None) == (row.match_id is None)
        if lost:
            raise StoreError(f"the database is damaged: directive {row.id} ({kind}) names nothing")
        found.append(
            Directive(
                kind,
                row.after_round,
                row.why,
                version=row.version_id,
                match_id=row.match_id,
                round=row.round,
                starts_at=row.starts_at,
                other=row.other_id,
                given_at=row.given_at,
                number=row.id,
            )
        )
    return found


def pause(tx: Transaction) -> Directive | None:
    """Return by what no match may begin now; None if matches may begin."""
    pausing = directives.c.kind.in_(_PAUSING)
    newest = select(directives).where(pausing).order_by(directives.c.id.desc()).limit(1)
    row = tx.execute(newest).one_or_none()
    if row is None or row.kind != DirectiveKind.PAUSE:
        return None
    return Directive(DirectiveKind.PAUSE, row.after_round, row.why, given_at=row.given_at)


def begin_round(tx: Transaction, number: int, at: datetime) -> None:
    """Store that a round, from 1, begins at this time, UTC."""
    tx.execute(insert(begun_rounds).values(number=number, begun_at=at.isoformat()))


def rounds_begun(tx: Transaction) -> dict[int, datetime]:
    """Return when each round began, as far as it was stored."""
    rows = tx.execute(select(begun_rounds))
    return {row.number: datetime.fromisoformat(row.begun_at) for row in rows}

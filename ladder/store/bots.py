"""Bots and their versions."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert, select, update

from ladder.models import Outlook, Submission, Version
from ladder.store.database import Transaction
from ladder.store.schema import bots, versions
from ladder.store.settings import now

_VERSIONS = select(versions, bots.c.name.label("bot")).join(bots)


def all_versions(tx: Transaction) -> dict[int, Version]:
    """Return every version by its id, in the order of submission."""
    return {row.id: _version(row) for row in tx.execute(_VERSIONS.order_by(versions.c.id))}


def active(tx: Transaction) -> list[Version]:
    """Return the versions that are scheduled, in the order of submission."""
    rows = tx.execute(_VERSIONS.where(versions.c.active).order_by(versions.c.id))
    return [_version(row) for row in rows]


def of_bot(tx: Transaction, name: str) -> list[Version]:
    """Return the versions of a bot from the first to the last; none if there is no such bot."""
    rows = tx.execute(_VERSIONS.where(bots.c.name == name).order_by(versions.c.number))
    return [_version(row) for row in rows]


def names(tx: Transaction) -> Sequence[str]:
    """Return the names of all bots, retired ones too, in order."""
    return tx.execute(select(bots.c.name).order_by(bots.c.name)).scalars().all()


def submit(tx: Transaction, name: str, digest: str, command: Sequence[str]) -> Submission:
    """Let the version of these files play for the bot, and no other of its versions."""
    known = of_bot(tx, name)
    replaced = next((version for version in known if version.active), None)
    was_retired = bool(known) and replaced is None
    if replaced is not None and replaced.digest == digest:
        return Submission(replaced, Outlook.UNCHANGED, replaced=None, was_retired=False)
    retire(tx, name)
    earlier = next((version for version in known if version.digest == digest), None)
    if earlier is None:
        _add(tx, name, len(known) + 1, digest, command)
    else:
        tx.execute(update(versions).where(versions.c.id == earlier.id).values(active=True))
    current = next(version for version in of_bot(tx, name) if version.active)
    outlook = Outlook.NEW if earlier is None else Outlook.RETURNED
    return Submission(current, outlook, replaced, was_retired)


def retire(tx: Transaction, name: str) -> bool:
    """Schedule no version of the bot any more; return whether one was scheduled."""
    of_this_bot = select(bots.c.id).where(bots.c.name == name).scalar_subquery()
    statement = (
        update(versions)
        .where(versions.c.bot_id == of_this_bot, versions.c.active)
        .values(active=False)
    )
    return tx.execute(statement.returning(versions.c.id)).first() is not None


def _add(tx: Transaction, name: str, number: int, digest: str, command: Sequence[str]) -> None:
    if number == 1:
        tx.execute(insert(bots).values(name=name))
    tx.execute(
        insert(versions).values(
            bot_id=select(bots.c.id).where(bots.c.name == name).scalar_subquery(),
            number=number,
            digest=digest,
            command=json.dumps(list(command)),
            active=True,
            submitted_at=now(),
        )
    )


def _version(row: Any) -> Version:
    return Version(
        id=row.id,
        bot=row.bot,
        number=row.number,
        digest=row.digest,
        command=tuple(json.loads(row.command)),
        active=row.active,
        submitted_at=row.submitted_at,
    )

"""Bots, their versions, and validation results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, Select, func, insert, literal, select, update

from ladder.model.bots import Entry, Submission, SubmissionOutcome, ValidationResult, Version
from ladder.model.errors import NotOwnerError, StoreError, UnknownBotError
from ladder.storage.db.database import Transaction, insert_or_update
from ladder.storage.db.schema import bots, trials, versions
from ladder.storage.tables import outputs
from ladder.storage.tables.settings import now

LOG_KEPT = 64 * 1024
"""Bytes kept of a build's output."""

_COLUMNS = (
    *(versions.c[name] for name in ("id", "number", "digest", "command", "active")),
    *(versions.c[name] for name in ("submitted_at", "transport", "build", "rejected", "slow")),
    bots.c.name,
)
_VERSIONS: Select[Any] = select().add_columns(*_COLUMNS).join_from(versions, bots)


def all_versions(tx: Transaction) -> dict[int, Version]:
    """Return every version by its id, in the order of submission."""
    found = map(_version, tx.execute(_VERSIONS.order_by(versions.c.id)))
    return {version.id: version for version in found}


def version_of(number: int | None, known: Mapping[int, Version]) -> Version | None:
    """Return the version of this id, None for None; raise `StoreError` if unknown."""
    if number is None:
        return None
    if number not in known:
        raise StoreError(f"the database is damaged: there is no version {number}")
    return known[number]


def active(tx: Transaction) -> list[Version]:
    """Return the scheduled versions, in the order of submission."""
    rows = tx.execute(_VERSIONS.where(versions.c.active).order_by(versions.c.id))
    return [_version(row) for row in rows]


def of_bot(tx: Transaction, name: str) -> list[Version]:
    """Return a bot's versions, the oldest first; none if there is no such bot."""
    rows = tx.execute(_VERSIONS.where(bots.c.name == name).order_by(versions.c.number))
    return [_version(row) for row in rows]


def known(tx: Transaction, name: str) -> list[Version]:
    """Return a bot's versions like `of_bot`; raise `UnknownBotError` if it has none."""
    if found := of_bot(tx, name):
        return found
    others = ", ".join(names(tx)) or "none yet"
    raise UnknownBotError(f"there is no bot {name!r} in this ladder; its bots: {others}")


def names(tx: Transaction) -> Sequence[str]:
    """Return the names of all bots, retired ones too, in order."""
    return tx.execute(select(bots.c.name).order_by(bots.c.name)).scalars().all()


def author(tx: Transaction, name: str) -> str | None:
    """Return a bot's author; None for the ladder's owner, or if there is no such bot."""
    return tx.execute(select(bots.c.author).where(bots.c.name == name)).scalar()


def authors(tx: Transaction) -> dict[str, str]:
    """Return each bot's author by its name, without the ladder owner's bots."""
    rows = tx.execute(select(bots.c.name, bots.c.author).where(bots.c.author.is_not(None)))
    return {row.name: row.author for row in rows}


def of_author(tx: Transaction, author: str) -> Sequence[str]:
    """Return the names of an author's bots, in order."""
    return (
        tx.execute(select(bots.c.name).where(bots.c.author == author).order_by(bots.c.name))
        .scalars()
        .all()
    )


def versions_of_author(tx: Transaction, author: str) -> list[Version]:
    """Return all versions of an author's bots, in the order of submission."""
    rows = tx.execute(_VERSIONS.where(bots.c.author == author).order_by(versions.c.id))
    return [_version(row) for row in rows]


def trial_bytes(tx: Transaction, author: str) -> int:
    """Return the stored bytes of the validation of an author's bots."""
    kept = (trials.c.build_log, trials.c.record, trials.c.printed)
    each = sum((func.coalesce(func.length(column), 0) for column in kept), literal(0))
    of_author = select(func.sum(each)).join_from(trials, versions).join(bots)
    return tx.execute(of_author.where(bots.c.author == author)).scalar() or 0


def check_author(tx: Transaction, name: str, author: str | None) -> None:
    """Raise `NotOwnerError` if an author may not submit a bot of this name.

    A name belongs to the author who used it first. The ladder's owner (None) may submit every bot.
    """
    if author is None:
        return
    owner = tx.execute(select(bots.c.author).where(bots.c.name == name)).one_or_none()
    if owner is not None and owner.author != author:
        raise NotOwnerError(f"the bot {name!r} is another author's; give yours another name")


def is_fit(tx: Transaction, name: str, digest: str) -> bool:
    """Return whether these files of a bot passed before."""
    return any(v.digest == digest and v.rejected is None for v in of_bot(tx, name))


def resume(tx: Transaction, name: str, digest: str) -> Submission | None:
    """Let these files play if they passed before; return None if they did not.

    Once another version has passed, they are a new version, which is rated by its own matches: of
    many versions the one with the luckiest results would be chosen to return.
    """
    known = of_bot(tx, name)
    fit = [version for version in known if version.rejected is None]
    same = [version for version in fit if version.digest == digest]
    if not same:
        return None
    if same[-1] is fit[-1]:
        return _play(tx, known, same[-1], SubmissionOutcome.RETURNED)
    last = same[-1]
    entry = Entry(name, digest, last.command, last.transport, last.build)
    again = _insert(tx, entry, len(known) + 1, rejected=None)
    return _play(tx, known, again, SubmissionOutcome.RETURNED)


def go_on(tx: Transaction, version: Version) -> Submission | None:
    """Let a version play in place of files that answer alike; None if another has passed since."""
    known = of_bot(tx, version.bot)
    last = [each for each in known if each.rejected is None][-1]
    if last.id != version.id:
        return None
    return replace(_play(tx, known, last, SubmissionOutcome.ALIKE), outcome=SubmissionOutcome.ALIKE)


def enter(tx: Transaction, entry: Entry, validation: ValidationResult) -> Submission:
    """Store a tried version; if it passed, let it play, and no other of its bot.

    Raise `NotOwnerError` if the bot has become another author's meanwhile.
    """
    check_author(tx, entry.bot, entry.author)
    known = of_bot(tx, entry.bot)
    tried = _store(tx, entry, known, validation.rejected)
    _keep(tx, tried, validation)
    if validation.rejected is None:
        describe(tx, entry.bot, None)
        return _play(tx, known, tried, SubmissionOutcome.NEW)
    return Submission(tried, SubmissionOutcome.REJECTED, replaced=None, was_retired=False)


def validation(tx: Transaction, version: Version) -> ValidationResult | None:
    """Return a version's validation result; None if it is older than validation."""
    of_files = versions.c.digest == version.digest  # returned files have not been tried again
    last = select(trials).join(versions).where(of_files).order_by(trials.c.version_id.desc())
    row = tx.execute(last.limit(1)).one_or_none()
    if row is None:
        return None
    return ValidationResult(
        rejected=version.rejected,
        build_log=None if row.build_log is None else outputs.unpack(row.build_log),
        record=row.record,
        printed=outputs.unpack(row.printed),
        tried_at=row.tried_at,
    )


def descriptions(tx: Transaction) -> dict[str, str]:
    """Return the descriptions that authors gave bots after submitting them, by bot."""
    rows = tx.execute(
        select(bots.c.name, bots.c.description).where(bots.c.description.is_not(None))
    )
    return {row.name: row.description for row in rows}


def describe(tx: Transaction, name: str, description: str | None) -> None:
    """Store an author's description of a bot; None: that of its manifest."""
    tx.execute(update(bots).where(bots.c.name == name).values(description=description))


def retire(tx: Transaction, name: str) -> bool:
    """Unschedule all versions of a bot; return whether one was scheduled."""
    of_this_bot = select(bots.c.id).where(bots.c.name == name).scalar_subquery()
    statement = (
        update(versions)
        .where(versions.c.bot_id == of_this_bot, versions.c.active)
        .values(active=False)
    )
    return tx.execute(statement.returning(versions.c.id)).first() is not None


def slow(tx: Transaction) -> frozenset[int]:
    """Return the ids of the slow versions, retired ones too."""
    return frozenset(tx.execute(select(versions.c.id).where(versions.c.slow)).scalars())


def mark_slow(tx: Transaction, slow: Mapping[int, bool]) -> None:
    """Note which versions are slow and which are not, by their ids."""
    for version, is_slow in slow.items():
        tx.execute(update(versions).where(versions.c.id == version).values(slow=is_slow))


def _play(
    tx: Transaction, known: Sequence[Version], chosen: Version, outcome: SubmissionOutcome
) -> Submission:
    """Let this version play; `known` are the bot's earlier versions."""
    replaced = next((version for version in known if version.active), None)
    if replaced is not None and replaced.id == chosen.id:
        return Submission(replaced, SubmissionOutcome.UNCHANGED, replaced=None, was_retired=False)
    retire(tx, chosen.bot)
    tx.execute(update(versions).where(versions.c.id == chosen.id).values(active=True))
    current = next(version for version in of_bot(tx, chosen.bot) if version.active)
    played_before = any(version.rejected is None for version in known)
    return Submission(current, outcome, replaced, played_before and replaced is None)


def _store(
    tx: Transaction, entry: Entry, known: Sequence[Version], rejected: str | None
) -> Version:
    """Insert a version that does not play yet, or update it, and return it."""
    if not known:
        tx.execute(insert(bots).values(name=entry.bot, author=entry.author))
    same = [version for version in known if version.digest == entry.digest]
    if not same:
        return _insert(tx, entry, len(known) + 1, rejected=rejected)
    tx.execute(
        update(versions)
        .where(versions.c.id == same[-1].id)
        .values(rejected=rejected, submitted_at=now())
    )
    return next(version for version in of_bot(tx, entry.bot) if version.id == same[-1].id)


def _insert(tx: Transaction, entry: Entry, number: int, *, rejected: str | None) -> Version:
    """Insert a version that does not play yet, and return it."""
    tx.execute(
        insert(versions).values(
            bot_id=select(bots.c.id).where(bots.c.name == entry.bot).scalar_subquery(),
            number=number,
            digest=entry.digest,
            command=json.dumps(entry.command),
            active=False,
            submitted_at=now(),
            transport=entry.transport,
            build=json.dumps(entry.build),
            rejected=rejected,
        )
    )
    return of_bot(tx, entry.bot)[-1]


def _keep(tx: Transaction, version: Version, validation: ValidationResult) -> None:
    """Store a version's validation result in place of the earlier one."""
    values = {
        "tried_at": now(),
        "build_log": None
        if validation.build_log is None
        else outputs.pack(validation.build_log, LOG_KEPT),
        "record": validation.record,
        "printed": outputs.pack(validation.printed, outputs.OUTPUT_KEPT),
    }
    statement = insert_or_update(tx, trials).values(version_id=version.id, **values)
    tx.execute(statement.on_conflict_do_update(index_elements=["version_id"], set_=values))


def _version(row: Row[Any]) -> Version:
    return _version_of(*row)


@lru_cache(maxsize=4096)  # a run reads the same versions round after round
def _version_of(*stored: Any) -> Version:
    number, of_bot, digest, command, active, submitted_at, transport, build, rejected, slow, bot = (
        stored
    )
    return Version(
        id=number,
        bot=bot,
        number=of_bot,
        digest=digest,
        command=tuple(json.loads(command)),
        active=active,
        submitted_at=submitted_at,
        transport=transport,
        build=tuple(map(tuple, json.loads(build))),
        rejected=rejected,
        slow=slow,
    )

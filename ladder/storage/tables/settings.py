"""How the ladder is set up, in one row."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import insert, select, update

from ladder.model import moments
from ladder.model.errors import StoreError
from ladder.model.settings import (
    RETIRED_SCHEDULERS,
    Aim,
    BuildNetwork,
    Deals,
    RatedBy,
    SameAuthor,
    Scheduling,
    Settings,
)
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import ladder
from referee.core.clock import ClockConfig
from referee.core.errors import CourtyardError
from referee.games import game_named
from referee.games.base import ConfigError
from referee.sandbox.program import Level


def write(tx: Transaction, settings: Settings) -> None:
    """Store the settings of a new ladder."""
    clock = settings.clock
    tx.execute(
        insert(ladder).values(
            id=1,
            ladder_id=settings.ladder_id,
            game=settings.game,
            seats=settings.seats,
            config=json.dumps(dict(settings.config), sort_keys=True),
            startup_ms=clock.startup_ms,
            decision_limit_ms=clock.decision_limit_ms,
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
            secret=settings.secret,
            created_at=now(),
            sandbox=settings.sandbox,
            build_network=settings.build_network,
            scheduler=settings.scheduler,
            aim=settings.aim,
            deals=settings.deals,
            same_author=settings.same_author,
            rated_by=settings.rated_by,
            contest=None if settings.contest is None else json.dumps(dict(settings.contest)),
            author_disk_mib=settings.author_disk_mib,
            request_step_ms=settings.request_step_ms,
            title=settings.title,
        )
    )


def change(tx: Transaction, changed: Mapping[str, Any]) -> None:
    """Store new values of settings that may change, by the names that they have in `Settings`."""
    tx.execute(update(ladder).values(**changed))


def begin_contest(tx: Transaction, contest: Mapping[str, Any]) -> None:
    """Store what the ladder is played for, in terms of JSON."""
    tx.execute(update(ladder).values(contest=json.dumps(contest)))


def read(tx: Transaction) -> Settings:
    """Return the ladder's settings; raise `StoreError` if they are missing or make no sense."""
    row = tx.execute(select(ladder)).one_or_none()
    if row is None:
        raise StoreError("the database is damaged: the ladder's settings are missing")
    try:
        return _settings(row)
    except (CourtyardError, ConfigError, ValueError, TypeError) as error:
        raise StoreError(f"the database is damaged: the ladder's settings: {error}") from error


def _settings(row: Any) -> Settings:
    game, config = game_named(row.game), json.loads(row.config)
    if row.ladder_id is None:
        raise StoreError("its id is missing")
    if row.seats not in game.seats:
        raise StoreError(f"{game.title} is not for {row.seats} seats")
    game.config(config)
    return Settings(
        ladder_id=row.ladder_id,
        game=row.game,
        seats=row.seats,
        config=config,
        clock=ClockConfig(
            startup_ms=row.startup_ms,
            decision_limit_ms=row.decision_limit_ms,
            bank_ms=row.bank_ms,
            increment_ms=row.increment_ms,
        ),
        secret=row.secret,
        sandbox=None if row.sandbox is None else Level(row.sandbox),
        build_network=BuildNetwork(row.build_network),
        scheduler=None if row.scheduler in RETIRED_SCHEDULERS else Scheduling(row.scheduler),
        aim=Aim(row.aim),
        deals=Deals(row.deals),
        same_author=SameAuthor(row.same_author),
        rated_by=RatedBy(row.rated_by),
        contest=None if row.contest is None else json.loads(row.contest),
        author_disk_mib=row.author_disk_mib,
        request_step_ms=row.request_step_ms,
        title=row.title,
    )


def now() -> str:
    """Return the time as it is stored: UTC, ISO 8601, to the second."""
    return moments.now().isoformat()

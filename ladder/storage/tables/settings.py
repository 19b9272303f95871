"""How the ladder is set up, in one row."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import RowMapping, insert, select, update

from ladder.model import moments
from ladder.model.errors import StoreError
from ladder.model.settings import (
    RETIRED_SCHEDULERS,
    Scheduling,
    Settings,
)
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import ladder
from referee.core.clock import ClockConfig
from referee.core.errors import CourtyardError
from referee.games import game_named
from referee.games.base import ConfigError


def write(tx: Transaction, settings: Settings) -> None:
    """Store the settings of a new ladder."""
    values = {each.name: getattr(settings, each.name) for each in fields(Settings)}
    clock = asdict(values.pop("clock"))
    contest = settings.contest
    values["config"] = json.dumps(dict(settings.config), sort_keys=True)
    values["contest"] = None if contest is None else json.dumps(dict(contest))
    tx.execute(insert(ladder).values(id=1, created_at=now(), **clock, **values))


def change(tx: Transaction, changed: Mapping[str, Any]) -> None:
    """Store new values of settings that may change, by the names that they have in `Settings`."""
    tx.execute(update(ladder).values(**changed))


def begin_contest(tx: Transaction, contest: Mapping[str, Any]) -> None:
    """Store what the ladder is played for, in terms of JSON."""
    tx.execute(update(ladder).values(contest=json.dumps(contest)))


def read(tx: Transaction) -> Settings:
    """Return the ladder's settings; raise `StoreError` if they are missing or make no sense."""
    row = tx.execute(select(ladder)).mappings().one_or_none()
    if row is None:
        raise StoreError("the database is damaged: the ladder's settings are missing")
    try:
        game_named(row["game"])
    except ConfigError as error:  # it may be a plug-in that is not installed here
        raise StoreError(f"the ladder's game cannot be played here: {error}") from error
    try:
        return _settings(row)
    except (CourtyardError, ConfigError, ValueError, TypeError) as error:
        raise StoreError(f"the database is damaged: the ladder's settings: {error}") from error


def _settings(stored: RowMapping) -> Settings:
    game, config = game_named(stored["game"]), json.loads(stored["config"])
    if stored["ladder_id"] is None:
        raise StoreError("its id is missing")
    if stored["seats"] not in game.seats:
        raise StoreError(f"{game.title} is not for {stored['seats']} seats")
    game.config(config)
    values = {each.name: stored[each.name] for each in fields(Settings) if each.name in stored}
    clock = ClockConfig(**{each.name: stored[each.name] for each in fields(ClockConfig)})
    scheduler, contest = stored["scheduler"], stored["contest"]
    return Settings(
        **values
        | {
            "config": config,
            "clock": clock,
            "scheduler": None if scheduler in RETIRED_SCHEDULERS else Scheduling(scheduler),
            "contest": None if contest is None else json.loads(contest),
        }
    )


def now() -> str:
    """Return the time as it is stored: UTC, ISO 8601, to the second."""
    return moments.now().isoformat()

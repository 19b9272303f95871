"""Creates a ladder's database, and upgrades one of an older ladder."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, text

from ladder.model.errors import StoreError
from ladder.storage.access import obstacle
from ladder.storage.engine import copy, open_engine, reading, writing

SCRIPTS = Path(__file__).parent / "migrations"


def create(path: Path, scripts: Path = SCRIPTS) -> None:
    """Make an empty database, readable by its owner only; raise `FileExistsError`."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    _upgrade(path, _config(scripts))


def update(path: Path, scripts: Path = SCRIPTS) -> None:
    """Upgrade a database to the newest revision; keep a copy of the old one beside it.

    Raise `StoreError` if its revision is unknown here: a newer ladder has made it.
    """
    config = _config(scripts)
    script = ScriptDirectory.from_config(config)
    revision = _revision(path)
    known = {step.revision for step in script.walk_revisions()}
    if revision not in known:
        raise StoreError(
            f"{path}: a newer version of Courtyard made this ladder (its schema is {revision!r}); "
            "update Courtyard to use it"
        )
    if revision != script.get_current_head():
        if why := obstacle(path):
            raise StoreError(f"{path}: an older Courtyard made it; to bring it up to date, {why}")
        copy(path, path.with_name(f"{path.name}.before-{script.get_current_head()}"))
        _upgrade(path, config)


def _config(scripts: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", os.fspath(scripts).replace("%", "%%"))
    return config


def _revision(path: Path) -> str | None:
    with _opened(path) as engine, reading(engine) as transaction:
        return MigrationContext.configure(transaction).get_current_revision()


def _upgrade(path: Path, config: Config) -> None:
    """Run the missing steps in one transaction.

    Foreign keys are off meanwhile: recreating a table would take its references with it. A check
    precedes the commit.
    """
    with _opened(path, foreign_keys=False) as engine, writing(engine) as transaction:
        config.attributes["connection"] = transaction
        command.upgrade(config, "head")
        if transaction.execute(text("PRAGMA foreign_key_check")).first() is not None:
            raise StoreError(f"{path}: rows refer to nothing; the database was left as it was")


@contextlib.contextmanager
def _opened(path: Path, *, foreign_keys: bool = True) -> Iterator[Engine]:
    engine = open_engine(path, foreign_keys=foreign_keys)
    try:
        yield engine
    finally:
        engine.dispose()

"""A ladder: its folder and its settings. `ladder.results.queries` answers what it has stored."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, Self

from ladder.model import ids
from ladder.model.errors import (
    NoLadderError,
    SettingsError,
)
from ladder.model.settings import (
    CHANGEABLE,
    CHANGEABLE_WHILE_PLAYING,
    BuildNetwork,
    Settings,
    heading_of,
)
from ladder.storage.containment import check_out_of_sight
from ladder.storage.db.database import Database, Transaction, create_on_server
from ladder.storage.db.server import Place, Server
from ladder.storage.files import known
from ladder.storage.files.bundles import StoredFiles
from ladder.storage.files.folder import Home
from ladder.storage.tables import bots
from ladder.storage.tables import settings as stored_settings
from referee.core.plain import plain
from referee.games import game_named
from referee.games.base import seats_in_words
from referee.sandbox.program import Level


class Ladder:
    """An open ladder. A context manager: leaving it closes its database."""

    def __init__(self, home: Home, database: Database, settings: Settings) -> None:
        """Use an open database; see `open`."""
        self.home = home
        self.database = database
        self.files = StoredFiles(home)
        place = database.place
        self._identity = place.url if isinstance(place, Server) else settings.ladder_id
        self._use(settings)

    @property
    def remembered_as(self) -> bytes:
        """Where the ladder is and which one it is, as this user's memory names it."""
        named = f"{self.database.identity()}\0{self.settings.ladder_id}"
        return named.encode(errors="surrogateescape")

    @property
    def is_known(self) -> bool:
        """Whether this user has made or confirmed the ladder on this machine."""
        return known.is_known(self.home.path, self._identity)

    def confirm(self) -> None:
        """Make the ladder known on this machine; raise `LadderError` if that cannot be kept."""
        known.remember(self.home.path, self._identity)

    def _use(self, settings: Settings) -> None:
        if settings.build_network is not BuildNetwork.NOBODY and not self.is_known:
            settings = replace(settings, build_network=BuildNetwork.NOBODY)
        self.settings = settings

    def refresh(self, tx: Transaction) -> Settings:
        """Read and return the settings again: another process may have changed them."""
        self._use(stored_settings.read(tx))
        return self.settings

    @classmethod
    def open(cls, home: Home) -> Self:
        """Open the ladder in a folder; raise `StoreError` if its database cannot be used.

        Raise `NoLadderError` if the folder is not known here and reaches out of itself.
        """
        opened = cls.to_confirm(home, home.place)
        if not opened.is_known and (linked := home.linked):
            opened.database.close()
            raise NoLadderError(
                f"{linked}: a link, and you have neither made nor confirmed this ladder here: if "
                f"you trust it, `ladder trust {quote(str(home.path))}`"
            )
        return opened

    @classmethod
    def to_confirm(cls, home: Home, place: Place) -> Self:
        """Open a ladder that may not be known here, only to show what there is to confirm."""
        home.check_links()
        database = Database.open(place)
        try:
            with database.read() as tx:
                return cls(home, database, stored_settings.read(tx))
        except BaseException:
            database.close()
            raise

    @classmethod
    @contextmanager
    def shown(cls, server: Server) -> Iterator[Self]:
        """Open a ladder whose folder is on another machine, only to show it.

        It gets a temporary folder, without the files of its bots. Raise `StoreError` if the
        server's database cannot be used.
        """
        with tempfile.TemporaryDirectory(prefix="courtyard-") as above, Database.open(server) as db:
            db.only_read("here the ladder is only shown; its folder is on another machine")
            with db.read() as tx:
                settings = stored_settings.read(tx)
            home = Home(Path(above, settings.game))
            home.path.mkdir()
            with cls(home, db, settings) as opened:
                yield opened

    def __enter__(self) -> Self:
        """Return the ladder itself."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: object
    ) -> None:
        """Close the database; raise `StoreError` if damage in it caused the error."""
        self.database.close()
        if damage := self.database.damage_behind(error):
            raise damage from error

    @property
    def title(self) -> str:
        """The name shown to people: the owner's choice, or else the folder's name and the game."""
        if self.settings.title is not None:
            return self.settings.title
        game = game_named(self.settings.game).title
        folder = plain(self.home.path.resolve().name)
        return game if folder.casefold() in ("", self.settings.game) else f"{folder} · {game}"

    @property
    def heading(self) -> str:
        """The title, the game and the number of seats, as a heading."""
        game = game_named(self.settings.game).title
        return heading_of(self.title, game, self.settings.seats)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from playing or rating; raise `LockedError` if one does already."""
        with self.home.locked(), self.database.locked():
            yield

    def change(self, changed: Mapping[str, Any]) -> None:
        """Change settings, given by their names in `Settings`; see `CHANGEABLE`.

        Raise `LockedError` while matches are played, unless these may change at any time.
        """
        if strange := changed.keys() - CHANGEABLE:
            raise SettingsError(f"{min(strange)} cannot be changed: results would not compare")
        unused = nullcontext() if changed.keys() <= CHANGEABLE_WHILE_PLAYING else self.locked()
        with unused, self.changing_settings() as tx:
            stored_settings.change(tx, changed)

    @contextmanager
    def changing_settings(self) -> Iterator[Transaction]:
        """Store settings in a transaction, and go by what is stored from then on."""
        try:
            with self.database.write() as tx:
                yield tx
        finally:
            with self.database.read() as tx:
                self.refresh(tx)

    def retire(self, name: str) -> bool:
        """Stop scheduling a bot; return whether it was scheduled. Raise `UnknownBotError`."""
        with self.database.write() as tx:
            bots.known(tx, name)
            return bots.retire(tx, name)


def create(
    path: Path,
    *,
    game: str,
    seats: int,
    secret: str,
    sandbox: Level | None = None,
    server: Server | None = None,
    **others: Any,
) -> Home:
    """Create a ladder in a folder, which may exist, with its database there or on a `server`.

    All randomness follows from `secret`; `ladder.model.ids.secret_of` makes one. `others` are the
    other fields of `Settings`. Raise
    `SettingsError` if the folder or the server's database holds a ladder already, or if bots could
    see it, and `StoreError` if the server's database cannot be used.
    """
    allowed = game_named(game).seats
    if seats not in allowed:
        raise SettingsError(f"{game} has {seats_in_words(allowed)}, not {seats}")
    check_out_of_sight(path, sandbox)
    home = Home(path)
    ladder_id = ids.ladder_id(secret, game, seats)
    settings = Settings(
        ladder_id=ladder_id, game=game, seats=seats, secret=secret, sandbox=sandbox, **others
    )
    try:
        path.mkdir(parents=True, exist_ok=True)
        if home.holds_ladder:
            raise SettingsError(f"{path}: this folder already holds a ladder")
        home.bots.mkdir(exist_ok=True)
        if server is None:
            _create_in_file(home, settings)
            known.made(path, settings.ladder_id)
        else:
            create_on_server(server, partial(stored_settings.write, settings=settings))
            home.write_url(server)
    except OSError as error:
        raise SettingsError(f"{error.filename or path}: {error.strerror}") from error
    return home


def _create_in_file(home: Home, settings: Settings) -> None:
    from ladder.storage.db import migrate  # noqa: PLC0415 - slow to import

    draft = home.database.with_name("ladder.db.new")
    draft.unlink(missing_ok=True)
    migrate.create(draft)
    with Database.open(draft) as database, database.write() as tx:
        stored_settings.write(tx, settings)
    draft.rename(home.database)

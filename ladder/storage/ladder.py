"""A ladder: its folder, its settings, and what can be asked of what it stores."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Self

from ladder.model import ids
from ladder.model.bots import ValidationResult, Version
from ladder.model.errors import (
    DealInPlayError,
    SettingsError,
    StoreError,
    UnknownBotError,
    UnknownMatchError,
)
from ladder.model.matches import MatchLine, MatchState
from ladder.model.ratings import Tally
from ladder.model.settings import (
    Aim,
    BuildNetwork,
    Deals,
    RatedBy,
    SameAuthor,
    Scheduling,
    Settings,
    heading_of,
)
from ladder.rating.trueskill.match_by_match import TrueSkill, first_tuning
from ladder.storage import bots, match_lines, matches, ratings
from ladder.storage import settings as stored_settings
from ladder.storage.containment import check_out_of_sight
from ladder.storage.database import Database, Transaction
from ladder.storage.folder import Home
from ladder.storage.integrity import problems
from ladder.storage.records import unpack
from referee.core.clock import ClockConfig
from referee.core.errors import CourtyardError
from referee.core.plain import plain
from referee.games import game_named
from referee.games.base import ConfigError
from referee.sandbox.program import Level

_BY_DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What it may lead to that a stored value is none that can be there."""
CHANGEABLE = frozenset(
    {
        *("sandbox", "build_network", "scheduler", "aim", "title", "author_disk_mib"),
        *("same_author", "rated_by"),
    }
)
"""The settings that may change while a ladder goes on. With another clock or other rules the
matches before and after would not be of one ladder."""
_ANY_TIME = frozenset({"title", "author_disk_mib"})
"""Those that may change while matches are played."""


class Ladder:
    """An open ladder. A context manager: leaving it closes its database."""

    def __init__(self, home: Home, database: Database, settings: Settings) -> None:
        """Use what `open` has opened."""
        self.home = home
        self.database = database
        self._use(settings)

    def _use(self, settings: Settings) -> None:
        self.settings = settings
        self.rater = TrueSkill(settings.tuning)

    def refresh(self, tx: Transaction) -> Settings:
        """Return the settings as they are now, which another process may have changed."""
        self._use(stored_settings.read(tx))
        return self.settings

    @classmethod
    def open(cls, home: Home) -> Self:
        """Open the ladder in a folder; raise `StoreError` if its database cannot be used."""
        database = Database.open(home.database)
        try:
            with database.read() as tx:
                return cls(home, database, stored_settings.read(tx))
        except BaseException:
            database.close()
            raise

    def __enter__(self) -> Self:
        """Return the ladder itself."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: object
    ) -> None:
        """Close the database; raise `StoreError` instead of what damage in it has led to."""
        self.database.close()
        if isinstance(error, _BY_DAMAGE) and not isinstance(error, CourtyardError | ConfigError):
            self.blame_damage(error)

    def blame_damage(self, error: Exception) -> None:
        """Raise `StoreError` if the database is damaged, which may be how the error came about."""
        path = self.home.database
        if found := next(problems(path), None):
            raise StoreError(f"{path}: the database is damaged: {found}") from error

    @property
    def title(self) -> str:
        """What people call it: as its owner has said, or else as its folder and its game are."""
        if self.settings.title is not None:
            return self.settings.title
        game = game_named(self.settings.game).title
        folder = plain(self.home.path.resolve().name)
        return game if folder.casefold() in ("", self.settings.game) else f"{folder} · {game}"

    @property
    def heading(self) -> str:
        """Its title, its game and how many seats its tables have, as a heading."""
        game = game_named(self.settings.game).title
        return heading_of(self.title, game, self.settings.seats)

    def change(self, changed: Mapping[str, Any]) -> None:
        """Change how the ladder is run, by the names in `Settings`; see `CHANGEABLE`.

        Raise `LockedError` while matches are played, unless nothing of that concerns them.
        """
        if strange := changed.keys() - CHANGEABLE:
            raise SettingsError(f"{min(strange)} cannot be changed: results would not compare")
        unused = nullcontext() if changed.keys() <= _ANY_TIME else self.home.locked()
        with unused, self.database.write() as tx:
            stored_settings.change(tx, changed)
            self.refresh(tx)

    def retire(self, name: str) -> bool:
        """Schedule a bot no more; return whether it was. Raise `UnknownBotError`."""
        self.versions(name)
        with self.database.write() as tx:
            return bots.retire(tx, name)

    def versions(self, name: str) -> list[Version]:
        """Return a bot's versions from first to last; raise `UnknownBotError`."""
        with self.database.read() as tx:
            if found := bots.of_bot(tx, name):
                return found
            others = ", ".join(bots.names(tx)) or "none yet"
        raise UnknownBotError(f"there is no bot {name!r} in this ladder; its bots: {others}")

    def tallies(self, *, everybody: bool = False) -> list[Tally]:
        """Return what the scheduled versions, or all that ever were, have achieved."""
        with self.database.read() as tx:
            of = bots.all_versions(tx).values() if everybody else bots.active(tx)
            return ratings.tallies(tx, list(of))

    def waiting(self) -> int:
        """Return how many finished matches are not rated yet because one before them is open."""
        with self.database.read() as tx:
            return ratings.unrated(tx)

    def latest(self, limit: int, name: str | None = None) -> list[MatchLine]:
        """Return the last matches, newest first, of one bot or all; raise `UnknownBotError`."""
        if name is not None:
            self.versions(name)
        with self.database.read() as tx:
            return match_lines.latest(tx, bots.all_versions(tx), limit, name)

    def forfeits(self, name: str) -> dict[str, int]:
        """Return how often a bot's versions forfeited, by the kind of fault."""
        with self.database.read() as tx:
            return matches.forfeits(tx, name)

    def match(self, prefix: str) -> MatchLine:
        """Return the match whose id begins so; raise `UnknownMatchError` unless it is just one."""
        with self.database.read() as tx:
            found = match_lines.with_prefix(tx, prefix.lower(), limit=2)
            if len(found) == 1:
                return match_lines.line(tx, found[0], bots.all_versions(tx))
        how_many = "several matches begin" if found else "no match begins"
        raise UnknownMatchError(f"{how_many} with {prefix!r}; `ladder matches` lists them")

    def record(self, match: MatchLine) -> Any:
        """Return the referee's record of a match; raise `UnknownMatchError` if it has none."""
        with self.database.read() as tx:
            packed = matches.record(tx, match.match_id)
        if packed is None:
            raise UnknownMatchError(
                f"match {match.match_id} has no record: it is {match.state}, not done"
            )
        return unpack(packed)

    def revealed(self, match: MatchLine) -> Any:
        """Return the record as `record` does; raise `DealInPlayError` if it would tell too much."""
        with self.database.read() as tx:
            still = matches.open_of_deal(tx, match.deal)
        if still and match.state is MatchState.DONE:
            raise DealInPlayError(
                f"match {match.match_id} is kept secret until its deal is played on all seats: "
                f"{still} more of its block to go. With --seat, `ladder replay` shows what one knew"
            )
        return self.record(match)

    def trial(self, version: Version) -> ValidationResult | None:
        """Return what came of submitting a version; None of one that older ladders took untried."""
        with self.database.read() as tx:
            return bots.trial(tx, version)

    def printed(self, match: MatchLine, seat: int) -> str | None:
        """Return the end of what a bot printed in a match; None if nothing is kept of it."""
        with self.database.read() as tx:
            return matches.output(tx, match.match_id, seat)


def create(
    path: Path,
    *,
    game: str,
    seats: int,
    config: Mapping[str, Any],
    clock: ClockConfig,
    secret: str,
    sandbox: Level | None = None,
    build_network: BuildNetwork = BuildNetwork.OWNER,
    scheduler: Scheduling = Scheduling.OPTIMAL,
    aim: Aim = Aim.RANKING,
    deals: Deals = Deals.INDEPENDENT,
    title: str | None = None,
    same_author: SameAuthor = SameAuthor.APART,
    rated_by: RatedBy = RatedBy.POINTS,
) -> Home:
    """Make a ladder in a folder, which may exist.

    All randomness follows from `secret`, which `identity.secret_of` makes. Raise `SettingsError` if
    the folder holds a ladder already, or if bots would see it.
    """
    from ladder.storage.migrate import create as create_database  # noqa: PLC0415 - slow to import

    allowed = game_named(game).seats
    if seats not in allowed:
        raise SettingsError(f"{game} is for {allowed[0]} to {allowed[-1]} seats, not {seats}")
    check_out_of_sight(path, sandbox)
    home = Home(path)
    settings = Settings(
        ladder_id=ids.ladder_id(secret, game, seats),
        game=game,
        seats=seats,
        config=config,
        clock=clock,
        secret=secret,
        sandbox=sandbox,
        build_network=build_network,
        scheduler=scheduler,
        aim=aim,
        deals=deals,
        same_author=same_author,
        rated_by=rated_by,
        tuning=first_tuning(game, seats),
        title=title,
    )
    draft = home.database.with_name("ladder.db.new")
    try:
        path.mkdir(parents=True, exist_ok=True)
        if home.database.exists():
            raise SettingsError(f"{path}: there is a ladder in this folder already")
        draft.unlink(missing_ok=True)
        create_database(draft)
        with Database.open(draft) as database, database.write() as tx:
            stored_settings.write(tx, settings)
        draft.rename(home.database)
    except OSError as error:
        raise SettingsError(f"{error.filename or path}: {error.strerror}") from error
    return home

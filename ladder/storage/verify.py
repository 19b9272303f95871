"""Checks what a ladder stores: the database, the bots' files, every match by its record.

Damage to one part does not stop the other checks.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from ladder.model import ids
from ladder.model.bots import Version
from ladder.model.errors import StoreError
from ladder.model.matches import MatchLine
from ladder.model.pairing import Seating, rotations
from ladder.model.settings import Deals, Settings
from ladder.storage.db.database import Database, Transaction
from ladder.storage.files.bundles import damage, is_folder
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches, spars
from ladder.storage.tables.matches import BEGIN, Place
from ladder.storage.tables.records import seat_results, unpack
from ladder.storage.verified import Checkpoint, Seal
from referee.core.errors import CourtyardError, UsageError
from referee.games.base import ConfigError
from referee.hosting.manifest import load_manifest
from referee.match.record import Record
from referee.match.verify import Examined, examine

_AT_ONCE = 500
"""Matches read at once."""


def check_settings(ladder: Ladder) -> Iterator[str]:
    """Yield the problems of the ladder's settings."""
    settings = ladder.settings
    expected = ids.ladder_id(settings.secret, settings.game, settings.seats)
    if settings.ladder_id != expected:
        yield "settings: the ladder's id does not follow from its secret, its game and its seats"


def check_files(home: Home, database: Database) -> Iterator[str]:
    """Yield the problems of the database file and of the bots' stored files."""
    yield from database.problems()
    try:
        with database.read() as tx:
            versions = bots.all_versions(tx).values()
    except StoreError as error:
        yield f"the bots' files cannot be checked: {error}"
        return
    for version in versions:
        yield from (f"{version}: {problem}" for problem in _of_bundle(home, version))
        if version.build:
            yield from (f"{version}: {problem}" for problem in _of_build(home, version))


def _of_bundle(home: Home, version: Version) -> Iterator[str]:
    folder = home.bundle(version.digest)
    if problem := damage(folder, version.digest):
        later = ", ".join(_changed_later(folder)) if is_folder(folder) else ""
        yield f"its files {problem}: {later}" if later else f"its files {problem}"
        return
    try:
        manifest = load_manifest(folder)
    except UsageError as error:
        yield str(error)
        return
    for name in ("command", "transport", "build"):
        if getattr(manifest, name) != getattr(version, name):
            yield f"its {name} in the database is not that of its bot.toml: {folder}"
    if manifest.name != version.bot:
        yield f"its bot.toml names the bot {manifest.name!r}: {folder}"


def _of_build(home: Home, version: Version) -> Iterator[str]:
    folder = home.built(version.digest)
    again = "remove it, and it is built again when the ladder is run"
    if folder.is_dir():
        for name in _changed_later(folder):
            yield f"{name} was changed after it was built, in {folder}: {again}"
    elif os.path.lexists(folder):
        yield f"its build is not a folder: {folder}: {again}"


def _changed_later(folder: Path) -> list[str]:
    """Return the files changed after their folder was put in place, in order."""
    placed = folder.stat().st_ctime_ns
    files = sorted(path for path in folder.rglob("*") if not path.is_dir())
    late = [path for path in files if path.lstat().st_ctime_ns > placed]
    return [str(path.relative_to(folder)) for path in late]


def finished_matches(ladder: Ladder) -> Iterator[MatchLine | str]:
    """Yield the finished matches in order, some at a time, and why others cannot be read."""
    place = BEGIN
    while True:
        with ladder.database.read() as tx:
            known = bots.all_versions(tx)
            try:
                lines = match_lines.done(tx, known, _AT_ONCE, after=place)
            except (StoreError, ValueError):
                yield from _one_by_one(tx, known, place)
                return
        yield from lines
        if len(lines) < _AT_ONCE:
            return
        place = (lines[-1].round, lines[-1].index)


def _one_by_one(
    tx: Transaction, known: Mapping[int, Version], after: Place
) -> Iterator[MatchLine | str]:
    """Yield the readable finished matches after a place, and why others cannot be read."""
    for match_id in matches.ids(tx):
        try:
            line = match_lines.line(tx, match_id, known)
        except (StoreError, ValueError) as error:
            yield f"match {match_id}: it cannot be read: {error}"
        else:
            if line.state.has_result and (line.round, line.index) > after:
                yield line


def finished_spars(ladder: Ladder) -> Iterator[MatchLine | str]:
    """Yield the finished matches of all spars in order, and which spars cannot be read."""
    with ladder.database.read() as tx:
        last = spars.last(tx)
    for number in range(1, last + 1):
        try:
            with ladder.database.read() as tx:
                found = spars.numbered(tx, number)
        except (StoreError, ValueError) as error:
            yield f"spar {number}: it cannot be read: {error}"
        else:
            yield from (line for line in (found.matches if found else ()) if line.state.has_result)


class MatchChecks:
    """Checks a ladder's finished matches in the order of the schedule, and those of its spars.

    No checkpoint holds the spars, which end in any order: each check replays them.
    """

    def __init__(
        self, ladder: Ladder, advance: Callable[[], object], sample: Collection[int] | None = None
    ) -> None:
        """Call `advance` after each match; of a `sample`, check only matches of these numbers."""
        self._ladder = ladder
        self._advance = advance
        self._sample = sample
        self._seal = Seal(ladder)
        self._wrong = 0
        self.skipped: Checkpoint | None = None
        """The matches that are not checked again."""
        self.seen = 0
        """How many matches there were."""
        self.unreplayed = Counter[str]()
        """How many were not replayed, by which other rules played them."""
        with ladder.database.read() as tx:
            self._first_open = matches.first_in_play(tx)

    @property
    def checkpoint(self) -> Checkpoint:
        """How far all was checked, up to a round in which a match can still be played."""
        before = self.skipped.problems if self.skipped else 0
        return self._seal.checkpoint(before + self._wrong)

    def skip(self, checked: Checkpoint) -> bool:
        """Skip the matches that were checked; return False if they are no longer the same."""
        seal = Seal(self._ladder)
        for match in finished_matches(self._ladder):
            if isinstance(match, str) or seal.matches == checked.matches:
                break
            seal.add(match, self._record(match))
            self._advance()
        if seal.checkpoint(checked.problems) != checked:
            return False
        self._seal, self.skipped = seal, checked
        return True

    def problems(self) -> Iterator[str]:
        """Yield the problems of the matches, and of their deals."""
        of_round: list[MatchLine] = []
        for match in finished_matches(self._ladder):
            if isinstance(match, str):
                yield match
                continue
            if of_round and match.round != of_round[0].round:
                yield from check_blocks(self._ladder, of_round)
                of_round = []
            of_round.append(match)
            yield from self._of_match(match)
        yield from check_blocks(self._ladder, of_round)
        for match in finished_spars(self._ladder):
            if isinstance(match, str):
                yield match
            else:
                yield from self._of_match(match, is_spar=True)

    def _of_match(self, match: MatchLine, *, is_spar: bool = False) -> Iterator[str]:
        number, self.seen = self.seen, self.seen + 1
        if self.skipped and number < self.skipped.matches:
            return
        if self._sample is None or number in self._sample:
            problems, others = check_match(self._ladder, match, is_spar=is_spar)
            self._wrong += 0 if is_spar else len(problems)
            if others:
                self.unreplayed[others] += 1
            where = f"match {match.match_id}" + (f" of spar {match.round}" if is_spar else "")
            yield from (f"{where}: {problem}" for problem in problems)
        is_closed = self._first_open is None or match.round < self._first_open
        if self._sample is None and is_closed and not is_spar:
            self._seal.add(match, self._record(match))
        self._advance()

    def _record(self, match: MatchLine) -> bytes | None:
        try:
            with self._ladder.database.read() as tx:
                return matches.record(tx, match.match_id)
        except StoreError:
            return None


def check_records(database: Database) -> Iterator[str]:
    """Yield the problems of the records by themselves, whatever the ladder is."""
    try:
        with database.read() as tx:
            for match_id, body in chain(matches.each_record(tx), spars.each_record(tx)):
                try:
                    problems = examine(unpack(body)).problems
                except (CourtyardError, ConfigError) as error:
                    problems = [str(error)]
                yield from (f"match {match_id}: {problem}" for problem in problems)
    except StoreError as error:
        yield f"the records cannot be checked: {error}"


def check_match(ladder: Ladder, match: MatchLine, *, is_spar: bool = False) -> Examined:
    """Return a match's problems: in its record, or between its record and the ladder."""
    stored = spars.record if is_spar else matches.record
    try:
        with ladder.database.read() as tx:
            packed = stored(tx, match.match_id)
        if packed is None:
            return Examined(["it has no record"])
        record = unpack(packed)
        found = examine(record)
        if is_spar:  # only its record has the rules
            match = replace(match, rules_version=record.rules_version)
        known = _spar_ids if is_spar else _ids
        problems = [*found.problems, *_differences(ladder, match, record, known)]
        return found._replace(problems=problems)
    except (CourtyardError, ConfigError) as error:
        return Examined([str(error)])


def check_blocks(ladder: Ladder, done: Sequence[MatchLine]) -> Iterator[str]:
    """Yield the deals of a standing ladder that one group did not play in rotation."""
    if not _plays_blocks(ladder.settings):
        return
    by_deal: dict[str, list[Seating]] = {}
    for match in done:
        seated = tuple(line.version.id if line.version else None for line in match.seats)
        by_deal.setdefault(match.deal, []).append(seated)
    for deal, tables in by_deal.items():
        if len(set(tables)) < len(tables) or not {*tables} <= {*rotations(tables[0]).tables}:
            yield f"deal {deal}: its matches are not rotations of one table"


def check_deals(ladder: Ladder) -> Iterator[str]:
    """Yield the deals of a standing ladder that were played in several rounds."""
    if not _plays_blocks(ladder.settings):
        return
    with ladder.database.read() as tx:
        repeated = matches.deals_of_several_rounds(tx)
    yield from (f"deal {deal}: it was played in several rounds" for deal in repeated)


def _plays_blocks(settings: Settings) -> bool:
    return settings.contest is None and settings.deals is Deals.DUPLICATE


def _differences(
    ladder: Ladder,
    match: MatchLine,
    record: Record,
    ids_of: Callable[[Settings, MatchLine, Sequence[str]], set[str]],
) -> Iterator[str]:
    """Yield the differences between a record and the stored match."""
    settings = ladder.settings
    versions = [line.version for line in match.seats]
    digests = [version.digest if version else "" for version in versions]
    if match.match_id not in ids_of(settings, match, digests):
        yield "match_id: it does not follow from the ladder, the round and the versions"
    if record.master_seed not in _master_seeds(settings, match):
        yield "master_seed: the record and the ladder do not agree"
    if match.finished_at is None:
        yield "finished_at: it is missing"
    clock = record.clock
    for name, recorded, stored in (
        ("match_id", record.match_id, match.match_id),
        ("game", record.game, settings.game),
        ("rules_version", record.rules_version, match.rules_version),
        ("seats", [_seated(seat) for seat in record.seats], [_entered(v) for v in versions]),
        ("outcomes", list(seat_results(record)), [line.result for line in match.seats]),
        ("decisions", len(record.decisions), match.decisions),
        *(
            (f"clock.{name}", getattr(clock, name), getattr(settings.clock, name))
            for name in ("startup_ms", "decision_limit_ms", "bank_ms", "increment_ms")
        ),
    ):
        if recorded != stored:
            yield f"{name}: the record and the ladder do not agree"


def _ids(settings: Settings, match: MatchLine, digests: Sequence[str]) -> set[str]:
    """Return a match's id, and the id that an older ladder gave it."""
    place = (match.round, match.index, digests)
    old_deal = "" if match.deal == match.match_id else match.deal
    return {
        ids.match_id(settings.secret, *place, match.deal),
        ids.public_match_id(settings.ladder_id, *place, old_deal),
    }


def _spar_ids(settings: Settings, match: MatchLine, _digests: Sequence[str]) -> set[str]:
    """Return the id of a spar's match."""
    return {ids.spar_match_id(settings.secret, match.round, match.index)}


def _master_seeds(settings: Settings, match: MatchLine) -> set[str]:
    """Return the possible seeds of a match: remote bots get a new deal."""
    remote = any(line.version and line.version.is_remote for line in match.seats)
    deals = {match.deal, ids.deal_again(match.deal, match.attempts) if remote else match.deal}
    return {ids.master_seed(settings.secret, deal) for deal in deals}


def _seated(seat: Any) -> tuple[str, str, str] | None:
    return None if seat.stand_in else (seat.name, seat.version, seat.digest)


def _entered(version: Version | None) -> tuple[str, str, str] | None:
    return None if version is None else (version.bot, str(version.number), version.digest)

"""Checks a whole ladder: the database, the bots' files, and every match by its record."""

from collections.abc import Iterator, Sequence
from typing import Any

from ladder import identity
from ladder.bundle import digest_of
from ladder.errors import BundleError, StoreError
from ladder.ladder import Ladder
from ladder.models import MatchLine, Version
from ladder.planning import Seating, rotations
from ladder.records import seat_results
from ladder.settings import Deals, Settings
from ladder.store import bots, match_lines
from ladder.voiding import remedy
from referee.false_forfeits import false_forfeits
from referee.verify import verify


def check_files(ladder: Ladder) -> Iterator[str]:
    """Yield what is wrong with the database as a file and with the stored files of the bots."""
    yield from (f"database: {problem}" for problem in ladder.database.problems())
    with ladder.database.read() as tx:
        versions = bots.all_versions(tx).values()
    for version in versions:
        folder = ladder.home.bundle(version.digest)
        if not folder.is_dir():
            yield f"{version}: its files are missing: {folder}"
            continue
        try:
            if digest_of(folder) != version.digest:
                yield f"{version}: its files were changed: {folder}"
        except BundleError as error:
            yield f"{version}: {error}"


def finished_matches(ladder: Ladder) -> list[MatchLine]:
    """Return all matches that are done, in order."""
    with ladder.database.read() as tx:
        return match_lines.finished(tx, bots.all_versions(tx))


def check_match(ladder: Ladder, match: MatchLine) -> list[str]:
    """Return what is wrong with a match: in its record, or between its record and the ladder."""
    try:
        record = ladder.record(match)
    except StoreError as error:
        return [str(error)]
    return [
        *verify(record),
        *_differences(ladder, match, record),
        *check_forfeits(ladder, match, record),
    ]


def check_forfeits(ladder: Ladder, match: MatchLine, record: Any) -> Iterator[str]:
    """Yield which bots forfeited a match that an earlier referee had cut off, and what to do."""
    seats = {
        seat: line.version
        for seat, line in enumerate(match.seats)
        if line.version and line.result and line.result.forfeit and line.version.transport == "grpc"
    }
    if not seats:
        return
    printed = {seat: ladder.printed(match, seat) or "" for seat in seats}
    for seat, why in false_forfeits(record, printed):
        if version := seats.get(seat):
            yield (
                f"{version} on seat {seat} forfeited, most likely because an earlier referee ended "
                f"its stream: {why}; {remedy(ladder, match)}"
            )


def check_blocks(ladder: Ladder, done: Sequence[MatchLine]) -> Iterator[str]:
    """Yield which deals of a standing ladder were not played by one group in rotation."""
    settings = ladder.settings
    if settings.contest is not None or settings.deals is not Deals.DUPLICATE:
        return
    by_deal: dict[str, list[Seating]] = {}
    for match in done:
        seated = tuple(line.version.id if line.version else None for line in match.seats)
        by_deal.setdefault(match.deal, []).append(seated)
    for deal, tables in by_deal.items():
        if len(set(tables)) < len(tables) or not {*tables} <= {*rotations(tables[0]).tables}:
            yield f"deal {deal}: its matches are not rotations of one table"


def _differences(ladder: Ladder, match: MatchLine, record: Any) -> Iterator[str]:
    """Yield where the record is not of the match that the ladder has stored."""
    settings = ladder.settings
    versions = [line.version for line in match.seats]
    digests = [version.digest if version else "" for version in versions]
    if match.match_id not in _ids(settings, match, digests):
        yield "match_id: it does not follow from the ladder, the round and the versions"
    if record.master_seed not in _master_seeds(settings, match):
        yield "master_seed: the record and the ladder do not agree"
    for name, recorded, stored in (
        ("match_id", record.match_id, match.match_id),
        ("game", record.game, settings.game),
        ("seats", [_seated(seat) for seat in record.seats], [_entered(v) for v in versions]),
        ("outcomes", list(seat_results(record)), [line.result for line in match.seats]),
    ):
        if recorded != stored:
            yield f"{name}: the record and the ladder do not agree"


def _ids(settings: Settings, match: MatchLine, digests: Sequence[str]) -> set[str]:
    """Return the id of a match, and the one that an older ladder gave it."""
    place = (match.round, match.index, digests)
    old_deal = "" if match.deal == match.match_id else match.deal
    return {
        identity.match_id(settings.secret, *place, match.deal),
        identity.public_match_id(settings.ladder_id, *place, old_deal),
    }


def _master_seeds(settings: Settings, match: MatchLine) -> set[str]:
    """Return the seeds that a match may have been played with: remote bots get a new deal."""
    remote = any(line.version and line.version.is_remote for line in match.seats)
    deals = {match.deal, identity.deal_again(match.deal, match.attempts) if remote else match.deal}
    return {identity.master_seed(settings.secret, deal) for deal in deals}


def _seated(seat: Any) -> tuple[str, str, str] | None:
    return None if seat.stand_in else (seat.name, seat.version, seat.digest)


def _entered(version: Version | None) -> tuple[str, str, str] | None:
    return None if version is None else (version.bot, str(version.number), version.digest)

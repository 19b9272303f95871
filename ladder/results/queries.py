"""Answers questions about a ladder from what it stores."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ladder.model.bots import ValidationResult, Version
from ladder.model.errors import DealInPlayError, UnknownMatchError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.ratings import Count, Tally
from ladder.model.rules import RulesPlayed
from ladder.results.older import Older, kept_older
from ladder.results.standings import Standing
from ladder.results.standings import standings as ranked
from ladder.results.strengths import rating_of_record
from ladder.results.visibility import visible
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches, outputs, rules
from ladder.storage.tables import tallies as stored_tallies
from ladder.storage.tables.records import unpack
from referee.match.record import Record


def versions(ladder: Ladder, name: str) -> list[Version]:
    """Return a bot's versions from first to last; raise `UnknownBotError`."""
    with ladder.database.read() as tx:
        return bots.known(tx, name)


def all_versions(ladder: Ladder) -> list[Version]:
    """Return all versions that were ever submitted, in that order."""
    with ladder.database.read() as tx:
        return list(bots.all_versions(tx).values())


def playing(ladder: Ladder) -> list[Version]:
    """Return the versions that are scheduled, in the order of submission."""
    with ladder.database.read() as tx:
        return bots.active(tx)


def tallies(ladder: Ladder, *, every_version: bool = False) -> list[Tally]:
    """Return what the scheduled versions, or all that ever were, have achieved."""
    with ladder.database.read() as tx:
        of = bots.all_versions(tx).values() if every_version else bots.active(tx)
        older = kept_older(tx, ladder.settings)
        return stored_tallies.tallies(tx, list(of), older=older.tallies, through=older.through)


def standings(ladder: Ladder) -> list[Standing]:
    """Return the standings of the scheduled versions, by all that is stored."""
    return ranked(tallies(ladder), rating_of_record(ladder).strengths)


def embargoed(
    tx: Transaction, known: Mapping[int, Version], in_play: Collection[str]
) -> list[MatchLine]:
    """Return the finished matches whose results are not public yet, in order."""
    done = match_lines.done_in_play(tx, known)
    return [line for line in done if visible(line, in_play).embargoed]


def public_tallies(
    tx: Transaction, shown: Sequence[Version], embargoed: Sequence[MatchLine], older: Older
) -> list[Tally]:
    """Return what these versions have achieved, without the matches under embargo."""
    deals, counted = {line.deal for line in embargoed}, dict(older.tallies)
    for line in embargoed:
        if line.state is MatchState.DONE and line.round <= older.through:  # it is counted there
            for version, own in _counts(line):
                counted[version] = counted[version].without(own)
    return stored_tallies.tallies(tx, shown, deals, older=counted, through=older.through)


def _counts(line: MatchLine) -> Iterator[tuple[int, Count]]:
    """Yield what a match adds to its versions' tallies, by their ids."""
    results = [seat.result for seat in line.seats if seat.result]
    by = sum(result.rank == 1 for result in results)
    for seat in line.seats:
        if seat.version and (own := seat.result):
            firsts = (*[0] * (by - 1), 1) if own.rank == 1 else ()
            yield seat.version.id, Count(1, own.points, int(own.crashed), firsts)


def waiting(ladder: Ladder) -> int:
    """Return how many finished matches do not count yet: others of their deals are to be played."""
    with ladder.database.read() as tx:
        return matches.waiting(tx)


def rules_played(ladder: Ladder) -> RulesPlayed:
    """Return which versions of the rules the matches were played by, and which of them count."""
    with ladder.database.read() as tx:
        return rules.played(tx)


def latest(ladder: Ladder, limit: int, name: str | None = None) -> list[MatchLine]:
    """Return the last matches, newest first, of one bot or all; raise `UnknownBotError`."""
    with ladder.database.read() as tx:
        if name is not None:
            bots.known(tx, name)
        return match_lines.latest(tx, bots.all_versions(tx), limit, name)


def forfeits(ladder: Ladder, name: str) -> dict[str, int]:
    """Return how often a bot's versions forfeited, by the kind of fault."""
    with ladder.database.read() as tx:
        return matches.forfeits(tx, name)


def match(ladder: Ladder, prefix: str) -> MatchLine:
    """Return the match whose id begins so; raise `UnknownMatchError` unless it is just one."""
    with ladder.database.read() as tx:
        return match_in(tx, prefix)


def match_in(tx: Transaction, prefix: str) -> MatchLine:
    """Return the same within a transaction."""
    found = match_lines.with_prefix(tx, prefix.lower(), limit=2)
    if len(found) == 1:
        return match_lines.line(tx, found[0], bots.all_versions(tx))
    how_many = "several matches begin" if found else "no match begins"
    raise UnknownMatchError(f"{how_many} with {prefix!r}; `ladder matches` lists them")


def record(ladder: Ladder, match: MatchLine) -> Record:
    """Return the referee's record of a match; raise `UnknownMatchError` if it has none."""
    with ladder.database.read() as tx:
        packed = matches.record(tx, match.match_id)
    if packed is None:
        raise UnknownMatchError(
            f"match {match.match_id} has no record: it is {match.state}, not done"
        )
    return unpack(packed)


def public_record(ladder: Ladder, match: MatchLine) -> Record:
    """Return the record as `record` does; raise `DealInPlayError` if it is not public yet."""
    with ladder.database.read() as tx:
        may = visible(match, matches.deals_in_play(tx))
        still = matches.open_of_deal(tx, match.deal)
    if match.decisions is not None and not may.record:
        raise DealInPlayError(
            f"match {match.match_id} is kept secret until its deal is played on all seats: "
            f"{still} more of its block to go. With --seat, `ladder replay` shows what one knew"
        )
    return record(ladder, match)


def validation(ladder: Ladder, version: Version) -> ValidationResult | None:
    """Return the outcome of submitting a version; None of one that older ladders took untried."""
    with ladder.database.read() as tx:
        return bots.validation(tx, version)


def printed(ladder: Ladder, match: MatchLine, seat: int) -> str | None:
    """Return the end of what a bot printed in a match; None if nothing is kept of it."""
    with ladder.database.read() as tx:
        return outputs.output(tx, match.match_id, seat)

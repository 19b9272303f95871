"""Stores matches in a ladder as if played there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ladder.model.bots import Entry, ValidationResult
from ladder.model.matches import PlannedMatch, Played
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder, create
from ladder.storage.tables import bots, matches, spars
from ladder.storage.tables.records import pack
from referee.conformance.testing import play, sends
from referee.core.clock import ClockConfig
from referee.hosting.match_runner import MatchSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of

BLOCK = ("a" * 32, "b" * 32)
"""The ids of two matches with one deal."""


def planned_block(
    folder: Path,
    game: str,
    seats: int,
    authors: Sequence[str | None],
    server: Server | None = None,
) -> Home:
    """Make a ladder where two matches with one deal are to be played.

    In both the bot of each author, named as the author is, sits on that author's seat.
    """
    home = create(
        folder,
        game=game,
        seats=seats,
        config={},
        clock=ClockConfig(),
        secret="a seed for the door",
        server=server,
    )
    with Ladder.open(home) as ladder, ladder.database.write() as tx:
        versions = [
            bots.enter(
                tx,
                Entry(author or f"owned-{n}", f"{n:064}", ("x",), "grpc", (), author),
                ValidationResult(rejected=None),
            ).version
            for n, author in enumerate(authors)
        ]
        planned = [
            PlannedMatch(match_id, 1, n, tuple(versions), deal="d" * 32)
            for n, match_id in enumerate(BLOCK)
        ]
        matches.add(tx, planned)
    return home


def finish(ladder: Ladder, match_id: str, record: Any, printed: str = "mine") -> None:
    """Store a match's record; every bot has printed the same."""
    seats = range(ladder.settings.seats)
    with ladder.database.write() as tx:
        assert matches.finish(tx, _played(ladder, match_id, record, dict.fromkeys(seats, printed)))


def finish_spar(ladder: Ladder, match_id: str, record: Any) -> None:
    """Store the record of a spar's match; each bot has printed its seat."""
    printed = {seat: f"seat {seat}" for seat in range(ladder.settings.seats)}
    with ladder.database.write() as tx:
        assert spars.finish(tx, _played(ladder, match_id, record, printed))


def _played(ladder: Ladder, match_id: str, record: Any, printed: dict[int, str]) -> Played:
    record.match_id = match_id
    spec = MatchSpec(match_id, ladder.settings.game, (None,) * ladder.settings.seats, "")
    return pack(record, printed, spec)


def start(ladder: Ladder, match_id: str) -> None:
    """Mark a match as running."""
    with ladder.database.write() as tx:
        matches.start(tx, match_id)


def some_record(game: str, seats: int, *, fault_of: int | None = None) -> Any:
    """Return a random match's record, perhaps with a fault at a seat."""
    match = Match(MatchSetup("any", game, seats=seats, master_seed="some seed"))
    play(match, {} if fault_of is None else {fault_of: {2: sends(b"rubbish")}})
    return record_of(match, [SeatInfo(f"bot {seat}", "1") for seat in range(seats)])

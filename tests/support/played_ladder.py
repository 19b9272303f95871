"""Makes a small, really played ladder, with the stand-in in place of its bots."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ladder.model.directives import Directive, DirectiveKind
from ladder.model.incidents import IncidentKind
from ladder.model.matches import PlannedMatch
from ladder.model.settings import Deals
from ladder.runner.match_spec import match_spec
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import planned_matches
from ladder.storage import tokens
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, directives, incidents, matches, spars
from ladder.storage.tables.records import pack
from referee.conformance.testing import play, sends
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from tests.support.new_ladder import new_ladder

SEATS = 3


def played_ladder(path: Path, enter: Any, make_bot: Any, server: Server | None = None) -> Home:
    """Make a ladder of three bots with two played blocks, one seat with a fault."""
    home = new_ladder(path, "a seed for damage", seats=SEATS, deals=Deals.DUPLICATE, server=server)
    with Ladder.open(home) as ladder:
        for name in ("ann", "bob", "cat"):
            enter(ladder, make_bot(name))
        for number in (1, 2):
            play_round(ladder, number)
        tokens.create(ladder, "ann")
        with ladder.database.write() as tx:
            directives.add(tx, Directive(DirectiveKind.RESUME, 1, "a reason"))
            incidents.add(tx, IncidentKind.RETRIED, "its worker was lost", matches.ids(tx)[:1])
            directives.begin_round(tx, 1, datetime(2026, 1, 1, tzinfo=UTC))
    return home


def play_round(ladder: Ladder, number: int) -> None:
    """Plan and play a round; a seat of its first match forfeits."""
    with ladder.database.read() as tx:
        blocks, known = LadderPlanner(ladder, 1).plan(tx), bots.all_versions(tx)
    assert blocks is not None
    for planned in planned_matches(ladder.settings, number, blocks, known):
        with ladder.database.write() as tx:
            matches.add(tx, [planned])
            matches.finish(tx, _played(ladder, planned))


def play_spars(ladder: Ladder) -> list[str]:
    """Play the matches that authors have asked for; return their ids."""
    with ladder.database.read() as tx:
        asked = spars.open_matches(tx)
    for planned in asked:
        with ladder.database.write() as tx:
            spars.finish(tx, _played(ladder, planned))
    return [planned.match_id for planned in asked]


_KNOWN: dict[PlannedMatch, Any] = {}
"""What was played in this process: ladders of one seed have the same matches."""


def _played(ladder: Ladder, planned: PlannedMatch) -> Any:
    if planned not in _KNOWN:
        _KNOWN[planned] = _really_played(ladder, planned)
    return _KNOWN[planned]


def _really_played(ladder: Ladder, planned: PlannedMatch) -> Any:
    spec = match_spec(ladder.home, ladder.settings, planned, patient=True)
    match = Match(
        MatchSetup(
            match_id=spec.match_id,
            game=spec.game,
            seats=len(spec.seats),
            master_seed=spec.master_seed,
            clock=spec.clock,
        )
    )
    play(match, {0: {2: sends(b"rubbish")}} if planned.index == 0 else {})
    seated = [SeatInfo(e.name, e.version, e.digest) if e else None for e in spec.seats]
    return pack(record_of(match, seated), {0: "My last words.\n"}, spec)

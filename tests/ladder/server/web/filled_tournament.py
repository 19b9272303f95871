"""Makes a tournament that looks as if it had been played, up to some round or to its end.

Like those of `filled_ladder`, its records are of real matches of the stand-in; the better seeds
mostly win.
"""

import random
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

from ladder.model.bots import Entry, ValidationResult, Version
from ladder.model.matches import PlannedMatch
from ladder.scheduling import contest
from ladder.scheduling.planner import planned_matches
from ladder.scheduling.tournament.planner import TournamentPlan, TournamentPlanner
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from referee.hosting.match_runner import MatchSpec
from tests.ladder.server.web.filled_ladder import records_of
from tests.support.new_ladder import new_ladder

NAMES = (
    *("ada", "bertrand", "carp_diem", "dolores", "emeline", "fulk", "gisele", "hugo", "isolde"),
    *("jean-baptiste-poquelin-l-moliere", "k9", "lucretia", "morgane", "nadir", "odon", "pip"),
)


def fill(
    folder: Path, draft: TournamentPlan, seats: int, whole_rounds: int, more_matches: int
) -> Path:
    """Play whole rounds, and `more_matches` of the round after them; return the folder.

    The plan's entrants are its seeds, from 1 on.
    """
    home = new_ladder(folder, "a seed for tournaments", seats=seats)
    with Ladder.open(home) as ladder:
        with ladder.database.write() as tx:
            for seed in draft.entrants:
                entry = Entry(NAMES[seed - 1], f"{seed:064x}", ("./play",), "grpc", ())
                bots.enter(tx, entry, ValidationResult(rejected=None))
        contest.begin(ladder, draft)
        planner = TournamentPlanner(draft, seats)
        records = {k: cycle(_records(k)) for k in range(2, seats + 1)}
        rng = random.Random(5)
        left: int | None = None
        for number in range(1, whole_rounds + 2):
            if number > whole_rounds:
                left = more_matches
            with ladder.database.write() as tx:
                if not (blocks := planner.plan(tx)):
                    break
                known = bots.all_versions(tx)
                planned = planned_matches(ladder.settings, number, blocks, known)
                matches.add(tx, planned)
                for match in planned[:left]:
                    finish(tx, match, next(records[len(match.seats)]), rng)
    return folder


@cache  # who finishes a match with one writes all that the match before wrote
def _records(seats: int) -> list[Any]:
    return list(records_of(seats))


def finish(tx: Any, match: PlannedMatch, record: Any, rng: random.Random | None = None) -> None:
    """Store a match as played, whose places follow the seeds, and luck if there is any."""

    def strength(seat: Version | None) -> float:
        return 99.0 if seat is None else seat.id + (rng.gauss(0, 1) if rng else 0)

    order = sorted(range(len(match.seats)), key=lambda i: strength(match.seats[i]))
    by_rank = sorted((outcome.rank, outcome.points) for outcome in record.outcomes)
    record.match_id = match.match_id
    for seat, (rank, points) in zip(order, by_rank, strict=True):
        outcome = record.outcomes[seat]
        outcome.rank, outcome.points, outcome.forfeit = rank, points, 0
        taken = match.seats[seat]
        record.seats[seat].name = taken.bot if taken else "stand-in"
    spec = MatchSpec(match.match_id, "courtisans", (None,) * len(match.seats), "")
    matches.finish(tx, pack(record, {}, spec))

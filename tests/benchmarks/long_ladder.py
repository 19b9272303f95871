"""Makes a ladder that looks as if it had been played for long: whole blocks on duplicate deals.

    long_ladder.py DIR BOTS MATCHES

Every block is one deal, played by four neighbours in strength on all seat rotations. Who comes
first is decided by strengths, the deal's luck and some more. The records are real ones of the
stand-in, with the places and points of these matches.
"""

import random
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

from ladder.model import ids
from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from referee.hosting.match_runner import MatchSpec
from tests.ladder.server.web.filled_ladder import enter, records_of
from tests.support.new_ladder import new_ladder

SEATS = 4
NEAR = 40
"""The places in the order of strength from which a block is drawn."""


def main(folder: Path, count: int, played: int) -> None:
    """Make the ladder."""
    home = new_ladder(folder, "a seed for long ladders", seats=SEATS)
    with Ladder.open(home) as ladder:
        enter(ladder, [f"bot-{number:04}" for number in range(count)], "only")
        rng = random.Random(7)
        with ladder.database.read() as tx:
            entered = bots.active(tx)
        skill = {version.id: rng.gauss(0, 1) for version in entered}
        ordered = sorted(entered, key=lambda version: skill[version.id])
        records = cycle(list(records_of(SEATS)))
        with ladder.database.write() as tx:
            for block in range(played // SEATS):
                for planned, points in _block(ladder, block, ordered, skill, rng):
                    matches.add(tx, [planned])
                    matches.finish(tx, _finished(next(records), planned, points))


def _block(
    ladder: Ladder, block: int, ordered: list[Version], skill: dict[int, float], rng: random.Random
) -> list[tuple[PlannedMatch, list[int]]]:
    """Return the matches of a block, with the points of their seats."""
    a_round = max(1, len(ordered) // SEATS)
    round_number, index = block // a_round + 1, block % a_round
    low = rng.randrange(max(1, len(ordered) - NEAR + 1))
    table = rng.sample(ordered[low : low + NEAR], SEATS)
    luck = [rng.gauss(0, 1) for _ in table]
    deal = ids.deal_id(ladder.settings.ladder_id, round_number, index)
    found = []
    for turn in range(SEATS):
        seated = table[turn:] + table[:turn]
        digests = [version.digest for version in seated]
        place = index * SEATS + turn
        match_id = ids.match_id(ladder.settings.secret, round_number, place, digests, deal)
        points = [
            round(10 + 4 * (skill[version.id] + luck[seat] + rng.gauss(0, 1)))
            for seat, version in enumerate(seated)
        ]
        found.append((PlannedMatch(match_id, round_number, place, tuple(seated), 0, deal), points))
    return found


def _finished(record: Any, planned: PlannedMatch, points: list[int]) -> Any:
    """Return what is stored of a match: a record with these points."""
    record.match_id = planned.match_id
    for shown, taken, outcome, own in zip(
        record.seats, planned.seats, record.outcomes, points, strict=True
    ):
        shown.name = taken.bot if taken else "stand-in"
        outcome.points = own
        outcome.rank = 1 + sum(other > own for other in points)
    spec = MatchSpec(planned.match_id, "courtisans", (None,) * len(points), "")
    return pack(record, {}, spec)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

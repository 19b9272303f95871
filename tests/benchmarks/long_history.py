"""Gives a ladder a history of finished matches, as fast as SQLite stores them.

    long_history.py DIR BOTS MATCHES

The bots differ in strength, the tables are of neighbours, every match has a deal of its own and no
record: nothing that plans, rates or shows standings reads any.
"""

import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from tests.ladder.server.web.filled_ladder import enter
from tests.support.new_ladder import new_ladder

SEATS = 4
NEAR = 40
"""The neighbours in the order of strength from which a table is drawn."""
_AT_ONCE = 20_000
_MATCHES = (
    "insert into matches (id, round, position, state, attempts, decisions, finished_at, deal, "
    "postponed) values (?, ?, ?, 'done', 0, 40, '2026-11-01T00:00:00+00:00', ?, 0)"
)
_SEATS = "insert into seats (match_id, seat, version_id, rank, points) values (?, ?, ?, ?, ?)"

Match = tuple[str, int, int]
Seat = tuple[str, int, int, int, int]


def make_ladder(folder: Path, count: int, matches: int) -> Home:
    """Make a ladder of `count` bots and `matches` finished matches."""
    home = new_ladder(folder, "a seed for long histories", seats=SEATS)
    with Ladder.open(home) as ladder:
        enter(ladder, [f"bot-{number:04}" for number in range(count)], "only")
        with ladder.database.read() as tx:
            ids = [version.id for version in bots.active(tx)]
    _fill(home, ids, matches)
    return home


def _fill(home: Home, ids: list[int], matches: int) -> None:
    played = _played(ids, matches)
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("pragma synchronous = off")
        while rows := list(islice(played, _AT_ONCE)):
            with database:
                database.executemany(_MATCHES, ((*match, match[0]) for match, _ in rows))
                database.executemany(_SEATS, (seat for _, seats in rows for seat in seats))


def _played(ids: list[int], matches: int) -> Iterator[tuple[Match, list[Seat]]]:
    """Yield the matches, each as its row and those of its seats."""
    rng, a_round = random.Random(7), max(1, len(ids) // SEATS)
    skill = {version: rng.gauss(0, 0.6) for version in ids}
    ordered = sorted(ids, key=skill.__getitem__)
    for number in range(matches):
        match_id = f"{rng.getrandbits(128):032x}"
        low = rng.randrange(max(1, len(ids) - NEAR + 1))
        table = rng.sample(ordered[low : low + NEAR], SEATS)
        points = [round(20 + 4 * (skill[version] + rng.gauss(0, 1))) for version in table]
        yield (
            (match_id, number // a_round + 1, number % a_round),
            [
                (match_id, seat, version, 1 + sum(other > own for other in points), own)
                for seat, (version, own) in enumerate(zip(table, points, strict=True))
            ],
        )


if __name__ == "__main__":
    make_ladder(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

"""Ladders with simulated results, for reports."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import combinations, cycle, islice

import pytest

from ladder.model.bots import Entry, ValidationResult, Version
from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.model.pairing import rotations
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from referee.games.randomness import Stream
from tests.support.new_ladder import new_ladder

Worth = Callable[[Sequence[str], int], float]
"""The bonus of the bot on a seat, given the others at the table."""
Fill = Callable[..., Ladder]


def uniform(stream: Stream) -> float:
    """Return a number between 0 and 1."""
    return (stream.below(1 << 40) + 0.5) / (1 << 40)


@pytest.fixture(scope="module")
def fill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fill]:
    """Make a ladder for four seats with bots of these strengths, and play `blocks` blocks.

    The tables are all that four of the bots can make, in turn, or those that are given.
    Tenths of points follow Gumbel's distribution around strength and worth, so ranks follow
    Plackett and Luce.
    """
    opened = ExitStack()

    def make(
        strengths: Mapping[str, float],
        blocks: int,
        worth: Worth | None = None,
        tables: Iterable[Sequence[str]] = (),
    ) -> Ladder:
        home = new_ladder(tmp_path_factory.mktemp("filled") / "made", "made up")
        ladder = opened.enter_context(Ladder.open(home))
        with ladder.database.write() as tx:
            for number, name in enumerate(strengths, start=1):
                entry = Entry(name, f"{number:064x}", ("./play",), "grpc", ())
                bots.enter(tx, entry, ValidationResult(rejected=None))
            active = {version.bot: version for version in bots.active(tx)}
            groups = islice(cycle(tables or combinations(active, 4)), blocks)
            for number, names in enumerate(groups, start=1):
                group = [active[name] for name in names]
                _block(tx, number, group, strengths, worth)
        return ladder

    with opened:
        yield make


def _block(
    tx: Transaction,
    number: int,
    group: Sequence[Version],
    strengths: Mapping[str, float],
    worth: Worth | None,
) -> None:
    """Store a block with its results."""
    known = {version.id: version for version in group}
    for index, table in enumerate(rotations(tuple(v.id for v in group)).tables):
        seats = tuple(known[v] for v in table if v is not None)
        match = PlannedMatch(f"{number:08x}{index:x}", number, index, seats, deal=f"{number}")
        matches.add(tx, [match])
        stream = Stream("made up", f"{number}.{index}")
        names = [version.bot for version in seats]
        drawn = [
            strengths[name]
            + (worth(names, seat) if worth else 0.0)
            - math.log(-math.log(uniform(stream)))
            for seat, name in enumerate(names)
        ]
        results = tuple(
            SeatResult(1 + sum(o > own for o in drawn), round(10 * own), None) for own in drawn
        )
        matches.finish(tx, Played(match.match_id, results, decisions=1, record=b""))

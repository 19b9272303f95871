"""Reads what a ladder's matches have shown, as far as it is public; needs the extra `ladder`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from courtyard_library.records import Record, Row
from ladder.results import queries
from ladder.results.visibility import visible
from ladder.storage.files.folder import find_home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches


def ladder_matches(folder: str | Path) -> Sequence[Row]:
    """Return a row for each seat of each match whose result is public, in the order of play.

    Raise `LadderError` if the folder holds no ladder.
    """
    with _open(folder) as ladder, ladder.database.read() as tx:
        in_play = matches.deals_in_play(tx)
        lines = match_lines.finished(tx, bots.all_versions(tx))
        return [
            {
                "match_id": line.match_id,
                "round": line.round,
                "deal": line.deal,
                "seat": number,
                "bot": seat.version.bot if seat.version else None,
                "version": seat.version.number if seat.version else None,
                "place": seat.result.rank,
                "points": seat.result.points,
                "forfeit": seat.result.forfeit,
                "decisions": line.decisions,
                "finished_at": line.finished_at,
                "counts": line.state == "done",
            }
            for line in lines
            if visible(line, in_play).result
            for number, seat in enumerate(line.seats)
            if seat.result is not None
        ]


def ladder_record(folder: str | Path, match_id: str) -> Record:
    """Return the record of a public match, named by its id or the beginning of it.

    Raise `LadderError` if there is none, or if its deal is still in play.
    """
    with _open(folder) as ladder:
        return Record(queries.public_record(ladder, queries.match(ladder, match_id)))


@contextmanager
def _open(folder: str | Path) -> Iterator[Ladder]:
    with Ladder.open(find_home(Path(folder))) as ladder:
        yield ladder

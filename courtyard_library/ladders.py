"""Reads what a ladder's matches have shown, as far as it is public; needs the extra `ladder`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from courtyard_library.records import Record
from ladder.results import queries
from ladder.results.match_rows import match_row, seat_rows
from ladder.results.visibility import visible
from ladder.storage.files.folder import find_home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches
from referee.match.rows import Row


def ladder_matches(folder: str | Path) -> Sequence[Row]:
    """Return a row for each seat of each match whose result is public, in the order of play.

    Raise `LadderError` if the folder holds no ladder.
    """
    with _open(folder) as ladder, ladder.database.read() as tx:
        in_play = matches.deals_in_play(tx)
        lines = match_lines.finished(tx, bots.all_versions(tx))
        return [
            {**match_row(line), **seat}
            for line in lines
            if visible(line, in_play).result
            for seat in seat_rows(line)
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

"""The replay of a record as one file that needs no other."""

from collections.abc import Mapping, Sequence
from typing import Any

from ladder.server.web.render import render
from ladder.server.web.replay import pack, page
from ladder.server.web.replay.bundle import drawing_of
from referee.games.base import Seat
from referee.match.record import Record
from referee.match.replay import game_of


def replay_file(record: Record, notes: Mapping[int, str] | None = None) -> bytes:
    """Render it with everything in it; raise `UsageError` if the record cannot be shown.

    `notes` stand after decisions, as in `film_of_record`.
    """
    return render("play/replay_file.html", **replay_parts(record, notes))


def replay_parts(record: Record, notes: Mapping[int, str] | None = None) -> dict[str, Any]:
    """Return what the templates of replays need; raise the same."""
    drawing = drawing_of(record)
    return {
        "title": game_of(record).title,
        "seats": _results(record),
        "packed": pack(page(record, notes=notes), drawing),
        "drawing": drawing,
    }


def _results(record: Record) -> Sequence[tuple[Seat, str, str, Any]]:
    """Return seat, name, version and outcome of each seat, in the order of the places."""
    each = enumerate(zip(record.seats, record.outcomes, strict=True))
    found = [(number, seat.name, seat.version, outcome) for number, (seat, outcome) in each]
    return sorted(found, key=lambda one: one[3].rank)

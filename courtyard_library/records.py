"""Records of matches: their results and decisions as plain rows, and their replay in a notebook."""

import html
import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from courtyard.v1 import record_pb2

from referee.games.base import Seat
from referee.match import record as files
from referee.match.rows import Row, decision_rows, seat_rows
from referee.match.verify import verify

_HEIGHT_PX = 640


class Record:
    """A finished match: everything needed to replay and check it."""

    def __init__(self, message: record_pb2.Record) -> None:
        """Wrap the message of docs/records.md."""
        self.message = message

    def __repr__(self) -> str:
        results = ", ".join(f"{name} {n}" for name, n in zip(self.bots, self.points, strict=True))
        return f"<Record of {self.game}: {results}>"

    @property
    def match_id(self) -> str:
        """The match's id."""
        return self.message.match_id

    @property
    def game(self) -> str:
        """The game's name."""
        return self.message.game

    @property
    def seed(self) -> str:
        """The seed of every random choice of the referee."""
        return self.message.master_seed

    @property
    def bots(self) -> Sequence[str]:
        """The name on each seat."""
        return [seat.name for seat in self.message.seats]

    @property
    def points(self) -> Sequence[int]:
        """The points of each seat."""
        return [outcome.points for outcome in self.message.outcomes]

    @property
    def places(self) -> Sequence[int]:
        """The place of each seat from 1, ties sharing one; seats that forfeited are last."""
        return [outcome.rank for outcome in self.message.outcomes]

    def results(self) -> Sequence[Row]:
        """Return a row for each seat: how it came out."""
        return seat_rows(self.message)

    def decisions(self) -> Sequence[Row]:
        """Return a row for each decision: what the seat saw, what was chosen, and its time.

        `facts` is what the seat knew, as JSON in the form of docs/facts; `action` is the choice in
        words, `choice` as the indices of its options, a list in JSON; times are in microseconds.
        Raise `UsageError` if the rules that played the match are not installed.
        """
        return decision_rows(self.message)

    def verify(self) -> Sequence[str]:
        """Replay the match; return what is wrong with the record, a line each, if anything is."""
        return verify(self.message)

    def save(self, path: str | Path) -> None:
        """Write the record as JSON; raise `UsageError` if that fails."""
        files.save_record(self.message, Path(path))

    def to_html(self, review: Seat | None = None) -> str:
        """Return the replay as a page that needs nothing else; needs the extra `pages`.

        With a seat to `review` it says after each of its decisions what that cost. Raise
        `UsageError` if it cannot be reviewed.
        """
        from ladder.server.web.replay.file import replay_file  # noqa: PLC0415 -- an extra

        notes: Mapping[int, str] = {}
        if review is not None:
            from referee.hosting.review import reviewed  # noqa: PLC0415 -- slow to import
            from referee.view.review import notes as judged  # noqa: PLC0415 -- as above

            names = [f"@{seat}" for seat in range(len(self.message.seats))]
            notes = judged(reviewed(self.message, review), names)
        return replay_file(self.message, notes).decode()

    def _repr_html_(self) -> str:
        """Show the replay in a notebook, or the result alone without the extra `pages`."""
        try:
            page = self.to_html()
        except ImportError:
            return _table(self.results())
        return (
            f'<iframe sandbox="allow-scripts" title="Replay of {html.escape(self.game)}" '
            f'style="width: 100%; height: {_HEIGHT_PX}px; border: 0" '
            f'srcdoc="{html.escape(page)}"></iframe>'
        )


def load_record(path: str | Path) -> Record:
    """Read a record from a JSON file; raise `UsageError` with one line."""
    return Record(files.load_record(Path(path)))


def frame(rows: Sequence[Row]) -> Any:
    """Return rows as a DataFrame of pandas or, without it, of polars; raise `ImportError`."""
    for name in ("pandas", "polars"):
        try:
            return importlib.import_module(name).DataFrame(list(rows))
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    raise ImportError("neither pandas nor polars is installed: use the rows, or install one")


def _table(rows: Sequence[Row]) -> str:
    cells = [[html.escape(str(value)) for value in row.values()] for row in rows]
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in rows[0])
    body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in cells)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"

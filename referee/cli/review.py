"""Judges the decisions of a seat, with a bar meanwhile."""

from courtyard.v1 import record_pb2
from rich.progress import Progress

from referee.core.console import SafeConsole
from referee.core.errors import UsageError
from referee.games.base import Seat
from referee.hosting.playouts import player_named, usual_player
from referee.match.luck import match_luck
from referee.match.review import own_decisions, review
from referee.match.verify import verify
from referee.view.review import Reviewed


def reviewed_by(record: record_pb2.Record, seat: Seat, bot: str | None, playouts: int) -> Reviewed:
    """Judge the decisions of a seat by a bot's playouts, by default by the game's usual one.

    Raise `UsageError` if the record is not genuine, if there is no such seat or bot, or if the
    game has no `redraw`.
    """
    if problems := verify(record):
        raise UsageError(f"a record that is not true cannot be reviewed: {problems[0]}")
    name = bot or usual_player(record.game)
    player, judgments = player_named(name, record.game), []
    with Progress(console=SafeConsole(stderr=True), transient=True) as progress:
        task = progress.add_task("decisions", total=len(own_decisions(record, seat)))
        for one in review(record, seat, player, playouts):
            judgments.append(one)
            progress.advance(task)
    return Reviewed(record, seat, name, playouts, judgments, match_luck(record))

"""Reviews of records, by sample bots that play the playouts."""

from collections.abc import Callable

from courtyard.v1 import record_pb2

from referee.core.errors import UsageError
from referee.games.base import Seat
from referee.hosting.playouts import PLAYOUTS, player_named, usual_player
from referee.match.luck import match_luck
from referee.match.review import review
from referee.match.verify import verify
from referee.view.review import Reviewed


def reviewed(
    record: record_pb2.Record,
    seat: Seat,
    bot: str | None = None,
    playouts: int = PLAYOUTS,
    on_judged: Callable[[], object] = lambda: None,
) -> Reviewed:
    """Judge the decisions of a seat by a bot's playouts, by default by the game's usual one.

    Call `on_judged` after each. Raise `UsageError` if the record is not genuine, if there is no
    such seat or bot, or if the game has no `redraw`.
    """
    if problems := verify(record):
        raise UsageError(f"a record that is not true cannot be reviewed: {problems[0]}")
    name, judgments = bot or usual_player(record.game), []
    for judgment in review(record, seat, player_named(name, record.game), playouts):
        judgments.append(judgment)
        on_judged()
    return Reviewed(record, seat, name, playouts, judgments, match_luck(record))

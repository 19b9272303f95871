"""Shows how far a review is."""

from functools import partial

from courtyard.v1 import record_pb2
from rich.progress import Progress

from referee.core.console import SafeConsole
from referee.games.base import Seat
from referee.hosting.review import reviewed
from referee.match.review import own_decisions
from referee.view.review import Reviewed


def reviewed_with_progress(
    record: record_pb2.Record, seat: Seat, bot: str | None, playouts: int
) -> Reviewed:
    """Review a record as `reviewed` does, with a bar meanwhile."""
    with Progress(console=SafeConsole(stderr=True), transient=True) as progress:
        task = progress.add_task("decisions", total=len(own_decisions(record, seat)))
        return reviewed(record, seat, bot, playouts, partial(progress.advance, task))

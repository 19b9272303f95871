"""Shows in words what the decisions of a seat cost."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from courtyard.v1 import record_pb2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.games import game_named
from referee.games.base import Seat
from referee.match.luck import MatchLuck
from referee.match.review import Judgment, total_loss
from referee.view.show import seat_names

WORST = 3
"""How many decisions are marked as the costliest."""


class Reviewed(NamedTuple):
    """A seat's decisions, judged."""

    record: record_pb2.Record
    seat: Seat
    player: str
    """The sample bot that played the playouts."""
    playouts: int
    """For each decision."""
    judgments: Sequence[Judgment]
    luck: MatchLuck | None
    """What chance gave, if the game measures it."""

    def line(self, action: Any, names: Sequence[str]) -> str:
        """Return an action in one line of markup."""
        return game_named(self.record.game).text.action_line(action, names)

    def words(self, action: Any) -> str:
        """Return an action in one line."""
        return Text.from_markup(self.line(action, seat_names(self.record))).plain

    def worst(self) -> Sequence[Judgment]:
        """Return the costliest decisions, the worst first."""
        costly = [one for one in self.judgments if one.lost > 0]
        return sorted(costly, key=lambda one: -one.lost)[:WORST]


def places(lost: float, error: float) -> str:
    """Return a loss with half its 95 % interval."""
    return f"{lost:.2f} ± {error:.2f}"


def show_review(console: Console, reviewed: Reviewed) -> None:
    """Print what each decision cost, the costliest marked, and what chance gave."""
    worst = reviewed.worst()
    console.print(Text(" ".join(_summary(reviewed))), soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "decision", "options", "places lost"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("played, and what was better")
    for one in reviewed.judgments:
        rank = str(worst.index(one) + 1) if one in worst else ""
        lost = places(one.lost, one.error) if one.better is not None else "0"
        words = reviewed.words(one.chosen)
        if one.lost > 0:
            words += f"\n→ {reviewed.words(one.better)}"
        style = "bold" if rank else ""
        table.add_row(rank, str(one.number + 1), str(one.options), lost, Text(words), style=style)
    console.print(table)
    about = f"By {reviewed.playouts:,} playouts of {reviewed.player} for each decision."
    if worst:
        about += f" The costliest are numbered 1 to {len(worst)}."
    console.print(Text(about, style="dim"), soft_wrap=True)


def _summary(reviewed: Reviewed) -> Iterator[str]:
    seat, number = reviewed.seat, len(reviewed.judgments)
    lost, error = total_loss(reviewed.judgments)
    name = seat_names(reviewed.record)[seat]
    yield f"{name} lost {places(lost, error)} places by {number} decisions, as it knew then."
    if luck := reviewed.luck:
        yield f"Luck gave it {luck.points[seat]:+.1f} ± {luck.error(seat):.1f} points."


def as_json(reviewed: Reviewed) -> str:
    """Return a review as JSON; numbers have four decimals."""
    record, seat, luck = reviewed.record, reviewed.seat, reviewed.luck
    given = [round(one, 4) for one in (luck.points[seat], luck.error(seat))] if luck else None
    shown = {
        "match_id": record.match_id,
        "game": record.game,
        "seat": seat,
        "bot": record.seats[seat].name,
        "player": reviewed.player,
        "playouts": reviewed.playouts,
        "luck": given,
        "decisions": [decision_json(reviewed, one) for one in reviewed.judgments],
    }
    return json.dumps(shown, ensure_ascii=False, indent=2)


def decision_json(reviewed: Reviewed, one: Judgment) -> dict[str, Any]:
    """Return one decision of a review as plain values."""
    return {
        "number": one.number,
        "options": one.options,
        "action": reviewed.words(one.chosen),
        "better": None if one.better is None else reviewed.words(one.better),
        "lost": round(one.lost, 4),
        "error": round(one.error, 4),
    }


def notes(reviewed: Reviewed, names: Sequence[str]) -> dict[int, str]:
    """Return a line of markup on each decision by its number, for a replay."""
    return {one.number: _note(reviewed, one, names) for one in reviewed.judgments}


def _note(reviewed: Reviewed, one: Judgment, names: Sequence[str]) -> str:
    if one.lost <= 0:
        return "Review: nothing better was found."
    name, lost = names[reviewed.seat], places(one.lost, one.error)
    return f"Review: {name} lost {lost} places; better: {reviewed.line(one.better, names)}"

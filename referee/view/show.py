"""Print a record turn by turn, as the audience or one seat saw it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from courtyard.v1 import record_pb2
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text as RichText
from rich.theme import Theme

from referee.core.clock import took
from referee.core.errors import UsageError
from referee.core.faults import FaultKind
from referee.core.plain import plain
from referee.games import game_named
from referee.games.base import Seat, Text
from referee.games.plain import text as plain_text
from referee.games.plain.contract import Event
from referee.match.match import Forfeited, Match
from referee.match.replay import game_of, replay
from referee.view.game_statistics import GameStatistics
from referee.view.stored import StoredMatch, stored_match
from referee.wire.envelope import Outcome


def show_record(
    console: Console,
    record: record_pb2.Record,
    seat: Seat | None = None,
    notes: Mapping[int, str] | None = None,
) -> None:
    """Print a match; with a seat, only what that seat could see.

    `notes` holds a line of markup on decisions of the seat, by their number from 0. A match whose
    rules are not installed is shown as it was stored. Raise `UsageError` if there is no such seat,
    or if the record cannot be replayed.
    """
    if seat is not None and not 0 <= seat < len(record.seats):
        raise UsageError(
            f"there is no seat {seat}: the match has seats 0 to {len(record.seats) - 1}"
        )
    if stored := stored_match(record):
        stored.check_viewer(seat)
        text: Text = plain_text
        show = _Show(console, record, seat, stored.title, text)
    else:
        game = game_of(record)
        text = game.text
        show = _Show(console, record, seat, game.title, text, notes)
    with console.use_theme(Theme(dict(text.STYLES))):
        show.opening()
        if stored:
            show.stored(stored)
        else:
            show.ending(replay(record, recorded_deal=True, watch=show.before_decision))


def show_end(console: Console, record: record_pb2.Record) -> None:
    """Print how a match ended: the scoring, and the place of each seat.

    Raise `UsageError` if the record cannot be replayed.
    """
    game = game_of(record)
    show = _Show(console, record, None, game.title, game.text)
    with console.use_theme(Theme(dict(game.text.STYLES))):
        match = replay(record, recorded_deal=True)
        show.end(match.state.result(), match.outcomes)


def event_lines(text: Text, event: Any, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of an event in the form of its viewer, or of a forfeit."""
    if isinstance(event, Forfeited):
        yield f"[bold red]{escape(names[event.seat])} forfeits: {_words(event.kind)}[/]"
    else:
        yield from text.event_lines(event, names)


class _Show:
    """Prints a match, during its replay or as it was stored."""

    def __init__(
        self,
        console: Console,
        record: record_pb2.Record,
        seat: Seat | None,
        title: str,
        text: Text,
        notes: Mapping[int, str] | None = None,
    ) -> None:
        self._console = console
        self._record = record
        self._seat = seat
        self._title = title
        self._text = text
        self._notes = notes or {}
        self._names = seat_names(record)
        self._shown: int | None = None
        """Number of events printed; None: not even the deal."""

    def opening(self) -> None:
        record = self._record
        title = f"{escape(self._title)} · {len(record.seats)} seats"
        seed = f" · seed {_plain(record.master_seed)}" if self._seat is None else ""
        self._print([f"[bold]{title}[/]{seed}"])
        self._print([f"[dim]match {_plain(record.match_id)}[/]"])
        if self._seat is not None:
            self._print([f"As {escape(self._names[self._seat])} saw it."])

    def before_decision(self, match: Match) -> None:
        self._new_events(match)
        if match.due is not None and match.due.seat == self._seat:
            observation = match.state.observation(self._seat)
            self._print(["", *self._text.observation_lines(observation, self._names)])
            if note := self._notes.get(len(match.decisions)):
                self._print(["", note])

    def ending(self, match: Match) -> None:
        self._new_events(match)
        self.end(match.state.result(), match.outcomes)

    def stored(self, match: StoredMatch) -> None:
        """Print all that is stored."""
        self._print([escape(match.why)])
        self._deal(match.deal)
        for event in match.events:
            self._event(event, Event.form_for)
        self.end(match.result, match.outcomes)

    def end(self, result: Any, outcomes: Sequence[Outcome]) -> None:
        """Print the scoring and the outcomes."""
        self._print(["", *self._text.result_lines(result, self._names)])
        self._console.print()
        self._console.print(self._outcomes(outcomes))

    def _deal(self, deal: Any) -> None:
        if self._seat is None:
            self._print(self._text.deal_lines(deal, self._names))

    def _new_events(self, match: Match) -> None:
        if self._shown is None:
            self._shown = 0
            self._deal(match.deal)
        for event in match.events[self._shown :]:
            self._event(event, match.state.event_for)
        self._shown = len(match.events)

    def _event(self, event: Any, form_for: Callable[[Any, Seat], Any]) -> None:
        """Print an event in the viewer's form, if the viewer may see it at all."""
        if isinstance(event, Forfeited):
            (line,) = event_lines(self._text, event, self._names)
            self._print(["", line + self._why(event)])
            return
        form = event if self._seat is None else form_for(event, self._seat)
        if form is not None:
            self._print(["", *event_lines(self._text, form, self._names)])

    def _why(self, event: Forfeited) -> str:
        """Return the reason of a forfeit in brackets, if the viewer may know it."""
        reasons = [d.fault.reason for d in self._record.decisions if d.seat == event.seat]
        may_know = self._seat in (None, event.seat)
        return f" ({_plain(next(filter(None, reasons), ''))})" if may_know else ""

    def _outcomes(self, of_seats: Sequence[Outcome]) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column, justify in (("place", "right"), ("bot", "left"), ("points", "right")):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]
        table.add_column("charged", justify="right")
        table.add_column("on the wall", justify="right")
        table.add_column("forfeited by")
        outcomes = list(enumerate(of_seats))
        for seat, outcome in sorted(outcomes, key=lambda item: (item[1].rank, item[0])):
            table.add_row(
                str(outcome.rank),
                RichText(self._names[seat]),
                str(outcome.points),
                *self._times(seat),
                _words(outcome.forfeit) if outcome.forfeit else "",
            )
        return table

    def _times(self, seat: Seat) -> tuple[str, str]:
        """Return charged and wall time of a seat; empty if the viewer may not know them."""
        if self._seat not in (None, seat):
            return "", ""
        own = [d for d in self._record.decisions if d.seat == seat]
        wall_us = sum(d.wall_us or d.elapsed_us for d in own)  # older records lack the wall time
        return took(sum(d.elapsed_us for d in own)), took(wall_us)

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._console.print(line, highlight=False, emoji=False, soft_wrap=True)


def survey_lines(game: str, tally: GameStatistics, *, standard: bool) -> Iterator[str]:
    """Yield the statistics for one number of seats as lines of markup.

    Adds another program's figures if the games used the `standard` settings.
    """
    decisions, rounds = tally.decisions / tally.games, tally.rounds / tally.games
    lasted = f"{rounds:.2f} rounds and " if rounds else ""
    yield (
        f"[bold]{tally.seats} seats[/]  {tally.games:,} random games, "
        f"{lasted}{decisions:.1f} decisions each"
    )
    endings = [f"{name} {n / tally.games:.1%}" for name, n in sorted(tally.endings.items())]
    yield f"  ended by  {', '.join(endings)}"
    shares = " / ".join(f"{wins / tally.games:.1%}" for wins in tally.wins)
    yield f"  won by    {shares} in turn order"
    if standard and tally.seats in game_named(game).text.FIGURES:
        yield f"  [dim]elsewhere {game_named(game).text.FIGURES[tally.seats]}[/]"


def seat_names(record: record_pb2.Record) -> Sequence[str]:
    """Return the display name of each seat: the bot's name and the seat number."""
    return [
        plain(f"{seat.name}{f' v{seat.version}' if seat.version else ''} (seat {i})")
        for i, seat in enumerate(record.seats)
    ]


def result_line(record: record_pb2.Record) -> str:
    """Return places, bots and points of a match in one line."""
    names = seat_names(record)
    placed = sorted(enumerate(record.outcomes), key=lambda item: (item[1].rank, item[0]))
    return ", ".join(
        f"{outcome.rank}. {names[seat]}: {outcome.points}"
        + (" (forfeited)" if outcome.forfeit else "")
        for seat, outcome in placed
    )


def _plain(text: str) -> str:
    """Return a text as escaped markup."""
    return escape(plain(text))


def _words(kind: FaultKind) -> str:
    return kind.name.lower().replace("_", " ")

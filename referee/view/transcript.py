"""What one seat was asked in a recorded match, and what it answered.

Nothing here is more than the seat was told, but for `Turn.state`, by which a new answer is judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from courtyard.v1 import record_pb2
from rich.text import Text

from referee.core.errors import UsageError
from referee.core.faults import Fault
from referee.games import TEXTS
from referee.games.base import Seat, State
from referee.match.match import Match
from referee.match.replay import replay
from referee.view.show import seat_names
from referee.wire.envelope import read_fault


@dataclass(frozen=True, slots=True)
class Turn:
    """One request to the seat."""

    number: int
    """Of the request in the match, from 1."""
    payload: bytes
    """The RefereeMessage."""
    situation: tuple[str, ...]
    """What the seat knew, as lines of Rich markup for a console with the game's styles."""
    answer: Any
    """The action that it chose; None if it forfeited here."""
    answer_text: str
    """The same in one line of words; empty if it forfeited here."""
    fault: Fault | None
    """By what it forfeited here."""
    state: State = field(repr=False)
    """The whole truth; not for the seat's author."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A recorded match as one seat lived it."""

    match_id: str
    game: str
    names: tuple[str, ...]
    """What to call the seats."""
    turns: tuple[Turn, ...]
    ending: bytes
    """The MatchEnd that the seat was sent, or would have been."""


def transcript_of(record: record_pb2.Record, seat: Seat) -> Transcript:
    """Play a record again and return what the seat was asked; raise `UsageError` if it cannot be.

    A seat that the stand-in played from the start was asked nothing.
    """
    if not 0 <= seat < len(record.seats):
        raise UsageError(
            f"there is no seat {seat}: the match has seats 0 to {len(record.seats) - 1}"
        )
    turns: list[Turn] = []

    def watch(match: Match) -> None:
        if match.due is not None and match.due.seat == seat:
            turns.append(_turn(match, record, len(turns) + 1))

    match = replay(record, recorded_deal=True, watch=watch)
    return Transcript(
        match_id=record.match_id,
        game=record.game,
        names=tuple(seat_names(record)),
        turns=tuple(turns),
        ending=match.endings()[seat],
    )


def _turn(match: Match, record: record_pb2.Record, number: int) -> Turn:
    due, i = match.due, len(match.decisions)
    if due is None or i >= len(record.decisions):
        raise UsageError(f"decisions: there are {i}, and the game is not over")
    decision = record.decisions[i]
    fault = read_fault(decision.fault) if decision.HasField("fault") else None
    answer = None if fault else match.codec.decode_action(decision.action)
    words = TEXTS[record.game].action_line(answer, seat_names(record)) if answer is not None else ""
    return Turn(
        number=number,
        payload=due.payload,
        situation=tuple(_situation(match, record, due.seat)),
        answer=answer,
        answer_text=Text.from_markup(words).plain,
        fault=fault,
        state=match.state,
    )


def _situation(match: Match, record: record_pb2.Record, seat: Seat) -> Iterator[str]:
    text = TEXTS[match.setup.game]
    return text.observation_lines(match.state.observation(seat), seat_names(record))

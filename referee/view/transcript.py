"""The requests to one seat of a recorded match, and its answers, in the bot's dialect.

Holds nothing but messages to the seat, except `Turn.state`, which serves to judge a new answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from courtyard.v1 import record_pb2
from rich.text import Text

from referee.core.errors import UsageError
from referee.core.faults import Fault
from referee.games import game_named
from referee.games.base import Seat, State
from referee.games.choice import Choice
from referee.match.match import Match
from referee.match.replay import fault_in, legal_action_in, replay
from referee.view.show import seat_names
from referee.wire.envelope import choice_answer


@dataclass(frozen=True, slots=True)
class Turn:
    """One request to the seat."""

    number: int
    """Number of the request, from 1."""
    payload: bytes
    """The RefereeMessage."""
    allowed_us: int
    """Time allowed for the answer, in microseconds."""
    situation: tuple[str, ...]
    """The seat's observation, as lines of Rich markup for a console with the game's styles."""
    answer: Any
    """The chosen action or, at a step, the index of the option; None if the seat forfeited here."""
    answer_text: str
    """The answer in one line of words; empty if the seat forfeited here."""
    fault: Fault | None
    """The fault with which it forfeited here."""
    step: Choice | None
    """The pending step in the plain dialect; None for a typed request."""
    state: State = field(repr=False)
    """The full state; not for the seat's author."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A recorded match as one seat saw it."""

    match_id: str
    game: str
    names: tuple[str, ...]
    """Display names of the seats."""
    turns: tuple[Turn, ...]
    ending: bytes
    """The MatchEnd that the seat got, or would have got."""
    record: record_pb2.Record = field(repr=False)
    seat: Seat

    def in_plain_dialect(self) -> "Transcript":
        """Return the seat's requests as a bot that speaks the plain dialect gets them.

        A record does not hold when each step was answered: each is sent with the time of the
        whole decision. Of a decision with a fault, the steps before it are those that it names;
        older records name none.
        """
        return _transcript(self.record, self.seat, plain=True)


def transcript_of(record: record_pb2.Record, seat: Seat) -> Transcript:
    """Replay a record and return the seat's requests; raise `UsageError` if that is impossible.

    A seat that the stand-in played from the start has no requests.
    """
    if not 0 <= seat < len(record.seats):
        raise UsageError(
            f"there is no seat {seat}: the match has seats 0 to {len(record.seats) - 1}"
        )
    return _transcript(record, seat, plain=False)


def _transcript(record: record_pb2.Record, seat: Seat, *, plain: bool) -> Transcript:
    turns: list[Turn] = []

    def watch(match: Match) -> None:
        if match.due is None or match.due.seat != seat:
            return
        if plain and match.step is None:
            match.use_plain_dialect([seat])
        turns.extend(_turns(match, record, len(turns) + 1))

    match = replay(record, recorded_deal=True, watch=watch)
    return Transcript(
        match_id=record.match_id,
        game=record.game,
        names=tuple(seat_names(record)),
        turns=tuple(turns),
        ending=match.endings()[seat],
        record=record,
        seat=seat,
    )


def _turns(match: Match, record: record_pb2.Record, number: int) -> Iterator[Turn]:
    """Yield the requests of one decision; take all its steps but the last."""
    i = len(match.decisions)
    whole = _turn(match, record, number)
    if match.step is None:
        yield whole
        return
    if whole.answer is None:
        path, last = [*record.decisions[i].steps], None
    else:
        *path, last = match.step.path(whole.answer)
    for index in path:
        yield _at_step(match, whole, number, index)
        match.answer(choice_answer(record.match_id, number, index), 0)
        if len(match.decisions) > i or match.step is None:
            raise UsageError(f"decisions[{i}].steps: no step follows option {index}")
        number += 1
    yield _at_step(match, whole, number, last)


def _at_step(match: Match, whole: Turn, number: int, index: int | None) -> Turn:
    """Return the request of the pending step and its answer; None: the fault of the decision."""
    if match.due is None or match.step is None:
        raise RuntimeError("no step is pending")
    options = match.step.options
    return replace(
        whole,
        number=number,
        payload=match.due.payload,
        allowed_us=match.due.allowed_us,
        answer=index,
        answer_text="" if index is None or index >= len(options) else options[index].label,
        fault=whole.fault if index is None else None,
        step=match.step,
    )


def _turn(match: Match, record: record_pb2.Record, number: int) -> Turn:
    due, i = match.due, len(match.decisions)
    if due is None or i >= len(record.decisions):
        raise UsageError(f"decisions: there are {i}, and the game is not over")
    decision = record.decisions[i]
    path = f"decisions[{i}]"
    fault = fault_in(decision, path) if decision.HasField("fault") else None
    answer = None if fault else legal_action_in(match.codec, match.state, decision, path)
    words = (
        game_named(record.game).text.action_line(answer, seat_names(record))
        if answer is not None
        else ""
    )
    return Turn(
        number=number,
        payload=due.payload,
        allowed_us=due.allowed_us,
        situation=tuple(_situation(match, record, due.seat)),
        answer=answer,
        answer_text=Text.from_markup(words).plain,
        fault=fault,
        step=match.step,
        state=match.state,
    )


def _situation(match: Match, record: record_pb2.Record, seat: Seat) -> Iterator[str]:
    text = game_named(match.setup.game).text
    return text.observation_lines(match.state.observation(seat), seat_names(record))

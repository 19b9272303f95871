"""Plays matches in process: scripted seats, no bots, and a fake clock.

    match = Match(MatchSetup("a match", game, seats=3, master_seed="7"))
    messages = play(match, {1: {2: late_by(1_500)}})

Seat 1 is late with its second answer; otherwise seats play random legal actions.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from courtyard.v1 import record_pb2

from referee.core.clock import Measured
from referee.core.faults import Fault, FaultKind, timeout
from referee.games.base import Seat
from referee.games.randomness import Stream
from referee.match.match import FORMATS, Match, MatchSetup, Request
from referee.match.record import SeatInfo, record_of
from referee.wire import envelope
from referee.wire.encoding import field, text, uint

_LONGEST_DECISION_US = 50_000


class FakeClock:
    """A clock that only `advance` moves."""

    def __init__(self) -> None:
        """Start at 0."""
        self.now_us = 0

    def advance(self, us: int) -> None:
        """Advance by this many microseconds."""
        self.now_us += us


@dataclass(frozen=True, slots=True)
class SeatRequest:
    """One request to a scripted seat, with all it needs to answer."""

    match: Match
    due: Request
    number: int
    """Number of the request to this seat in this match, from 1."""
    stream: Stream
    """The seat's own random stream."""
    clock: FakeClock

    def answer(self, action: Any) -> bytes:
        """Return the BotMessage that answers the request with this action."""
        decision = uint(1, self.number) + field(2, self.match.codec.encode_action(action))
        return text(1, self.match.setup.match_id) + field(3, decision)

    def legal_answer(self) -> bytes:
        """Return an answer with a random legal action or, in the plain dialect, a random option."""
        step = self.match.step
        if step is None:
            return self.answer(self.match.state.random_action(self.stream))
        choice = self.stream.below(len(step.options))
        return envelope.choice_answer(self.match.setup.match_id, self.number, choice)


Behaviour = Callable[[SeatRequest], bytes | Fault]
"""The reaction of a seat to a request: advances the clock, and returns its message, or the fault of
a seat that sends none."""

Script = Mapping[int, Behaviour]
"""Scripted behaviour by request number; all other requests get a random legal action."""


def plays(request: SeatRequest) -> bytes:
    """Think for up to 50 ms and play a random legal action."""
    request.clock.advance(request.stream.below(_LONGEST_DECISION_US))
    return request.legal_answer()


def sends(message: bytes, after_us: int = 0) -> Behaviour:
    """Return the behaviour of a seat that sends this message."""

    def behave(request: SeatRequest) -> bytes:
        request.clock.advance(after_us)
        return message

    return behave


def late_by(us: int) -> Behaviour:
    """Return the behaviour of a seat whose legal answer is `us` microseconds late."""

    def behave(request: SeatRequest) -> bytes:
        request.clock.advance(request.due.allowed_us + us)
        return request.legal_answer()

    return behave


def is_silent(request: SeatRequest) -> Fault:
    """Send nothing until the time limit."""
    request.clock.advance(request.due.allowed_us)
    return timeout(request.due.allowed_us)


def exits(status: int) -> Behaviour:
    """Return the behaviour of a seat whose process exits at once with this status."""
    return lambda _: Fault(FaultKind.DISCONNECTED, "its process exited", exit_code=status)


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A RefereeMessage sent to a seat."""

    seat: Seat
    payload: bytes


def play(match: Match, scripts: Mapping[Seat, Script] | None = None) -> list[SentMessage]:
    """Play a match to its end with these scripts; return all messages to the seats, in order."""
    setup, clock, sent = match.setup, FakeClock(), list[SentMessage]()
    streams = [Stream(setup.master_seed, "player", str(seat)) for seat in range(setup.seats)]
    requests = [0] * setup.seats
    while (due := match.due) is not None:
        sent.append(SentMessage(due.seat, due.payload))
        requests[due.seat] = number = requests[due.seat] + 1
        behave = (scripts or {}).get(due.seat, {}).get(number, plays)
        began_us = clock.now_us
        reply = behave(SeatRequest(match, due, number, streams[due.seat], clock))
        fault = _report(match, reply, clock.now_us - began_us)
        if fault is not None:
            sent.append(SentMessage(due.seat, envelope.fault_notice(setup.match_id, fault)))
    return sent + [SentMessage(seat, ending) for seat, ending in enumerate(match.endings())]


def _report(match: Match, reply: bytes | Fault, elapsed_us: int) -> Fault | None:
    measured = Measured(wall_us=elapsed_us, cpu_us=elapsed_us // 2)
    if isinstance(reply, Fault):
        match.forfeit(reply, elapsed_us, measured)
        return reply
    return match.answer(reply, elapsed_us, measured)


def random_record(
    game: str,
    seats: int,
    seed: str,
    config: Mapping[str, Any] | None = None,
    format: int = FORMATS[-1],  # noqa: A002 -- as the record calls it
) -> record_pb2.Record:
    """Return the record, in this format, of a game of random legal actions.

    Equal arguments give equal records, byte for byte. Raise `ConfigError` if the game rejects the
    configuration or number of seats.
    """
    match_id = hashlib.sha256(f"random {game} {seed}".encode()).hexdigest()[:32]
    match = Match(MatchSetup(match_id, game, seats, seed, config or {}, format=format))
    play(match)
    return record_of(match, [SeatInfo("random")] * seats, sandbox="trusted")

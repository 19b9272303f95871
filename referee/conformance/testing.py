"""Plays matches in process: scripted seats, no bots, and time that passes only when told to.

    match = Match(MatchSetup("a match", game, seats=3, master_seed="7"))
    told = play(match, {1: {2: late_by(1_500)}})

Seat 1 is late with its second answer; for everything else seats play random legal actions.
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

_LONGEST_THOUGHT_US = 50_000


class FakeClock:
    """Time that passes only when somebody says so."""

    def __init__(self) -> None:
        """Start at 0."""
        self.now_us = 0

    def advance(self, us: int) -> None:
        """Let so many microseconds pass."""
        self.now_us += us


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to a scripted seat, with what the seat needs to answer it."""

    match: Match
    due: Request
    number: int
    """Counts the requests to this seat in this match, from 1."""
    stream: Stream
    """The seat's own."""
    clock: FakeClock

    def answer(self, action: Any) -> bytes:
        """Return the BotMessage that answers the request with this action."""
        decision = uint(1, self.number) + field(2, self.match.codec.encode_action(action))
        return text(1, self.match.setup.match_id) + field(3, decision)

    def legal_answer(self) -> bytes:
        """Return an answer with a random legal action."""
        return self.answer(self.match.state.random_action(self.stream))


Behaviour = Callable[[Asked], bytes | Fault]
"""What a seat does when it is asked: lets time pass, and returns what it sends, or the fault of a
seat that sends nothing."""

Script = Mapping[int, Behaviour]
"""What a seat does out of the ordinary, by the number of the request."""


def plays(asked: Asked) -> bytes:
    """Think for up to 50 ms and play a random legal action."""
    asked.clock.advance(asked.stream.below(_LONGEST_THOUGHT_US))
    return asked.legal_answer()


def sends(message: bytes, after_us: int = 0) -> Behaviour:
    """Return the behaviour of a seat that sends just this."""

    def behave(asked: Asked) -> bytes:
        asked.clock.advance(after_us)
        return message

    return behave


def late_by(us: int) -> Behaviour:
    """Return the behaviour of a seat whose legal answer comes so many microseconds too late."""

    def behave(asked: Asked) -> bytes:
        asked.clock.advance(asked.due.allowed_us + us)
        return asked.legal_answer()

    return behave


def is_silent(asked: Asked) -> Fault:
    """Send nothing until the time is over."""
    asked.clock.advance(asked.due.allowed_us)
    return timeout(asked.due.allowed_us)


def exits(status: int) -> Behaviour:
    """Return the behaviour of a seat whose process exits at once with this status."""
    return lambda _: Fault(FaultKind.DISCONNECTED, "its process exited", exit_code=status)


@dataclass(frozen=True, slots=True)
class Told:
    """A RefereeMessage that was sent to a seat."""

    seat: Seat
    payload: bytes


def play(match: Match, scripts: Mapping[Seat, Script] | None = None) -> list[Told]:
    """Play a match to its end by these scripts; return all that the seats were told, in order."""
    setup, clock, told = match.setup, FakeClock(), list[Told]()
    streams = [Stream(setup.master_seed, "player", str(seat)) for seat in range(setup.seats)]
    requests = [0] * setup.seats
    while (due := match.due) is not None:
        told.append(Told(due.seat, due.payload))
        requests[due.seat] = number = requests[due.seat] + 1
        behave = (scripts or {}).get(due.seat, {}).get(number, plays)
        began_us = clock.now_us
        reply = behave(Asked(match, due, number, streams[due.seat], clock))
        fault = _report(match, reply, clock.now_us - began_us)
        if fault is not None:
            told.append(Told(due.seat, envelope.told_fault(setup.match_id, fault)))
    return told + [Told(seat, ending) for seat, ending in enumerate(match.endings())]


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
    """Return the record, in a format, of a game in which every seat plays random legal actions.

    The same arguments give the same record, byte for byte. `ConfigError` if the game cannot be
    played so.
    """
    match_id = hashlib.sha256(f"random {game} {seed}".encode()).hexdigest()[:32]
    match = Match(MatchSetup(match_id, game, seats, seed, config or {}, format=format))
    play(match)
    return record_of(match, [SeatInfo("random")] * seats, sandbox="trusted")

"""The session of a remote bot: its pending requests outlive its streams.

Theory of operation. A remote bot has at most one stream at a time, and none while its network is
cut. Its *session* holds its seats, one per match, and passes each message to the seat it is for,
by match and number. The clock of a request runs as for a local bot: from just before it is sent,
whether or not there is a stream to send it on.

    ask ── stream there ──► sent ── answer of this number ──► answered
     │                       │ stream lost                      ▲
     └── none ───────────────┴─► another stream joins ► sent again, with the time that is left
                                 none before the time is up ► DISCONNECTED

The first answer to a request counts. A second one may have been on its way when the stream broke:
the session ignores such messages, up to a number that no broken stream explains.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from grpc import StatusCode

from referee.core.errors import AbsentError, RefereeError
from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.rules import Rule
from referee.match.decision_timing import DecisionTiming, in_time
from referee.match.match import Request
from referee.wire import envelope

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_SUPERFLUOUS = 100
"""Superfluous answers allowed on one stream, besides one per match."""


class BotStream(Protocol):
    """One stream of a remote bot that has sent a valid Hello."""

    @property
    def peer(self) -> str:
        """The client's address."""

    def send(self, message: bytes) -> None:
        """Send a RefereeMessage as soon as the stream takes it; never block or raise."""

    def end(self, status: StatusCode, reason: str) -> None:
        """End the stream once pending messages are sent, within 1 s."""


@dataclass(slots=True, eq=False)
class _Due:
    """A request without an answer."""

    number: int
    payload: bytes
    timing: DecisionTiming
    """Measures the time spent."""
    reply: "asyncio.Future[bytes]" = field(default_factory=asyncio.Future)


class Session:
    """One remote bot, from its first stream until it is disconnected and has no match."""

    def __init__(self, name: str, changed: "Callable[[Session], None]") -> None:
        """Start without a stream; call `changed` when the stream changes or a seat is left."""
        self._changed = changed
        self.name = name
        """The ladder's name of the bot version."""
        self.token = ""
        """The token it joined with."""
        self.speaks_plain = False
        """Whether its first Hello declares the plain dialect."""
        self.stream: BotStream | None = None
        """Its stream; None while disconnected."""
        self._most = 0
        self._superfluous = 0
        self._gone_since = time.monotonic()
        self._seats: dict[str, RemoteSeat] = {}

    @property
    def is_over(self) -> bool:
        """Whether it is disconnected and has no seat."""
        return self.stream is None and not self._seats

    @property
    def most(self) -> int:
        """How many matches it plays at once; 0 while disconnected."""
        return self._most if self.stream is not None else 0

    @property
    def seconds_gone(self) -> float:
        """Seconds since its last stream ended."""
        return time.monotonic() - self._gone_since

    @property
    def gone_since_ns(self) -> int:
        """When its last stream ended, on the monotonic clock."""
        return int(self._gone_since * 1e9)

    def seat(self, match_id: str) -> "RemoteSeat":
        """Take a seat in a match; raise `RefereeError` if the bot cannot play another one."""
        if self.stream is None:
            raise AbsentError(f"{self.name} is not connected")
        if match_id in self._seats:
            raise RefereeError(f"{self.name} is a remote bot: it can have one seat in a match")
        if len(self._seats) >= self._most:
            raise AbsentError(f"{self.name} already plays its {self._most} matches at once")
        seat = self._seats[match_id] = RemoteSeat(self, match_id)
        return seat

    def leave_seat(self, match_id: str) -> None:
        """Leave the seat in a match."""
        self._seats.pop(match_id, None)
        self._changed(self)

    def join(self, stream: BotStream, most: int, *, resumes: bool) -> None:
        """Continue on this stream, which replaces any other, and send pending requests again.

        `resumes`: the bot still knows the starts of its matches.
        """
        before, self.stream = self.stream, stream
        self._most = most
        self._superfluous = 0
        if before is not None:
            reason = f"another stream of {self.name} has joined, from {stream.peer}"
            before.end(StatusCode.ABORTED, reason)
        for seat in self._seats.values():
            seat.rejoin(resumes=resumes)
        self._changed(self)

    def leave(self, stream: BotStream) -> None:
        """Note the end of this stream, unless another one has replaced it."""
        if self.stream is stream:
            self.stream = None
            self._gone_since = time.monotonic()
            self._changed(self)

    def take(self, stream: BotStream, data: bytes) -> None:
        """Pass a message to the seat it is for."""
        if self.stream is not stream:
            return
        try:
            match_id, number = envelope.read_address(data)
        except BotFault as error:
            for seat in self._seats.values():
                seat.blame(error)
            stream.end(StatusCode.INVALID_ARGUMENT, str(error))
            return
        at = self._seats.get(match_id)
        if at is None or not at.take(number, data):
            self._superfluous += 1
        if self._superfluous > MOST_SUPERFLUOUS + self._most:
            reason = f"{self._superfluous} messages answer nothing that is due"
            stream.end(StatusCode.RESOURCE_EXHAUSTED, reason)


class RemoteSeat:
    """One seat of one match, played by a remote bot."""

    def __init__(self, session: Session, match_id: str) -> None:
        """Take the seat, without a pending request."""
        self._session = session
        self._match_id = match_id
        self._asked = 0
        self._first = b""
        """The first request of the match."""
        self._knows_start = False
        """Whether the bot's process has shown that it got the start of the match."""
        self._due: _Due | None = None
        self._ahead: BotFault | None = None
        """The fault of an answer that came before its request."""

    @property
    def speaks_plain(self) -> bool:
        """Whether the bot speaks the plain dialect."""
        return self._session.speaks_plain

    @property
    def gone_since_ns(self) -> int:
        """When the bot's last stream ended, on the monotonic clock."""
        return self._session.gone_since_ns

    async def ask(self, request: Request, timing: DecisionTiming) -> bytes:
        """Send a request and return the answer.

        Raise `TimeoutError` if none comes in time, `ConnectionError` if the bot is gone by then,
        `BotFault` on what no answer can be.
        """
        self._asked += 1
        self._first = self._first or request.payload
        if self._ahead is not None:
            raise self._ahead
        self._due = due = _Due(self._asked, request.payload, timing)
        self._send(due)
        try:
            return await in_time(timing, request.allowed_us, due.reply)
        except TimeoutError:
            if self._session.stream is not None:
                raise
            reason = f"the bot was gone for {self._session.seconds_gone:.1f} s when its time was up"
            raise ConnectionError(f"{reason}: its stream had ended") from None
        finally:
            self._due = None

    def notify(self, message: bytes) -> None:
        """Send a message that needs no answer; drop it if the bot is disconnected."""
        if (stream := self._session.stream) is not None:
            stream.send(message)

    def end_stream(self) -> None:
        """End the stream of a bot that broke the protocol; it may join again."""
        if (stream := self._session.stream) is not None:
            stream.end(StatusCode.OK, "")

    def leave(self) -> None:
        """Leave the match."""
        self._session.leave_seat(self._match_id)

    def rejoin(self, *, resumes: bool) -> None:
        """Send the pending request again on a new stream."""
        self._knows_start = self._knows_start and resumes
        if self._due is not None:
            self._send(self._due)

    def take(self, number: int, data: bytes) -> bool:
        """Take the answer to the request of this number; return whether it was expected."""
        if number > self._asked:
            reason = f"the answer to request {self._asked} is due: this one is to request {number}"
            kind, rule = FaultKind.PROTOCOL_ERROR, Rule.ANSWER_NUMBER
            self.blame(BotFault(Fault(kind, reason, received=data[:512], rule=rule)))
            return True
        due = self._due
        if due is None or number != due.number or due.reply.done():
            return False
        due.reply.set_result(data)
        self._knows_start = True
        return True

    def blame(self, error: BotFault) -> None:
        """Answer the pending request, or the next one, with a fault."""
        if self._due is None:
            self._ahead = error
        elif not self._due.reply.done():
            self._due.reply.set_exception(error)

    def _send(self, due: _Due) -> None:
        if (stream := self._session.stream) is None:
            return
        first = b"" if self._knows_start or due.number == 1 else self._first
        spent_ms = due.timing.measured().running_us // 1000
        again = first or spent_ms
        stream.send(envelope.request_again(due.payload, first, spent_ms) if again else due.payload)

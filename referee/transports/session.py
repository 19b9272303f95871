"""A remote bot over all of its streams: what is due of it outlives each of them.

Theory of operation. A bot that plays from elsewhere has at most one stream at a time, and none
while its network is cut. Its *session* holds the seats on which it sits, one in each match, and
gives what comes to the seat that it is for, by match and number. A seat is asked as a process is:
the time runs from before the request is sent, whether or not there is a stream to send it on.

    ask ── stream there ──► sent ── answer of this number ──► answered
     │                       │ stream lost                      ▲
     └── none ───────────────┴─► another stream joins ► sent again, with the time that is left
                                 none before the time is up ► DISCONNECTED

The first answer to a request counts. What answers a request that is answered already may have been
on its way when the stream broke: it is passed over, up to a number that no broken stream explains.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from grpc import StatusCode

from referee.core.errors import AbsentError, RefereeError
from referee.core.faults import BotFault, Fault, FaultKind, timeout
from referee.match.deadline import in_time
from referee.match.decision_timing import DecisionTiming
from referee.match.match import Request
from referee.wire import envelope

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_SUPERFLUOUS = 100
"""How many messages on one stream may answer what is answered already, beside one a match."""


class Stream(Protocol):
    """One stream of a remote bot, which has said a valid Hello."""

    @property
    def peer(self) -> str:
        """The address that it comes from."""

    def send(self, message: bytes) -> None:
        """Send a RefereeMessage as soon as the stream takes it; never wait, never raise."""

    def end(self, status: StatusCode, reason: str) -> None:
        """End the stream once what was sent is taken, or soon."""


@dataclass(slots=True, eq=False)
class _Due:
    """A request without an answer."""

    number: int
    payload: bytes
    timing: DecisionTiming
    """Tells how much of the time is spent."""
    reply: "asyncio.Future[bytes]" = field(default_factory=asyncio.Future)


class Session:
    """One remote bot, from its first stream until it is gone and nothing is due of it."""

    def __init__(self, name: str, changed: "Callable[[Session], None]") -> None:
        """Begin without a stream; `changed` is told when that changes, or a seat is left."""
        self._changed = changed
        self.name = name
        """What the ladder calls it."""
        self.token = ""
        """By which it joined."""
        self.stream: Stream | None = None
        """Its stream; None while it is gone."""
        self._most = 0
        self._superfluous = 0
        self._gone_since = time.monotonic()
        self._seats: dict[str, RemoteSeat] = {}

    @property
    def is_over(self) -> bool:
        """Whether it is gone and sits nowhere."""
        return self.stream is None and not self._seats

    @property
    def most(self) -> int:
        """How many matches it plays at once; none while it is gone."""
        return self._most if self.stream is not None else 0

    @property
    def seconds_gone(self) -> float:
        """For how long there has been no stream."""
        return time.monotonic() - self._gone_since

    @property
    def gone_since_ns(self) -> int:
        """When its last stream ended, on the monotonic clock."""
        return int(self._gone_since * 1e9)

    def seat(self, match_id: str) -> "RemoteSeat":
        """Take a seat in a match; raise `RefereeError` if the bot cannot play one more."""
        if self.stream is None:
            raise AbsentError(f"{self.name} is not connected")
        if match_id in self._seats:
            raise RefereeError(f"{self.name} plays from elsewhere: it has one seat in a match")
        if len(self._seats) >= self._most:
            raise AbsentError(f"{self.name} plays {self._most} at once, not one more")
        seat = self._seats[match_id] = RemoteSeat(self, match_id)
        return seat

    def leave_seat(self, match_id: str) -> None:
        """Leave the seat in a match."""
        self._seats.pop(match_id, None)
        self._changed(self)

    def join(self, stream: Stream, most: int, *, resumes: bool) -> None:
        """Go on with this stream, which takes the place of any other.

        What is due is sent again. `resumes`: the bot knows how its matches began.
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

    def leave(self, stream: Stream) -> None:
        """Be without this stream, unless another one took its place."""
        if self.stream is stream:
            self.stream = None
            self._gone_since = time.monotonic()
            self._changed(self)

    def take(self, stream: Stream, data: bytes) -> None:
        """Give a message to the seat that it is for."""
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
    """One seat of one match, on which a remote bot sits."""

    def __init__(self, session: Session, match_id: str) -> None:
        """Sit down; nothing is due yet."""
        self._session = session
        self._match_id = match_id
        self._asked = 0
        self._first = b""
        """The request that began the match."""
        self._knows_start = False
        """Whether the process on the stream has shown that it was told how the match began."""
        self._due: _Due | None = None
        self._ahead: BotFault | None = None
        """What answers a request that is yet to come."""

    @property
    def gone_since_ns(self) -> int:
        """When the bot's last stream ended, on the monotonic clock."""
        return self._session.gone_since_ns

    async def ask(self, request: Request, timing: DecisionTiming) -> bytes | Fault:
        """Return the answer to a request, or the fault that came instead."""
        self._asked += 1
        self._first = self._first or request.payload
        self._due = due = _Due(self._asked, request.payload, timing)
        if self._ahead is not None:
            return self._ahead.fault
        self._send(due)
        try:
            return await in_time(timing, request.allowed_us, due.reply)
        except TimeoutError:
            return self._silence(request.allowed_us)
        except BotFault as error:
            return error.fault
        finally:
            self._due = None

    def tell(self, message: bytes) -> None:
        """Send what needs no answer; a bot that is gone is not told."""
        if (stream := self._session.stream) is not None:
            stream.send(message)

    def end_stream(self) -> None:
        """End the stream of a bot that is not where the protocol says; it may join again."""
        if (stream := self._session.stream) is not None:
            stream.end(StatusCode.OK, "")

    def leave(self) -> None:
        """Leave the match."""
        self._session.leave_seat(self._match_id)

    def rejoin(self, *, resumes: bool) -> None:
        """Ask again on another stream what is due."""
        self._knows_start = self._knows_start and resumes
        if self._due is not None:
            self._send(self._due)

    def take(self, number: int, data: bytes) -> bool:
        """Take an answer to a request of this number; return whether one was to be expected."""
        if number > self._asked:
            reason = f"the answer to request {self._asked} is due: this one is to request {number}"
            self.blame(BotFault(Fault(FaultKind.PROTOCOL_ERROR, reason, received=data[:512])))
            return True
        due = self._due
        if due is None or number != due.number or due.reply.done():
            return False
        due.reply.set_result(data)
        self._knows_start = True
        return True

    def blame(self, error: BotFault) -> None:
        """Let the request that is due, or the next one, be answered by a fault."""
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

    def _silence(self, allowed_us: int) -> Fault:
        """Return the fault of a bot that did not answer in time."""
        if self._session.stream is not None:
            return timeout(allowed_us)
        seconds = self._session.seconds_gone
        reason = f"the bot was gone for {seconds:.1f} s when its time was up: its stream had ended"
        return Fault(FaultKind.DISCONNECTED, reason)

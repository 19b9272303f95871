"""A bot that answers from elsewhere, on one seat of one match.

The time on the wall is charged, with the network in it: what a process on another machine worked
cannot be measured. Nor can it be stopped between its turns, or be kept from remembering a deal.
What is not charged is time in which the referee was paused. A stream that is lost soon after a
pause is lost because of it: pings went unanswered, at this end or at the other.
"""

import time
from dataclasses import replace

from referee.core.clock import Measured
from referee.core.faults import Fault, FaultKind
from referee.hosting.running_bot import NS_TO_RECOVER, Answer
from referee.match.decision_timing import DecisionTiming
from referee.match.match import Request
from referee.sandbox.pauses import Pause, Pauses
from referee.transports.session import RemoteSeat

_NS_UNTIL_PINGS_FAIL = 10_000_000_000
"""How long after a pause a stream may still end because of it: the gateway pings every 4 s."""


class RemoteBot:
    """One that has joined at the gateway and takes part in a match."""

    def __init__(self, seat: RemoteSeat, pauses: Pauses) -> None:
        """Sit on this seat; `pauses` are those of the event loop that the seat lives in."""
        self._seat = seat
        self._pauses = pauses
        self._seen_ns = pauses.now_ns()
        """When it was last known to be there."""
        self.usable = True
        """Whether it may be told how the match ended: it has kept to the protocol."""

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer, over as many streams as it takes."""
        timing = DecisionTiming(self._pauses, self._measured, None)
        reply = await self._seat.ask(due, timing)
        measured = timing.measured()
        answer = Answer(reply, measured.running_us, measured)
        if isinstance(reply, Fault) or answer.charged_us > due.allowed_us:
            answer = self._judged(due.allowed_us, timing, answer)
        self._seen_ns = self._pauses.now_ns()
        return answer

    def _measured(self, began_ns: int) -> Measured:
        paused_us = self._pauses.paused_us(began_ns)
        wall_us = (time.monotonic_ns() - began_ns) // 1000
        return Measured(wall_us, credited_us=min(paused_us, wall_us))

    def _judged(self, allowed_us: int, timing: DecisionTiming, answer: Answer) -> Answer:
        """Return an answer that is late, or none, with what speaks for the bot."""
        reply, measured = answer.reply, answer.measured
        kind = reply.kind if isinstance(reply, Fault) else FaultKind.TIMEOUT
        if kind not in (FaultKind.TIMEOUT, FaultKind.DISCONNECTED):
            return answer
        conditions = timing.conditions(measured)
        if isinstance(reply, Fault):
            reason = f"{reply.reason}; {conditions}"
            reply = replace(reply, reason=reason)
        held_up = conditions.held_up(allowed_us)
        return replace(
            answer,
            reply=reply,
            held_up=held_up,
            unfit=held_up is not None,
            pause=self._pause(kind, timing.began_ns),
            machine=str(conditions),
        )

    def _pause(self, kind: FaultKind, began_ns: int) -> Pause | None:
        """Return the pause that may be why the bot is late, or gone."""
        since_ns = began_ns - NS_TO_RECOVER
        if kind is FaultKind.DISCONNECTED:
            since_ns = min(self._seen_ns, self._seat.gone_since_ns - _NS_UNTIL_PINGS_FAIL)
        return self._pauses.last(since_ns)

    async def tell(self, message: bytes) -> None:
        """Send what needs no answer; the stream of a bot that is not usable is ended with it."""
        self._seat.tell(message)
        if not self.usable:
            self._seat.end_stream()

    def rise(self) -> None:
        """Leave the match."""
        self._seat.rise()

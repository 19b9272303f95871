"""A remote bot on one seat of one match.

The referee charges wall time, network included: it cannot measure the work of a process on another
machine. Nor can it stop the bot between turns, or keep it from remembering a deal. Pauses of the
referee are not charged. A stream lost soon after a pause counts as lost because of it: pings went
unanswered at one end.
"""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.core.clock import Measured
from referee.core.faults import Fault, FaultKind
from referee.hosting.running_bot import NS_TO_RECOVER, Answer
from referee.match.decision_timing import DecisionTiming
from referee.match.match import Request
from referee.sandbox.freeze.pauses import Pause, Pauses

if TYPE_CHECKING:
    from referee.transports.session import RemoteSeat  # imports grpc, which few matches need

_NS_UNTIL_PINGS_FAIL = 10_000_000_000
"""A pause may end a stream until this long afterwards: the gateway pings every 4 s."""


class RemoteBot:
    """A bot that joined at the gateway and plays a match."""

    def __init__(self, seat: "RemoteSeat", pauses: Pauses) -> None:
        """Play this seat; `pauses` are those of the seat's event loop."""
        self._seat = seat
        self._pauses = pauses
        self._seen_ns = pauses.now_ns()
        """When the bot was last known to be connected."""
        self.usable = True
        """Whether it gets the MatchEnd: it has kept to the protocol."""

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer, across reconnects."""
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
        """Add to a late or missing answer what speaks for the bot."""
        reply, measured = answer.reply, answer.measured
        kind = reply.kind if isinstance(reply, Fault) else FaultKind.TIMEOUT
        if kind not in (FaultKind.TIMEOUT, FaultKind.DISCONNECTED):
            return answer
        conditions = timing.conditions(measured)
        if isinstance(reply, Fault):
            reason = f"{reply.reason}; {conditions}"
            reply = replace(reply, reason=reason)
        held_up = conditions.held_up(allowed_us)
        return answer._replace(
            reply=reply,
            held_up=held_up,
            unfit=held_up is not None,
            pause=self._pause(kind, timing.began_ns),
            machine=str(conditions),
        )

    def _pause(self, kind: FaultKind, began_ns: int) -> Pause | None:
        """Return the pause that may have made the bot late or disconnected it; None if none."""
        since_ns = began_ns - NS_TO_RECOVER
        if kind is FaultKind.DISCONNECTED:
            since_ns = min(self._seen_ns, self._seat.gone_since_ns - _NS_UNTIL_PINGS_FAIL)
        return self._pauses.last(since_ns)

    async def tell(self, message: bytes) -> None:
        """Send a message that needs no answer; end the stream of a bot that is not usable."""
        self._seat.tell(message)
        if not self.usable:
            self._seat.end_stream()

    def leave(self) -> None:
        """Leave the match."""
        self._seat.leave()

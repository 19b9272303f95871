"""A remote bot on one seat of one match.

The referee charges wall time, network included: it cannot measure the work of a process on another
machine. Nor can it stop the bot between turns, or keep it from remembering a deal. Pauses of the
referee are not charged.
"""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.core.clock import Measured
from referee.core.faults import BotFault, Fault, FaultKind, timeout
from referee.core.verdicts import Came, charged_us
from referee.hosting.running_bot import Answer
from referee.match.decision_timing import DecisionTiming
from referee.match.match import Request
from referee.sandbox.freeze.pauses import Pauses

if TYPE_CHECKING:
    from referee.transports.session import RemoteSeat  # imports grpc, which few matches need


class RemoteBot:
    """A bot that joined at the gateway and plays a match."""

    def __init__(self, seat: "RemoteSeat", pauses: Pauses) -> None:
        """Play this seat; `pauses` are those of the seat's event loop."""
        self._seat = seat
        self._pauses = pauses
        self._seen_ns = pauses.now_ns()
        """When the bot was last known to be connected."""
        self.speaks_plain = seat.speaks_plain
        """Whether it speaks the plain dialect."""
        self.usable = True
        """Whether it gets the MatchEnd: it has kept to the protocol."""

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer, across reconnects."""
        timing = DecisionTiming(self._pauses, self._measured, None)
        came = Came.MESSAGE
        reply: bytes | Fault = b""
        try:
            reply = await self._seat.ask(due, timing)
        except TimeoutError:
            came, reply = Came.NOTHING, timeout(due.allowed_us)
        except ConnectionError as error:
            came, reply = Came.END, Fault(FaultKind.DISCONNECTED, str(error))
        except BotFault as error:
            came, reply = Came.BREACH, error.fault
        measured = timing.measured()
        answer = Answer(reply, charged_us(measured), measured)
        if came is not Came.MESSAGE or answer.charged_us > due.allowed_us:
            answer = self._reported(came, due.allowed_us, timing, answer)
        self._seen_ns = self._pauses.now_ns()
        return answer

    def _measured(self, began_ns: int) -> Measured:
        paused_us = self._pauses.paused_us(began_ns)
        wall_us = (time.monotonic_ns() - began_ns) // 1000
        return Measured(wall_us, credited_us=min(paused_us, wall_us))

    def _reported(
        self, came: Came, allowed_us: int, timing: DecisionTiming, answer: Answer
    ) -> Answer:
        """Add to a late or missing answer what may excuse the bot."""
        reply = answer.reply
        seen_ns, gone_ns = self._seen_ns, self._seat.gone_since_ns
        facts = timing.facts(came, allowed_us, answer.measured, seen_ns=seen_ns, gone_ns=gone_ns)
        if isinstance(reply, Fault) and came is not Came.BREACH:
            reply = replace(reply, reason=f"{reply.reason}; {facts.machine}")
        return answer._replace(reply=reply, facts=facts)

    async def notify(self, message: bytes) -> None:
        """Send a message that needs no answer; end the stream of a bot that is not usable."""
        self._seat.notify(message)
        if not self.usable:
            self._seat.end_stream()

    def leave(self) -> None:
        """Leave the match."""
        self._seat.leave()

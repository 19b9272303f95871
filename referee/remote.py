"""A bot that answers from elsewhere, on one seat of one match.

The time on the wall is charged, with the network in it: what a process on another machine worked
cannot be measured. Nor can it be stopped between its turns, or be kept from remembering a deal.
"""

import time

from referee.bot import Answer
from referee.clock import Measured
from referee.match import Request
from referee.transports.session import RemoteSeat


class RemoteBot:
    """One that has joined at the gate and takes part in a match."""

    def __init__(self, seat: RemoteSeat) -> None:
        """Sit on this seat."""
        self._seat = seat
        self.usable = True
        """Whether it may be told how the match ended: it has kept to the protocol."""

    async def ask(self, due: Request) -> Answer:
        """Send a request and wait for the answer, over as many streams as it takes."""
        began = time.monotonic_ns()
        reply = await self._seat.ask(due)
        wall_us = (time.monotonic_ns() - began) // 1000
        return Answer(reply, wall_us, Measured(wall_us), starved=False)

    async def tell(self, message: bytes) -> None:
        """Send what needs no answer; the stream of a bot that is not usable is ended with it."""
        self._seat.tell(message)
        if not self.usable:
            self._seat.end_stream()

    def rise(self) -> None:
        """Leave the match."""
        self._seat.rise()

"""Keeps the pages reachable: limits connections, and ends idle ones."""

import asyncio
from functools import partial

from uvicorn.protocols.http.h11_impl import H11Protocol

from referee.transports.connections import Connections, Slot

SECONDS_BETWEEN_LOOKS = 15.0
"""A connection without a request between two checks is ended."""


def visitor_protocol(connections: Connections) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with connections limited by `connections`."""

    class Visitor(H11Protocol):
        """One connection of a browser."""

        _place: Slot | None = None
        _look: asyncio.TimerHandle | None = None
        _last: object = None
        """The last request at the previous check."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            """Take a place, or abort the connection."""
            super().connection_made(transport)
            host = self.client[0] if self.client else ""
            self._place = connections.take(host, self._end, partial(_is_served, self))
            if self._place is None:
                transport.abort()
            else:
                self._look_later()

        def connection_lost(self, exc: Exception | None) -> None:
            """Release the place."""
            if self._look is not None:
                self._look.cancel()
            if self._place is not None:
                connections.leave(self._place)
            super().connection_lost(exc)

        def _look_later(self) -> None:
            self._look = self.loop.call_later(SECONDS_BETWEEN_LOOKS, self._look_now)

        def _look_now(self) -> None:
            if not _is_served(self) and self.cycle is self._last:
                self.transport.abort()
                return
            self._last = self.cycle
            self._look_later()

        def _end(self, reason: str) -> None:
            connections.ended(reason)
            self.transport.abort()

    return Visitor


def _is_served(visitor: H11Protocol) -> bool:
    """Return whether a visitor's request is being answered."""
    return visitor.cycle is not None and not visitor.cycle.response_complete

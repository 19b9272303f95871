"""The gateway as the run sees it: connected bots, and the matches played there.

Remote bots use no CPU here, so one process plays many of their matches at once, and the same
process holds their streams: no message is forwarded. It is separate from the run, so that the run's
work, such as planning a round, never uses up a bot's time.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from ladder.model.bots import Version
from ladder.model.errors import LadderError
from ladder.model.matches import PlannedMatch
from ladder.model.presence import Presence
from ladder.runner.child_process import Child
from ladder.runner.remote.gateway_process import (
    CapacityChange,
    GatewaySettings,
    LogLine,
    run_gateway,
)
from ladder.runner.worker import Failed, MatchNews, ThinkingTime
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_LOG = logging.getLogger("courtyard.gateway")

MOST_AT_ONCE = 64
"""The most matches at the gateway at once."""


@contextmanager
def opened_gateway(ladder: Ladder, settings: GatewaySettings | None) -> Iterator["Gateway | None"]:
    """Yield an open gateway, or None without settings; raise `LadderError` on failure."""
    if settings is None:
        yield None
        return
    level = open_sandbox(ladder.settings.sandbox).level
    with Gateway(ladder.home, settings, level) as gateway:
        yield gateway


class Gateway:
    """A context manager that keeps a gateway open.

    An exit by an exception aborts its matches; otherwise there are none.
    """

    def __init__(self, home: Home, settings: GatewaySettings, level: Level) -> None:
        """Prepare the gateway of a ladder that contains its local bots at this level."""
        self._child = Child("the gateway", run_gateway, home, settings, level)
        self.presence = Presence(self._child.heartbeat.clock)
        """The connected bots; no bot can connect while the gateway is paused or gone."""
        self.address = settings.address
        """The address, with the actual port once the gateway listens."""
        self._under_way: dict[str, PlannedMatch] = {}

    def __enter__(self) -> Self:
        """Open the gateway; raise `LadderError` if that fails."""
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the gateway."""
        if kind is not None:
            self._child.process.kill()
        self._child.send(None)
        self._child.reap()

    @property
    def link(self) -> "Connection[Any, Any]":
        """The connection that is readable when there is something to `take`."""
        return self._child.link

    @property
    def has_room(self) -> bool:
        """Whether another match may begin here."""
        return len(self._under_way) < MOST_AT_ONCE

    @property
    def busy(self) -> int:
        """The number of matches under way, including those of an aborted run."""
        return len(self._under_way)

    def can_seat(self, match: PlannedMatch) -> bool:
        """Return whether the remote bots of a match can begin it now.

        If an aborted run left the same match under way, that has to end first.
        """
        if not self.has_room or match.match_id in self._under_way:
            return False
        playing = Counter(v.id for other in self._under_way.values() for v in other.remote)
        return all(playing[v.id] < self.presence.capacity(v) for v in match.remote)

    def submit(self, match: PlannedMatch, spec: MatchSpec) -> None:
        """Begin a match for which there is room."""
        self._under_way[match.match_id] = match
        self._child.send(spec)

    def take(self) -> list[MatchNews]:
        """Update the presence of bots; return the news of matches, possibly none.

        If the gateway died, open it again and return its matches as void; raise `LadderError` if it
        does not open.
        """
        news: list[MatchNews] = []
        try:
            while self._child.link.poll():
                message = self._child.receive()
                if isinstance(message, CapacityChange):
                    if self.presence.update(message.name, message.capacity):
                        what = "connected" if message.capacity else "disconnected"
                        _LOG.info(f"{message.name} {what}")  # of each bot: a kind of its own
                elif isinstance(message, LogLine):
                    _LOG.log(message.level, message.text)
                else:
                    news.append(message)
                    if not isinstance(message, ThinkingTime):
                        self._under_way.pop(message.match_id, None)
        except LadderError as error:
            _LOG.warning("%s; reopening it", error)
            news += [
                Failed(match_id, str(error), alone=number == 0)
                for number, match_id in enumerate(self._under_way)
            ]
            self._under_way.clear()
            self.presence.mark_all_away()
            self._open()
        return news

    def gather(self, versions: Sequence[Version], seconds: float) -> list[Version]:
        """Wait at most `seconds` for these remote bots; return the missing ones."""
        deadline = self.presence.clock() + seconds
        while missing := [v for v in versions if not self.presence.capacity(v)]:
            if not self._child.has_news_before(deadline):
                break
            self.take()
        return missing

    def _open(self) -> None:
        self._child.start()
        try:
            self.address = self._child.receive()
        except LadderError as error:
            raise LadderError(f"the gateway cannot be opened: {error}") from error

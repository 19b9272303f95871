"""The gateway as the run sees it: connected bots, and the matches played there.

Remote bots use no CPU here, so one process plays many of their matches at once, and the same
process holds their streams: no message is forwarded. It is separate from the run, so that the run's
work, such as planning a round, never uses up a bot's time.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any, Self

from ladder.model.bots import Version
from ladder.model.errors import LadderError
from ladder.model.heartbeat import SECONDS_BETWEEN_LOOKS, Heartbeat
from ladder.model.matches import PlannedMatch, Played
from ladder.model.presence import Presence
from ladder.runner.child_process import Child, Link
from ladder.runner.remote.gateway_process import (
    CapacityChange,
    GatewaySettings,
    LogLine,
    Opened,
    run_gateway,
)
from ladder.runner.worker import Failed, ThinkingTime
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

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
        self._heartbeat = Heartbeat()
        self.presence = Presence(self._heartbeat.clock)
        """The connected bots; no bot can connect while the gateway is paused or gone."""
        self.address = settings.address
        """The address, with the actual port once the gateway listens."""
        self._home = home
        self._settings = settings
        self._level = level
        self._under_way: dict[str, PlannedMatch] = {}
        self._thinking: list[ThinkingTime] = []

    def __enter__(self) -> Self:
        """Open the gateway; raise `LadderError` if that fails."""
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the gateway."""
        if kind is not None:
            self._child.process.kill()
        with suppress(OSError):
            self._child.link.send(None)
        self._child.reap()

    @property
    def link(self) -> "Link[Any, Any]":
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
        with suppress(OSError):  # `take` notices a dead gateway
            self._child.link.send(spec)

    def take(self) -> list[Played | Failed]:
        """Update the presence of bots; return the matches that ended, possibly none.

        If the gateway died, open it again and return its matches as void; raise `LadderError` if it
        does not open.
        """
        ended: list[Played | Failed] = []
        try:
            while self._child.link.poll():
                message = self._child.link.recv()
                if isinstance(message, CapacityChange):
                    if self.presence.update(message.name, message.capacity):
                        what = "connected" if message.capacity else "disconnected"
                        _LOG.info(f"{message.name} {what}")  # of each bot: a kind of its own
                elif isinstance(message, ThinkingTime):
                    self._thinking.append(message)
                elif isinstance(message, LogLine):
                    _LOG.log(message.level, message.text)
                else:
                    ended.append(message)
                    self._under_way.pop(message.match_id, None)
        except (EOFError, OSError):
            self._child.reap()
            reason = f"the gateway {self._child.ending()}"
            _LOG.warning("%s; reopening it", reason)
            ended += [
                Failed(match_id, reason, alone=number == 0)
                for number, match_id in enumerate(self._under_way)
            ]
            self._under_way.clear()
            self.presence.mark_all_away()
            self._open()
        return ended

    def thinking_times(self) -> list[ThinkingTime]:
        """Return how long seats think in matches under way, of those that think long."""
        told, self._thinking = self._thinking, []
        return told

    def gather(self, versions: Sequence[Version], seconds: float) -> list[Version]:
        """Wait at most `seconds` for these remote bots; return the missing ones."""
        deadline = self.presence.clock() + seconds
        while True:
            missing = [version for version in versions if not self.presence.capacity(version)]
            left = deadline - self.presence.clock()
            if not missing or left <= 0:
                return missing
            connection.wait([self._child.link], max(left, SECONDS_BETWEEN_LOOKS))
            self.take()

    def _open(self) -> None:
        settings = self._home, self._settings, self._level
        self._child = Child.start(run_gateway, *settings, self._heartbeat)
        try:
            answer = self._child.link.recv()
        except (EOFError, OSError):
            answer = None
        if isinstance(answer, Opened):
            self.address = answer.address
            return
        self._child.reap()
        reason = answer.reason if answer else f"its process {self._child.ending()}"
        raise LadderError(f"the gateway cannot be opened: {reason}")

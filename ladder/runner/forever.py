"""Plays a ladder for months: until its aim is settled, then again whenever its bots change.

A ladder that is settled, or in which no bot has an opponent, rests, at no cost, until the set of
available bots changes: a bot is submitted, replaced or retired, or a remote bot connects or
disconnects; until an author asks for a spar; or until its settings change. If a run fails, for
example because the disk is full, the error is reported and the run is retried after a while; stored
results are never lost.
"""

import logging
import math
import select
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.model.errors import LockedError, NoPlayersError
from ladder.model.heartbeat import LONG_WORK_S, Heartbeat
from ladder.model.presence import Presence
from ladder.model.progress import Progress
from ladder.model.settings import Aim, Settings
from ladder.runner.interrupts import Interrupts
from ladder.runner.remote.gateway import Gateway
from ladder.runner.report import Report
from ladder.runner.run import run
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, spars
from referee.core.errors import CourtyardError

if TYPE_CHECKING:
    from ladder.runner.pool import Workers

_LOG = logging.getLogger("courtyard.run")

_LOOK_EVERY_S = 1.0
"""How often a resting ladder looks for something to play."""
_FIRST_PAUSE_S = 10.0
"""The wait after a failed run; it doubles with each further failure."""
_LONGEST_PAUSE_S = 600.0


def play_forever(
    ladder: Ladder,
    workers: "Workers",
    progress: Progress,
    aim: Aim | None = None,
    gateway: Gateway | None = None,
    heartbeat: Heartbeat | None = None,
) -> None:
    """Play until Ctrl-C, SIGTERM or SIGHUP, which stop after the matches under way.

    A second one stops at once, by `KeyboardInterrupt`. The `heartbeat` shows this process's parent
    that it is alive. Raise `LockedError` if another process runs the ladder, and `LadderError` if
    the ladder cannot be read.
    """
    with Interrupts() as interrupts:
        _Service(
            ladder, workers, progress, aim, gateway, heartbeat or Heartbeat(), interrupts
        ).play()


@dataclass(frozen=True, slots=True)
class _Playing:
    """The versions of a run; another run may find more to play once they have changed."""

    versions: tuple[int, ...]
    """The ids of the available versions."""
    lost: tuple[int, ...]
    """Of these, the ones whose files are lost or damaged."""
    settings: Settings
    spar: int
    """The newest spar that was asked for."""


@dataclass(slots=True)
class _Service:
    """One call of `play_forever`."""

    ladder: Ladder
    workers: "Workers"
    progress: Progress
    aim: Aim | None
    gateway: Gateway | None
    heartbeat: Heartbeat
    interrupts: Interrupts
    pause_s: float = _FIRST_PAUSE_S

    def play(self) -> None:
        """Play and rest until asked to stop."""
        self._playing()  # fails if the ladder cannot be read
        while not self.interrupts.asked:
            try:
                playing = self._playing()
                report = self._run() if playing.versions else None
                if report and report.stopped:
                    return
                self._rest(playing, report.postponed if report else 0)
            except LockedError:
                raise
            except Exception as error:  # noqa: BLE001 -- the ladder must go on
                self.progress.warn(f"{_logged(error)}. Trying again in {self.pause_s:.0f} s")
                self._sleep(self._next_pause())

    def _run(self) -> Report | None:
        """Play until settled; return None if no bot could play, or none had an opponent."""
        presence = self.gateway.presence if self.gateway else Presence()
        self.heartbeat.promise(LONG_WORK_S)
        try:
            planner = LadderPlanner(
                self.ladder, until_settled=True, aim=self.aim, presence=presence
            )
            if notice := planner.notice():
                self.progress.say(notice)
            report = run(
                self.ladder,
                planner,
                self.workers,
                self.progress,
                self.interrupts,
                self.gateway,
                enduring=True,
                heartbeat=self.heartbeat,
            )
        except NoPlayersError as error:
            self.progress.say(f"{error}.")
            return None
        if answer := planner.settled():
            self.progress.say(f"So far {answer}." if report.interrupted else f"Settled: {answer}.")
        return report

    def _rest(self, playing: "_Playing", postponed: int) -> None:
        """Wait until the available bots or the settings are others, or until asked to stop.

        Postponed matches are retried after a while.
        """
        until = math.inf
        if postponed:
            again = f"Given up: {postponed}. Trying again in {self.pause_s:.0f} s"
            until = time.monotonic() + self._next_pause()
        else:
            again = "Nothing to play; waiting for a bot to be submitted or retired."
            self.pause_s = _FIRST_PAUSE_S
        self.progress.say(again)
        now = playing
        while not self.interrupts.asked and now == playing and time.monotonic() < until:
            self._sleep(_LOOK_EVERY_S)
            now = self._playing()
        if now.settings != playing.settings:
            self._sleep(_LOOK_EVERY_S)  # the process that changed them may still hold the ladder

    def _next_pause(self) -> float:
        """Return the current wait, and double it for the next time."""
        pause, self.pause_s = self.pause_s, min(2 * self.pause_s, _LONGEST_PAUSE_S)
        return pause

    def _playing(self) -> "_Playing":
        """Return what the next run would play with, while no match is under way."""
        if self.gateway is not None:
            self.gateway.take()
        presence = self.gateway.presence if self.gateway else Presence()
        with self.ladder.database.read() as tx:
            available = presence.available(bots.active(tx))
            lost = tuple(v.id for v in available if self.ladder.files.problem(v))
            ids = tuple(version.id for version in available)
            return _Playing(ids, lost, self.ladder.refresh(tx), spars.last(tx))

    def _sleep(self, seconds: float) -> None:
        """Wait this number of seconds, or until asked to stop."""
        self.heartbeat.promise(seconds + LONG_WORK_S)
        select.select([self.interrupts.wake], [], [], seconds)


def _logged(error: Exception) -> str:
    """Return an error in one line; log the traceback if it is a bug."""
    if isinstance(error, CourtyardError):
        return str(error)
    _LOG.error("a bug of Courtyard", exc_info=error)
    return f"A bug of Courtyard: {error!r}"

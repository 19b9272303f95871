"""Playing for months: whatever there is to play, and then waiting for more.

A ladder is played until its aim is settled. Then it rests, and costs nothing, until who plays has
changed: a bot was submitted, replaced or retired, or a remote one has come or gone. What stops a
run, a full disk for example, is told, and the run is tried again after a while; what was stored is
never lost.
"""

import logging
import select
from collections.abc import Callable

from ladder.errors import LockedError, NobodyError
from ladder.execution.attendance import Attendance
from ladder.execution.gatehouse import Gatehouse
from ladder.execution.hosts import host_at
from ladder.execution.interrupts import Interrupts
from ladder.execution.worker import MakePlayer
from ladder.ladder import Ladder
from ladder.reporting import Progress
from ladder.rounds import Rounds
from ladder.running import run
from ladder.settings import Aim
from ladder.store import bots
from referee.errors import CourtyardError
from referee.sandbox.program import Level

_LOG = logging.getLogger("courtyard.run")

_LOOK_EVERY_S = 1.0
"""How often it is looked whether there is something to play again."""
_FIRST_PAUSE_S = 10.0
"""How long to wait after what stopped a run; twice as long each time it does so again."""
_LONGEST_PAUSE_S = 600.0


def play_forever(
    ladder: Ladder,
    workers: int,
    progress: Progress,
    aim: Aim | None = None,
    make: Callable[[Level], MakePlayer] = host_at,
    gatehouse: Gatehouse | None = None,
) -> None:
    """Play until Ctrl-C or SIGTERM, which end it after the matches under way.

    A second one ends it at once, by `KeyboardInterrupt`. Raise `LockedError` if the ladder is being
    run already, and `LadderError` if the ladder cannot even be read.
    """
    pause = _FIRST_PAUSE_S
    _playing(ladder, gatehouse)  # whether the ladder can be read at all
    with Interrupts() as interrupts:
        while not interrupts.asked:
            try:
                playing = _playing(ladder, gatehouse)
                if playing and _is_stopped(
                    ladder, workers, progress, aim, make, interrupts, gatehouse
                ):
                    return
                pause = _FIRST_PAUSE_S
                _rest(ladder, progress, interrupts, gatehouse, playing)
            except LockedError:
                raise
            except Exception as error:  # noqa: BLE001 -- the others' ladder goes on
                progress.warn(f"{_told(error)}. Trying again in {pause:.0f} s")
                _sleep(interrupts, pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)


def _told(error: Exception) -> str:
    """Return an error in one line; the log gets the traceback of one that is a bug."""
    if isinstance(error, CourtyardError):
        return str(error)
    _LOG.error("a bug of Courtyard", exc_info=error)
    return f"A bug of Courtyard: {error!r}"


def _rest(
    ladder: Ladder,
    progress: Progress,
    interrupts: Interrupts,
    gatehouse: Gatehouse | None,
    playing: list[int],
) -> None:
    """Wait until others play than these, or somebody asks to stop."""
    progress.say("Nothing to play; waiting for a bot to be submitted or retired.")
    while not interrupts.asked and _playing(ladder, gatehouse) == playing:
        _sleep(interrupts, _LOOK_EVERY_S)


def _is_stopped(
    ladder: Ladder,
    workers: int,
    progress: Progress,
    aim: Aim | None,
    make: Callable[[Level], MakePlayer],
    interrupts: Interrupts,
    gatehouse: Gatehouse | None,
) -> bool:
    """Play until settled; return whether somebody asked to stop."""
    here = gatehouse.here if gatehouse else Attendance()
    try:
        planner = Rounds(ladder, until_settled=True, aim=aim, attendance=here)
        if notice := planner.notice():
            progress.say(notice)
        report = run(ladder, planner, workers, progress, make, interrupts, gatehouse, enduring=True)
    except NobodyError as error:
        progress.say(f"{error}.")
        return interrupts.asked
    if said := planner.settled():
        progress.say(f"So far {said}." if report.interrupted else f"Settled: {said}.")
    return report.stopped


def _playing(ladder: Ladder, gatehouse: Gatehouse | None) -> list[int]:
    """Return who plays and is there, by version id. No match is under way."""
    if gatehouse is not None:
        gatehouse.take()
    here = gatehouse.here if gatehouse else Attendance()
    with ladder.database.read() as tx:
        return [version.id for version in here.those_here(bots.active(tx))]


def _sleep(interrupts: Interrupts, seconds: float) -> None:
    """Wait, but no longer than until somebody asks to stop."""
    select.select([interrupts.wake], [], [], seconds)

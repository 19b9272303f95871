"""A worker: a process that plays one match after the other and keeps the bots warm in between.

It ends when the ladder hangs up or is gone, however it went, and takes its bots with it. A Ctrl-C
is the ladder's business: the terminal sends it to the workers too, and they do not listen.
"""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing import connection, parent_process
from types import FrameType
from typing import Any, NoReturn, Protocol

from ladder.models import Played
from ladder.records import pack
from referee.errors import CourtyardError
from referee.games.base import ConfigError
from referee.host import MatchSpec

_SECONDS_TO_LEAVE = 10.0


class Player(Protocol):
    """Plays matches: `referee.host.Host`, or what a test puts in its place."""

    def play(self, spec: MatchSpec) -> Any:
        """Play a match to its end and return its record; raise `RefereeError` if it is void."""


MakePlayer = Callable[[], AbstractContextManager[Player]]
"""Makes a worker's player, in the worker: it is sent there by name."""


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt at a match that was void."""

    match_id: str
    reason: str


def work(link: "connection.Connection[Played | Failed, MatchSpec]", make: MakePlayer) -> None:
    """Play what comes over the link, one match at a time, and hand back how each ended."""
    _ignore_the_terminal()
    threading.Thread(target=_leave_with_the_ladder, daemon=True).start()
    with make() as player:
        try:
            while True:
                link.send(_attempt(player, link.recv()))
        except (EOFError, ConnectionError):
            return  # the ladder hung up


def _attempt(player: Player, spec: MatchSpec) -> Played | Failed:
    try:
        return pack(player.play(spec), spec)
    except (CourtyardError, ConfigError) as error:
        return Failed(spec.match_id, str(error))


def _ignore_the_terminal() -> None:
    """Leave Ctrl-C to the ladder, and end in good order when told to.

    The ladder blocks Ctrl-C while it starts a process, so that none arrives before this.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """End the match under way by leaving it, which stops its bots."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _leave_with_the_ladder() -> None:
    """Wait until the ladder's process is gone, then end this one, in the middle of a match too."""
    ladder = parent_process()
    if ladder is None:
        return
    connection.wait([ladder.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(_SECONDS_TO_LEAVE)
    os._exit(1)

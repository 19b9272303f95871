"""A worker: a process that plays one match after the other and keeps the bots warm in between.

It ends in good order when it is told to, and at once when the ladder's process is gone, however
that went. Its bots end with it: the system kills them when the process that started them is gone. A
Ctrl-C is the ladder's business: the terminal sends it to the workers too, and they do not listen.
"""

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing import connection, parent_process
from pathlib import Path
from typing import Any, NoReturn, Protocol

from ladder.models import Played
from ladder.records import pack
from referee.errors import CourtyardError
from referee.games.base import ConfigError
from referee.host import MatchSpec


class Player(Protocol):
    """Plays matches: `referee.host.Host`, or what a test puts in its place."""

    @property
    def printed(self) -> Mapping[int, str]:
        """The end of what each bot printed that forfeited the last match, by seat."""

    def play(self, spec: MatchSpec) -> Any:
        """Play a match to its end and return its record; raise `RefereeError` if it is void."""


MakePlayer = Callable[[], AbstractContextManager[Player]]
"""Makes a worker's player, in the worker: it is sent there by name."""


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt at a match that was void."""

    match_id: str
    reason: str


def work(
    link: "connection.Connection[Played | Failed, MatchSpec | None]",
    make: MakePlayer,
    folder: Path,
    core: int | None,
) -> None:
    """Play what comes over the link, match by match up to None, and hand back how each ended.

    All that it puts on the disk for a while is below `folder`, which it makes and whoever ends it
    removes. Given a core, it and its bots stay on it.
    """
    if core is not None:
        os.sched_setaffinity(0, {core})
    folder.mkdir(mode=0o700)
    tempfile.tempdir = str(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The ladder blocks Ctrl-C while it starts a process, so that none arrives before this.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_the_ladder, args=(folder,), daemon=True).start()
    with make() as player:
        try:
            while (spec := link.recv()) is not None:
                link.send(_attempt(player, spec))
        except (EOFError, ConnectionError):
            _vanish(folder)


def _attempt(player: Player, spec: MatchSpec) -> Played | Failed:
    try:
        record = player.play(spec)
        return pack(record, player.printed, spec)
    except (CourtyardError, ConfigError) as error:
        return Failed(spec.match_id, str(error))


def _end_with_the_ladder(folder: Path) -> None:
    """Wait until the ladder's process is gone, then end this one, in the middle of a match too."""
    ladder = parent_process()
    if ladder is not None:
        connection.wait([ladder.sentinel])
        _vanish(folder)


def _vanish(folder: Path) -> NoReturn:
    """End this process in the middle of whatever it does, and leave nothing behind."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, sys.stdout.fileno())
    os.dup2(silence, sys.stderr.fileno())  # a match that loses its folder has much to say
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)

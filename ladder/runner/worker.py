"""A worker: a process that plays one match after the other and keeps the bots warm in between.

It ends in good order when it is told to, and at once when the ladder's process is gone. Its bots
end with it: the system kills them when the process that started them is gone.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ladder.model.matches import PlannedMatch, Played
from ladder.runner.child_process import Link, settle_in, vanish
from ladder.storage.records import pack
from referee.core.errors import CourtyardError, PausedError
from referee.core.faults import FaultKind
from referee.games.base import ConfigError
from referee.hosting.host import MatchSpec

_BY_ENDING = {FaultKind.FAILED_TO_START.name, FaultKind.DISCONNECTED.name}
"""How a bot forfeits whose process is gone."""


class Player(Protocol):
    """Plays matches: `referee.hosting.host.Host`, or what a test puts in its place."""

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
    alone: bool = True
    """Whether the cause was this match's; if not, another one that it ended is reported as well."""
    absent: bool = False
    """Whether the cause was that a remote bot had left before the match began."""
    paused: bool = False
    """Whether the cause was that the referee was paused: then it counts as no attempt."""


def work(
    link: "Link[Played | Failed, MatchSpec | None]",
    folder: Path,
    make: MakePlayer,
    core: int | None,
) -> None:
    """Play what comes over the link, match by match up to None, and hand back how each ended.

    Given a core, it and its bots stay on it.
    """
    if core is not None:
        os.sched_setaffinity(0, {core})
    settle_in(folder)
    with make() as player:
        try:
            while (spec := link.recv()) is not None:
                link.send(_attempt(player, spec))
        except (EOFError, ConnectionError):
            vanish(folder)


def _attempt(player: Player, spec: MatchSpec) -> Played | Failed:
    try:
        record = player.play(spec)
        return pack(record, player.printed, spec)
    except (CourtyardError, ConfigError) as error:
        return Failed(spec.match_id, str(error), paused=isinstance(error, PausedError))


def was_cut_short(match: PlannedMatch, outcome: Played | Failed) -> bool:
    """Tell whether a match may have ended so because its processes were told to end.

    A remote bot is on another machine, and must not see a deal again: what it did counts.
    """
    if isinstance(outcome, Failed):
        return True
    return any(
        result.forfeit in _BY_ENDING and not version.is_remote
        for version, result in zip(match.seats, outcome.seats, strict=True)
        if version is not None
    )

"""A worker process, which plays matches one by one and keeps bots warm in between.

Its bots end with it: the system kills them when the process that started them is gone.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ladder.model.matches import PlannedMatch, Played
from ladder.runner.child_process import Parent
from ladder.storage.tables.records import pack
from referee.core.errors import CourtyardError, PausedError
from referee.core.verdicts import is_doubtful
from referee.games.base import GameError
from referee.hosting.match_runner import MatchSpec, OnDecision
from referee.match.record import Record
from referee.transports.connections import raise_file_limit

_LONG_US = 500_000
"""A seat that has thought for so long in one match may be that of a slow bot."""
_MATCHES_AT_ONCE = 100
"""More than anyone plays at once."""


class Player(Protocol):
    """Plays matches: `referee.hosting.host.Host`, or a test's substitute."""

    @property
    def printed(self) -> Mapping[int, str]:
        """The end of the output of each bot that forfeited the last match, by seat."""

    def play(self, spec: MatchSpec) -> Record:
        """Play a match and return its record; raise `RefereeError` if it is void."""


@runtime_checkable
class Telling(Protocol):
    """A player that tells how long each decision takes."""

    on_decision: OnDecision | None


MakePlayer = Callable[[], AbstractContextManager[Player]]
"""A picklable factory, which makes the player in the worker."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A void attempt at a match."""

    match_id: str
    reason: str
    alone: bool = True
    """Whether this failure counts by itself; if not, the same cause is reported with another
    match."""
    absent: bool = False
    """Whether a remote bot had left before the match began."""
    paused: bool = False
    """Whether a pause of the referee was the cause: then it does not count as an attempt."""
    unplayed: bool = False
    """Whether it was never begun, as the run was to stop: then it is open as before."""


@dataclass(frozen=True, slots=True)
class ThinkingTime:
    """How long a seat of a match that is under way has thought so far."""

    match_id: str
    seat: int
    seconds: float


Told = Played | Failed | ThinkingTime
"""What is told of a match: how it ended, or that a seat thinks long."""


class ThinkingTimes:
    """Adds up how long the seats of matches think; tells if that is long, and each time doubled."""

    def __init__(self, tell: Callable[[ThinkingTime], None]) -> None:
        """Tell it here."""
        self._tell = tell
        self._of: dict[str, Counter[int]] = {}
        """Microseconds by seat, of the last matches."""

    def note(self, match_id: str, seat: int, thinking_us: int) -> None:
        """Note a decision."""
        if match_id not in self._of:
            self._of[match_id] = Counter()
            while len(self._of) > _MATCHES_AT_ONCE:
                del self._of[next(iter(self._of))]
        before = self._of[match_id][seat]
        self._of[match_id][seat] = now = before + thinking_us
        if (now // _LONG_US).bit_length() > (before // _LONG_US).bit_length():
            self._tell(ThinkingTime(match_id, seat, now / 1e6))


def work(parent: Parent) -> None:
    """Play matches, until None comes: the parent sends a `MakePlayer` and then what it is to play.

    That is specs; the parent is told how each match ended. The id of a match withdraws it, if it
    has not begun. Another `MakePlayer`, once no spec waits, makes the player of the next specs.
    """
    raise_file_limit()  # each idle bot has some 25 of this process's files, and one per thread
    make: MakePlayer | None = parent.receive()
    while make is not None:
        with make() as player:
            if isinstance(player, Telling):
                player.on_decision = ThinkingTimes(parent.send).note
            make = _play(parent, player)


def _play(parent: Parent, player: Player) -> MakePlayer | None:
    """Play the specs that come; return what comes after them."""
    waiting = deque[MatchSpec]()
    while True:
        while not waiting or parent.link.poll():
            order: MatchSpec | str | MakePlayer | None = parent.receive()
            if isinstance(order, MatchSpec):
                waiting.append(order)
            elif not isinstance(order, str):
                return order
            elif waiting and waiting[-1].match_id == order:
                waiting.pop()
                parent.send(Failed(order, "it was withdrawn", unplayed=True))
        parent.send(_attempt(player, waiting.popleft()))


def _attempt(player: Player, spec: MatchSpec) -> Played | Failed:
    try:
        record = player.play(spec)
        return pack(record, player.printed, spec)
    except (CourtyardError, GameError) as error:
        return Failed(spec.match_id, str(error), paused=isinstance(error, PausedError))


def was_cut_short(match: PlannedMatch, outcome: Played | Failed) -> bool:
    """Return whether a match may have ended because its processes got a stop signal.

    A remote bot runs on another machine and must not see a deal again, so its result counts.
    """
    if isinstance(outcome, Failed):
        return True
    return any(
        is_doubtful(result.forfeit, remote=version.is_remote)
        for version, result in zip(match.seats, outcome.seats, strict=True)
        if version is not None
    )

"""A worker process, which plays matches one by one and keeps bots warm in between.

Its bots end with it: the system kills them when the process that started them is gone.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from ladder.model.matches import PlannedMatch, Played
from ladder.runner.child_process import Parent
from ladder.runner.host import host_at
from ladder.storage.tables.records import pack
from referee.core.errors import CourtyardError, PausedError
from referee.core.verdicts import is_doubtful
from referee.games.base import GameError
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level
from referee.transports.connections import raise_file_limit

_LONG_US = 500_000
"""A seat that has thought for so long in one match may be that of a slow bot."""
_MATCHES_AT_ONCE = 100
"""More than anyone plays at once."""


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


MatchNews = Played | Failed | ThinkingTime
"""News of a match: how it ended, or that a seat thinks long."""


class ThinkingTimes:
    """Adds up how long the seats of matches think; reports a long time, and each doubling."""

    def __init__(self, report: Callable[[ThinkingTime], None]) -> None:
        """Report through this."""
        self._report = report
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
            self._report(ThinkingTime(match_id, seat, now / 1e6))


def work(parent: Parent) -> None:
    """Play matches, until None comes: the parent sends a `Level` and then specs to play at it.

    The parent gets the outcome of each match. The id of a match withdraws it, if it has not begun.
    Another `Level`, once no spec waits, is that of the next specs.
    """
    raise_file_limit()  # each idle bot has some 25 of this process's files, and one per thread
    level: Level | None = parent.receive()
    while level is not None:
        with host_at(level) as host:
            host.on_decision = ThinkingTimes(parent.send).note
            level = _play(parent, host)


def _play(parent: Parent, host: Host) -> Level | None:
    """Play the specs that come; return what comes after them."""
    waiting = deque[MatchSpec]()
    while True:
        while not waiting or parent.link.poll():
            order: MatchSpec | str | Level | None = parent.receive()
            if order is None or isinstance(order, Level):
                return order
            if isinstance(order, MatchSpec):
                waiting.append(order)
            elif waiting and waiting[-1].match_id == order:
                waiting.pop()
                parent.send(Failed(order, "it was withdrawn", unplayed=True))
        parent.send(_attempt(host, waiting.popleft()))


def _attempt(host: Host, spec: MatchSpec) -> Played | Failed:
    try:
        record = host.play(spec)
        return pack(record, host.printed, spec)
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

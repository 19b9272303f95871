"""How long bots think, and so which matches a run may begin.

A bot that thinks far longer than the others is *slow*. It breaks no rule, but its matches could
take all workers, and all others would wait. So what is slow gets its share of the workers' time, at
most `_FAIR` times over, while there is something else to play; the planner does not wait for it
(`ladder.scheduling.ladder.planner`). Time is charged to the bot that thinks, not to its opponents.
The same holds for a remote bot that is *intermittent* (`ladder.runner.waiting`): a match that it
leaves keeps a worker until its time is up. It gets its share once over, as no one gains by that
wait.

Of a bot that this run has not seen finish a match, one match is under way at first: if it is slow
that shows before it has taken a second worker. Before any match has ended, no worker idles for
that: starting the bots of a run's first match takes most of a second.

A choice here changes only the order in which planned matches begin.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, median

from ladder.model.matches import PlannedMatch
from ladder.runner.worker import ThinkingTime

_MATCHES = 8
"""The number of a version's last matches from which its thinking time follows,"""
_FEW = 3
"""and the least number that the average is taken over."""
_TIMES = 10.0
"""How many times as long as usual a slow version thinks in them,"""
_LEAST_S = 0.8
"""and how long at least in all of them: no busy machine makes a quick bot slow."""
_FAIR = 2.0
"""How many times its share of the workers' time a slow version may get."""
_FIRST_S = 10.0
"""How long a version's first match in a run keeps back its others."""


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A match that has begun."""

    versions: frozenset[int]
    began: float
    takes_a_worker: bool


class Pace:
    """Which versions are slow, and which matches may begin."""

    def __init__(self, slow: Iterable[int], clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with the versions that were slow before; the clock counts seconds."""
        self.slow = set(slow)
        self.workers = 1
        """How many workers the run has."""
        self._clock = clock
        self._known: dict[int, deque[float]] = {}
        """The seconds that each version thought in its last matches."""
        self._means: dict[int, float] = {}
        """The averages of these."""
        self._under_way: dict[str, _UnderWay] = {}
        self._intermittent: frozenset[int] = frozenset()
        """The versions that come and go."""
        self._slow_at_work: set[str] = set()
        """The matches that take a worker and have a slow or intermittent version."""
        self._so_far: dict[str, dict[int, float]] = {}
        """How long the versions have thought in each match under way, if that is long."""
        self._seen = set(self.slow)
        """The versions that have played in this run, or were slow before."""
        self._debt_s = 0.0
        """How much more of a worker's time slow versions have had than they may."""
        self._settled_at = clock()

    def begin(self, match: PlannedMatch) -> None:
        """Note that a match begins."""
        self._settle_debt()
        versions = frozenset(version.id for version in match.seats if version)
        self._seen |= versions
        self._under_way[match.match_id] = _UnderWay(versions, self._clock(), match.needs_a_worker)
        if match.needs_a_worker and versions & self._restrained:
            self._slow_at_work.add(match.match_id)

    def end(self, match: PlannedMatch, thinking_s: Sequence[float] = ()) -> None:
        """Note that a match is no more under way, and how long each seat thought if it is over."""
        self._settle_debt()
        self._under_way.pop(match.match_id, None)
        self._slow_at_work.discard(match.match_id)
        self._so_far.pop(match.match_id, None)
        for version, seconds in zip(match.seats, thinking_s, strict=False):
            if version is not None:
                last = self._known.setdefault(version.id, deque(maxlen=_MATCHES))
                last.append(seconds)
                self._means[version.id] = fmean(last)
                self._judge(version.id)

    def think(self, match: PlannedMatch, so_far: ThinkingTime) -> None:
        """Note how long a seat has thought so far in a match that is under way."""
        version = dict(enumerate(match.seats)).get(so_far.seat)
        if version is not None and match.match_id in self._under_way:
            self._so_far.setdefault(match.match_id, {})[version.id] = so_far.seconds

    def look(self, intermittent: frozenset[int] = frozenset()) -> None:
        """Judge anew which versions think long right now; take over which come and go."""
        if intermittent != self._intermittent:
            self._settle_debt()
            self._intermittent = intermittent
            self._count_slow_at_work()
        for version in set(chain.from_iterable(self._so_far.values())) - self.slow:
            self._judge(version)

    def is_quick(self, match: PlannedMatch) -> bool:
        """Return whether all versions of a match are known, and none is slow."""
        return all(v.id in self._known and v.id not in self._restrained for v in match.seats if v)

    def may_begin(self, match: PlannedMatch) -> bool:
        """Return whether a match may begin, if something else can be played instead."""
        if not match.needs_a_worker:
            return True
        versions = {version.id for version in match.seats if version}
        if versions & self._restrained:
            self._settle_debt()
            return self._debt_s <= 0 and len(self._slow_at_work) < max(1, math.floor(self._share))
        unknown = versions - self._known.keys()
        return not unknown or not any(
            not one.versions.isdisjoint(unknown) and self._clock() - one.began < _FIRST_S
            for one in self._under_way.values()
        )

    @property
    def lets_all_begin(self) -> bool:
        """Whether matches kept back may begin if there are no others, as workers would idle.

        So it is while no version is known, as none would then wait that is known to be quick, and
        while each match under way has a slow version, so that none may end soon.
        """
        under_way = self._under_way.values()
        return not self._known or all(one.versions & self._restrained for one in under_way)

    @property
    def _restrained(self) -> set[int]:
        return self.slow | self._intermittent

    @property
    def _share(self) -> float:
        """How many of the workers the slow and the intermittent versions may take."""
        shares = _FAIR * len(self.slow) + len(self._intermittent - self.slow)
        part = max(1.0, shares) / max(1, len(self._seen))
        return self.workers * min(1.0, part)

    def _settle_debt(self) -> None:
        """Bring the debt up to date."""
        now = self._clock()
        if self._restrained:
            more = (now - self._settled_at) * (len(self._slow_at_work) - self._share)
            self._debt_s = max(0.0, self._debt_s + more)
        self._settled_at = now

    def _judge(self, version: int) -> None:
        """Note whether a version is slow."""
        last = self._known.get(version, ())
        running = [own[version] for own in self._so_far.values() if version in own]
        seconds = sum(last) + max(running, default=0.0)
        if seconds < _LEAST_S and version not in self.slow:
            return
        matches = max(_FEW, len(last) + bool(running))
        slow_s = max(_LEAST_S, matches * _TIMES * self._usual(version))
        if seconds >= slow_s:
            self.slow.add(version)
        elif len(last) == _MATCHES and seconds < slow_s / 2:
            self.slow.discard(version)
        self._count_slow_at_work()

    def _count_slow_at_work(self) -> None:
        self._slow_at_work = {
            match_id
            for match_id, one in self._under_way.items()
            if one.takes_a_worker and one.versions & self._restrained
        }

    def _usual(self, but: int) -> float:
        """Return how long versions usually think in a match, all but one; inf if unknown."""
        others = [mean for version, mean in self._means.items() if version != but]
        return median(others) if others else math.inf

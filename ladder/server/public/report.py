"""A ladder's report for everyone who asks: it takes seconds to work out, so it is kept a while."""

import threading
import time
from dataclasses import dataclass

from ladder.results.report.facts import ReportFacts, facts
from ladder.storage.ladder import Ladder

_KEPT_S = 60.0
_MOST_TIME_SPENT = 0.05
"""The largest share of time spent on the report of a ladder that plays while people read it."""


@dataclass(frozen=True, slots=True)
class _Made:
    facts: ReportFacts
    stamp: object
    until: float
    """Until when it stands in for a newer one, on the monotonic clock."""


class PublicReport:
    """The report of one ladder."""

    def __init__(self, ladder: Ladder) -> None:
        """Report on a ladder, which must stay open."""
        self._ladder = ladder
        self._lock = threading.Lock()
        self._made: _Made | None = None

    def facts(self) -> ReportFacts:
        """Return the report: of now, or of up to a minute ago, longer if one takes long to make.

        One thread makes it; others wait for that.
        """
        with self._lock:
            stamp, began = self._ladder.database.stamp(), time.monotonic()
            made = self._made
            if made is None or (made.stamp != stamp and began >= made.until):
                found = facts(self._ladder)
                spent = time.monotonic() - began
                until = began + max(_KEPT_S, spent / _MOST_TIME_SPENT)
                made = self._made = _Made(found, stamp, until)
            return made.facts
